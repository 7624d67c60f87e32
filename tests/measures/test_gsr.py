"""GSR's own function and record; its points are tested in tests/evaluation/test_gsr.py."""

import math

import numpy as np
import pytest

from fairviz.measures.gsr import list_weights, slope

NAN = float("nan")


def test_weights_count_how_often_a_query_stands_there() -> None:
    query, lists = np.array([0.1, 0.2, 0.4, 0.3]), np.array([0.3, 0.1, 0.2, 0.0])
    weights = np.array([[1, 1, 1, 1], [2, 0, 3, 1], [0, 4, 0, 0], [0, 0, 0, 0]])
    slopes = slope(query, lists, weights)
    drawn = [np.repeat(np.arange(4), row) for row in weights[:2]]
    assert slopes[:2] == pytest.approx([np.polyfit(query[rows], lists[rows], 1)[0] for rows in drawn])
    assert np.isnan(slopes[2:]).all(), "one query, however often, has no slope"


def test_undefined_and_equal_queries() -> None:
    query, lists = np.array([0.1, NAN, 0.3, 0.5]), np.array([0.1, 0.9, 0.2, NAN])
    assert slope(query, lists, np.ones(4)) == pytest.approx(0.5)
    assert np.isnan(slope(np.array([NAN, 0.1]), np.array([0.1, NAN]), np.ones((3, 2)))).all()
    assert np.isnan(slope(np.array([]), np.array([]), np.ones(0)))
    assert np.isnan(slope(np.array([0.1 + 0.2, 0.3, 0.3]), np.array([0.1, 0.2, 0.3]), np.ones(3)))


def test_weights_of_a_list() -> None:
    ranks = np.arange(1, 1001)
    assert list_weights(ranks, "equation") == pytest.approx([1 / math.log2(rank + 1) for rank in ranks])
    assert list_weights(ranks, "code") == pytest.approx([1 / max(1, math.log2(rank)) for rank in ranks])
