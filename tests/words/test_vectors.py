"""Word vectors: look-up, files of every kind, and what is wrong about others."""

import gzip
import os
import struct
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from fairviz.errors import FairvizError
from fairviz.words.vectors import (
    NAMES,
    Embedding,
    add_vectors,
    added_folder,
    added_names,
    added_path,
    google_news_path,
    load_embedding,
    nearest,
    offered,
    remove_vectors,
    vector_path,
)
from tests.conftest import refused

PACKAGED = Path(find_spec("gensim").origin).parent / "test" / "test_data"  # found, not imported: that takes a second
FASTTEXT = (PACKAGED / "lee_fasttext_new.bin").read_bytes()
WORD2VEC = b"2 2\nher " + np.array([3, 4], "<f4").tobytes() + b"\nhis " + np.array([0, 2], "<f4").tobytes()
TEXT = "4 2\nparis 3 4\nParis 0 2\nnurse -1 0\nnothing 0 0\n"
NAMED = "Use glove, google-news-subset or the path of a word2vec or fastText file."
REMEDY = "Give a word2vec or fastText file: .bin, .vec or .txt (a word and its numbers on each line)."


def written(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def test_words_are_looked_up_as_written_then_lower_then_capitalised(tmp_path):
    embedding = load_embedding(written(tmp_path, "a.vec", TEXT))
    vectors, known = embedding.lookup(["paris", "Paris", "PARIS", "NURSE", "nothing", "absent"])
    np.testing.assert_allclose(vectors, [[0.6, 0.8], [0, 1], [0.6, 0.8], [-1, 0], [0, 0], [0, 0]], atol=1e-7)
    assert known.tolist() == [True, True, True, True, False, False]
    assert embedding.coverage(["paris", "paris", "nothing", "Nurse"]) == (2, 3)
    capitals = load_embedding(written(tmp_path, "b.vec", "1 2\nRome 1 1\n"))
    assert capitals.lookup(["rome"])[1].tolist() == [True]
    assert capitals.lookup([])[0].shape == (0, 2)


def test_every_kind_of_file(tmp_path):
    for name, content in (
        ("word2vec.bin", WORD2VEC),
        ("glove.txt", "her 3 4\nhis 0 2\n"),
        ("word2vec.txt", "2 2\nher 3 4\nhis 0 2\n"),
        ("word2vec.vec.gz", gzip.compress(b"2 2\nher 3 4\nhis 0 2\n")),
    ):
        embedding = load_embedding(written(tmp_path, name, content))
        assert embedding.name == name
        np.testing.assert_allclose(embedding.lookup(["her", "his"])[0], [[0.6, 0.8], [0, 1]], atol=1e-7)
    fasttext = load_embedding(str(PACKAGED / "lee_fasttext_new.bin"))
    vectors, known = fasttext.lookup(["the", "governmentally"])
    assert known.tolist() == [True, True]
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    compressed = load_embedding(written(tmp_path, "a.bin.gz", gzip.compress(FASTTEXT)))
    assert compressed.rows == fasttext.rows
    np.testing.assert_array_equal(compressed.vectors, fasttext.vectors)


def test_the_last_numbers_of_a_line_are_the_vector_whatever_the_word(tmp_path):
    kinds = (
        "her 3 4\nhis 0 2\nmy name 1 0\n. . . 2 2\n",
        "my name 1 0\nher 3 4\nhis 0 2\n. . . 2 2\n",
        "her\t3\t4\nhis\t0\t2\nmy name\t1\t0\n. . .\t2\t2\n",
        "her 3 4 \nhis 0 2 \nmy name 1 0 \n. . . 2 2 \n",
        "her   3 4\r\nhis 0  2\r\nmy name 1 0\r\n. . . 2e0 2.0\r\n",
    )
    for number, (header, lines) in enumerate(product(("", "4 2\n"), kinds)):
        embedding = load_embedding(written(tmp_path, f"{number}.txt", header + lines))
        vectors, known = embedding.lookup(["her", "his", "my name", ". . ."])
        assert known.all()
        np.testing.assert_allclose(vectors, [[0.6, 0.8], [0, 1], [1, 0], [0.5**0.5, 0.5**0.5]], atol=1e-6)
    # words that are empty, numbers or wide blanks
    lines = "her 3 4\n 1 1\n\u3000 1 0\n7 0 2\n.\u00a0. 2 0\n"
    embedding = load_embedding(written(tmp_path, "odd.vec", f"5 2\n{lines}"))
    vectors, known = embedding.lookup(["her", "7", "\u3000", ".\u00a0."])
    assert (known.tolist(), len(embedding.vectors)) == ([True] * 4, 4)
    np.testing.assert_allclose(vectors, [[0.6, 0.8], [0, 1], [1, 0], [1, 0]], atol=1e-6)


def test_the_packaged_vectors_and_a_changed_file(tmp_path):
    embedding = load_embedding("glove")
    assert embedding.vectors.shape == (400_000, 50)
    (nurse, woman, man), known = embedding.lookup(["Nurse", "woman", "man"])
    assert known.all()
    assert nurse @ woman > nurse @ man
    np.testing.assert_allclose(np.linalg.norm(embedding.vectors, axis=1), 1, atol=1e-5)
    path = written(tmp_path, "a.txt", "her 3 4\n")
    assert load_embedding(path) is load_embedding(path)
    written(tmp_path, "a.txt", "her 3 4\nhis 1 1\n")
    assert load_embedding(path).vectors.shape == (2, 2)


def test_google_news_before_it_is_fetched():
    with refused("the word vectors google-news-subset are not fetched\nRun: fairviz fetch google-news-subset"):
        load_embedding("google-news-subset")
    google_news_path().parent.mkdir(parents=True)
    google_news_path().write_bytes(b"1 1\nher " + np.array([2], "<f4").tobytes())
    assert load_embedding("google-news-subset").name == "google-news-subset"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.vec", "3 2\nher 1 2\nhis 3 4\n", "it is cut off"),
        ("a.vec", "9 9\nher 1\n", "it is shorter than its header announces"),
        ("a.vec", "0 2\n", "its header announces no words or no numbers"),
        ("a.vec", "2 2\nher 1 2\nsecret 3 x\n", "line 3 is not a word and as many numbers as the others"),
        ("a.vec", "2 2\nher 1 2\nsecret 3\n", "line 3 is not a word and as many numbers as the others"),
        ("a.vec", b"2 2\nher 1 2\n\xff\xfe 3 4\n", "line 3 is not UTF-8 text"),
        ("a.bin", b"1000000000 300\nher ", "it is shorter than its header announces"),
        ("a.bin", b"\x80\x04pickle", "its first line is neither a header nor a word with numbers"),
        ("a.bin", WORD2VEC[:-2], "it is cut off"),
        ("a.txt", "", "its first line is neither a header nor a word with numbers"),
        ("a.txt", "secret one two\n", "line 1 is not a word and as many numbers as the others"),
        ("a.txt", "her 1 2\nsecret one two\n", "line 2 is not a word and as many numbers as the others"),
        ("a.txt", "her 1 2\nhis 1 2 3\n", "line 2 is not a word and as many numbers as the others"),
        ("a.vec", "2 2\nher 1 2\nhis 1 2 3\n", "line 3 is not a word and as many numbers as the others"),
        ("a.txt", "her" + " 1" * 10_001 + "\n", "line 1 holds 10,001 numbers, more than 10,000"),
        ("a.txt", "root:x:0:0:root:/root:/bin/bash\n", "its first line is neither a header nor a word with numbers"),
        ("a.vec.gz", b"no gzip", "it is not a gzip file, or is damaged"),
        ("a.vec.gz", gzip.compress(b"2 2\nher 3 4\nhis 0 2\n", mtime=0)[:-9], "it is cut off"),
        ("a.vec.gz", gzip.compress(b"1000000000 300\nher 1\n", mtime=0), "it is shorter than its header announces"),
    ],
)
def test_what_is_no_sound_file(tmp_path, name, content, reason):
    path = written(tmp_path, name, content)
    with pytest.raises(FairvizError) as caught:
        load_embedding(path)
    assert str(caught.value) == f"{path} is not a sound file of word vectors ({reason})\n{REMEDY}"
    assert "secret" not in str(caught.value)


def changed(at: int, form: str, *values: float) -> bytes:
    """The fastText file with these values in place of what stands there."""
    new = struct.pack(form, *values)
    return FASTTEXT[:at] + new + FASTTEXT[at + len(new) :]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (FASTTEXT[:30], "it is cut off in its header"),
        (FASTTEXT[:80], "it is cut off in its header"),
        (FASTTEXT[:100], "it is cut off in its vocabulary"),  # gensim would look for the end of the word for ever
        (FASTTEXT[:2000], "it is cut off in its vocabulary"),
        (FASTTEXT[: len(FASTTEXT) // 2], "it is cut off in its vectors"),
        (FASTTEXT[:-1], "it is cut off in its vectors"),
        (changed(4, "<i", 99), "it is of a version of fastText that cannot be read"),
        (changed(8, "<i", -1), "its settings are out of their range"),
        (changed(8, "<i", 11), "its vectors do not have the dimension that its settings give"),
        (changed(40, "<i", 2**30), "it does not hold a vector for each of its words and word parts"),
        (changed(64, "<2i", 2**30, 2**30), "it is cut off in its vocabulary"),
        (FASTTEXT[:92] + b"x" * 200_000, "its vocabulary does not end where it should"),
        (changed(64, "<2i", 0, 0), "its vocabulary is empty or miscounted"),
        (changed(72, "<i", 1), "it is a classifier, whose vectors cannot be used"),
        (changed(84, "<q", 1), "it is quantised; take the file that is not (.bin, not .ftz)"),
    ],
)
def test_what_is_no_sound_fasttext_file(tmp_path, content, reason):
    for name, written_content in (("a.bin", content), ("a.bin.gz", gzip.compress(content, 1))):
        path = written(tmp_path, name, written_content)
        with refused(f"{path} is not a sound file of word vectors ({reason})\n{REMEDY}"):
            load_embedding(path)


def test_only_a_regular_file_with_finite_numbers_is_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    for path in (str(tmp_path / "pipe"), str(tmp_path / "device"), str(tmp_path)):
        with refused(f"the word vectors {path!r} are a folder, a pipe or a device, not a file of vectors\n{NAMED}"):
            load_embedding(path)
    with refused(f"there are no word vectors 'glvoe' (No such file or directory)\n{NAMED}"):
        load_embedding("glvoe")
    for source, reason in (("~nobody-here/a.vec", "no such path"), ("a\0b", "no such path")):
        with refused(f"there are no word vectors {source!r} ({reason})\n{NAMED}"):
            load_embedding(source)
    with refused("the vector of word 2 in a.txt is not finite\nCopy or download it again."):
        load_embedding(written(tmp_path, "a.txt", "her 1 2\nhis nan 1\n"))


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
    # an added name goes before a file of that name
    Path("mine").write_text("man 1 0\n")
    add_vectors("mine", vectors)
    assert set(load_embedding("mine").rows) == {"her", "his"}
    assert set(load_embedding("./mine").rows) == {"man"}


def test_names_and_paths_that_cannot_be_added(vectors: Path, tmp_path: Path) -> None:
    for name in ("", " a", "a ", "a.", ".a", "../a", "a/b", "a\\b", "a:b", "a\n", "é", "a" * 61, "-a"):
        with refused(
            f"{name!r} cannot name word vectors\n"
            "Use up to 60 letters a to z, digits, hyphens and underscores, such as wiki-news."
        ):
            add_vectors(name, vectors)
        assert added_path(name) is None
    os.mkfifo(tmp_path / "pipe")
    remedy = "Give the path of a word2vec or fastText file."
    no_file = "the word vectors {!r} are a folder, a pipe or a device, not a file of vectors"
    for path, message in (
        (tmp_path / "pipe", no_file),
        (tmp_path, no_file),
        (tmp_path / "none", "there are no word vectors {!r} (No such file or directory)"),
        (Path("~nobody-here/a"), "there are no word vectors {!r} (no such path)"),
    ):
        with refused(f"{message.format(str(path))}\n{remedy}"):
            add_vectors("mine", path)
    assert added_names() == ()
    add_vectors("mine", vectors)
    for name in ("mine", "glove"):
        with refused(f"there are word vectors {name!r} already\nChoose another name."):
            add_vectors(name, vectors, NAMES)


@pytest.mark.parametrize("content", [b"", b"relative/path", b"\xff", b"/a\0b"])
def test_a_damaged_note_is_named(vectors: Path, content: bytes) -> None:
    add_vectors("mine", vectors)
    note = added_folder() / "mine.path"
    note.write_bytes(content)
    assert added_names() == ("mine",)
    with refused(
        f"{note} does not hold the path of a vector file\nRemove these vectors on the Data page, and add them again."
    ):
        load_embedding("mine")
    remove_vectors("mine")
    assert added_names() == ()


def test_a_folder_that_cannot_be_read_is_named() -> None:
    added_folder().parent.mkdir(parents=True)
    added_folder().write_text("a file")
    with refused(
        f"the folder of added word vectors {added_folder()} cannot be read (Not a directory)\n"
        "Make it readable, or set FAIRVIZ_HOME to another folder."
    ):
        added_names()


VECTORS = np.array([[1, 0], [0.6, 0.8], [0, 1], [-1, 0], [1, 0], [0, 0]], dtype=np.float32)
WORDS = ("nurse", "doctor", "rain", "roof", "Nurse", "nothing")
EMBEDDING = Embedding("made", {word: row for row, word in enumerate(WORDS) if word != "nothing"}, VECTORS)


def test_neighbours_stand_by_cosine_as_in_a_plain_loop_without_the_word_itself() -> None:
    table = nearest(EMBEDDING, "nurse", 2)
    assert table["word"].tolist() == ["doctor", "rain"]
    assert np.allclose(table["cosine"], [0.6, 0])
    # a row without a word is no neighbour, a word without a vector has none, and one made of its parts has
    assert nearest(EMBEDDING, "rain", 10)["word"].tolist() == ["doctor", "nurse", "roof", "Nurse"]
    assert nearest(EMBEDDING, "xyzzy").to_dict("list") == {"word": [], "cosine": []}
    parts = Embedding("parts", EMBEDDING.rows, VECTORS, lambda word: np.array([0.0, 1.0]))
    assert nearest(parts, "unseen", 1)["word"].tolist() == ["rain"]
    generator = np.random.default_rng(0)
    vectors = generator.normal(size=(300, 5))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    words = [f"w{row}" for row in range(300)]
    embedding = Embedding("random", {word: row for row, word in enumerate(words)}, vectors)
    slow = sorted((-float(vectors[7] @ vectors[row]), row) for row in range(300) if row != 7)[:12]
    table = nearest(embedding, "w7", 12)
    assert table["word"].tolist() == [words[row] for _, row in slow]
    assert np.allclose(table["cosine"], [-cosine for cosine, _ in slow], atol=1e-6)
