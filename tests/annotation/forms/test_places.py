"""Forms whose study was moved or deleted: nothing that was answered is lost, and both sides are told."""

import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd

from fairviz.annotation.forms.answering import answer, open_batch
from fairviz.annotation.forms.database import is_gone, left_at, left_behind, take_along
from fairviz.annotation.forms.forms import links
from fairviz.datasets import additions_folder
from fairviz.evaluation.opening import open_study
from fairviz.study.study import make_study, save_study
from tests.annotation.forms.small import answer_all, bring_in, formed, saved
from tests.conftest import refused


def test_forms_go_with_a_study_that_was_moved(tmp_path: Path) -> None:
    study = saved(tmp_path)
    made = formed(study)
    formed(study, documents=3, test_every=0)
    answer_all(study, made[0], lambda _, right: right or "male")
    was, now = study.folder, tmp_path / "elsewhere"
    assert left_at(str(was)) is left_at("newswire") is None
    shutil.move(was, now)
    elsewhere = open_study(str(now))
    answer(made[1].token, 1, "label", "female")
    assert open_batch(made[1].token).gone
    assert links(elsewhere) == ()
    (left,) = left_behind(elsewhere)
    assert left == left_at(str(was))
    assert left.description == (
        f"labelling forms 1 and 2, with 13 answers, were made for a study in {was}, which is not there any more"
    )
    assert replace(left, place="/my study").command("its new home") == (
        "fairviz study-form 'its new home' --moved-from '/my study'"
    )
    save_study(make_study("other", documents=pd.DataFrame({"doc_id": ["x"], "text": ["y"]})), tmp_path / "other")
    other = open_study(str(tmp_path / "other"))
    assert left_behind(other) == ()
    with refused(
        f"other holds none of the documents that the labelling forms of {was} ask about\nName the study that lay there."
    ):
        take_along(other, str(was))
    assert take_along(elsewhere, str(was)) == left
    assert [link.answered for link in links(elsewhere)] == [12, 1, 0, 0, 0, 0]
    assert not open_batch(made[1].token).gone
    assert left_behind(elsewhere) == ()
    for folder, message in {
        now: f"{now} is still there, and its labelling forms stay with it\nName a study that moved.",
        was: f"no labelling form was made for a study in {was}\nForms whose study is gone: none.",
    }.items():
        with refused(message):
            take_along(other, str(folder))
    file, found = bring_in(elsewhere)
    assert file.parent == now
    assert "person-1" in found.people


def test_a_built_in_study_has_not_gone_before_anything_was_added() -> None:
    assert not is_gone(str(additions_folder("newswire").resolve()))
    assert is_gone("/nowhere/additions/newswire")
