"""Word vectors: look-up, files of every kind, and what is wrong about others."""

import gzip
from pathlib import Path

import gensim.test
import numpy as np
import pytest

from fairviz.embeddings import google_news_path, load_embedding
from fairviz.errors import FairvizError

PACKAGED = Path(gensim.test.__path__[0], "test_data")
TEXT = "4 2\nparis 3 4\nParis 0 2\nnurse -1 0\nnothing 0 0\n"
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
    binary = b"2 2\n" + b"her " + np.array([3, 4], "<f4").tobytes() + b"\nhis " + np.array([0, 2], "<f4").tobytes()
    for name, content in (
        ("word2vec.bin", binary),
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


def test_a_changed_file_is_read_again(tmp_path):
    path = written(tmp_path, "a.txt", "her 3 4\n")
    assert load_embedding(path) is load_embedding(path)
    written(tmp_path, "a.txt", "her 3 4\nhis 1 1\n")
    assert load_embedding(path).vectors.shape == (2, 2)


def test_glove():
    embedding = load_embedding("glove")
    assert embedding.vectors.shape == (400_000, 50)
    (nurse, woman, man), known = embedding.lookup(["Nurse", "woman", "man"])
    assert known.all()
    assert nurse @ woman > nurse @ man
    np.testing.assert_allclose(np.linalg.norm(embedding.vectors, axis=1), 1, atol=1e-5)


def test_google_news_before_it_is_fetched():
    with pytest.raises(FairvizError) as caught:
        load_embedding("google-news-subset")
    assert str(caught.value) == (
        "the word vectors google-news-subset are not fetched\nRun: python -m fairviz fetch google-news-subset"
    )
    google_news_path().parent.mkdir(parents=True)
    google_news_path().write_bytes(b"1 1\nher " + np.array([2], "<f4").tobytes())
    assert load_embedding("google-news-subset").name == "google-news-subset"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.vec", "3 2\nher 1 2\nhis 3 4\n", "unexpected end of input; is count incorrect or file otherwise damaged?"),
        ("a.vec", "9 9\nher 1\n", "its header speaks of 9 words, and it ends after 10 bytes"),
        ("a.bin", b"1000000000 300\nher ", "its header speaks of 1,000,000,000 words, and it ends after 19 bytes"),
        ("a.bin", b"\x80\x04pickle", "its first line is neither a header nor a word with numbers"),
        ("a.txt", "", "its first line is neither a header nor a word with numbers"),
        ("a.txt", "her one two\n", "could not convert string to float: 'one'"),
        ("a.vec.gz", b"no gzip", "Not a gzipped file (b'no')"),
    ],
)
def test_what_is_no_sound_file(tmp_path, name, content, reason):
    path = written(tmp_path, name, content)
    with pytest.raises(FairvizError) as caught:
        load_embedding(path)
    assert str(caught.value) == f"{path} is not a sound file of word vectors ({reason})\n{REMEDY}"


def test_a_fasttext_file_that_is_cut_off(tmp_path):
    whole = (PACKAGED / "lee_fasttext_new.bin").read_bytes()
    path = written(tmp_path, "cut.bin", whole[: len(whole) // 2])
    with pytest.raises(FairvizError) as caught:
        load_embedding(path)
    assert str(caught.value).startswith(f"{path} is not a sound file of word vectors (")
    assert str(caught.value).endswith(REMEDY)


def test_no_file_and_no_number(tmp_path):
    with pytest.raises(FairvizError) as caught:
        load_embedding("glvoe")
    assert str(caught.value) == (
        "there are no word vectors 'glvoe' (No such file or directory)\n"
        "Use glove, google-news-subset or the path of a word2vec or fastText file."
    )
    with pytest.raises(FairvizError) as caught:
        load_embedding(written(tmp_path, "a.txt", "her 1 2\nhis nan 1\n"))
    assert str(caught.value) == "the vector of 'his' in a.txt is not finite\nTake the file again."
