"""Tables to aligned arrays: what occurs, in which order, and what is not worth looking up."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from fairviz.measures.rankings import align_runs, label_evidence, word_evidence
from fairviz.study.tables import DOCUMENTS, LABELS, RUNS, conform, empty
from fairviz.words.counting import GSR_LEXICON

NAMES = pd.Index(["d1", "d2"], dtype="str")
COLUMNS = ["system", "query_id", "doc_id", "rank", "score"]


def looked_up(*arguments: object, **options: object) -> None:
    """At seven million lines, looking names up in an empty table takes most of the time."""
    raise AssertionError("names were looked up")


@examples(deadline=None)
@given(st.lists(st.tuples(*(st.sampled_from(names) for names in ("BA", "yxz", "dbca"))), unique=True))
def test_arrays_hold_what_the_rows_say(rows: list[tuple[str, str, str]]) -> None:
    """Systems, queries and documents in the order of their categories, those that no row holds left out."""
    table = pd.DataFrame([(*row, place, -place) for place, row in enumerate(rows, start=1)], columns=COLUMNS)
    types = {"system": pd.CategoricalDtype(["B", "C", "A"]), "query_id": pd.CategoricalDtype(list("zyxw"))}
    types["doc_id"] = pd.CategoricalDtype(list("edcba"))
    found = align_runs(table.astype(types).astype({"rank": "int32", "score": "float64"}))
    for held, order, column in ((found.systems, "BCA", 0), (found.queries, "zyxw", 1), (found.doc_ids, "edcba", 2)):
        assert list(held) == [name for name in order if name in {row[column] for row in rows}]
    for s, system in enumerate(found.systems):
        for q, query in enumerate(found.queries):
            expected = [row[2] for row in rows if row[:2] == (system, query)]
            listed = found.documents[:, s, q]
            assert [found.doc_ids[place] for place in listed[listed >= 0]] == expected
            assert found.lengths[s, q] == len(expected)


def test_runs_without_a_row() -> None:
    found = align_runs(empty(RUNS))
    assert (found.systems, found.queries, found.documents.shape) == ((), (), (0, 0, 0))


@pytest.mark.parametrize("part", ["labels", "words"])
def test_nothing_is_looked_up_in_an_empty_table(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pd.Index, "get_indexer", looked_up)
    if part == "labels":
        codes = label_evidence(empty(LABELS), NAMES, "neutral", ("female", "male")).codes
        assert (codes.tolist(), codes.dtype) == ([-1, -1], np.dtype("int8"))
        return
    words = word_evidence(empty(DOCUMENTS), NAMES, GSR_LEXICON, "word", ("female", "male"))
    assert words.counts.shape == (2, 2)
    assert not any(held.any() for held in (words.counts, words.tokens, words.known, words.in_collection))


def test_a_label_that_is_no_group_is_no_label() -> None:
    labels = conform(pd.DataFrame({"doc_id": ["d1", "d2"], "annotator": "a", "label": ["unknown", "neutral"]}), LABELS)
    assert label_evidence(labels, NAMES, "neutral", ("female", "male")).codes.tolist() == [-1, 0]


def test_a_label_counts_for_its_document_alone() -> None:
    labels = conform(pd.DataFrame({"doc_id": ["d2", "x"], "annotator": "a", "label": ["male", "female"]}), LABELS)
    assert label_evidence(labels, NAMES, "neutral", ("female", "male")).codes.tolist() == [-1, 2]
