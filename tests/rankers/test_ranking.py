"""Ranking: against formulas written out here, on edge cases, and on Grep-BiasIR."""

import math
from collections import Counter
from dataclasses import replace

import bm25s.stopwords
import numpy as np
import pandas as pd
import pytest

from fairviz.datasets import fetch
from fairviz.errors import FairvizError, UsageError
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.rankers.record import STOP_WORDS, analyser
from fairviz.study.record import Study
from fairviz.study.tables import DOCUMENTS, QUERIES, conform

TEXTS = [
    "The nurse's day",
    "A nurse and a nurse met the doctor",
    "The doctor was late",
    "Cooking for two",
    "Nursing a doctor, nursing a nurse, doctors nursing",
]


def study_of(queries: list[str], texts: list, titles: list[str] | None = None) -> Study:
    ids = [f"d{number}" for number in range(len(texts))]
    documents = pd.DataFrame({"doc_id": ids, "title": titles or [""] * len(texts), "text": texts})
    named = pd.DataFrame({"query_id": [f"q{number}" for number in range(len(queries))], "text": queries})
    return Study("made", queries=conform(named, QUERIES), documents=conform(documents, DOCUMENTS))


def lists(runs: pd.DataFrame, system: str) -> dict[str, list[str]]:
    kept = runs[runs["system"] == system]
    return {str(query): list(rows["doc_id"]) for query, rows in kept.groupby("query_id", observed=True)}


def test_terms():
    terms = analyser()
    assert terms("The Nurse's and the nurses’ running, it's 2nd_hand") == ["nurs", "nurs", "run", "2nd_hand"]
    assert frozenset(bm25s.stopwords.STOPWORDS_EN) == STOP_WORDS


def scores(ranker: str, query: str, texts: list[str] = TEXTS) -> list[float]:
    """The score of each text for the query, 0 where it is not in the list."""
    found = rank(study_of([query], texts), parse_rankers(ranker)).runs
    held = dict(zip(found["doc_id"], found["score"], strict=True))
    return [held.get(f"d{number}", 0.0) for number in range(len(texts))]


def bm25_by_hand(query: list[str], documents: list[list[str]], k1: float, b: float) -> list[float]:
    """Lucene's: idf = ln(1 + (N - n + 0.5) / (n + 0.5)), tf / (tf + k1 (1 - b + b |d| / average |d|))."""
    average = sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        counts, score = Counter(document), 0.0
        for term in query:
            holding = sum(term in other for other in documents)
            idf = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
            tf = counts[term]
            score += idf * tf / (tf + k1 * (1 - b + b * len(document) / average))
        scores.append(score)
    return scores


@pytest.mark.parametrize(("k1", "b"), [(0.9, 0.4), (1.2, 0.75), (2.0, 0.0)])
def test_bm25_is_the_formula(k1, b):
    terms = analyser()
    documents = [terms(text) for text in TEXTS]
    for query in ("nurse", "the doctor", "nurse doctor nurse", "cooking unknown"):
        expected = bm25_by_hand(terms(query), documents, k1, b)
        found = scores(f"bm25(k1={k1},b={b})", query)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


def test_tfidf_is_the_cosine():
    terms = analyser()
    documents = [terms(text) for text in TEXTS]
    query = terms("nurse doctor")

    def vector(words: list[str]) -> dict[str, float]:
        """Counts times ln((1 + N) / (1 + n)) + 1, of unit length."""
        weights = {}
        for word, count in Counter(words).items():
            holding = sum(word in document for document in documents)
            weights[word] = count * (math.log((1 + len(documents)) / (1 + holding)) + 1) if holding else 0.0
        length = math.sqrt(sum(weight**2 for weight in weights.values())) or 1.0
        return {word: weight / length for word, weight in weights.items()}

    asked = vector(query)
    expected = [sum(asked.get(word, 0) * weight for word, weight in vector(words).items()) for words in documents]
    np.testing.assert_allclose(scores("tfidf", "nurse doctor"), expected, atol=1e-12)


def test_order_depth_and_ties():
    texts = ["nurse", "doctor", "nurse", "nurse nurse nurse", "nurse"]
    ranked = rank(study_of(["nurse"], texts), parse_rankers("bm25,tfidf"))
    assert lists(ranked.runs, "bm25") == {"q0": ["d3", "d0", "d2", "d4"]}  # equal scores by doc_id
    short = rank(study_of(["nurse"], texts), parse_rankers("bm25"), depth=2)
    assert lists(short.runs, "bm25") == {"q0": ["d3", "d0"]}
    assert list(short.runs["rank"]) == [1, 2]
    assert short.messages == ()


@pytest.mark.parametrize(
    "system", ["bm25", "tfidf", "qlm", "w2v_add", pytest.param("bi_encoder", marks=pytest.mark.slow)]
)
def test_ties_stand_by_doc_id_whatever_the_order_of_the_documents(system):
    study = study_of(["nurse"], ["nurse"] * 12)
    backwards = replace(study, documents=conform(study.documents[::-1], DOCUMENTS))
    found = lists(rank(backwards, parse_rankers(system), depth=5).runs, system)
    assert found == {"q0": ["d0", "d1", "d10", "d11", "d2"]}


def test_titles_are_searched():
    ranked = rank(study_of(["nurse"], ["a day", "a night"], ["", "Nurse"]), parse_rankers("bm25"))
    assert lists(ranked.runs, "bm25") == {"q0": ["d1"]}


def test_what_matches_nothing_and_what_has_no_text_is_counted():
    study = study_of(["nurse", "zebra", "the", ""], ["nurse", None, ""])
    steps = []
    ranked = rank(study, parse_rankers("bm25,tfidf"), progress=lambda *step: steps.append(step))
    assert lists(ranked.runs, "tfidf") == {"q0": ["d0"]}
    assert ranked.messages == (
        "1 documents without text were not ranked.",
        "bm25: 3 of 4 queries match no document; their lists are empty.",
        "tfidf: 3 of 4 queries match no document; their lists are empty.",
    )
    assert steps == [(done, 8) for done in range(1, 9)]


def test_no_query_matches_anything():
    ranked = rank(study_of(["zebra"], ["nurse"]), parse_rankers("bm25"))
    assert len(ranked.runs) == 0
    assert ranked.messages == ("bm25: the queries match no document (1 of 1 query), so it has no run.",)


@pytest.mark.parametrize(
    ("queries", "texts", "message"),
    [
        ([], ["a"], "made has no queries to rank\nAdd queries.csv (or .tsv, .jsonl, .parquet) to its folder."),
        (["a"], [], "made has no documents to rank\nAdd documents.csv (or .tsv, .jsonl, .parquet) to its folder."),
        (["a"], [None], "no document of made holds a word to search for\nGive the documents' text."),
        (["a"], ["", "the"], "no document of made holds a word to search for\nGive the documents' text."),
    ],
)
def test_a_study_that_cannot_be_ranked(queries, texts, message):
    with pytest.raises(FairvizError) as caught:
        rank(study_of(queries, texts), parse_rankers("bm25"))
    assert str(caught.value) == message


def test_a_depth_of_nothing():
    with pytest.raises(UsageError) as caught:
        rank(study_of(["a"], ["b"]), parse_rankers("bm25"), depth=0)
    assert str(caught.value) == "depth is 0\nUse a whole number from 1 to 1,000,000,000."


def test_grep_biasir(shared_data):
    folder = fetch("grep-biasir", shared_data)
    read = {"dtype": "str", "keep_default_na": False}
    study = Study(
        "grep-biasir",
        queries=conform(pd.read_csv(folder / "queries.csv", **read), QUERIES),
        documents=conform(pd.read_csv(folder / "documents.csv", **read), DOCUMENTS),
    )
    judged = [line.split() for line in (folder / "qrels.txt").read_text().splitlines()]
    relevant = {(query, document) for query, _, document, relevance in judged if relevance == "1"}
    runs = rank(study, parse_rankers("bm25,tfidf,qlm,w2v_add,w2v_si")).runs
    reciprocal = {}
    for system in ("bm25", "tfidf", "qlm", "w2v_add", "w2v_si"):
        first = [
            next((1 / place for place, document in enumerate(found[:10], 1) if (query, document) in relevant), 0)
            for query, found in lists(runs, system).items()
        ]
        reciprocal[system] = round(sum(first) / 117, 3)
    assert reciprocal == {"bm25": 0.778, "tfidf": 0.737, "qlm": 0.751, "w2v_add": 0.446, "w2v_si": 0.441}
