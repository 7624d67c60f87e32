"""GSR's own function and record; its points are tested in tests/evaluation/test_gsr.py."""

import numpy as np
import pytest

from fairviz.errors import FairvizError, UsageError
from fairviz.measures import MEASURES, parse
from fairviz.measures.gsr import slope

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
    ],
)
def test_grammar(text: str, cutoff: int | None, canonical: str, at: int | None) -> None:
    question = parse(text, cutoff)
    assert (question.text, question.cutoff) == (canonical, at)
    assert parse(canonical, 10).text == canonical


def test_a_wrong_depth() -> None:
    with pytest.raises(UsageError) as caught:
        parse("GSR(depth='all')@5")
    assert str(caught.value) == "depth in \"GSR(depth='all')@5\" is 'all'\nUse one of 'cutoff', 'relevant'."
    with pytest.raises(FairvizError, match="'GSR' has no cutoff"):
        parse("GSR")


def test_only_gsr_has_no_value_per_query() -> None:
    assert [name for name, measure in MEASURES.items() if not measure.per_query] == ["GSR"]
