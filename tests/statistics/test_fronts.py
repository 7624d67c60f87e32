"""Fronts of means and the distance from them, against every combination of orders, finite differences, and the rule of
the paper's public code."""

from itertools import pairwise, product

import numpy as np
import pytest

from fairviz.statistics import fronts
from fairviz.statistics.fronts import distance_values, point_along, query_fronts, reference_values, upper_front

Array = np.ndarray


def made_fronts(generator: np.random.Generator, queries: int, points: int = 12) -> list[Array]:
    return [upper_front(generator.random((points, 2)).round(2)) for _ in range(queries)]


def nearest_of_the_paper(points: Array, weight: float) -> Array:
    """The reference point of the public code: with the most effective point first and cumulative distances between
    neighbours, the end of the segment whose cumulative distance is nearest to the weight times the whole."""
    steps = [float(np.hypot(*(second - first))) for first, second in pairwise(points)]
    reached, ends = 0.0, []
    for step in steps:
        reached += step
        ends.append(reached)
    apart = [abs(end - weight * reached) for end in ends]
    return points[1 + apart.index(min(apart))]


def test_by_hand() -> None:
    # (0.6, 0.5) is below the line from (1, 0.2) to (0.4, 1); (0.4, 0.9) and (0.3, 1) are dominated
    points = np.array([[0.4, 1], [1, 0.2], [0.6, 0.5], [0.4, 0.9], [0.3, 1], [np.nan, 2], [1, 0.1]])
    assert upper_front(points).tolist() == [[1, 0.2], [0.4, 1]]
    assert upper_front(points[:1]).tolist() == [[0.4, 1]]
    assert upper_front(np.zeros((0, 2))).shape == (0, 2)
    # length 1: half of it is at (0.7, 0.4)
    line = np.array([[1.0, 0.0], [0.4, 0.8]])
    np.testing.assert_allclose([point_along(line, share)[0] for share in (0, 0.5, 1)], [[1, 0], [0.7, 0.4], [0.4, 0.8]])
    np.testing.assert_allclose(distance_values(query_fronts([line]), np.array([[0.7, 0.1]]), 0.5), 0.3)
    # fronts of one point each are their own reference
    found = query_fronts([np.array([[0.5, 0.5]]), np.array([[0.7, 0.1]])])
    np.testing.assert_allclose(reference_values(found, 0.5).mean(axis=0), [0.6, 0.3])
    assert distance_values(found, np.array([[0.6, 0.3], [0.6, 0.3]]), 0.5).tolist() == [0, 0]


def test_no_point_is_lost_among_many() -> None:
    generator = np.random.default_rng(2)
    for decimals in (1, 6):
        points = generator.normal(size=(3 * fronts.FEW, 2)).round(decimals)
        best = [points[np.argmax(points @ (1 - weight, weight))] for weight in np.linspace(0.01, 0.99, 99)]
        found = {tuple(point) for point in upper_front(points).tolist()}
        values = [max(point @ np.array([1 - weight, weight]) for point in map(np.array, found))
                  for weight in np.linspace(0.01, 0.99, 99)]  # fmt: skip
        wanted = [point @ (1 - weight, weight) for point, weight in zip(best, np.linspace(0.01, 0.99, 99), strict=True)]
        np.testing.assert_allclose(values, wanted)


def test_the_front_of_means_is_that_of_every_combination() -> None:
    generator = np.random.default_rng(3)
    for _ in range(20):
        each = made_fronts(generator, 3)
        means = np.array([np.mean(choice, axis=0) for choice in product(*each)])
        wanted, found = upper_front(means), query_fronts(each).points
        np.testing.assert_allclose(upper_front(found), wanted, atol=1e-12)
        np.testing.assert_allclose(found[[0, -1]], wanted[[0, -1]], atol=1e-12)
    some = np.array([True, False, True])
    part, alone = query_fronts(each).of(some), query_fronts([each[0], each[2]])
    np.testing.assert_allclose(part.points, alone.points)
    assert part.query.tolist() == alone.query.tolist()


def test_the_reference_is_that_of_the_public_code_up_to_half_a_segment() -> None:
    generator = np.random.default_rng(4)
    for weight in (0.1, 0.3, 0.5, 0.9):
        points = query_fronts(made_fronts(generator, 60)).points
        longest = np.linalg.norm(np.diff(points, axis=0), axis=1).max()
        apart = point_along(points, weight)[0] - nearest_of_the_paper(points, weight)
        assert np.linalg.norm(apart) <= longest / 2 + 1e-12
    # on a line whose middle is a computed point both are the same
    line = np.array([[1.0, 0.0], [0.7, 0.4], [0.4, 0.8]])
    np.testing.assert_allclose(point_along(line, 0.5)[0], nearest_of_the_paper(line, 0.5))


def weighted_reference(each: list[Array], weights: Array, share: float) -> Array:
    """The reference point with queries weighted, (Q,) summing to 1, written without the merged edges' record."""
    steps = sorted(
        ((float(np.arctan2(edge[1], -edge[0])), weight, edge)
         for front, weight in zip(each, weights, strict=True) for edge in np.diff(front, axis=0)),
        key=lambda step: -step[0],
    )  # fmt: skip
    point = sum(weight * front[0] for front, weight in zip(each, weights, strict=True))
    left = share * sum(weight * np.hypot(*edge) for _, weight, edge in steps)
    for _, weight, edge in steps:
        length = weight * np.hypot(*edge)
        part = min(left / length, 1.0) if length > 0 else 0.0
        point, left = point + part * weight * edge, left - part * length
    return point


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_contributions_are_derivatives_by_the_weight_of_a_query(share: float) -> None:
    generator = np.random.default_rng(5)
    each = made_fronts(generator, 30)
    found, values = query_fronts(each), generator.random((30, 2)) * 0.5
    equal = np.full(30, 1 / 30)
    point = weighted_reference(each, equal, share)
    np.testing.assert_allclose(reference_values(found, share).mean(axis=0), point)
    contributions = distance_values(found, values, share)
    distance = np.linalg.norm(values.mean(axis=0) - point)
    np.testing.assert_allclose(contributions.mean(), distance)
    for query in range(30):
        moved = []
        for step in (1e-6, -1e-6):
            weights = (1 - step) * equal
            weights[query] += step
            moved.append(np.linalg.norm(weights @ values - weighted_reference(each, weights, share)))
        np.testing.assert_allclose((moved[0] - moved[1]) / 2e-6, contributions[query] - distance, atol=1e-5)
