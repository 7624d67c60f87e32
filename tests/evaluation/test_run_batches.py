"""Runs in batches: the table of one study that holds them all, and what is refused."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation import executors, run_batches
from fairviz.evaluation.executors import local, on_cluster
from fairviz.evaluation.run_batches import Evaluation, batches_of, evaluate_runs, run_files
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study

MEASURES = ("CWEx@10", "NFaiRR@10", "TExFAIR@5", "nDCG@10", "GSR@10", "AWRF@3", "ARaB@10")
SETTINGS = Settings(background="collection")


@pytest.fixture
def pattern(tmp_path: Path, newswire: Study) -> str:
    """Newswire's runs; some lack queries that others answer."""
    for number, (name, rows) in enumerate(newswire.runs.groupby("system", observed=True)):
        lacking = [sorted(rows["query_id"].unique())[number * 3 + at] for at in range(number % 3)]
        rows = rows[~rows["query_id"].isin(lacking)]
        lines = [f"{q} Q0 {d} {r} {s!r} {name}\n" for _, q, d, r, s in rows.itertuples(index=False)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return str(tmp_path / "*.run")


def in_turn(work: Callable, items: Sequence) -> list:
    return [(item, work(item)) for item in reversed(items)]


@pytest.mark.parametrize(("most", "per_query"), [(1, False), (4, True)])
def test_batches_have_the_values_of_one_study(
    pattern: str, monkeypatch: pytest.MonkeyPatch, newswire: Study, per_query: bool, most: int
) -> None:
    monkeypatch.setattr(run_batches, "MOST_FILES", most)
    files = run_files(pattern)
    evaluation = Evaluation("newswire", MEASURES, SETTINGS, per_query)
    table, broken = evaluate_runs(evaluation, files, in_turn, lambda done, total: None)
    assert broken == []
    runs = run_batches.stack_runs([run_batches.reader_of("runs", file)(file) for file in files])
    whole = replace(newswire, runs=runs, drafts=(), fingerprint="")
    scores = evaluate(whole, MEASURES, SETTINGS)
    wanted = scores.drop(columns=["labelled", "places"]) if per_query else summarise(scores)
    by = ["measure", "system", *(["query_id"] if per_query else [])]
    found, wanted = (
        one.astype(dict.fromkeys(by, "str")).sort_values(by).reset_index(drop=True) for one in (table, wanted)
    )
    pd.testing.assert_frame_equal(found, wanted, rtol=1e-12)


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_answered(pattern: str) -> None:
    folder = Path(pattern).parent
    (folder / "bad.run").write_text("1 Q0 d one 2.5 t\n")
    evaluation = Evaluation("newswire", ("CWEx@10",), SETTINGS)
    table, broken = evaluate_runs(evaluation, run_files(pattern), local(1), lambda done, total: None)
    assert len(table) == 9
    assert broken == ["bad.run:1: the rank is not a whole number: 'one'"]


def test_what_depends_on_all_runs_and_files_of_one_system_are_refused(pattern: str, tmp_path: Path) -> None:
    for settings in (Settings(), Settings(background="run:bm25")):
        with pytest.raises(UsageError, match="depends on all runs together"):
            evaluate_runs(Evaluation("newswire", ("NFaiRR@10",), settings), run_files(pattern), in_turn, print)
    for name in ("a.run", "a.txt"):
        (tmp_path / name).write_text("x")
    with pytest.raises(UsageError, match="are of one system"):
        run_files(str(tmp_path / "*"))
    with pytest.raises(UsageError, match="no file matches"):
        run_files(str(tmp_path / "*.gz"))


def test_files_are_batched_by_size_and_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        (tmp_path / f"{number}.run").write_text("x" * (10 if number != 2 else 100))
    monkeypatch.setattr(run_batches, "MOST_BYTES", 25)
    files = run_files(str(tmp_path / "*.run"))
    assert [len(batch.files) for batch in batches_of(files)] == [2, 1, 2]


# --- a Dask cluster that cannot be used, and what is printed of one


@pytest.mark.parametrize(
    ("content", "trouble"),
    [
        (b"{}", "it has no address"),
        (b"[]", "it has no address"),
        (b'{"address": 5}', "it has no address"),
        (b"", "Expecting value"),
        (b"\xff\xfe\0", "can't decode byte 0xff"),
    ],
)
def test_a_file_that_is_of_no_scheduler_is_refused(tmp_path: Path, content: bytes, trouble: str) -> None:
    file = tmp_path / "scheduler.json"
    file.write_bytes(content)
    with pytest.raises(FairvizError) as caught:
        list(on_cluster(str(file), print)(len, ["item"]))
    assert caught.value.message.startswith(f"{file} is not a scheduler file (")
    assert trouble in caught.value.message
    assert caught.value.remedy == "Name the file that `dask scheduler --scheduler-file FILE` wrote."


def test_a_scheduler_that_does_not_answer() -> None:
    with pytest.raises(FairvizError, match=r"no scheduler with workers answers at tcp://127\.0\.0\.1:9"):
        list(on_cluster("tcp://127.0.0.1:9", print, 1)(len, ["item"]))


@pytest.mark.parametrize(
    ("package", "version", "message"),
    [
        ("numpy", "1.0", "1 worker, other versions: numpy 1.0, here 2"),
        ("fairviz", None, "workers have fairviz not installed, here it is 9"),
    ],
)
def test_other_versions_of_workers_are_said_and_another_fairviz_is_refused(
    package: str, version: str | None, message: str
) -> None:
    here = dict.fromkeys(executors.PACKAGES, "2") | {"fairviz": "9"}
    versions = {"client": {"packages": here}, "workers": {"tcp://w": {"packages": here | {package: version}}}}
    client = SimpleNamespace(get_versions=lambda packages: versions, dashboard_link="")
    if package == "fairviz":
        with pytest.raises(FairvizError, match=message):
            executors._described(client)
    else:
        assert executors._described(client) == message
