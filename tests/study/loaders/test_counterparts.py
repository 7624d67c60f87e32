"""Lists of pairs: what is read, and what is wrong with a bad one."""

from pathlib import Path

import pytest

from fairviz.errors import DataError
from fairviz.study.loaders.word_files import read_counterparts
from tests.conftest import refused

REMEDY = "Write a line as: female,male, such as: she,he."


def written(folder: Path, content: str) -> Path:
    path = folder / "pairs.csv"
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("content", "pairs"),
    [
        ("female,male\nshe,he\n", (("she", "he"),)),
        ("she,he\nfemale,male\n", (("she", "he"), ("female", "male"))),
        ("\ufeffshe\the\n\nMary  Ann, John\nshe,he\n", (("she", "he"), ("Mary Ann", "John"))),
    ],
)
def test_pairs(tmp_path: Path, content: str, pairs: tuple) -> None:
    assert read_counterparts(written(tmp_path, content), tmp_path) == pairs


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "pairs.csv: the file is empty\nRemove it, or fill it."),
        ("female,male\n", f"pairs.csv: the list holds no pair\n{REMEDY}"),
        ("she\nhe\n", "pairs.csv:1: expected 2 columns, found 1: 'she'\n"
         f"pairs.csv:2: expected 2 columns, found 1: 'he'\n{REMEDY}"),
        ("she,he\nher,him,his\n", f"pairs.csv:2: expected 2 columns, found 3: 'her,him,his'\n{REMEDY}"),
        ("she,\n", f"pairs.csv:1: a word has no counterpart: 'she,'\n{REMEDY}"),
        ("Robin,robin\n", f"pairs.csv:1: the word is its own counterpart: 'Robin,robin'\n{REMEDY}"),
        ("!,?\n", f"pairs.csv:1: there is no letter in it: '!,?'\n{REMEDY}"),
    ],
)  # fmt: skip
def test_bad_lists(tmp_path: Path, content: str, said: str) -> None:
    with refused(said, DataError):
        read_counterparts(written(tmp_path, content), tmp_path)
