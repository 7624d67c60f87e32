"""Weights by rank from a file."""

import pytest

from fairviz.errors import DataError
from fairviz.study.loaders.weights import parse_weights, read_weights
from tests.conftest import refused

REMEDY = "Give two columns, rank and weight, such as: 1,0.42"
BAD_WEIGHTS = "\n".join(
    f"w.csv:{line}: the weight is not a number of 0 or more: '{line},{weight}'"
    for line, weight in enumerate(("-1", "nan", "x", "inf"), start=1)
)


def test_with_and_without_a_header(tmp_path):
    path = tmp_path / "clicks.csv"
    path.write_bytes(b"\xef\xbb\xbfRank,Weight\r\n1,0.5\r\n\r\n3,0.25\r\n")
    assert read_weights(path) == (0.5, 0.0, 0.25)
    assert parse_weights("w.tsv", b"2\t1\n1\t2\n") == (2.0, 1.0)


@pytest.mark.parametrize("blank", ["\x0b", "\x1c", "\x1f", "\x85", "\u2003"])
def test_blanks_around_a_number_are_left_out(blank):
    """Also control characters that `str.strip` takes off and `int` does not."""
    content = f"{blank}1{blank},0.5\n{blank}2{blank},{blank}0.25{blank}\n".encode()
    assert parse_weights("w.csv", content) == (0.5, 0.25)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1|0.5\n", "w.csv:1: expected 2 columns, found 1: '1|0.5'"),
        (b"rank,weight\n0,1\n", "w.csv:2: the rank is not a whole number from 1 to 1000: '0,1'"),
        (b"1,1\n1.5,1\n", "w.csv:2: the rank is not a whole number from 1 to 1000: '1.5,1'"),
        (b"1001,1\n", "w.csv:1: the rank is not a whole number from 1 to 1000: '1001,1'"),
        (b"1,1\n1,2\n", "w.csv:2: rank 1 appears twice: '1,2'"),
        (b"1,-1\n2,nan\n3,x\n4,inf\n", BAD_WEIGHTS),
        (b"1,0\n", "w.csv: no weight above 0"),
        (b"", "w.csv: no weight above 0"),
    ],
)
def test_bad_lines(content, message):
    with refused(f"{message}\n{REMEDY}", DataError):
        parse_weights("w.csv", content)


def test_not_text():
    with refused("w.csv: not UTF-8 text\nSave it as UTF-8.", DataError):
        parse_weights("w.csv", b"1,\xff\n")
