"""Relevance in TREC's four columns."""

from pathlib import Path

import pandas as pd
import pytest

from fairviz.errors import DataError
from fairviz.study.loaders import read_qrels
from fairviz.study.loaders.qrels import REMEDIES, _read_careful, _read_fast
from tests.conftest import refused

COLUMNS = REMEDIES["columns"]


def read(folder: Path, content: str) -> pd.DataFrame:
    path = folder / "qrels.txt"
    path.write_text(content, encoding="utf-8")
    return read_qrels(path, folder)


@pytest.mark.parametrize("blank", [" ", "\t", " \t "])
def test_rows(tmp_path: Path, blank: str) -> None:
    content = "007 0 null 2\n007 0 NA 0\n\né Q0 7 -1\n".replace(" ", blank)
    expected = [("007", "null", 2), ("007", "NA", 0), ("é", "7", -1)]
    for table in (read(tmp_path, content), _read_fast(content.encode()), _read_careful(content.encode(), "qrels.txt")):
        assert table is not None
        assert list(table.itertuples(index=False, name=None)) == expected
        assert [str(dtype) for dtype in table.dtypes] == ["str", "str", "int32"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1 0 d\n", f"qrels.txt:1: expected 4 columns, found 3: '1 0 d'\n{COLUMNS}"),
        ("1 0  1\n", f"qrels.txt:1: expected 4 columns, found 3: '1 0  1'\n{COLUMNS}"),
        (
            "1 0 d 1\n1 0 e high\n1 0 f 0.5\n",
            "qrels.txt:2: the relevance is not a whole number: 'high'\n"
            "qrels.txt:3: the relevance is not a whole number: '0.5'\n"
            "Write the relevance as a whole number, 0 for not relevant.",
        ),
        (
            "1 0 d 1\n2 0 d 1\n1 0 d 0\n",
            "qrels.txt:3: document 'd' is judged for query '1' in line 1 already\n"
            "Keep one line for each document of a query.",
        ),
        ("", "qrels.txt: the file is empty\nRemove it, or fill it."),
    ],
)
def test_bad_input(tmp_path: Path, content: str, message: str) -> None:
    with refused(message, DataError):
        read(tmp_path, content)


def test_beir(tmp_path: Path) -> None:
    header = "query-id\tcorpus-id\tscore\n"
    assert read(tmp_path, header + "007\tnull\t2\n").values.tolist() == [["007", "null", 2]]
    with refused(
        "qrels.txt:3: the relevance is not a whole number: 'high'\n"
        "qrels.txt:4: document 'null' is judged for query '007' in line 2 already\n"
        "Write the relevance as a whole number, 0 for not relevant.\n"
        "Keep one line for each document of a query.",
        DataError,
    ):
        read(tmp_path, header + "007\tnull\t2\n1\td\thigh\n007\tnull\t1\n")
