"""Labels, lists of words and weights: what is read, and what is taken for a group and said."""

from pathlib import Path

import pandas as pd
import pytest

from fairviz.errors import DataError, noticing
from fairviz.study.loaders import read_labels, read_lexicon
from fairviz.study.loaders.weights import parse_weights, read_weights
from fairviz.study.loaders.word_files import read_counterparts, read_stop_words
from tests.study.loaders.files import put, rows


def read_noticing(path: Path, folder: Path, noticed: list[str]) -> pd.DataFrame:
    with noticing(noticed):
        return read_labels(path, folder)


def test_labels_and_rows_that_say_the_same_again(tmp_path: Path) -> None:
    path = put(tmp_path, "labels.csv", "doc_id,annotator,label,why\n007,a,female,x\nnull,a,male,\n007,b,neutral,\n")
    table = read_noticing(path, tmp_path, noticed := [])
    assert rows(table) == [("007", "a", "female", "x"), ("null", "a", "male", ""), ("007", "b", "neutral", "")]
    assert noticed == []
    table = read_labels(put(tmp_path, "labels.tsv", "doc_id\tlabel\n7\tmale\n"))
    assert rows(table) == [("7", "annotator", "male")]
    path = put(tmp_path, "labels.csv", "doc_id,annotator,label\n1,a,male\n1,a,male\n2,a,male\n1,b,male\n")
    assert len(read_noticing(path, tmp_path, noticed)) == 3
    assert noticed == ["labels.csv: 1 row repeats an earlier one, read once."]


def test_spellings_that_leave_no_doubt(tmp_path: Path) -> None:
    """Also of the answers of test questions."""
    names = ["F", "f", "Female", "MALE", "male ", "m", "Neutral", "N", "female", "F"]
    content = "doc_id,label\n" + "".join(f"{i},{name}\n" for i, name in enumerate(names))
    table = read_noticing(put(tmp_path, "labels.csv", content), tmp_path, noticed := [])
    assert table["label"].str[0].tolist() == list("fffmmmnnff")
    assert set(table["label"]) == {"neutral", "female", "male"}
    assert noticed[0] == "labels.csv: the label 'F' was read as 'female' (2 times)."
    assert noticed[3] == "labels.csv: the label 'MALE' was read as 'male' (once)."
    assert len(noticed) == 8
    content = "doc_id,annotator,label,test_label\n1,a,male,M\n2,a,female,\n3,a,neutral,neutral\n"
    table = read_noticing(put(tmp_path, "labels.csv", content), tmp_path, noticed := [])
    assert table["test_label"].tolist() == ["male", "", "neutral"]
    assert noticed == ["labels.csv: the test_label 'M' was read as 'male' (once)."]


def test_groups_of_the_study(tmp_path: Path) -> None:
    path = put(tmp_path, "labels.csv", "doc_id,label\n1,M\n")
    groups = ("none", "man", "men", "woman")
    with pytest.raises(DataError) as error:
        read_labels(path, tmp_path, groups)
    assert error.value.lines[0].problem == "a label outside the groups", "M may be man and men"
    assert read_labels(path, tmp_path, ("none", "man", "woman"))["label"].tolist() == ["man"]
    assert read_labels(path, tmp_path, None)["label"].tolist() == ["M"]


def test_word_lists(tmp_path: Path) -> None:
    for content in ("she,f\nHe,m\n", "word,group\nShe,female\nhe,Male\n", "word\tgender\nshe\tF\nhe\tM\nHE\tm\n"):
        lexicon = read_lexicon(put(tmp_path, "lexicon.csv", content))
        assert (lexicon.name, lexicon.words) == ("lexicon", (("she", "female"), ("he", "male")))
    path = put(tmp_path, "lexicon-mine.csv", "they,other\nshe,f\n")
    assert read_lexicon(path, groups=("neutral", "female", "other")).words == (("they", "other"), ("she", "female"))
    assert read_lexicon(path, groups=None).words == (("they", "other"), ("she", "female"))
    assert read_lexicon(path, groups=None).name == "mine"
    path = put(tmp_path, "stop.txt", b"\xef\xbb\xbf  a\r\n\tThe \n\n  a\ndon't\n")
    assert read_stop_words(path) == ("a", "the", "don't")


def test_published_word_lists(shared_data: Path) -> None:
    long = read_lexicon(shared_data / "fairness-retrieval-results" / "wordlist_gender_representative.txt")
    assert len(long.words) == 326
    assert all(word == word.lower() for word, _ in long.words)
    short = read_lexicon(shared_data / "genderbias-ir" / "wordlist_genderspecific.txt")
    assert len(short.words) == 64
    assert set(short.groups) == {"female", "male"}
    words = read_stop_words(shared_data / "indri" / "stoplist.txt")
    assert (len(words), words[0], words[9], words[-1]) == (418, "a", "albeit", "yourselves")


@pytest.mark.parametrize(
    ("content", "pairs"),
    [
        ("female,male\nshe,he\n", (("she", "he"),)),
        ("she,he\nfemale,male\n", (("she", "he"), ("female", "male"))),
        ("\ufeffshe\the\n\nMary  Ann, John\nshe,he\n", (("she", "he"), ("Mary Ann", "John"))),
    ],
)
def test_pairs(tmp_path: Path, content: str, pairs: tuple) -> None:
    assert read_counterparts(put(tmp_path, "pairs.csv", content), tmp_path) == pairs


def test_weights_with_and_without_a_header_and_blanks_around_them(tmp_path: Path) -> None:
    path = put(tmp_path, "clicks.csv", b"\xef\xbb\xbfRank,Weight\r\n1,0.5\r\n\r\n3,0.25\r\n")
    assert read_weights(path) == (0.5, 0.0, 0.25)
    assert parse_weights("w.tsv", b"2\t1\n1\t2\n") == (2.0, 1.0)
    for blank in "\x0b\x1c\x1f\x85\u2003":  # also control characters that `str.strip` takes off and `int` does not
        content = f"{blank}1{blank},0.5\n{blank}2{blank},{blank}0.25{blank}\n".encode()
        assert parse_weights("w.csv", content) == (0.5, 0.25)
