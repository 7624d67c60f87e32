"""Files of authors' names: what is read, and what is wrong with a bad one."""

from pathlib import Path

import pytest

from fairviz.errors import DataError
from fairviz.study.loaders.word_files import read_names
from fairviz.words.author_names import AuthorNames
from tests.conftest import refused

REMEDY = "Write a line as: gender,name, such as: female,Mary; a name in one gender alone."
FEW = "Give two or more names of either gender: the placebo compares two of one."
NAMES = AuthorNames(("Mary Ann", "Linda"), ("James", "John"))


def written(folder: Path, content: str) -> Path:
    path = folder / "names.csv"
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "content",
    [
        "gender,name\nfemale,Mary  Ann\nmale,James\nfemale,Linda\nmale,John\n",
        "\ufefff\tMary Ann\nF\tLinda\n\nm\tJames\nMale\tJohn\nm\tjames\n",
    ],
)
def test_names(tmp_path: Path, content: str) -> None:
    assert read_names(written(tmp_path, content), tmp_path) == NAMES


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "names.csv: the file is empty\nRemove it, or fill it."),
        ("gender,name\n", f"names.csv: the list holds 0 female names\n{FEW}"),
        ("female,Mary\nfemale,Linda\nmale,James\n", f"names.csv: the list holds 1 male name\n{FEW}"),
        ("Mary\nfemale,\n", "names.csv:1: expected 2 columns, found 1: 'Mary'\n"
         f"names.csv:2: the name is empty: 'female,'\n{REMEDY}"),
        ("female,Kim\nwoman,Mary\nmale,KIM\n", "names.csv:2: unknown gender: 'woman,Mary'\n"
         f"names.csv:3: 'KIM' is female in line 1: 'male,KIM'\n{REMEDY}"),
        ("female,1984\n", f"names.csv:1: there is no letter in the name: 'female,1984'\n{REMEDY}"),
    ],
)  # fmt: skip
def test_bad_lists(tmp_path: Path, content: str, said: str) -> None:
    with refused(said, DataError):
        read_names(written(tmp_path, content), tmp_path)
