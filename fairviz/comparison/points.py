"""One measure's values by system and query, as comparisons of systems take them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from fairviz.measures import Question, unfairness
from fairviz.measures.gsr import slope
from fairviz.statistics.contrasts import EQUAL, Block, Contrasts, Estimates, Mixture, Pair, contrasts, differences
from fairviz.statistics.intervals import mean_over_queries

Array = np.ndarray
FOLDED = ("zero", "one")  # directions of measures that are compared by their distance from the fairest value


@dataclass(frozen=True, eq=False)
class Points:
    """One measure's values by system and query, (S, Q); `query` (Q,) is GSR's x, empty for all other measures."""

    systems: tuple[str, ...]
    queries: tuple[str, ...]
    values: Array
    query: Array

    @property
    def is_slope(self) -> bool:
        """True for a slope over queries, such as GSR."""
        return len(self.query) > 0

    def estimates(self, question: Question, queries: Sequence[str]) -> Estimates:
        """Return the values as a test takes them, (S, Q) for these queries; NaN for those that are not here."""
        place = {query: column for column, query in enumerate(self.queries)}
        columns = np.array([place.get(query, -1) for query in queries], dtype=np.int64)
        values = np.concatenate([self.values, np.full((len(self.systems), 1), np.nan)], axis=1)[:, columns]
        x = np.append(self.query, np.nan)[columns] if self.is_slope else None
        return Estimates(values, x, question.direction == "one")

    @property
    def means(self) -> Array:
        """The means over queries, or the slopes, (S,)."""
        if self.is_slope:
            return np.array([float(slope(self.query, row, np.ones(len(self.query)))) for row in self.values])
        return mean_over_queries(self.values)

    def best(self, question: Question, among: Sequence[str]) -> str:
        """Return the system whose mean is the fairest; empty where none has one, or the measure only describes."""
        far = np.where([name in among for name in self.systems], unfairness(question, self.means), np.nan)
        return "" if np.isnan(far).all() else self.systems[int(np.nanargmin(far))]

    def against_zero(self, system: str, clusters: Array | None = None) -> Contrasts:
        """Return a system's mean or slope with its error. clusters: of the queries, (Q,)."""
        values, x = self.values[self.systems.index(system)], self.query if self.is_slope else None
        return contrasts(Estimates(np.stack([values, np.zeros(len(values))]), x, clusters=clusters), [Pair(0, 1)])

    def interval(self, system: str, level: float, clusters: Array | None = None) -> tuple[float, float]:
        """Return both ends of the interval of a system's mean or slope, by Student's t; NaN without an error."""
        from scipy.special import stdtrit

        found = self.against_zero(system, clusters)
        if found.freedom[0] < 1:
            return np.nan, np.nan
        half = float(stdtrit(found.freedom[0], (1 + level) / 2) * found.error[0])
        return float(found.value[0]) - half, float(found.value[0]) + half

    def apart(self, question: Question, system: str, baseline: str) -> Array:
        """Return what each query contributes to the difference of two systems, (Q,); NaN where either has no value.

        The mean is the difference that their comparison shows: of distances for a measure that is fairest at 0 or 1.
        For GSR it is the difference of their lists.
        """
        place, against = self.systems.index(system), self.systems.index(baseline)
        estimates = Estimates(self.values, self.query if self.is_slope else None, question.direction == "one")
        by_query = Estimates(np.where(np.isnan(self.query), np.nan, self.values)) if self.is_slope else estimates
        pair = [Pair(place, against, -1), Pair(place, against, 1)]
        apart, summed = differences(by_query, pair)
        if question.direction not in FOLDED:
            return apart
        u, v = contrasts(estimates, pair).value
        return np.sign(v) * apart if abs(u) <= abs(v) else np.sign(u) * summed

    def shares(self, apart: Array) -> Array:
        """Return what each query adds to the difference of two systems, (Q,) to (Q,): the sum is the difference."""
        defined = ~np.isnan(apart)
        if not self.is_slope:
            return apart / max(int(defined.sum()), 1)
        defined &= ~np.isnan(self.query)
        x = np.where(defined, self.query, np.nan)
        from_mean = x - mean_over_queries(x)
        squares = np.nansum(from_mean**2)
        return from_mean * apart / squares if squares > EQUAL else np.full(len(apart), np.nan)


def points_of(points: pd.DataFrame) -> Points:
    """Return one measure's rows of the scores, as `slopes.split_parts` gives them, by system and query."""
    (system, systems), (query, queries) = (_coded(points[name]) for name in ("system", "query_id"))
    shape = (len(systems), len(queries))
    values, x = np.full(shape, np.nan), np.zeros(0)
    if "list" in points:
        values[system, query], x = points["list"].to_numpy(dtype=np.float64), np.full(len(queries), np.nan)
        x[query] = points["query"].to_numpy(dtype=np.float64)
    else:
        values[system, query] = points["value"].to_numpy(dtype=np.float64)
    return Points(tuple(map(str, systems)), tuple(map(str, queries)), values, x)


def _coded(column: pd.Series) -> tuple[Array, pd.Index]:
    """Return the code of each text and the texts; categories have codes already, and are made no column of text."""
    return pd.factorize(column if isinstance(column.dtype, pd.CategoricalDtype) else column.astype("str"))


@dataclass(frozen=True, eq=False)
class Tables:
    """One measure's values of the same systems and queries at T settings, within one slice.

    questions: (T,) the measure at each. points: (T,). values: (T, S, Q), for all queries of the family. mixture: of
    values that are compared by their means, (T · S, K) and (K, Q), as `Estimates` has it.
    clusters: of the queries, (Q,).
    """

    slice: str
    questions: Sequence[Question]
    points: Sequence[Points]
    values: Array
    x: Array | None = None
    mixture: Mixture | None = None
    clusters: Array | None = None

    @cached_property
    def common(self) -> Array:
        """The number of queries that two systems both have, (T, S, S)."""
        is_defined = ~np.isnan(self.values)
        if self.x is not None:
            is_defined &= ~np.isnan(self.x)
        indicators = is_defined.astype(np.float64)
        return np.rint(indicators @ indicators.transpose(0, 2, 1)).astype(np.int64)

    def block(self, pairs: Array) -> Block:
        """Return these pairs (T, S, S) as a block in which each of the T settings is a family of its own."""
        families, first, second = np.nonzero(pairs)
        places = families[:, None] * self.values.shape[1] + np.stack([first, second], axis=1)
        rows, direction = self.values.reshape(-1, self.values.shape[2]), self.questions[0].direction
        estimates = Estimates(rows, self.x, direction == "one", self.mixture, self.clusters)
        return Block(estimates, places, direction in FOLDED, families)
