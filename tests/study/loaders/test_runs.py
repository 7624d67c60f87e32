"""Runs and relevance: what is read, character by character."""

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairviz
from fairviz.study.checks import check
from fairviz.study.loaders import columns, read_qrels, read_run
from fairviz.study.loaders.runs import read_run_bytes, stack_runs, system_name
from fairviz.study.tables import RUNS, conform, ranked
from tests.study.loaders.files import put, rows

GOOD = "1 Q0 d9 1 9.5 bm25\n1 Q0 d7 2 8.5 bm25\n2 Q0 d9 1 3 bm25\n"
ROWS = [("bm25", "1", "d9", 1, 9.5), ("bm25", "1", "d7", 2, 8.5), ("bm25", "2", "d9", 1, 3.0)]


def run_of(folder: Path, content: str, name: str = "bm25.run") -> Path:
    return put(folder, f"runs/{name}", content)


def test_white_space_of_any_kind(tmp_path: Path) -> None:
    changes = [(" ", "\t"), (" ", " \t  "), ("\n", "\n\n \t\n"), ("\n", " \n ")]
    contents = [GOOD, GOOD.replace("\n", "\r\n"), "\ufeff" + GOOD, GOOD.rstrip("\n")]
    for content in contents + [GOOD.replace(*change) for change in changes]:
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


def test_the_system_is_the_file_not_the_tag_and_ids_are_text(tmp_path: Path) -> None:
    assert set(read_run(run_of(tmp_path, GOOD, "my run.v2.run"))["system"]) == {"my run.v2"}
    assert [system_name(name) for name in ("a/b.RUN.GZ", "c.run.run", "plain")] == ["b", "c.run", "plain"]
    for name in ("007", "null", "NA", "NaN", "nan", "None", "1e5", "-1", "+7", "0x1F", "é🙂中", '"q"'):
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
    stack = stack_runs([one.assign(seen=["a", "b", "c"]), two.assign(seen=["d", "e"])])
    assert rows(stack.drop(columns="seen")) == [
        *(("one", *row[1:]) for row in ROWS), ("two", "2", "d7", 1, 4.0), ("two", "3", "x", 1, 2.0),
    ]  # fmt: skip
    assert stack["seen"].tolist() == list("abcde"), "a column of one's own stays beside its rows"
    assert list(stack["query_id"].cat.categories) == ["1", "2", "3"]
    assert sorted(stack["doc_id"].cat.categories) == ["d7", "d9", "x"]
    pd.testing.assert_frame_equal(conform(stack, RUNS), stack)


def test_the_published_runs(shared_data: Path) -> None:
    folder = shared_data / "fairness-retrieval-results" / "runs"
    tables = [read_run(path) for path in sorted(folder.iterdir())]
    runs = stack_runs(tables)
    sizes = {"BM25": 43000, "advbert_L4": 42435, "bert_L4": 42435, "tk": 42435}
    assert runs["system"].value_counts(sort=False).to_dict() == sizes
    assert rows(runs)[0] == ("BM25", "20801", "4728169", 1, 10.354)
    assert rows(runs)[43000] == ("advbert_L4", "131137", "1167100", 1, -0.015808)
    ordered = ranked(runs)
    tied = ordered.groupby(["system", "query_id"], observed=True)["score"].diff() == 0
    counts = tied.groupby(ordered["system"], observed=True).sum().to_dict()
    assert counts == {"BM25": 60, "advbert_L4": 5062, "bert_L4": 559, "tk": 414}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "read_fast_table", lambda *_: None)
        slow = read_run(folder / "advbert_L4.run")
    assert rows(slow) == rows(tables[1])


def test_relevance(tmp_path: Path) -> None:
    for blank in (" ", "\t", " \t "):
        content = "007 0 null 2\n007 0 NA 0\n\né Q0 7 -1\n".replace(" ", blank)
        table = read_qrels(put(tmp_path, "qrels.txt", content))
        assert rows(table) == [("007", "null", 2), ("007", "NA", 0), ("é", "7", -1)]
        assert [str(dtype) for dtype in table.dtypes] == ["str", "str", "int32"]
