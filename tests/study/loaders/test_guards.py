"""Texts that a spreadsheet would run: guarded in a file that says so, and read back by every reader."""

import csv
import io

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import DataError
from fairviz.evaluation.formats import to_csv
from fairviz.study.loaders.labels import read_labels
from fairviz.study.loaders.lines import MARK, guard_frame, guard_rows, is_guarded, unguard
from tests.conftest import refused

TEXT = st.text("=+-@'＝\t\nab", max_size=4) | st.just(MARK)
RUN = tuple("=+-@＝＋－＠\t\r\n")


@given(st.lists(TEXT, min_size=1, max_size=3), st.lists(st.lists(TEXT | st.floats() | st.integers()), max_size=3))
def test_guarded_rows_begin_no_formula_and_come_back(names, rows):
    rows = [[*row, *[""] * len(names)][: len(names)] for row in rows]
    lines = guard_rows(names, rows)
    texts = [cell for line in lines for cell in line if isinstance(cell, str)]
    assert not [cell for cell in texts if cell.startswith(RUN)]
    numbers = [cell for line in lines for cell in line if not isinstance(cell, str)]
    assert list(map(repr, numbers)) == [repr(cell) for row in rows for cell in row if not isinstance(cell, str)]
    if is_guarded(lines[0]):
        lines = [[unguard(cell) if isinstance(cell, str) else cell for cell in line[:-1]] for line in lines]
    assert list(map(repr, lines)) == list(map(repr, [names, *rows]))


@given(st.lists(st.tuples(TEXT, st.floats(allow_nan=False)), max_size=3))
def test_a_frame_is_guarded_as_rows_are(rows):
    frame = pd.DataFrame(rows, columns=["system", "value"]).astype({"system": "category", "value": "float64"})
    lines = list(csv.reader(io.StringIO(to_csv(frame), newline="")))
    expected = guard_rows(["system", "value"], rows)
    assert lines == [[str(cell) for cell in line] for line in expected]


def test_scores_as_csv():
    frame = pd.DataFrame(
        {"system": ["=HYPERLINK(1)", "'own", "bm25"], "measure": "CWEx@10", "value": [-0.5, None, 1e-9]}
    )
    assert to_csv(frame) == (
        "system,measure,value,guarded_by_apostrophe\n"
        "'=HYPERLINK(1),CWEx@10,-0.5,yes\n"
        "''own,CWEx@10,,yes\n"
        "bm25,CWEx@10,1e-09,yes\n"
    )
    assert to_csv(frame.tail(1)) == "system,measure,value\nbm25,CWEx@10,1e-09\n", "nothing to guard, nothing said"
    assert guard_frame(frame.tail(1)).columns.tolist() == ["system", "measure", "value"]


def test_columns_that_begin_a_formula():
    frame = pd.DataFrame({"=x": [1], MARK: ["no"]})
    assert to_csv(frame) == f"'=x,'{MARK},{MARK}\n1,no,yes\n"


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        (f"doc_id,label,{MARK}\n'-a,male,yes\n''b,male,yes\nc,male,yes\n", ["-a", "'b", "c"]),
        ("doc_id,label\n'-a,male\n''b,male\nc,male\n", ["'-a", "''b", "c"]),
        (f"doc_id,{MARK},label\n'-a,yes,male\n", ["'-a"]),
    ],
)
def test_only_a_file_that_says_so_is_unguarded(tmp_path, content, ids):
    path = tmp_path / "labels.csv"
    path.write_text(content)
    assert read_labels(path)["doc_id"].tolist() == ids


def test_a_bad_line_of_a_guarded_file_is_named_as_it_means(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(f"doc_id,label,{MARK}\n-a,'=x,yes\n")
    with pytest.raises(DataError, match=r"^labels.csv:2: a label outside the groups: '=x'\n"):
        read_labels(path, tmp_path)


def test_a_column_that_is_called_as_the_mark_and_says_something_else_is_not_lost(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(f"doc_id,label,{MARK}\na,male,no\nb,male,yes\nc,male,\n")
    with refused(
        f"labels.csv:2: the last column is {MARK}, and its value is not yes: 'no'\n"
        f"labels.csv:4: the last column is {MARK}, and its value is not yes: ''\n"
        f"Write yes in each of its rows if apostrophes precede cells, or give the column another name.",
        DataError,
    ):
        read_labels(path, tmp_path)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("doc_id,label,column_4,\na,male,1,2\n", "column 4 has no name, and column_4 is another's"),
        ("doc_id,,label,column_2\na,1,male,2\n", "column 2 has no name, and column_2 is another's"),
        (f"doc_id,,label,'column_2,{MARK}\na,1,male,2,yes\n", "column 2 has no name, and column_2 is another's"),
    ],
)
def test_a_column_without_a_name_takes_no_other_column_s(tmp_path, content, told):
    path = tmp_path / "labels.csv"
    path.write_text(content)
    with refused(f"labels.csv:1: {told}\nGive each column its own name.", DataError):
        read_labels(path, tmp_path)


def test_a_column_without_a_name_is_called_by_its_place(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("doc_id,label,column_3,\na,male,1,2\n")
    assert read_labels(path).columns.tolist()[-2:] == ["column_3", "column_4"]
