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
