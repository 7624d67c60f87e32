"""The last gate of every table, and the one rule for ties."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.study.tables import (
    DOCUMENTS,
    LABELS,
    QRELS,
    QUERIES,
    RUNS,
    SCHEMAS,
    conform,
    empty,
    ranked,
)
from tests.conftest import refused


def runs(rows: list[tuple]) -> pd.DataFrame:
    return conform(pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank", "score"]), RUNS)


def test_conform_puts_columns_and_types_right() -> None:
    for schema in SCHEMAS.values():
        empty(schema).insert(0, "more", 1)  # which changes no other
        table = empty(schema)
        assert len(table) == 0
        assert tuple(table.columns) == schema.column_names
        pd.testing.assert_frame_equal(conform(table, schema), table)
    frame = pd.DataFrame({"why": ["x", "y"], "relevance": ["1", 0.0], "doc_id": [7, 8], "query_id": ["007", "null"]})
    table = conform(frame, QRELS)
    assert list(table.columns) == ["query_id", "doc_id", "relevance", "why"]
    assert list(table.itertuples(index=False, name=None)) == [("007", "7", 1, "x"), ("null", "8", 0, "y")]
    assert conform(pd.DataFrame({"doc_id": ["1"], "label": ["male"]}), LABELS)["annotator"].tolist() == ["annotator"]
    assert conform(pd.DataFrame({"doc_id": ["1"], "text": [None]}), DOCUMENTS)["text"].isna().tolist() == [True]


BAD = [
    (QUERIES, {"query_id": ["1"]}, "the queries table lacks the column 'text'; it has query_id\n"
     "Name its columns query_id, text."),
    (QUERIES, {"query_id": ["1", None], "text": ["a", "b"]}, "the queries table has an empty 'query_id' in row 2\n"
     "Give every row a value in the column 'query_id'."),
    (QUERIES, {"query_id": ["1", "1"], "text": ["a", "b"]}, "the queries table names query_id '1' more than once "
     "(1 rows too many)\nKeep one row of each."),
    (QRELS, {"query_id": ["1"], "doc_id": ["1"], "relevance": ["high"]}, "the qrels table has 'high' as 'relevance' "
     "in row 1\nWrite a number in the column 'relevance'."),
    (QRELS, {"query_id": ["1"], "doc_id": ["1"], "relevance": [0.5]}, "the qrels table has a fraction in the column "
     "'relevance'\nWrite whole numbers there."),
    (RUNS, {"system": ["a"] * 2, "query_id": [1, 1], "doc_id": [2, 2], "rank": [1, 2], "score": [1, 1]},
     "the runs table names system 'a', query_id '1', doc_id '2' more than once (1 rows too many)\n"
     "Keep one row of each."),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "columns", "message"), BAD)
def test_what_does_not_conform(schema, columns: dict, message: str) -> None:
    with refused(message):
        conform(pd.DataFrame(columns), schema)


TIED = [("s", "q", "b", 3, 1.0), ("s", "q", "c", 1, 1.0), ("s", "q", "a", 3, 1.0), ("s", "q", "z", 9, 2.0)]
# 1.00000001 and 1 tie where trec_eval compares scores as 32-bit floats, as do two that no such float holds.
CLOSE = [("s", "q", *row) for row in (("a", 1, 1.00000001), ("b", 1, 1.0), ("c", 1, -2e300), ("d", 1, -1e300))]


@pytest.mark.parametrize(("ties", "order", "close"), [("file", "zcab", "abdc"), ("trec_eval", "zcba", "badc")])
def test_the_tie_rule(ties: str, order: str, close: str) -> None:
    """Ties with the same rank go by document."""
    table = ranked(runs(TIED), ties)
    assert "".join(table["doc_id"]) == order
    assert table["rank"].tolist() == [1, 2, 3, 4]
    table = ranked(runs(CLOSE), ties)
    assert "".join(table["doc_id"]) == close
    assert dict(zip(table["doc_id"], table["score"], strict=True)) == {row[2]: row[4] for row in CLOSE}
    with refused("unknown tie rule 'alphabet'\nUse one of file, trec_eval."):
        ranked(runs(TIED), "alphabet")


PLACE = st.tuples(st.sampled_from("st"), st.sampled_from("pqr"), st.sampled_from(["1", "2", "10", "x", "é"]))
ROWS = st.lists(st.tuples(PLACE, st.integers(0, 3), st.integers(0, 2)), max_size=20, unique_by=lambda row: row[0])


@given(ROWS, st.sampled_from(["file", "trec_eval"]))
def test_ranked_is_a_plain_sort(found: list[tuple], ties: str) -> None:
    table = runs([(*place, rank, float(score)) for place, rank, score in found])
    got = list(ranked(table, ties)[["system", "query_id", "doc_id"]].itertuples(index=False, name=None))
    expected = []
    for system in table["system"].cat.categories:
        for query in table["query_id"].cat.categories:
            rows = [row for row in found if row[0][:2] == (system, query)]
            rows.sort(key=lambda row: row[0][2], reverse=ties == "trec_eval")
            rows.sort(key=lambda row: (-row[2], row[1] if ties == "file" else 0))
            expected += [row[0] for row in rows]
    assert got == expected
