"""train-backpack from the command line: what it says, and what stops it."""

from pathlib import Path

import pytest

from fairviz.extensions.backpack import corpus, training
from fairviz.study.study import save_study
from tests.conftest import Call
from tests.extensions.backpack.test_training import study_of, texts_file
from tests.extensions.backpack.tiny import without_minilm


def test_it_says_what_the_model_was_made_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    monkeypatch.setattr(training, "BATCH", 16)
    monkeypatch.setattr(corpus, "reader", lambda _: without_minilm())
    save_study(study_of(["The queen. A cat sat.", None]), tmp_path / "made")
    asked = f"train-backpack {tmp_path}/made --senses 2 --texts {texts_file(tmp_path)}"
    of_study, of_file, steps, senses, wrote, now = call(asked).err.splitlines()
    assert of_study == "3 passages of the study made (CC0)"
    assert of_file == "56 passages of the file free.txt (not stated: a file of the user's own)"
    assert steps.startswith("12 of 12 steps in ")
    assert senses.startswith("sensitivity of the senses over 67 pairs of words, low carries gender: 1: ")
    assert wrote.startswith("wrote ")
    assert now == "Now: fairviz rank STUDY --with \"backpack(weight=0.5,model='made-texts-senses=2')\""
    assert call(asked, status=1).err.startswith("there is a Backpack called made-texts-senses=2 already")


def test_a_study_without_text_is_said(tmp_path: Path, call: Call) -> None:
    save_study(study_of([None], "bare"), tmp_path / "bare")
    assert call(f"train-backpack {tmp_path}/bare", status=1).err == (
        "bare holds no text to learn from\nGive its documents text: documents.csv with the columns doc_id and text.\n"
    )
