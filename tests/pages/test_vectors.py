"""The way to add word vectors on the Data page: by path, by a person, remembered by name."""

import os

import pytest

from fairviz.ui.kit import jobs
from fairviz.words.genderedness import PAIRS
from fairviz.words.vectors import add_vectors, added_names, added_path
from tests.pages.test_first_run import first_run, html_of, settled


def added(path: object, name: str = ""):
    """The Data page after somebody gave this path and name and pressed Add."""
    test = first_run("data.py", study="football")
    test.text_input(key="vectors_path").set_value(str(path))
    test.text_input(key="vectors_name").set_value(name)
    test.button(key="vectors_add").click().run()
    assert not test.exception
    return settled(test) if jobs._jobs() else test


@pytest.fixture
def vectors(tmp_path):
    path = tmp_path / "wiki-news.300.vec"
    lines = [f"{word} {place + 1} {side}\n" for place, pair in enumerate(PAIRS) for side, word in enumerate(pair)]
    path.write_text("".join(lines))
    return path


def test_added_vectors_are_offered_by_name_and_can_be_forgotten(vectors):
    test = added(vectors)
    assert f"wiki-news: 20 words of 2 numbers, from {vectors}." in html_of(test)
    assert added_path("wiki-news") == vectors
    words = first_run("words.py", embedding="wiki-news")
    assert not words.exception
    assert words.session_state["current"].settings.embedding == "wiki-news"
    assert words.selectbox(key="embedding").options == ["glove", "google-news-subset", "wiki-news"]
    assert "wiki-news: 20 words of 2 numbers" in html_of(words)
    test.button(key="vectors_forget_wiki-news").click().run()
    assert "The word vectors &#x27;wiki-news&#x27; are no longer offered; the file stays." in html_of(test)
    assert added_names() == ()
    assert vectors.is_file()


def test_where_others_can_open_the_page_no_path_is_taken(vectors, monkeypatch):
    add_vectors("mine", vectors)
    monkeypatch.setenv("FAIRVIZ_SHARED", "1")
    test = first_run("data.py", study="football")
    assert not test.exception
    assert "vectors_path" not in {one.key for one in test.text_input}
    text = html_of(test)
    assert "Others can open this page, so it takes no path: fairviz app without --address does." in text
    assert "wiki-news.300.vec" in text
    assert str(vectors.parent) not in text, "where files lie is no business of theirs"


def test_what_cannot_be_added_is_said(vectors, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "odd.vec").write_text("password 1 x\n")
    for path, name, told in (
        ("", "", "There is no path to add."),
        (vectors, "a/b", "&#x27;a/b&#x27; cannot name word vectors"),
        (vectors, "glove", "there are word vectors &#x27;glove&#x27; already"),
        (tmp_path / "pipe", "", "are a folder, a pipe or a device, not a file of vectors"),
        (tmp_path / "odd.vec", "", "line 1 is not a word and as many numbers as the others"),
    ):
        text = html_of(added(path, name))
        assert told in text
        assert "password" not in text
    assert added_names() == ()
