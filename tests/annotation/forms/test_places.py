"""Forms whose study was moved or deleted: nothing that was answered is lost, and both sides are told."""

import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from fairviz.annotation.forms.answering import answer, open_batch
from fairviz.annotation.forms.database import is_gone, left_at, left_behind, take_along
from fairviz.annotation.forms.forms import links
from fairviz.datasets import additions_folder
from fairviz.evaluation.opening import open_study
from fairviz.study.record import Study
from fairviz.study.study import make_study, save_study
from tests.annotation.forms.small import answer_all, bring_in, formed, saved
from tests.conftest import refused


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return saved(tmp_path)


def moved(study: Study, to: str = "elsewhere") -> Study:
    """The study from the folder that it was moved to."""
    place = Path(str(study.folder)).with_name(to)
    shutil.move(str(study.folder), place)
    return open_study(str(place))


def test_forms_go_with_a_study_that_was_moved(study: Study) -> None:
    made = formed(study)
    answer_all(study, made[0], lambda _, right: right or "male")
    elsewhere = moved(study)
    answer(made[1].token, 1, "label", "female")
    assert open_batch(made[1].token).gone
    assert links(elsewhere) == ()
    (left,) = left_behind(elsewhere)
    assert left.description == (
        f"labelling form 1, with 13 answers, was made for a study in {study.folder}, which is not there any more"
    )
    assert take_along(elsewhere, str(study.folder)) == left
    assert [link.answered for link in links(elsewhere)] == [12, 1, 0]
    assert not open_batch(made[1].token).gone
    assert left_behind(elsewhere) == ()
    file, found = bring_in(elsewhere)
    assert file.parent.name == "elsewhere"
    assert "person-1" in found.people


def test_a_study_that_was_deleted_says_what_is_kept(study: Study) -> None:
    formed(study)
    formed(study, test_every=0)
    assert left_at(str(study.folder)) is None
    shutil.rmtree(str(study.folder))
    left = left_at(str(study.folder))
    assert left is not None
    assert left.description.startswith("labelling forms 1 and 2, with 0 answers, were made for a study in ")
    assert left_at("newswire") is None
    assert replace(left, place="/my study").command("its new home") == (
        "fairviz study-form 'its new home' --moved-from '/my study'"
    )


def test_what_cannot_be_taken_along(study: Study, tmp_path: Path) -> None:
    formed(study)
    save_study(make_study("other", documents=pd.DataFrame({"doc_id": ["x"], "text": ["y"]})), tmp_path / "other")
    other = open_study(str(tmp_path / "other"))
    told = {
        str(study.folder): f"{study.folder} is still there, and its labelling forms stay with it\n"
        "Name a study that moved.",
        str(tmp_path / "never"): f"no labelling form was made for a study in {tmp_path / 'never'}\n"
        "Forms whose study is gone: none.",
    }
    for folder, message in told.items():
        with refused(message):
            take_along(other, folder)
    moved(study)
    assert left_behind(other) == ()
    with refused(
        f"other holds none of the documents that the labelling forms of {study.folder} ask about\n"
        "Name the study that lay there."
    ):
        take_along(other, str(study.folder))


def test_a_built_in_study_has_not_gone_before_anything_was_added() -> None:
    assert not is_gone(str(additions_folder("newswire").resolve()))
    assert is_gone("/nowhere/additions/newswire")
