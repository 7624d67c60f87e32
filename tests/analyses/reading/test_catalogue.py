"""The catalogue of documents and its filters, on cases small enough to see the answer."""

import math

import numpy as np
import pandas as pd
import pytest

from fairviz.analyses.reading.filters import (
    Filters,
    catalogue,
    chosen_names,
    columns,
    differing,
    holding,
    label_columns,
    label_names,
    of_query,
    select,
    spread,
    words_of,
)
from fairviz.annotation.agreement import entropy
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.made import runs_of

TEXTS = {"a": "her mother said", "b": "HE saw his son", "c": "a tree", "d": None}
LABELS = [
    ("a", "ada", "female"),
    ("b", "ada", "female"),
    ("c", "ada", "neutral"),
    ("a", "bob", "female"),
    ("b", "bob", "male"),
    ("e", "bob", "neutral"),
    ("a", "adjudicated", "male"),
]


def small() -> Study:
    """Documents a to d, d without text; e is only labelled, f only ranked."""
    documents = pd.DataFrame({"doc_id": list(TEXTS), "text": list(TEXTS.values()), "kind": ["x", "x", "y", "y"]})
    labels = pd.DataFrame(LABELS, columns=["doc_id", "annotator", "label"])
    runs = runs_of({("s", "q1"): "a f", ("s", "q2"): "b"})
    queries = pd.DataFrame({"query_id": ["q1", "q2"], "text": ["one", "two"], "topic": ["t1", "t2"]})
    qrels = pd.DataFrame({"query_id": ["q2"], "doc_id": ["c"], "relevance": [1]})
    return make_study("small", documents=documents, labels=labels, runs=runs, queries=queries, qrels=qrels)


LISTED = catalogue(small(), Settings(tau=0))
NOTHING = np.full(6, -1)


def names(places: np.ndarray) -> list[str]:
    return list(LISTED.doc_ids[places])


def kept(decided: np.ndarray = NOTHING, /, **chosen: object) -> list[str]:
    return names(select(LISTED, Filters(**chosen), decided))  # type: ignore[arg-type]


def test_documents_stand_once_and_the_word_list_is_an_annotator() -> None:
    assert list(LISTED.doc_ids) == ["a", "b", "c", "d", "f", "e"]  # documents first, then ranked, then labelled
    assert (LISTED.place("f"), LISTED.place("nobody")) == (4, -1)
    assert LISTED.annotators == ("ada", "bob", "word list")
    assert chosen_names(LISTED) == ("ada", "bob", "word list", "majority", "adjudicated")
    assert LISTED.labels == ("neutral", "female", "male")
    assert LISTED.codes("word list").tolist() == [1, 2, 0, -1, -1, -1]
    assert LISTED.codes("bob").tolist() == [1, 2, -1, -1, -1, 0]
    for tau, codes in ((2, [0, 2, 0]), (3, [0, 0, 0])):
        assert catalogue(small(), Settings(tau=tau)).codes("word list").tolist()[:3] == codes
    assert columns(small()) == {"queries: topic": ("t1", "t2"), "documents: kind": ("x", "y")}


def test_disagreement_is_entropy_of_the_votes_over_its_largest() -> None:
    """Votes are neither of the live word list nor of decisions."""
    votes = np.array([[2, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 0], [3, 1, 0]])
    quarter = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25)) / math.log(3)
    expected = [0, math.log(2) / math.log(3), 1, math.nan, quarter]
    np.testing.assert_allclose(entropy(votes), expected, rtol=1e-12)
    assert LISTED.voters == ("ada", "bob")
    assert LISTED.votes.tolist()[:3] == [[0, 2, 0], [0, 1, 1], [1, 0, 0]]
    assert kept(disagreement="any") == ["b"]
    assert kept(disagreement="ada ≠ bob") == ["b"]
    assert kept(disagreement="bob ≠ word list") == []
    one, two = np.array([0, 1, -1, 2, 0, 2]), np.array([0, 2, 1, -1, 1, 0])
    assert differing(one, two).tolist() == differing(two, one).tolist() == [False, True, False, False, True, True]
    decided = spread(LISTED, pd.DataFrame({"doc_id": ["a", "c"], "label": ["male", "neutral"]}))
    assert decided.tolist() == [2, -1, 0, -1, -1, -1]
    assert kept(decided, disagreement="ada ≠ adjudicated") == ["a"]
    assert kept(decided, decided="decided") == ["a", "c"]
    assert kept(decided, decided="undecided") == ["b", "d", "f", "e"]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({"label": "female"}, ["a", "b"]),
        ({"label": "female", "annotator": "bob"}, ["a"]),
        ({"labelled": "unlabelled"}, ["d", "f"]),
        ({"labelled": "labelled"}, ["a", "b", "c", "e"]),
        ({"column": "documents: kind", "value": "y"}, ["c", "d"]),
        ({"column": "queries: topic", "value": "t2"}, ["b", "c"]),
        ({"search": "SAW HIS"}, ["b"]),
        ({"search": "f"}, ["f"]),
        ({"search": ".*"}, []),
        ({"search": " tree "}, ["c"]),
        ({"label": "female", "search": "mother"}, ["a"]),
    ],
)
def test_filters(chosen: dict, expected: list[str]) -> None:
    assert kept(**chosen) == expected


def test_queries_and_orders() -> None:
    assert names(np.flatnonzero(of_query(LISTED, "q1"))) == ["a", "f"]
    assert names(np.flatnonzero(of_query(LISTED, "q2"))) == ["b", "c"]  # ranked, and judged
    assert kept(order="disagreement") == ["b", "a", "c", "e", "d", "f"]
    weights = np.array([0.1, np.nan, 0.3, 0.1, 0.0, 0.2])  # the largest first and the undefined last
    assert names(select(LISTED, Filters(order="exposure"), NOTHING, weights=weights)) == ["c", "e", "a", "d", "f", "b"]
    assert names(select(LISTED, Filters(order="study"), NOTHING, weights=weights)) == list(LISTED.doc_ids)


def test_a_label_that_is_no_gender_and_a_study_without_text() -> None:
    labels = pd.DataFrame([("x", "a1", "no"), ("x", "a2", "yes"), ("y", "a1", "no")])
    labels.columns = ["doc_id", "annotator", "label"]
    study = make_study("other", labels=labels, label_kind="other")
    assert label_names(study) == ("no", "yes")
    listed = catalogue(study, Settings())
    assert listed.annotators == ("a1", "a2")
    assert listed.disagreement.tolist() == [1.0, 0.0]
    assert holding(listed, "x").tolist() == [True, False]


def test_labels_and_words_of_a_document(newswire: Study) -> None:
    assert label_columns(LISTED, [1, 3], 4) == {"ada": ["female", ""], "bob": ["male", ""], "word list": ["male", ""]}
    assert label_columns(LISTED, [0, 1, 3], 2) == {"ada": ["female", "female", ""], "bob": ["female", "male", ""]}
    assert label_columns(LISTED, [0, 1, 3], 1) == {"labels": ["female ×2", "female ×1, male ×1", ""]}
    assert words_of(LISTED, Settings(tau=0), 0) == ([2, 0], 3, 0.0)
    assert words_of(LISTED, Settings(tau=2), 0) == ([2, 0], 3, 1.0)
    assert words_of(LISTED, Settings(tau=0), 2) == ([0, 0], 2, 1.0)
    listed = catalogue(newswire, Settings())
    assert (listed.codes("lexicon") == listed.codes("word list")).all()
    assert len(listed.doc_ids) == 343
