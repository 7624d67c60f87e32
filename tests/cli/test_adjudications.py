"""adjudications export and import, as a person calls them."""

from pathlib import Path

import pytest

import fairviz
from fairviz.annotation.adjudications import decide, decisions, history
from fairviz.study.record import Study
from tests.conftest import Call


@pytest.fixture
def study() -> Study:
    study = fairviz.open_study("football")
    decide(study, "n1", "male", "=he", "ann")
    decide(study, "f1", "neutral")
    return study


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_export_and_import(
    suffix: str, study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    file, labels, count = tmp_path / f"decisions.{suffix}", tmp_path / "labels.csv", len(study.labels) + 2
    assert call(f"adjudications export football {file}").err == f"wrote {file}: 2 rows\n"
    assert call(f"adjudications export football {labels} --labels").err == f"wrote {labels}: {count} labels\n"
    head, *lines = labels.read_text(encoding="utf-8").splitlines()
    assert head.startswith("doc_id,annotator,label")
    assert len(lines) == count
    assert [line for line in lines if line.startswith("n1,adjudicated,male")]
    kept = history(study)
    monkeypatch.setenv("FAIRVIZ_HOME", str(tmp_path / "another home"))
    assert decisions(study).empty
    assert call(f"adjudications import football {file}").err == "added 2 decisions to football\n"
    assert history(study).equals(kept)
    assert call(f"adjudications import football {file}").err == "added 0 decisions to football\n"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ("export football d.xlsx", 2, "decisions and labels are written as .csv or .jsonl, not '.xlsx'\n"),
        ("import football d.csv --labels", 2,
         "--labels goes with export\nLeave it out: import reads either kind of file.\n"),
        ("import football d.csv", 1, "d.csv: the file cannot be read (No such file or directory)\n"
         "Check that it is there and that you may read it.\n"),
        ("import football theirs.jsonl", 1, "theirs.jsonl:2: a document that is not in the study: '7021'\n"
         "Check the id, and that the study is the one decided on.\n"),
        ("import football mine.csv", 1, "mine.csv:2: not a label of this study: 'botrh'\n"
         "Write the file as `adjudications export` does, with labels that the study allows.\n"),
    ],
)  # fmt: skip
def test_errors(
    arguments: str, status: int, message: str, study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("theirs.jsonl").write_text('{"doc_id": "n1", "label": "female"}\n{"doc_id": "7021", "label": "male"}\n')
    Path("mine.csv").write_text("doc_id,label\nn1,botrh\n")
    assert call("adjudications", arguments, status=status).err == message
    assert len(history(study)) == 2, "nothing is added"
