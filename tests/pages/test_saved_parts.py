"""Runs, labels and word lists saved here, on the Data page: renamed, deleted and restored."""

import dataclasses
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.annotation.forms.drawing import SamplePlan
from fairviz.annotation.forms.forms import links, make_form, name_annotators, rename_annotator
from fairviz.datasets import save_labels, studies_folder
from fairviz.datasets.additions import (
    delete_labels,
    labels_folder,
    rename_labels,
    rename_list,
    rename_run,
    restore_labels,
    save_runs,
)
from fairviz.errors import FairvizError
from fairviz.study.record import Annotator, Study
from fairviz.study.study import save_study
from fairviz.ui.state.library import OWN
from fairviz.words.counting import Lexicon
from tests.pages.test_first_run import first_run, html_of


def added(name: str = "mine") -> Study:
    study = fairviz.open_study("football")
    rows = study.runs[study.runs["system"] == study.systems[0]]
    save_runs(study, rows.assign(system=pd.Categorical([name] * len(rows))))
    return fairviz.open_study("football")


def test_a_run_is_renamed_deleted_and_restored() -> None:
    before = added()
    page = first_run("data.py", study="football", data_tab="Add and save")
    assert page.selectbox(key="data_rename_name").options == ["mine"]  # none of the study's own
    page.text_input(key="data_rename_text").set_value("ours").run()
    page.button(key="data_rename").click().run()
    assert "mine is now ours. Rename it again to undo." in html_of(page)
    study = fairviz.open_study("football")
    assert [name for name in study.systems if name in ("mine", "ours")] == ["ours"]
    columns = ["query_id", "doc_id", "rank", "score"]
    old, new = (one.runs[one.runs["system"] == name] for one, name in ((before, "mine"), (study, "ours")))
    pd.testing.assert_frame_equal(old[columns].reset_index(drop=True), new[columns].reset_index(drop=True))
    page.button(key="data_delete").click().run()
    assert "ours" not in fairviz.open_study("football").systems
    page.button(key="data_restore").click().run()
    assert "ours" in fairviz.open_study("football").systems


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../x", "'../x' cannot be the name of a run"),
        ("", "'' cannot be the name of a run"),
        ("mine", "football has a run 'mine' already"),
    ],
)
def test_a_name_that_cannot_be_is_refused(name: str, message: str) -> None:
    study = added()
    with pytest.raises(FairvizError, match=message):
        rename_run(study, "mine", name)
    assert "mine" in fairviz.open_study("football").systems


def open_page(study: str) -> AppTest:
    return first_run("data.py", study=study, data_tab="Add and save")


def labels_by(study: Study, name: str) -> dict[str, str]:
    rows = study.labels[study.labels["annotator"] == name]
    return dict(zip(rows["doc_id"], rows["label"], strict=True))


def with_labels(*names: str) -> Study:
    """Return football with labels added by these annotators."""
    study = fairviz.open_study("football")
    rows = study.labels.drop_duplicates("doc_id")[["doc_id", "annotator", "label"]].head(5)
    for name in names:
        save_labels(study, rows.assign(annotator=name), {name: Annotator(name, "rule", "Five labels.")})
    return fairviz.open_study("football")


def test_labels_are_renamed_deleted_and_restored() -> None:
    before = with_labels("list one", "list two")
    page = open_page("football")
    assert page.selectbox(key="data_labels_rename_name").options == ["list one", "list two"]  # none of the study's own
    page.text_input(key="data_labels_rename_text").set_value("words").run()
    page.button(key="data_labels_rename").click().run()
    assert "list one is now words. Rename it again to undo." in html_of(page)
    study = fairviz.open_study("football")
    assert labels_by(study, "words") == labels_by(before, "list one")
    assert not labels_by(study, "list one")
    assert (study.annotators["words"].kind, study.annotators["words"].description) == ("rule", "Five labels.")
    page.button(key="data_labels_delete").click().run()
    assert "words: deleted. Saved labels restores it." in html_of(page)
    assert not labels_by(fairviz.open_study("football"), "words")
    page.button(key="data_labels_delete").click().run()  # the last one: the file of labels goes too
    assert set(fairviz.open_study("football").labels["annotator"]).isdisjoint({"words", "list two"})
    for _ in range(2):
        page.button(key="data_labels_restore").click().run()
    study = fairviz.open_study("football")
    assert labels_by(study, "words") == labels_by(before, "list one")
    assert labels_by(study, "list two") == labels_by(before, "list two")
    assert study.annotators["words"].description == "Five labels."


@pytest.mark.parametrize(
    ("name", "message"),
    [("", "'' cannot name an annotator"), ("two", "football has labels by 'two' already"),
     ("gone", "football has labels by 'gone' already")],
)  # fmt: skip
def test_a_name_that_no_annotator_can_have_is_refused(name: str, message: str) -> None:
    delete_labels(with_labels("one", "two", "gone"), "gone")
    with pytest.raises(FairvizError, match=message):
        rename_labels(fairviz.open_study("football"), "one", name)
    assert labels_by(fairviz.open_study("football"), "one")


def test_labels_of_the_study_itself_stay() -> None:
    study = with_labels("one")
    name = next(name for name in study.labels["annotator"] if name != "one")
    with pytest.raises(FairvizError) as error:
        delete_labels(study, name)
    assert error.value.message == f"{labels_folder(study)} holds no labels by {name!r} of football"


def test_renaming_labels_keeps_the_comments_of_study_toml(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    (folder / "runs").mkdir(parents=True)
    (folder / "runs" / "a.run").write_text("q1 Q0 d1 1 2.0 a\nq1 Q0 d2 2 1.0 a\n")
    (folder / "labels.csv").write_text("doc_id,annotator,label,note\nd1,ann,f,clear\nd1,bob,m,\nd2,bob,F,unclear\n")
    (folder / "study.toml").write_text(
        '# About us\nannotator = "bob"\n\n[annotators."bob"]\nkind = "person"  # since 2020\n'
    )
    rename_labels(fairviz.open_study(folder), "bob", "robert")
    study = fairviz.open_study(folder)
    assert (study.annotator, study.annotators["robert"].kind) == ("robert", "person")
    assert labels_by(study, "robert") == {"d1": "male", "d2": "female"}
    delete_labels(study, "robert")
    without = fairviz.open_study(folder)
    assert (without.annotator, without.warnings) == ("", ())
    restore_labels(without, "robert")
    restored_study = fairviz.open_study(folder)
    restored = restored_study.labels
    assert restored_study.annotator == "robert"
    assert restored[restored["annotator"] == "robert"]["note"].tolist() == ["", "unclear"]
    assert (folder / "study.toml").read_text().count("# About us\n") == 1


def test_the_only_labels_of_a_study_without_other_parts_stay(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "labels.csv").write_text("doc_id,annotator,label\nd1,ann,f\n")
    with pytest.raises(FairvizError) as error:
        delete_labels(fairviz.open_study(folder), "ann")
    assert error.value.message == "mine has nothing but the labels by 'ann'"


def test_answers_to_a_form_keep_the_new_name_of_their_labels() -> None:
    study = fairviz.open_study("football")
    link = links(study, form=make_form(study, SamplePlan(documents=3, per_document=1, test_every=0), "Read."))[0]
    name_annotators([(link.token, "ann")])
    rename_annotator(study, "ann", "anna")
    assert [each.annotator for each in links(study)] == ["anna"]


def saved_study(lexicon: Lexicon) -> str:
    """Save football with this word list in the data folder; return its name."""
    study = dataclasses.replace(fairviz.open_study("football"), read_only=False, folder=None, lexicon=lexicon)
    save_study(dataclasses.replace(study, name="mine"), studies_folder() / "mine")
    return "mine"


def test_a_word_list_is_renamed_deleted_and_restored() -> None:
    lexicon = Lexicon("lexicon", (("she", "female"), ("he", "male")))
    name = saved_study(lexicon)
    page = open_page(name)
    page.text_input(key="data_lists_rename_text").set_value("short").run()
    page.button(key="data_lists_rename").click().run()
    assert "lexicon is now short. Rename it again to undo." in html_of(page)
    assert fairviz.open_study(name).lexicon == dataclasses.replace(lexicon, name="short")
    page.button(key="data_lists_delete").click().run()
    assert fairviz.open_study(name).lexicon is None
    page.button(key="data_lists_restore").click().run()
    assert fairviz.open_study(name).lexicon == dataclasses.replace(lexicon, name="short")
    rename_list(fairviz.open_study(name), "short", "lexicon")
    assert fairviz.open_study(name).lexicon == lexicon


def test_a_word_list_takes_no_other_file_of_the_folder() -> None:
    lexicon = Lexicon("lexicon", (("she", "female"), ("he", "male")))
    folder = studies_folder() / saved_study(lexicon)
    (folder / "lexicon-long.csv").write_text("she,f\nhe,m\nher,f\n")
    with pytest.raises(FairvizError) as error:
        rename_list(fairviz.open_study("mine"), "lexicon", "long")
    assert error.value.message == "mine has a word list 'long' already"
    assert fairviz.open_study("mine").lexicon == lexicon
    assert (folder / "lexicon-long.csv").read_text() == "she,f\nhe,m\nher,f\n"


def test_parts_of_a_study_of_this_session_are_renamed_deleted_and_restored() -> None:
    lexicon = Lexicon("short", (("she", "female"), ("he", "male")))
    study = dataclasses.replace(fairviz.open_study("football"), name="own", read_only=False, lexicon=lexicon)
    page = open_page("football")
    page.session_state[OWN] = {"own": study}
    page.run()
    page.selectbox(key="study").set_value("own").run()
    first, new_name = str(study.labels["annotator"].iloc[0]), "people"
    page.text_input(key="data_labels_rename_text").set_value(new_name).run()
    page.button(key="data_labels_rename").click().run()
    page.selectbox(key="data_labels_delete_name").set_value(new_name).run()
    renamed = own_study(page)
    assert labels_by(renamed, new_name) == labels_by(study, first)
    assert dataclasses.replace(renamed.annotators[new_name], name=first) == study.annotators[first]
    page.button(key="data_labels_delete").click().run()
    assert not labels_by(own_study(page), new_name)
    assert new_name not in own_study(page).annotators
    page.button(key="data_labels_restore").click().run()
    assert labels_by(own_study(page), new_name) == labels_by(study, first)
    page.button(key="data_lists_delete").click().run()
    assert own_study(page).lexicon is None
    assert own_study(page).fingerprint != study.fingerprint
    page.button(key="data_lists_restore").click().run()
    assert own_study(page).lexicon == lexicon


def own_study(page: AppTest) -> Study:
    return page.session_state[OWN]["own"]
