"""train-backpack from the command line: what it says, and what stops it."""

from pathlib import Path

import pytest

from fairviz.cli.main import main
from fairviz.rankers.backpack import corpus, training
from fairviz.study.study import save_study
from tests.rankers.backpack.test_training import study_of, texts_file
from tests.rankers.backpack.tiny import without_minilm


def said(capsys: pytest.CaptureFixture, status: int, *arguments: str) -> str:
    assert main(["train-backpack", *arguments]) == status
    return capsys.readouterr().err


def test_it_says_what_the_model_was_made_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(training, "BATCH", 16)
    monkeypatch.setattr(corpus, "reader", lambda _: without_minilm())
    save_study(study_of(["The queen. A cat sat.", None]), tmp_path / "made")
    files = ["--texts", str(texts_file(tmp_path))]
    lines = said(capsys, 0, str(tmp_path / "made"), "--senses", "2", *files).splitlines()
    assert lines[:2] == [
        "3 passages of the study made (CC0)",
        "56 passages of the file free.txt (not stated: a file of the user's own)",
    ]
    assert lines[2].startswith("12 of 12 steps in ")
    assert lines[3].startswith("sensitivity of the senses over 67 pairs of words, low carries gender: 1: ")
    assert lines[4].startswith("wrote ")
    assert lines[5] == "Now: fairviz rank STUDY --with \"backpack(weight=0.5,model='made-texts-senses=2')\""
    again = said(capsys, 1, str(tmp_path / "made"), "--senses", "2", *files)
    assert again.startswith("there is a Backpack called made-texts-senses=2 already")


def test_a_study_without_text_is_said(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    save_study(study_of([None], "bare"), tmp_path / "bare")
    assert said(capsys, 1, str(tmp_path / "bare")) == (
        "bare holds no text to learn from\nGive its documents text: documents.csv with the columns doc_id and text.\n"
    )
