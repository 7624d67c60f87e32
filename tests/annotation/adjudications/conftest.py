"""A study folder of three documents that decisions can be kept beside."""

from pathlib import Path

import pytest

import fairviz
from fairviz.study.record import Study


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "mine"
    (place / "runs").mkdir(parents=True)
    (place / "runs" / "one.run").write_text("q Q0 d1 1 2.0 one\nq Q0 d2 2 1.0 one\n")
    (place / "runs" / "two.run").write_text("q Q0 d2 1 2.0 two\nq Q0 =3 2 1.0 two\n")
    (place / "labels.csv").write_text("doc_id,annotator,label\nd1,gold,female\nd2,gold,neutral\n=3,gold,male\n")
    return place


@pytest.fixture
def study(folder: Path) -> Study:
    return fairviz.open_study(folder)
