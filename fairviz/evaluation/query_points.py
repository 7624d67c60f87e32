"""Two systems on the queries that both answer: their difference, how sure it is, and on how many queries it rests."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.evaluation.compare import is_reference
from fairviz.measures import Question, distance, unfairness
from fairviz.measures.bootstrap import interval, mean_over_queries, resampled_means, resampling_weights
from fairviz.measures.equivalence import mean_error, slope_error
from fairviz.measures.gsr import slope
from fairviz.measures.paired import EQUAL, distances, leaning, p_values, slope_p

Array = np.ndarray


@dataclass(frozen=True)
class Resampling:
    """The bootstrap of a comparison: level of its intervals, number of resamples, seed."""

    level: float
    resamples: int
    seed: int


@dataclass(frozen=True)
class Points:
    """One measure's values by system and query, (S, Q); `query` (Q,) is GSR's x, empty for all other measures."""

    systems: tuple[str, ...]
    queries: tuple[str, ...]
    values: Array
    query: Array

    def rows(self, question: Question, baseline: str, drawing: Resampling) -> list[dict]:
        """A row for every system but the baseline: what a comparison holds of it, and what it is tested by."""
        name = baseline or self._best(question)
        if name not in self.systems:
            return []
        against = self.systems.index(name)
        others = [place for place in range(len(self.systems)) if place != against]
        named = [{"system": self.systems[place], "baseline": name} for place in others]
        if len(self.query):
            found = [self._slope_row(place, against, drawing) for place in others]
        else:
            drawn = self._drawn(others, against, drawing) if others else ()
            rows = zip(others, drawn, strict=True)
            found = [self._row(question, place, against, drawing.level, means) for place, means in rows]
        return [names | row for names, row in zip(named, found, strict=True)]

    def apart(self, question: Question, system: str, baseline: str) -> Array:
        """The difference of two systems on each query (Q,), as their comparison takes it; NaN where either has no
        value. For GSR it is the difference of their lists, each with the sign that makes its slope a distance."""
        place, against = self.systems.index(system), self.systems.index(baseline)
        pair = self._common(place, against)
        if len(self.query):
            return self._lists_apart(pair)
        ours, theirs = (distances(row, question.direction) for row in pair)
        return ours - theirs

    def shares(self, apart: Array) -> Array:
        """What each query adds to the difference of two systems, (Q,) to (Q,): the sum is the difference."""
        defined = ~np.isnan(apart)
        if not len(self.query):
            return apart / max(int(defined.sum()), 1)
        defined &= ~np.isnan(self.query)
        x = np.where(defined, self.query, np.nan)
        from_mean = x - mean_over_queries(x)
        squares = np.nansum(from_mean**2)
        return from_mean * apart / squares if squares > EQUAL else np.full(len(apart), np.nan)

    def _best(self, question: Question) -> str:
        """The contender with the fairest mean; nobody where none has one."""
        means = [_slope(self.query, row) for row in self.values] if len(self.query) else mean_over_queries(self.values)
        far = np.where([is_reference(name) for name in self.systems], np.nan, unfairness(question, np.array(means)))
        return "" if np.isnan(far).all() else self.systems[int(np.nanargmin(far))]

    def _common(self, place: int, against: int) -> Array:
        """The values of the two, (2, Q), NaN where either has none."""
        pair = self.values[[place, against]]
        return np.where(np.isnan(pair).any(axis=0), np.nan, pair)

    def _alone(self, place: int, against: int) -> dict[str, int]:
        """On how many queries only one of the two has a value."""
        ours, theirs = ~np.isnan(self.values[[place, against]])
        return {"only_system": int((ours & ~theirs).sum()), "only_baseline": int((theirs & ~ours).sum())}

    def _drawn(self, others: Sequence[int], against: int, drawing: Resampling) -> Array:
        """The resampled means of each other system and of the baseline, (N, B, 2), on the queries that both answer."""
        known = ~np.isnan(self.values)
        if (known[list(others)] == known[against]).all():  # one product for all systems
            drawn = resampled_means(self.values, drawing.resamples, drawing.seed)  # (B, S)
            return np.stack([drawn[:, [place, against]] for place in others])
        pairs = np.stack([self._common(place, against) for place in others])  # (N, 2, Q)
        return np.moveaxis(resampled_means(pairs, drawing.resamples, drawing.seed), 0, 1)

    def _row(self, question: Question, place: int, against: int, level: float, means: Array) -> dict:
        pair = self._common(place, against)
        ours, theirs = (distances(row, question.direction) for row in pair)
        apart = ours - theirs
        count = int((~np.isnan(apart)).sum())
        drawn = distance(means, question)  # (B, 2)
        low, high = interval(drawn[:, :1] - drawn[:, 1:], level)
        far = unfairness(question, pair) if question.direction != "none" else -pair
        with np.errstate(invalid="ignore"):
            nearer = far[0] - far[1]
        value, baseline_value = mean_over_queries(pair)
        spread = np.nanstd(apart, ddof=1) if count >= 2 else np.nan
        return {
            "value": value,
            "baseline_value": baseline_value,
            "difference": mean_over_queries(apart),
            "ci_low": low[0] if count >= 2 else np.nan,
            "ci_high": high[0] if count >= 2 else np.nan,
            "apart": apart,
            "effect_size": mean_over_queries(apart) / spread if spread > EQUAL else np.nan,
            "wins": int((nearer < -EQUAL).sum()),
            "ties": int((np.abs(nearer) <= EQUAL).sum()),
            "losses": int((nearer > EQUAL).sum()),
            "queries": count,
            "error": mean_error(apart),
            "freedom": count - 1,
            **self._alone(place, against),
        }

    def _lists_apart(self, pair: Array) -> Array:
        pair = np.where(np.isnan(self.query), np.nan, pair)
        signs = [-1.0 if _slope(self.query, row) < 0 else 1.0 for row in pair]
        return signs[0] * pair[0] - signs[1] * pair[1]  # GSR is fairest at 0

    def _slope_row(self, place: int, against: int, drawing: Resampling) -> dict:
        pair = np.where(np.isnan(self.query), np.nan, self._common(place, against))
        count = int((~np.isnan(pair[0])).sum())
        value, baseline_value = (_slope(self.query, row) for row in pair)
        apart = self._lists_apart(pair)
        difference, p, r = slope_p(self.query, apart)
        weights = resampling_weights(len(self.query), drawing.resamples, drawing.seed)
        drawn = np.stack([np.abs(slope(self.query, row, weights)) for row in pair])
        low, high = interval((drawn[0] - drawn[1])[:, None], drawing.level)
        return {
            "value": value, "baseline_value": baseline_value, "difference": difference,
            "ci_low": low[0] if count >= 3 else np.nan, "ci_high": high[0] if count >= 3 else np.nan,
            "p": p, "leans": np.sign(difference), "effect_size": r,
            "wins": pd.NA, "ties": pd.NA, "losses": pd.NA, "queries": count,
            "error": slope_error(self.query, apart), "freedom": count - 2, **self._alone(place, against),
        }  # fmt: skip


def put_tests(rows: Sequence[dict], test: str, draws: int) -> None:
    """Puts the p of each row's differences into it, and which way its test points.

    Rows over the same number of queries are tested together, so that random signs are drawn once for all measures.
    """
    sizes = {len(row["apart"]) for row in rows if "apart" in row}
    for size in sizes:
        together = [row for row in rows if "apart" in row and len(row["apart"]) == size]
        apart = np.stack([row["apart"] for row in together])  # (N, Q)
        for row, p, leans in zip(together, p_values(apart, test, draws), leaning(apart, test), strict=True):
            row |= {"p": p, "leans": leans}


def _slope(query: Array, lists: Array) -> float:
    return float(slope(query, lists, np.ones(len(query))))


def points_of(points: pd.DataFrame) -> Points:
    """One measure's rows of the scores, as `slopes.split_parts` gives them, by system and query."""
    (system, systems), (query, queries) = (pd.factorize(points[name]) for name in ("system", "query_id"))
    shape = (len(systems), len(queries))
    values, asked = np.full(shape, np.nan), np.zeros(0)
    if "list" in points:
        values[system, query], asked = points["list"].to_numpy(dtype=np.float64), np.full(len(queries), np.nan)
        asked[query] = points["query"].to_numpy(dtype=np.float64)
    else:
        values[system, query] = points["value"].to_numpy(dtype=np.float64)
    return Points(tuple(map(str, systems)), tuple(map(str, queries)), values, asked)
