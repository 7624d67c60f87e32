"""Word vectors that a person added by path, remembered by name."""

import os
from pathlib import Path

import pytest

from fairviz.errors import FairvizError
from fairviz.words.vectors import (
    NAMES,
    add_vectors,
    added_folder,
    added_names,
    added_path,
    load_embedding,
    offered,
    remove_vectors,
    vector_path,
)


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    path = tmp_path / "some vectors.vec"
    path.write_text("2 2\nher 3 4\nhis 0 2\n")
    return path


def test_added_vectors_have_a_name_until_they_are_removed(vectors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (added_names(), offered(), added_path("mine")) == ((), NAMES, None)
    monkeypatch.chdir(vectors.parent)
    assert add_vectors("mine", "some vectors.vec") == vectors
    assert (added_names(), offered()) == (("mine",), (*NAMES, "mine"))
    assert vector_path("mine") == added_path("mine") == vectors
    assert load_embedding("mine").name == "mine"
    assert load_embedding(str(vectors)).name == "some vectors.vec"
    remove_vectors("mine")
    assert (added_names(), added_path("mine")) == ((), None)
    assert vectors.is_file()


def test_an_added_name_goes_before_a_file_of_that_name(vectors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(vectors.parent)
    Path("mine").write_text("man 1 0\n")
    add_vectors("mine", vectors)
    assert set(load_embedding("mine").rows) == {"her", "his"}
    assert set(load_embedding("./mine").rows) == {"man"}


@pytest.mark.parametrize("name", ["", " a", "a ", "a.", ".a", "../a", "a/b", "a\\b", "a:b", "a\n", "é", "a" * 61, "-a"])
def test_what_cannot_name_vectors(vectors: Path, name: str) -> None:
    with pytest.raises(FairvizError) as caught:
        add_vectors(name, vectors)
    assert str(caught.value) == (
        f"{name!r} cannot name word vectors\n"
        "Use up to 60 letters a to z, digits, hyphens and underscores, such as wiki-news."
    )
    assert added_path(name) is None


def test_a_name_that_is_taken(vectors: Path) -> None:
    add_vectors("mine", vectors)
    for name in ("mine", "glove"):
        with pytest.raises(FairvizError) as caught:
            add_vectors(name, vectors, NAMES)
        assert str(caught.value) == f"there are word vectors {name!r} already\nChoose another name."


def test_what_is_no_file_is_not_added(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    remedy = "Give the path of a word2vec or fastText file."
    for path, message in (
        (tmp_path / "pipe", "the word vectors {!r} are a folder, a pipe or a device, not a file of vectors"),
        (tmp_path, "the word vectors {!r} are a folder, a pipe or a device, not a file of vectors"),
        (tmp_path / "none", "there are no word vectors {!r} (No such file or directory)"),
        (Path("~nobody-here/a"), "there are no word vectors {!r} (no such path)"),
    ):
        with pytest.raises(FairvizError) as caught:
            add_vectors("mine", path)
        assert str(caught.value) == f"{message.format(str(path))}\n{remedy}"
    assert added_names() == ()


@pytest.mark.parametrize("content", [b"", b"relative/path", b"\xff", b"/a\0b"])
def test_a_damaged_note_is_named(vectors: Path, content: bytes) -> None:
    add_vectors("mine", vectors)
    note = added_folder() / "mine.path"
    note.write_bytes(content)
    assert added_names() == ("mine",)
    with pytest.raises(FairvizError) as caught:
        load_embedding("mine")
    assert str(caught.value) == (
        f"{note} does not hold the path of a vector file\nRemove these vectors on the Data page, and add them again."
    )
    remove_vectors("mine")
    assert added_names() == ()


def test_a_folder_that_cannot_be_read_is_named() -> None:
    added_folder().parent.mkdir(parents=True)
    added_folder().write_text("a file")
    with pytest.raises(FairvizError) as caught:
        added_names()
    assert str(caught.value) == (
        f"the folder of added word vectors {added_folder()} cannot be read (Not a directory)\n"
        "Make it readable, or set FAIRVIZ_HOME to another folder."
    )
