"""GSR's own function and record; its points are tested in tests/evaluation/test_gsr.py."""

import math

import numpy as np
import pytest

from fairviz.errors import FairvizError, UsageError
from fairviz.measures import parse
from fairviz.measures.gsr import list_weights, slope
from tests.conftest import refused

NAN = float("nan")


def test_weights_count_how_often_a_query_stands_there() -> None:
    query, lists = np.array([0.1, 0.2, 0.4, 0.3]), np.array([0.3, 0.1, 0.2, 0.0])
    weights = np.array([[1, 1, 1, 1], [2, 0, 3, 1], [0, 4, 0, 0], [0, 0, 0, 0]])
    slopes = slope(query, lists, weights)
    drawn = [np.repeat(np.arange(4), row) for row in weights[:2]]
    assert slopes[:2] == pytest.approx([np.polyfit(query[rows], lists[rows], 1)[0] for rows in drawn])
    assert np.isnan(slopes[2:]).all(), "one query, however often, has no slope"


def test_undefined_queries_take_no_part() -> None:
    query, lists = np.array([0.1, NAN, 0.3, 0.5]), np.array([0.1, 0.9, 0.2, NAN])
    assert slope(query, lists, np.ones(4)) == pytest.approx(0.5)
    assert np.isnan(slope(np.array([NAN, 0.1]), np.array([0.1, NAN]), np.ones((3, 2)))).all()
    assert np.isnan(slope(np.array([]), np.array([]), np.ones(0)))


def test_equal_queries_have_no_slope() -> None:
    assert np.isnan(slope(np.array([0.1 + 0.2, 0.3, 0.3]), np.array([0.1, 0.2, 0.3]), np.ones(3)))


@pytest.mark.parametrize(
    ("text", "cutoff", "canonical", "at"),
    [
        ("GSR@5", 10, "GSR@5", 5),
        ("GSR", 10, "GSR@10", 10),
        ("GSR(depth='cutoff')", 10, "GSR@10", 10),
        ("GSR(depth='relevant')@5", 10, "GSR(depth='relevant')", None),
        ("GSR(depth='relevant')", None, "GSR(depth='relevant')", None),
        ("GSR(weights='code', query_terms='lemma')", 10, "GSR(query_terms='lemma',weights='code')@10", 10),
        ("GSR(stop_words='own',weights='equation')@5", 10, "GSR(stop_words='own')@5", 5),
    ],
)
def test_grammar(text: str, cutoff: int | None, canonical: str, at: int | None) -> None:
    question = parse(text, cutoff)
    assert (question.text, question.cutoff) == (canonical, at)
    assert parse(canonical, 10).text == canonical


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "GSR(query_terms='stem')@5",
            "query_terms in \"GSR(query_terms='stem')@5\" is 'stem'\nUse one of 'exact', 'lemma'.",
        ),
        ("GSR(weights=1)@5", "weights in 'GSR(weights=1)@5' is 1\nUse one of 'equation', 'code'."),
        (
            "GSR(stop_words='the')@5",
            "stop_words in \"GSR(stop_words='the')@5\" is 'the'\nUse one of 'built-in', 'own'.",
        ),
    ],
)
def test_a_wrong_parameter(text: str, message: str) -> None:
    with refused(message, UsageError):
        parse(text)


def test_weights_of_a_list() -> None:
    ranks = np.arange(1, 1001)
    assert list_weights(ranks, "equation") == pytest.approx([1 / math.log2(rank + 1) for rank in ranks])
    assert list_weights(ranks, "code") == pytest.approx([1 / max(1, math.log2(rank)) for rank in ranks])


def test_a_wrong_depth() -> None:
    with refused("depth in \"GSR(depth='all')@5\" is 'all'\nUse one of 'cutoff', 'relevant'.", UsageError):
        parse("GSR(depth='all')@5")
    with pytest.raises(FairvizError, match="'GSR' has no cutoff"):
        parse("GSR")
