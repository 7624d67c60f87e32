"""The page Data: what is odd in a study, its files, word vectors by path, and runs, labels and word lists saved here,
which are renamed, deleted and restored."""

import dataclasses
import os
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import fairviz
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
from fairviz.ui.data import downloads
from fairviz.ui.kit import jobs
from fairviz.words.counting import Lexicon
from fairviz.words.vectors import add_vectors, added_names, added_path
from tests.pages.conftest import first_run, html_of, kept, keys_of, put, settled, small_vectors, table_with


def test_what_is_odd_is_counted_with_its_remedy_and_no_file_is_computed_before_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(downloads, "to_wide_latex", lambda *_: pytest.fail("nobody asked for it"))
    page = first_run("data.py", study="football")
    odd = table_with(page, "remedy")
    assert odd[["part", "item", "count"]].to_numpy().tolist() == [["labels", "for documents in no run", 4]]
    assert not [one for one in page.dataframe if "coverage" in one.value], "the open tab alone"
    page = first_run("data.py", study="football", data_tab="Download")
    (table,) = [one.value for one in page.dataframe if {"coverage", "remedy"} & {*one.value}]
    assert len(table) > 2
    assert "Each file names its study" in html_of(page)
    labels = ["CSV: a row a system", "CSV: a row a query", "LaTeX: a row a value", "LaTeX: systems × measures"]
    assert [one.proto.label for one in page.get("download_button") if one.proto.label in labels] == labels


# Word vectors: by path, by a person, remembered by name


def with_vectors(path: object, name: str = "", test: AppTest | None = None) -> AppTest:
    """The page after somebody gave this path and name and pressed Add."""
    test = test or first_run("data.py", study="football")
    test.text_input(key="vectors_path").set_value(str(path))
    test.text_input(key="vectors_name").set_value(name)
    test.button(key="vectors_add").click().run()
    return settled(test) if jobs._jobs() else test


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    return small_vectors(tmp_path / "wiki-news.300.vec")


def test_added_vectors_are_offered_by_name_and_can_be_forgotten(vectors: Path) -> None:
    test = with_vectors(vectors)
    assert f"wiki-news: 20 words of 2 numbers, from {vectors}." in html_of(test)
    assert added_path("wiki-news") == vectors
    words = first_run("words.py", embedding="wiki-news")
    assert words.session_state["current"].settings.embedding == "wiki-news"
    assert words.selectbox(key="embedding").options == ["glove", "google-news-subset", "wiki-news"]
    assert "wiki-news: 20 words of 2 numbers" in html_of(words)
    test.button(key="vectors_forget_wiki-news").click().run()
    assert "The word vectors &#x27;wiki-news&#x27; are no longer offered; the file stays." in html_of(test)
    assert added_names() == ()
    assert vectors.is_file()


def test_where_others_can_open_the_page_no_path_is_taken(vectors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_vectors("mine", vectors)
    monkeypatch.setenv("FAIRVIZ_SHARED", "1")
    test = first_run("data.py", study="football")
    assert "vectors_path" not in keys_of(test.text_input)
    text = html_of(test)
    assert "Others can open this page, so it takes no path: fairviz app without --address does." in text
    assert "wiki-news.300.vec" in text
    assert str(vectors.parent) not in text, "where files lie is no business of theirs"


def test_vectors_that_cannot_be_added_are_told(vectors: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "odd.vec").write_text("password 1 x\n")
    page = None
    for path, name, told in (
        ("", "", "There is no path to add."),
        (vectors, "glove", "there are word vectors &#x27;glove&#x27; already"),
        (tmp_path / "pipe", "", "are a folder, a pipe or a device, not a file of vectors"),
        (tmp_path / "odd.vec", "", "line 1 is not a word and as many numbers as the others"),
    ):
        page = with_vectors(path, name, page)
        assert told in html_of(page)
        assert "password" not in html_of(page)
    assert added_names() == ()


# Runs


def saved_page(study: str, part: str, new_name: str) -> AppTest:
    """The page with this new name typed for the first of these parts."""
    typed = {f"{part}_rename_text": new_name}
    return first_run("data.py", study=study, data_tab="Add and save", state=typed)


def with_run(name: str = "mine") -> Study:
    study = fairviz.open_study("football")
    rows = study.runs[study.runs["system"] == study.systems[0]]
    save_runs(study, rows.assign(system=pd.Categorical([name] * len(rows))))
    return fairviz.open_study("football")


def test_a_run_is_renamed_deleted_and_restored() -> None:
    before = with_run()
    page = saved_page("football", "data", "ours")
    assert page.selectbox(key="data_rename_name").options == ["mine"]  # none of the study's own
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


def test_a_name_that_cannot_be_is_refused() -> None:
    study = with_run()
    for name, message in (
        ("../x", "'../x' cannot be the name of a run"),
        ("", "'' cannot be the name of a run"),
        ("mine", "football has a run 'mine' already"),
    ):
        with pytest.raises(FairvizError, match=message):
            rename_run(study, "mine", name)
    assert "mine" in fairviz.open_study("football").systems
    delete_labels(with_labels("one", "two", "gone"), "gone")
    for name, message in (
        ("", "'' cannot name an annotator"),
        ("two", "football has labels by 'two' already"),
        ("gone", "football has labels by 'gone' already"),
    ):
        with pytest.raises(FairvizError, match=message):
            rename_labels(fairviz.open_study("football"), "one", name)
    assert labels_by(fairviz.open_study("football"), "one")


# Labels


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
    page = saved_page("football", "data_labels", "words")
    assert page.selectbox(key="data_labels_rename_name").options == ["list one", "list two"]  # none of the study's own
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
    for new, old in (("words", "list one"), ("list two", "list two")):
        assert labels_by(study, new) == labels_by(before, old)
    assert study.annotators["words"].description == "Five labels."


def test_labels_of_the_study_itself_stay() -> None:
    study = with_labels("one")
    name = next(name for name in study.labels["annotator"] if name != "one")
    with pytest.raises(FairvizError) as error:
        delete_labels(study, name)
    assert error.value.message == f"{labels_folder(study)} holds no labels by {name!r} of football"
    put("alone", labels="doc_id,annotator,label\nd1,ann,f\n")
    with pytest.raises(FairvizError, match="alone has nothing but the labels by 'ann'"):
        delete_labels(fairviz.open_study("alone"), "ann")


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
    restored = fairviz.open_study(folder)
    assert restored.annotator == "robert"
    assert restored.labels.loc[restored.labels["annotator"] == "robert", "note"].tolist() == ["", "unclear"]
    assert (folder / "study.toml").read_text().count("# About us\n") == 1


# Word lists, and all parts of a study of this session

WORDS = (("she", "female"), ("he", "male"))


def with_list(lexicon: Lexicon) -> str:
    """Save football with this word list in the data folder; return its name."""
    study = fairviz.open_study("football")
    return kept(dataclasses.replace(study, name="mine", read_only=False, folder=None, lexicon=lexicon))


def test_a_word_list_is_renamed_deleted_and_restored() -> None:
    lexicon = Lexicon("lexicon", WORDS)
    name = with_list(lexicon)
    page = saved_page(name, "data_lists", "short")
    page.button(key="data_lists_rename").click().run()
    assert "lexicon is now short. Rename it again to undo." in html_of(page)
    assert fairviz.open_study(name).lexicon == dataclasses.replace(lexicon, name="short")
    page.button(key="data_lists_delete").click().run()
    assert fairviz.open_study(name).lexicon is None
    page.button(key="data_lists_restore").click().run()
    assert fairviz.open_study(name).lexicon == dataclasses.replace(lexicon, name="short")
    rename_list(fairviz.open_study(name), "short", "lexicon")
    assert fairviz.open_study(name).lexicon == lexicon
    other = studies_folder() / name / "lexicon-long.csv"
    other.write_text("she,f\nhe,m\nher,f\n")
    with pytest.raises(FairvizError, match="mine has a word list 'long' already"):
        rename_list(fairviz.open_study(name), "lexicon", "long")
    assert fairviz.open_study(name).lexicon == lexicon
    assert other.read_text() == "she,f\nhe,m\nher,f\n"


def test_parts_of_a_study_of_this_session_are_renamed_deleted_and_restored() -> None:
    lexicon = Lexicon("short", WORDS)
    study = dataclasses.replace(fairviz.open_study("football"), name="own", read_only=False, lexicon=lexicon)
    first, new_name = str(study.labels["annotator"].iloc[0]), "people"
    page = first_run("data.py", study, data_tab="Add and save", state={"data_labels_rename_text": new_name})

    def own() -> Study:
        return page.session_state["own_studies"]["own"]

    page.button(key="data_labels_rename").click().run()
    page.selectbox(key="data_labels_delete_name").set_value(new_name)
    assert labels_by(own(), new_name) == labels_by(study, first)
    assert dataclasses.replace(own().annotators[new_name], name=first) == study.annotators[first]
    page.button(key="data_labels_delete").click().run()
    assert not labels_by(own(), new_name)
    assert new_name not in own().annotators
    page.button(key="data_labels_restore").click().run()
    assert labels_by(own(), new_name) == labels_by(study, first)
    page.button(key="data_lists_delete").click().run()
    assert own().lexicon is None
    assert own().fingerprint != study.fingerprint
    page.button(key="data_lists_restore").click().run()
    assert own().lexicon == lexicon
