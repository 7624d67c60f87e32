"""Rankers that go by likelihood, word vectors, judgements, other runs or chance: against formulas written out here."""

import math
from dataclasses import replace
from pathlib import Path

import gensim.test
import numpy as np
import pandas as pd
import pytest

from fairviz.errors import FairvizError, UsageError
from fairviz.rankers import RANKERS, parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.rankers.reordering import RUN
from fairviz.study.tables import DOCUMENTS, QRELS, RUNS, conform
from tests.rankers.test_ranking import lists, scores, study_of

FASTTEXT = Path(gensim.test.__path__[0], "test_data", "lee_fasttext_new.bin")
VECTORS = "5 2\nnurse 3 4\ndoctor 1 0\nday 0 2\nParis -1 0\nvoid 0 0\n"


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.vec"
    path.write_text(VECTORS)
    return path


def judged(study, rows: list[tuple[str, str, int]]):
    return replace(study, qrels=conform(pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"]), QRELS))


def with_runs(study, rows: list[tuple[str, str, str, int, float]]):
    columns = ["system", "query_id", "doc_id", "rank", "score"]
    return replace(study, runs=conform(pd.DataFrame(rows, columns=columns), RUNS))


def test_qlm_is_the_formula():
    """Terms: d0 nurse nurse; d1 nurse doctor doctor doctor; d2 day. Shares: nurse 3/7, doctor 3/7."""
    texts = ["nurse nurse", "nurse doctor doctor doctor", "day"]
    expected = [
        math.log((2 + 10 * 3 / 7) / (2 + 10)) + math.log((0 + 10 * 3 / 7) / (2 + 10)),
        math.log((1 + 10 * 3 / 7) / (4 + 10)) + math.log((3 + 10 * 3 / 7) / (4 + 10)),
        0.0,  # holds no term of the query
    ]
    np.testing.assert_allclose(scores("qlm(mu=10)", "the nurse doctor unknown", texts), expected, rtol=1e-12)


def test_w2v_add_is_the_cosine_of_the_means(vectors):
    """Unit vectors: nurse (0.6, 0.8), doctor (1, 0), day (0, 1), Paris (-1, 0). Query nurse."""
    texts = ["Doctor and day day", "in paris", "NURSE", "unknown words", "void", ""]
    found = scores(f"w2v_add(embedding='{vectors}')", "The nurse's", texts)
    mean = [1 / math.sqrt(5), 2 / math.sqrt(5)]
    np.testing.assert_allclose(found, [0.6 * mean[0] + 0.8 * mean[1], -0.6, 1, 0, 0, 0], atol=1e-7)
    ranked = rank(study_of(["nurse", "zebra the", ""], texts), parse_rankers("w2v_add", str(vectors)))
    assert lists(ranked.runs, "w2v_add-embedding=tiny.vec") == {"q0": ["d2", "d0", "d1"]}
    assert ranked.messages == (
        "w2v_add: tiny.vec has a vector for 4 of the 7 different words.",
        "w2v_add-embedding=tiny.vec: 2 of 3 queries hold no word that has a vector; their lists are empty.",
    )


def test_w2v_si_weighs_by_self_information(vectors):
    """Words: doctor 2 (in two spellings), day 1, nurse 1: of 4. -ln p: doctor ln 2, day and nurse ln 4."""
    texts = ["Doctor day", "doctor nurse"]
    found = scores(f"w2v_si(embedding='{vectors}')", "paris day", texts)
    once, twice = math.log(4), math.log(2)

    def unit(x: float, y: float) -> np.ndarray:
        return np.array([x, y]) / math.hypot(x, y)

    query = unit(-once, once)  # paris is in no document: it counts as one that stands there once
    expected = [query @ unit(twice, once), query @ unit(twice + 0.6 * once, 0.8 * once)]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_fasttext_knows_new_words_by_their_parts():
    texts = ["governmental", "australians cricket", "qqqq zzzz"]
    ranked = rank(study_of(["governments"], texts), parse_rankers("fasttext_add", str(FASTTEXT)))
    assert ranked.messages == (
        "fasttext_add: lee_fasttext_new.bin has a vector for 2 of the 5 different words and makes the others of "
        "their parts.",
    )
    assert len(ranked.runs) == 3
    assert ranked.runs["doc_id"].iloc[0] == "d0"
    added = rank(
        study_of(["governments"], texts), parse_rankers("fasttext_add", str(FASTTEXT).replace("_new.bin", ".vec"))
    )
    assert len(added.runs) == 0  # the .vec file has no parts, and no vector for the query


@pytest.mark.parametrize("name", ["glove", "google-news-subset"])
def test_fasttext_add_wants_fasttext(name):
    with pytest.raises(UsageError) as caught:
        rank(study_of(["a"], ["b"]), parse_rankers("fasttext_add", name))
    assert str(caught.value) == (
        f"fasttext_add cannot use {name}, which is not fastText's\n"
        "Give the path of a fastText .bin or .vec file, or use w2v_add."
    )


def test_perfect_holds_all_and_only_the_relevant():
    rows = [("q0", "d2", 1), ("q0", "d1", 2), ("q0", "d0", 1), ("q0", "d3", 0), ("q1", "d3", 0), ("q9", "d1", 1)]
    ranked = rank(judged(study_of(["a", "b"], ["x"] * 4), rows), parse_rankers("perfect"))
    assert lists(ranked.runs, "perfect") == {"q0": ["d1", "d0", "d2"]}
    assert ranked.messages == ("perfect: 1 of 2 queries have no relevant document; their lists are empty.",)


def test_perfect_without_judgements():
    with pytest.raises(FairvizError) as caught:
        rank(study_of(["a"], ["b"]), parse_rankers("perfect"))
    assert str(caught.value) == "made has no relevance to rank by\nAdd qrels.txt to its folder."


def test_random_depends_on_seed_and_query_alone():
    study = study_of(["a", "b"], ["x"] * 30)
    backwards = replace(study, documents=conform(study.documents[::-1], DOCUMENTS), queries=study.queries[::-1])
    first = lists(rank(study, parse_rankers("random"), depth=10).runs, "random")
    assert first == lists(rank(backwards, parse_rankers("random"), depth=10).runs, "random")
    assert first["q0"] != first["q1"]
    other = lists(rank(study, parse_rankers("random(seed=1)"), depth=10).runs, "random-seed=1")
    assert other["q0"] != first["q0"]
    assert len(set(first["q0"])) == 10


RUN_ROWS = [
    ("one", "q0", "d0", 1, 9.0), ("one", "q0", "d1", 2, 8.0), ("two", "q0", "d1", 1, 3.0), ("two", "q0", "d2", 2, 1.0),
    ("perfect", "q0", "d9", 1, 3.0), ("random-seed=3", "q0", "d8", 1, 3.0), ("rrf-k=1", "q0", "d7", 1, 3.0),
    ("one, edited", "q0", "d6", 1, 3.0),
]  # fmt: skip


def test_rrf_is_the_formula_and_leaves_out_what_is_no_search():
    study = with_runs(study_of([], []), RUN_ROWS)  # neither queries nor documents are needed
    ranked = rank(study, parse_rankers("rrf(k=10)"))
    assert lists(ranked.runs, "rrf-k=10") == {"q0": ["d1", "d0", "d2"]}
    np.testing.assert_allclose(ranked.runs["score"], [1 / 11 + 1 / 12, 1 / 11, 1 / 12])
    assert ranked.messages == ("rrf: fused one, two.",)
    named = rank(study, parse_rankers("rrf(runs=two+perfect)"))
    assert lists(named.runs, "rrf-runs=two+perfect") == {"q0": ["d1", "d9", "d2"]}


def test_rrf_takes_what_was_made_before_it_and_not_what_is_made_anew():
    study = with_runs(study_of(["nurse"], ["nurse", "doctor"]), [("bm25", "q0", "old", 1, 1.0)])
    ranked = rank(study, parse_rankers("bm25,tfidf,rrf"))
    assert lists(ranked.runs, "rrf") == {"q0": ["d0"]}
    assert "rrf: fused bm25, tfidf." in ranked.messages


@pytest.mark.parametrize("name", [name for name, ranker in RANKERS.items() if RUN in ranker.parameters])
def test_a_re_ranker_names_its_run_first_and_rrf_leaves_it_out(name):
    (choice,) = parse_rankers(f"{name}(run='one',{'k=4' if name != 'neutral' else 'weight=1'})")
    assert choice.ranker.parameters[0] is RUN
    study = with_runs(study_of(["a"], ["b"]), [*RUN_ROWS[:3], (choice.system, "q0", "d9", 1, 3.0)])
    assert rank(study, parse_rankers("rrf")).messages == ("rrf: fused one, two.",)


def test_rrf_without_runs():
    with pytest.raises(FairvizError) as caught:
        rank(study_of(["a"], ["b"]), parse_rankers("rrf,bm25"))
    assert str(caught.value) == (
        "rrf fuses other runs, and made has none\nName rankers before it, such as --with bm25,tfidf,rrf."
    )
    with pytest.raises(UsageError) as caught:
        rank(with_runs(study_of(["a"], ["b"]), RUN_ROWS[:3]), parse_rankers("rrf(runs=one+three)"))
    assert str(caught.value) == "made has no run 'three' for rrf\nIts runs are one, two."
