"""The verb score: parts, status, word lists, and what it refuses."""

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from fairviz.evaluation import executors
from tests.conftest import Call
from tests.extensions.collections.test_score import documents, expected, table, write_tsv


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    folder = tmp_path / "collection"
    folder.mkdir()
    for name, rows in (("a.tsv", documents(40)[:20]), ("b.tsv", documents(40)[20:])):
        write_tsv(folder / name, rows)
    return folder


def test_a_collection_is_counted_in_parts_and_its_state_printed(collection: Path, tmp_path: Path, call: Call) -> None:
    out = tmp_path / "out"
    arguments = f"score {collection} --out {out}"
    assert call(arguments, "--status").err == "0 of 2 parts, 0 documents\n"
    assert call(arguments, "--part 2/2").err == "1 of 2 parts, 20 documents\n"
    assert call(arguments, "--workers 2").err == f"2 of 2 parts, 40 documents\ncomplete: {out / 'manifest.json'}\n"
    pd.testing.assert_frame_equal(table(out), expected(documents(40)), check_dtype=False)


def test_broken_documents_are_left_out_on_request(tmp_path: Path, call: Call) -> None:
    path = tmp_path / "c.tsv"
    path.write_text("a\tshe\nbroken\n")
    said = call(f"score {path} --out {tmp_path}/out --skip-broken")
    assert "1 of 1 parts, 1 documents; 1 that cannot be read are left out\n" in said.err


def test_parts_that_are_none_and_a_group_named_as_a_column(collection: Path, tmp_path: Path, call: Call) -> None:
    command = f"score {collection} --out {tmp_path}/out"
    for part in ("0/2", "3", "a/b", "1/0"):
        assert f"{part!r} is not a part such as 3/16" in call(command, "--part", part, status=2).err
    assert call(command, "--part 3/2", status=2).err == "there is no part 3 of 2\nUse 1/2 to 2/2.\n"
    (tmp_path / "words.csv").write_text("word,group\nwater,tokens\n")
    said = call(command, f"--lexicon {tmp_path}/words.csv", status=2)
    assert "a group of the word list is named tokens" in said.err


def test_memory_limits_the_processes(
    collection: Path, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = f"score {collection} --out {tmp_path}/out"
    said = call(command, "--memory 500M", status=2)
    assert said.err.endswith("one process needs 0.6 GB\nGive --memory 0.6G or more.\n")
    asked, alone = [], executors.local(1)
    monkeypatch.setattr(executors, "local", lambda workers: asked.append(workers) or alone)
    for memory in ("1.3G", "0.7GB"):
        call(command, f"--workers 5 --memory {memory}")
    assert asked == [2, 1]
    call(command, "--memory much", status=2)


def test_a_cluster_that_cannot_be_used(collection: Path, tmp_path: Path, call: Call, monkeypatch) -> None:
    command = f"score {collection} --out {tmp_path}/out"
    monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", "tcp://127.0.0.1:9")
    assert "--memory is of processes of this machine" in call(command, "--memory 2G", status=2).err
    said = call(command, f"--scheduler-file {tmp_path}/none.json", status=2)
    assert f"{tmp_path / 'none.json'} is not there" in said.err
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert "Dask workers need the layer [cluster], which is not installed" in call(command, status=1).err
    call(command, "--workers 1")


def test_a_full_disk_is_one_line_and_leaves_no_part(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk's end."""
    path, out = write_tsv(tmp_path / "c.tsv", documents(2_000)), tmp_path / "out"
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (3_000, 3_000)); "
        "from fairviz.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-B", "-c", program, "score", str(path), "--out", str(out), "--workers", "1"]
    ended = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"NUMBA_DISABLE_JIT": "1"})
    assert ended.returncode == 1
    remedy = "Make room there, or name another folder with --out.\n"
    assert ended.stderr == f"{out} cannot be written (File too large)\n{remedy}"
    assert not list(out.glob("part-*"))
