"""Counts by a real Dask cluster: the same as by one process, with a worker killed on the way."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

from fairviz.errors import DataError
from fairviz.evaluation import executors as dask_cluster
from fairviz.extensions.collections import counts
from fairviz.extensions.collections.score import score
from tests.conftest import refused
from tests.extensions.collections.test_score import PLAN, documents, table, write_tsv

DASK = [sys.executable, "-m", "dask"]


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[tuple[Path, subprocess.Popen, list[subprocess.Popen]]]:
    """Start a scheduler and workers as a user does, on free ports, and end them."""
    file = folder / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    command = [*DASK, "scheduler", "--scheduler-file", str(file), "--port", "0", "--dashboard-address", ":0"]
    scheduler = subprocess.Popen(command, **quiet)
    one = [*DASK, "worker", "--scheduler-file", str(file), "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    started = [subprocess.Popen(one, **quiet) for _ in range(workers)]
    try:
        while not file.is_file():
            assert scheduler.poll() is None
            time.sleep(0.05)
        yield file, scheduler, started
    finally:
        for process in (*started, scheduler):
            process.kill()
            process.wait()


def write_passages(folder: Path, passages: int, files: int, times: int) -> Path:
    """Write so many passages of some length, gendered ones among them, in files of equal size."""
    pieces = [text for _, text in documents(997)]
    folder.mkdir()
    for first in range(files):
        with (folder / f"{first:02}.tsv").open("w") as stream:
            for number in range(first, passages, files):
                text = f"{pieces[number % 997]} {pieces[number * 31 % 991]} " * times
                stream.write(f"{number}\t{text}\n")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("passages", [3_200, pytest.param(1_000_000, marks=pytest.mark.lengthy)])
def test_a_cluster_that_loses_a_worker_counts_what_one_process_counts(tmp_path: Path, passages: int) -> None:
    """And one that loses its last worker is told in lines of our own, not after a library's log, and not never."""
    from distributed import Client

    collection = write_passages(tmp_path / "collection", passages, 32, 1)
    long = write_passages(tmp_path / "long", 64_000, 8, 20)
    said: list[str] = []
    with cluster(tmp_path, 2) as (file, _, workers):
        with Client(scheduler_file=str(file)) as client:
            client.wait_for_workers(2)
        executor = dask_cluster.on_cluster(str(file), said.append)
        score(str(collection), tmp_path / "out", PLAN, executor=executor, progress=lambda *_: workers[0].kill())
        command = [sys.executable, "-m", "fairviz", "score", str(long), "--out", str(tmp_path / "none")]
        command += ["--scheduler-file", str(file), "--patience", "1"]
        run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        while not list((tmp_path / "none").glob("part-*.parquet")) and run.poll() is None:
            time.sleep(0.01)
        workers[1].kill()
        first, *lines = run.communicate()[1].splitlines()
    assert said[0].startswith("2 workers, same versions as here; dashboard: http")
    assert (run.returncode, first.partition(",")[0]) == (1, "1 worker")
    assert lines == [
        "no worker is left; waiting 1 seconds for one",
        f"the scheduler {file} has no worker for 1 seconds",
        "Start workers again; the same command does what is missing.",
    ]
    score(str(collection), tmp_path / "alone", PLAN)
    assert len(table(tmp_path / "out")) == passages
    pd.testing.assert_frame_equal(table(tmp_path / "out"), table(tmp_path / "alone"))


def test_a_cluster_names_broken_documents_and_a_scheduler_that_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts, "PIECE", 1500)
    path = write_tsv(tmp_path / "c.tsv", [*documents(2_000), ("", "no name")])
    said: list[str] = []
    with cluster(tmp_path, 1) as (file, scheduler, _):
        executor = dask_cluster.on_cluster(str(file), said.append, 5)
        with pytest.raises(DataError, match=r"c\.tsv:2001: expected doc_id, a tab and the text"):
            score(str(path), tmp_path / "out", PLAN, executor=executor)

        def end(done: int, total: int, documents: int) -> None:
            scheduler.kill()

        with refused(f"the scheduler {file} is gone\n{dask_cluster.GONE}"):
            score(str(write_tsv(path, documents(20_000))), tmp_path / "out", PLAN, executor=executor, progress=end)
    assert said[0].startswith("1 worker, same versions as here")
