"""Labels and word lists: what is read, what is taken for a group and said, and what is refused."""

from pathlib import Path

import pandas as pd
import pytest

from fairviz.errors import DataError, noticing
from fairviz.study.loaders import read_labels, read_lexicon
from tests.conftest import refused

ALLOWED = (
    "Use one of neutral, female, male (or the first letter, in any case). Other groups go into study.toml as groups = "
    "[...]; labels that are not genders need labels = 'other' there."
)


def put(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def read_noticing(path: Path, folder: Path, noticed: list[str]) -> pd.DataFrame:
    with noticing(noticed):
        return read_labels(path, folder)


def test_labels(tmp_path: Path) -> None:
    path = put(tmp_path, "labels.csv", "doc_id,annotator,label,why\n007,a,female,x\nnull,a,male,\n007,b,neutral,\n")
    table = read_noticing(path, tmp_path, noticed := [])
    assert list(table.itertuples(index=False, name=None)) == [
        ("007", "a", "female", "x"),
        ("null", "a", "male", ""),
        ("007", "b", "neutral", ""),
    ]
    assert noticed == []
    table = read_labels(put(tmp_path, "labels.tsv", "doc_id\tlabel\n7\tmale\n"))
    assert list(table.itertuples(index=False, name=None)) == [("7", "annotator", "male")]


def test_spellings_that_leave_no_doubt(tmp_path: Path) -> None:
    names = ["F", "f", "Female", "MALE", "male ", "m", "Neutral", "N", "female"]
    path = put(
        tmp_path, "labels.csv", "doc_id,label\n" + "".join(f"{i},{name}\n" for i, name in enumerate([*names, "F"]))
    )
    noticed: list[str] = []
    table = read_noticing(path, tmp_path, noticed)
    assert table["label"].str[0].tolist() == list("fffmmmnnff")
    assert set(table["label"]) == {"neutral", "female", "male"}
    assert noticed[0] == "labels.csv: the label 'F' was read as 'female' (2 times)."
    assert noticed[3] == "labels.csv: the label 'MALE' was read as 'male' (once)."
    assert len(noticed) == 8


def test_groups_of_the_study(tmp_path: Path) -> None:
    path = put(tmp_path, "labels.csv", "doc_id,label\n1,M\n")
    groups = ("none", "man", "men", "woman")
    with pytest.raises(DataError) as error:
        read_labels(path, tmp_path, groups)
    assert error.value.lines[0].problem == "a label outside the groups", "M may be man and men"
    assert read_labels(path, tmp_path, ("none", "man", "woman"))["label"].tolist() == ["man"]
    assert read_labels(path, tmp_path, None)["label"].tolist() == ["M"]


BAD = [
    ("doc_id,label\n1,male\n2,botrh\n3,both\n", "labels.csv:3: a label outside the groups: 'botrh'\n"
     f"labels.csv:4: a label outside the groups: 'both'\n{ALLOWED}"),
    ("doc_id,label\n1,\n", "labels.csv: no row has a label\nFill the column label."),
    ('doc_id,label\n1,"[""female"", ""male""]"\n', "labels.csv:2: 2 labels for one document: '[\"female\", \"male\"]'\n"
     "Keep one label of each annotator for a document; shares of several groups go into a column share."),
    ("doc_id,label\n1,male\n1,F\n", "labels.csv:3: annotator 'annotator' calls document '1' 'male' in line 2 and "
     "otherwise here: 'female'\nKeep one label of each annotator for a document."),
    ("doc_id,gender\n1,male\n", "labels.csv:1: the column 'label' is missing: 'doc_id, gender'\n"
     "Name the columns doc_id, label in the first line."),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), BAD)
def test_bad_labels(tmp_path: Path, content: str, message: str) -> None:
    with refused(message, DataError):
        read_labels(put(tmp_path, "labels.csv", content), tmp_path)


def test_rows_that_say_the_same_again_are_told(tmp_path: Path) -> None:
    noticed: list[str] = []
    path = put(tmp_path, "labels.csv", "doc_id,annotator,label\n1,a,male\n1,a,male\n2,a,male\n1,b,male\n")
    assert len(read_noticing(path, tmp_path, noticed)) == 3
    assert noticed == ["labels.csv: 1 row repeats an earlier one, read once."]


def test_answers_of_test_questions_are_spelt_like_labels(tmp_path: Path) -> None:
    noticed: list[str] = []
    content = "doc_id,annotator,label,test_label\n1,a,male,M\n2,a,female,\n3,a,neutral,neutral\n"
    table = read_noticing(put(tmp_path, "labels.csv", content), tmp_path, noticed)
    assert table["test_label"].tolist() == ["male", "", "neutral"]
    assert noticed == ["labels.csv: the test_label 'M' was read as 'male' (once)."]
    with refused(f"labels.csv:2: a test_label outside the groups: 'botrh'\n{ALLOWED}", DataError):
        read_labels(put(tmp_path, "labels.csv", content.replace(",M", ",botrh")), tmp_path)


@pytest.mark.parametrize(
    "content", ["she,f\nHe,m\n", "word,group\nShe,female\nhe,Male\n", "word\tgender\nshe\tF\nhe\tM\nHE\tm\n"]
)
def test_lexicon(tmp_path: Path, content: str) -> None:
    lexicon = read_lexicon(put(tmp_path, "lexicon.csv", content))
    assert lexicon.words == (("she", "female"), ("he", "male"))
    assert lexicon.name == "lexicon"


def test_names_and_groups_of_a_lexicon(tmp_path: Path) -> None:
    path = put(tmp_path, "lexicon-mine.csv", "they,other\nshe,f\n")
    assert read_lexicon(path, groups=("neutral", "female", "other")).words == (("they", "other"), ("she", "female"))
    assert read_lexicon(path, groups=None).words == (("they", "other"), ("she", "female"))
    assert read_lexicon(path, groups=None).name == "mine"


def test_bad_lexicon(tmp_path: Path) -> None:
    path = put(tmp_path, "lexicon.csv", "she,f\nhe\n,m\nthey,other\nShe,m\n")
    with refused(
        "lexicon.csv:2: expected 2 columns, found 1: 'he'\n"
        "lexicon.csv:3: the word is empty: ',m'\n"
        "lexicon.csv:4: unknown group: 'they,other'\n"
        "lexicon.csv:5: 'she' is female in line 1: 'She,m'\n"
        "Write a line as: word,group.\nGive every line a word.\n"
        "Use one of neutral, female, male (or the first letter, in any case).\nKeep each word in one group.",
        DataError,
    ):
        read_lexicon(path, tmp_path)
    with refused("lexicon.csv: the lexicon holds no word\nWrite a line as: word,group.", DataError):
        read_lexicon(put(tmp_path, "lexicon.csv", "word,group\n"), tmp_path)


def test_the_published_word_lists(shared_data: Path) -> None:
    long = read_lexicon(shared_data / "fairness-retrieval-results" / "wordlist_gender_representative.txt")
    assert len(long.words) == 326
    assert all(word == word.lower() for word, _ in long.words)
    short = read_lexicon(shared_data / "genderbias-ir" / "wordlist_genderspecific.txt")
    assert len(short.words) == 64
    assert set(short.groups) == {"female", "male"}
