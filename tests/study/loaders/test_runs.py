"""Runs and relevance: what is read, character by character."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairviz
from fairviz.study.checks import check
from fairviz.study.loaders import columns, qrels, read_qrels, read_run
from fairviz.study.loaders.runs import read_run_bytes, stack_runs, system_name
from fairviz.study.tables import RUNS, conform, ranked
from tests.study.loaders.files import put, rows

GOOD = "1 Q0 d9 1 9.5 bm25\n1 Q0 d7 2 8.5 bm25\n2 Q0 d9 1 3 bm25\n"
ROWS = [("bm25", "1", "d9", 1, 9.5), ("bm25", "1", "d7", 2, 8.5), ("bm25", "2", "d9", 1, 3.0)]


def run_of(folder: Path, content: str, name: str = "bm25.run") -> Path:
    return put(folder, f"runs/{name}", content)


def test_a_column_of_ones_own_stays_beside_its_rows_where_runs_are_stacked() -> None:
    rows = pd.DataFrame(ROWS, columns=["system", "query_id", "doc_id", "rank", "score"])
    runs = [conform(rows.assign(system=name, seen=[f"{name}{n}" for n in range(3)]), RUNS) for name in ("a", "b")]
    assert stack_runs(runs)["seen"].tolist() == ["a0", "a1", "a2", "b0", "b1", "b2"]


@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        GOOD.replace(" ", "\t"),
        GOOD.replace(" ", " \t  "),
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\n\n \t\n"),
        GOOD.replace("\n", " \n "),
        "\ufeff" + GOOD,
        GOOD.rstrip("\n"),
    ],
    ids=["spaces", "tabs", "mixed", "crlf", "blank lines", "blanks at the ends", "byte-order mark", "no last newline"],
)
def test_white_space_of_any_kind(tmp_path: Path, content: str) -> None:
    table = read_run(run_of(tmp_path, content))
    assert rows(table) == ROWS
    assert [str(dtype) for dtype in table.dtypes] == ["category", "category", "category", "int32", "float64"]


def test_runs_of_beir_are_ordered_by_score(tmp_path: Path) -> None:
    """BEIR's save_runfile writes rank 0 on each line, and documents in any order."""
    run_of(tmp_path, "q Q0 d1 0 1.5 beir\nq Q0 d2 0 2.5 beir\nq Q0 d3 0 0.5 beir\n", "mine.run.trec")
    study = fairviz.open_study(tmp_path)
    assert study.systems == ("mine.run",)
    assert ranked(study.runs)["doc_id"].tolist() == ["d2", "d1", "d3"]
    findings = check(study)
    remarks = findings[(findings["part"] == "runs") & (findings["remedy"] != "")]
    assert remarks["item"].tolist() == ["lists of mine.run with gaps or repeats in their ranks"]


def test_the_system_is_the_file_not_the_tag(tmp_path: Path) -> None:
    assert set(read_run(run_of(tmp_path, GOOD, "my run.v2.run"))["system"]) == {"my run.v2"}
    assert [system_name(name) for name in ("a/b.RUN.GZ", "c.run.run", "plain")] == ["b", "c.run", "plain"]


@pytest.mark.parametrize("name", ["007", "null", "NA", "NaN", "nan", "None", "1e5", "-1", "+7", "0x1F", "é🙂中", '"q"'])
def test_ids_are_text(tmp_path: Path, name: str) -> None:
    table = read_run(run_of(tmp_path, f"{name} Q0 {name} 1 1.5 t\n7 Q0 {name} 1 1 t\n7 Q0 8 2 1 t\n"))
    assert rows(table)[0] == ("bm25", name, name, 1, 1.5)
    assert rows(table)[2] == ("bm25", "7", "8", 2, 1.0)


IDS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)
NUMBERS = st.integers(0, 10**9).map(str) | st.integers(0, 99).map("{:03d}".format)
QUERIES = IDS.filter(lambda name: not name.startswith("#"))  # which begins a comment
LISTS = st.lists(st.tuples(QUERIES | NUMBERS, IDS | NUMBERS), min_size=1, max_size=30, unique=True)


@given(LISTS, st.sampled_from([" ", "\t", "  "]))
def test_ids_come_back_as_they_went(pairs: list[tuple[str, str]], blank: str) -> None:
    lines = [blank.join([query, "Q0", document, "1", "0.25", "t"]) + "\n" for query, document in pairs]
    tables = [read_run_bytes("".join(lines).encode(), "s.run")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "read_fast_table", lambda *_: None)
        tables.append(read_run_bytes("".join(lines).encode(), "s.run"))
    for table in tables:
        assert list(zip(table["query_id"], table["doc_id"], strict=True)) == pairs


@given(st.lists(st.integers(0, 99_999_999), min_size=1, max_size=30, unique=True))
def test_numbers_take_the_short_way(names: list[int]) -> None:
    repeated = names * 40  # many lines for the size of the numbers
    lines = [f"{place} Q0 {name} 1 1 t\n" for place, name in enumerate(repeated)]
    table = read_run_bytes("".join(lines).encode(), "s.run")
    assert list(table["doc_id"]) == [str(name) for name in repeated]


def test_runs_stack_over_common_categories(tmp_path: Path) -> None:
    one = read_run(run_of(tmp_path, GOOD, "one.run"))
    two = read_run(run_of(tmp_path, "2 Q0 d7 1 4 t\n3 Q0 x 1 2 t\n", "two.run"))
    stack = stack_runs([one, two])
    assert rows(stack) == [("one", *row[1:]) for row in ROWS] + [("two", "2", "d7", 1, 4.0), ("two", "3", "x", 1, 2.0)]
    assert list(stack["query_id"].cat.categories) == ["1", "2", "3"]
    assert sorted(stack["doc_id"].cat.categories) == ["d7", "d9", "x"]
    pd.testing.assert_frame_equal(conform(stack, RUNS), stack)


def test_the_fast_categories_are_as_good_as_pandas_own(tmp_path: Path) -> None:
    table = read_run(run_of(tmp_path, GOOD))
    again = table.astype(dict.fromkeys(("system", "query_id", "doc_id"), "str"))
    assert table["doc_id"].cat.categories.is_unique
    assert (table["doc_id"] == "d9").tolist() == [True, False, True]
    assert table.merge(again, on=["query_id", "doc_id"])["score_x"].tolist() == [9.5, 8.5, 3.0]
    assert table.groupby("query_id", observed=True)["score"].sum().to_dict() == {"1": 18.0, "2": 3.0}


def test_the_published_runs(shared_data: Path) -> None:
    folder = shared_data / "fairness-retrieval-results" / "runs"
    tables = [read_run(path) for path in sorted(folder.iterdir())]
    runs = stack_runs(tables)
    assert runs["system"].value_counts(sort=False).to_dict() == {
        "BM25": 43000,
        "advbert_L4": 42435,
        "bert_L4": 42435,
        "tk": 42435,
    }
    assert rows(runs)[0] == ("BM25", "20801", "4728169", 1, 10.354)
    assert rows(runs)[43000] == ("advbert_L4", "131137", "1167100", 1, -0.015808)
    ordered = ranked(runs)
    tied = ordered.groupby(["system", "query_id"], observed=True)["score"].diff() == 0
    counts = tied.groupby(ordered["system"], observed=True).sum().to_dict()
    assert counts == {"BM25": 60, "advbert_L4": 5062, "bert_L4": 559, "tk": 414}
    for path, table in zip(sorted(folder.iterdir()), tables, strict=True):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(columns, "read_fast_table", lambda *_: None)
            slow = read_run(path)
        assert list(slow["doc_id"]) == list(table["doc_id"])
        assert list(slow["query_id"]) == list(table["query_id"])
        np.testing.assert_array_equal(slow[["rank", "score"]], table[["rank", "score"]])


@pytest.mark.parametrize("blank", [" ", "\t", " \t "])
def test_relevance(tmp_path: Path, blank: str) -> None:
    content = "007 0 null 2\n007 0 NA 0\n\né Q0 7 -1\n".replace(" ", blank)
    table = read_qrels(put(tmp_path, "qrels.txt", content))
    for each in (table, qrels._read_fast(content.encode()), qrels._read_careful(content.encode(), "qrels.txt")):
        assert each is not None
        assert rows(each) == [("007", "null", 2), ("007", "NA", 0), ("é", "7", -1)]
        assert [str(dtype) for dtype in each.dtypes] == ["str", "str", "int32"]
