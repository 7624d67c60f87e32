"""Run files: their content, whole or not at all."""

import gzip

import pandas as pd
import pytest

from fairviz.study.loaders.writing import replace_runs, run_files
from fairviz.study.tables import RUNS, conform
from tests.conftest import refused


def runs(system: str = "bm25", doc_id: str = "007") -> pd.DataFrame:
    rows = {"system": [system] * 2, "query_id": ["1"] * 2, "doc_id": [doc_id, "null"], "rank": [1, 2]}
    return conform(pd.DataFrame({**rows, "score": [1 / 3, 0.25]}), RUNS)


def test_content(tmp_path):
    (written,) = replace_runs(runs(), tmp_path / "runs")
    assert written == tmp_path / "runs" / "bm25.run.gz"
    assert gzip.decompress(written.read_bytes()) == b"1 Q0 007 1 0.333333333 bm25\n1 Q0 null 2 0.25 bm25\n"
    assert written.read_bytes()[4:8] == bytes(4)  # no time in the file: the same run is the same bytes
    assert list((tmp_path / "runs").iterdir()) == [written]


def test_a_run_of_that_name_is_replaced_whatever_its_suffix(tmp_path):
    (tmp_path / "bm25.trec").write_text("old")
    (tmp_path / "bm25.TXT").write_text("old")
    (tmp_path / "bm25.more.run").write_text("another system")
    assert run_files(tmp_path, "bm25") == [tmp_path / "bm25.TXT", tmp_path / "bm25.trec"]
    replace_runs(runs(), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bm25.more.run", "bm25.run.gz"]


def test_a_name_with_a_space_stays_six_columns(tmp_path):
    (written,) = replace_runs(runs("my run"), tmp_path)
    assert written.name == "my run.run.gz"
    assert gzip.decompress(written.read_bytes()).splitlines()[0] == b"1 Q0 007 1 0.333333333 my_run"


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (runs("../x"), "'../x' cannot name the file of a system\nUse letters, digits, hyphens and underscores."),
        (runs("a\\b"), "'a\\\\b' cannot name the file of a system\nUse letters, digits, hyphens and underscores."),
        (runs("a:b"), "'a:b' cannot name the file of a system\nUse letters, digits, hyphens and underscores."),
        (
            runs(doc_id="d 1"),
            "the doc_id 'd 1' cannot be written to a TREC file\nUse ids without white space, "
            "and of queries without # in front.",
        ),
    ],
)
def test_what_no_run_file_can_hold(tmp_path, frame, message):
    with refused(message):
        replace_runs(frame, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "runs").write_text("a file")
    with refused(
        f"could not write a run in {tmp_path / 'runs'}: File exists\n"
        "Make it a folder that you can write, with room, and run it again."
    ):
        replace_runs(runs(), tmp_path / "runs")


def test_a_run_of_the_system_is_found_whatever_its_file_is_called(tmp_path):
    """By TREC's naming, and without an ending; a note that has the system's name is left."""
    for name in ("input.bm25", "bm25.res", "BM25"):
        (tmp_path / name).write_text("1 Q0 a 1 2.5 t\n")
    (tmp_path / "bm25").write_text("Parameters: k1 = 0.9\n")
    assert [path.name for path in run_files(tmp_path, "bm25")] == ["bm25.res", "input.bm25"]
