"""Texts that a spreadsheet would run: guarded in a file that says so, and read back by every reader."""

import csv
import io

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from fairviz.evaluation.formats import to_csv
from fairviz.study.loaders.labels import read_labels
from fairviz.study.loaders.lines import MARK, guard_frame, guard_rows, is_guarded, unguard
from tests.study.loaders.files import put, refusal

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
    assert to_csv(pd.DataFrame({"=x": [1], MARK: ["no"]})) == f"'=x,'{MARK},{MARK}\n1,no,yes\n"


NO_NAME = "labels.csv:1: column {0} has no name, and column_{0} is another's\nGive each column its own name."


def test_only_a_file_that_says_so_is_unguarded_and_bad_lines_are_named_as_they_mean(tmp_path):
    for content, ids in (
        (f"doc_id,label,{MARK}\n'-a,male,yes\n''b,male,yes\nc,male,yes\n", ["-a", "'b", "c"]),
        ("doc_id,label\n'-a,male\n''b,male\nc,male\n", ["'-a", "''b", "c"]),
        (f"doc_id,{MARK},label\n'-a,yes,male\n", ["'-a"]),
    ):
        assert read_labels(put(tmp_path, "labels.csv", content))["doc_id"].tolist() == ids
    told = refusal(read_labels, put(tmp_path, "labels.csv", f"doc_id,label,{MARK}\n-a,'=x,yes\n"), tmp_path)
    assert told.startswith("labels.csv:2: a label outside the groups: '=x'\n")
    # a column that is called as the mark and says something else is not lost
    content = f"doc_id,label,{MARK}\na,male,no\nb,male,yes\nc,male,\n"
    assert refusal(read_labels, put(tmp_path, "labels.csv", content), tmp_path) == (
        f"labels.csv:2: the last column is {MARK}, and its value is not yes: 'no'\n"
        f"labels.csv:4: the last column is {MARK}, and its value is not yes: ''\n"
        f"Write yes in each of its rows if apostrophes precede cells, or give the column another name."
    )


def test_a_column_without_a_name_is_called_by_its_place_and_takes_no_other_column_s(tmp_path):
    path = put(tmp_path, "labels.csv", "doc_id,label,column_3,\na,male,1,2\n")
    assert read_labels(path).columns.tolist()[-2:] == ["column_3", "column_4"]
    for content, place in (
        ("doc_id,label,column_4,\na,male,1,2\n", 4),
        ("doc_id,,label,column_2\na,1,male,2\n", 2),
        (f"doc_id,,label,'column_2,{MARK}\na,1,male,2,yes\n", 2),
    ):
        assert refusal(read_labels, put(tmp_path, "labels.csv", content), tmp_path) == NO_NAME.format(place)
