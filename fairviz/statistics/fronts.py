"""Pareto fronts of means over queries, the point at a share of a front's length, and the distance from it.

Axis letters: X points of one query, V points of a front, E edges, Q queries. A point is (effectiveness, fairness), of
both of which more is better.

The front of the means is the sum of the queries' fronts (of convex sets the support functions add): their edges, each
over the number of queries, from the edge that gains most fairness for its effectiveness to the one that gains least.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Array = np.ndarray
LEAST = 1e-12  # points this close are equal
FEW, DIRECTIONS = 1000, 9


def upper_front(points: Array) -> Array:
    """Return the points that a weighted mean of both quantities can prefer, the most effective first, (X, 2) to (V, 2).

    Points with NaN are left out.

    >>> upper_front(np.array([[1.0, 0.0], [0.9, 0.5], [0.5, 0.6], [0.4, 1.0], [0.4, 0.2]])).tolist()
    [[1.0, 0.0], [0.9, 0.5], [0.4, 1.0]]
    """
    points = _near_front(points[~np.isnan(points).any(axis=1)])
    points = points[np.lexsort((-points[:, 1], -points[:, 0]))]
    highest = np.maximum.accumulate(np.append(-np.inf, points[:, 1]))[:-1]
    front: list[Array] = []
    for point in points[points[:, 1] > highest + LEAST]:
        if front and point[0] >= front[-1][0] - LEAST:  # as effective and fairer
            front.pop()
        while len(front) > 1 and _turns_inwards(front[-2], front[-1], point):
            front.pop()
        front.append(point)
    return np.array(front).reshape(-1, 2)


def _near_front(points: Array) -> Array:
    """Return the points on or above the line through the best points at a few weights, if there are many, (X, 2)."""
    if len(points) <= FEW:
        return points
    shares = np.linspace(0, 1, DIRECTIONS)
    best = np.argmax(points @ np.stack([1 - shares, shares]), axis=0)
    line = upper_front(points[np.unique(best)])[::-1]
    return points[points[:, 1] >= np.interp(points[:, 0], *line.T) - LEAST]


def _turns_inwards(first: Array, second: Array, third: Array) -> bool:
    """Return whether the second point is on or below the line from the first to the third."""
    (x, y), (u, v) = second - first, third - second
    return bool(x * v - y * u <= LEAST)


@dataclass(frozen=True, eq=False)
class QueryFronts:
    """Fronts of queries as edges, sorted by the fairness gained for each loss of effectiveness, the largest first.

    starts: the most effective point of each query, (Q, 2). edges: (E, 2), each falling in effectiveness and rising in
    fairness. query: the place of each edge's query, (E,).
    """

    starts: Array
    edges: Array
    query: Array

    @property
    def lengths(self) -> Array:
        """Length of each edge, (E,)."""
        return np.linalg.norm(self.edges, axis=1)

    @property
    def points(self) -> Array:
        """Corners of the front of the means, the most effective first, (1 + E, 2)."""
        steps = np.concatenate([self.starts.mean(axis=0, keepdims=True), self.edges / len(self.starts)])
        return np.cumsum(steps, axis=0)

    def of(self, queries: Array) -> "QueryFronts":
        """Return the fronts of some queries. queries: a mask, (Q,)."""
        is_selected = queries[self.query]
        number = np.cumsum(queries) - 1
        return QueryFronts(self.starts[queries], self.edges[is_selected], number[self.query[is_selected]])


def query_fronts(fronts: Sequence[Array]) -> QueryFronts:
    """Return the fronts of queries, (V, 2) each with at least one point, as edges."""
    edges = np.concatenate([np.zeros((0, 2)), *(np.diff(front, axis=0) for front in fronts)])
    query = np.repeat(np.arange(len(fronts)), [len(front) - 1 for front in fronts])
    order = np.argsort(-np.arctan2(edges[:, 1], -edges[:, 0]), kind="stable")
    starts = np.array([front[0] for front in fronts]).reshape(-1, 2)
    return QueryFronts(starts, edges[order], query[order])


def point_along(points: Array, share: float) -> tuple[Array, int, float]:
    """Return the point at a share of a line's length, (2,), the number of its edge, and the share of that edge.

    points: corners of the line, (V, 2). A line of a single point has no edge, and the number is -1.

    >>> point, edge, part = point_along(np.array([[1.0, 0.0], [0.4, 0.8], [0.4, 1.0]]), 0.5)
    >>> point.round(12).tolist(), edge, round(part, 12)
    ([0.64, 0.48], 0, 0.6)
    """
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if not lengths.sum() > 0:
        return points[0], -1, 0.0
    reached = np.concatenate([[0.0], np.cumsum(lengths)])
    target = share * reached[-1]
    edge = int(np.searchsorted(reached[1:], target * (1 - LEAST)))
    edge = min(edge, len(lengths) - 1)
    part = float((target - reached[edge]) / lengths[edge]) if lengths[edge] > 0 else 0.0
    return points[edge] + part * (points[edge + 1] - points[edge]), edge, part


def reference_values(fronts: QueryFronts, share: float) -> Array:
    """Return what each query contributes to the point at a share of the front of the means, (Q, 2): the mean over
    queries is that point.

    To first order in the weight of each query: a query adds the part of its own front before the point, and moves the
    point along the front by the length that it adds less its share of the whole length.
    """
    _, edge, part = point_along(fronts.points, share)
    count = len(fronts.starts)
    values = fronts.starts.copy()
    if edge < 0:
        return values
    before = np.where(np.arange(len(fronts.edges)) < edge, 1.0, 0.0)
    before[edge] = part
    np.add.at(values, fronts.query, before[:, None] * fronts.edges)
    lengths = fronts.lengths
    excess = np.bincount(fronts.query, (before - share) * lengths, count)
    return values - excess[:, None] * fronts.edges[edge] / lengths[edge]


def distance_values(fronts: QueryFronts, values: Array, share: float) -> Array:
    """Return what each query contributes to the distance of a system from the point at a share of the front, (Q,).

    values: the system's effectiveness and fairness of each query, (Q, 2). The mean over queries is the distance of the
    means. All values are the distance, 0, where the means are that point.

    >>> fronts = query_fronts([np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 0.5]])])
    >>> values = distance_values(fronts, np.array([[0.5, 0.2], [0.5, 0.5]]), 0.5)
    >>> round(float(values.mean()), 6)  # from (0.5, 0.35) to ((0.5 + 1) / 2, (0.5 + 0.5) / 2)
    0.291548
    """
    apart = values - reference_values(fronts, share)  # (Q, 2): the mean is the difference of both points
    mean = apart.mean(axis=0)
    distance = float(np.linalg.norm(mean))
    return apart @ mean / distance if distance > LEAST else np.zeros(len(values))
