"""The band of a measure under random orders: draws as the systems of a study, and closed forms in their place.

Axis letters: C cutoffs, S systems, Q queries, N random lists, B draws.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from fairviz.evaluation.scores import bias_of, effectiveness_of, values_at
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.sums import AlignedRankings
from fairviz.orders.chance_moments import Moments, moments
from fairviz.orders.random_lists import BLOCK, RandomLists
from fairviz.statistics.intervals import Band, band_of_draws, mean_over_queries
from fairviz.study.record import Study

Array = np.ndarray
MOST_BLOCKS = 16  # of BLOCK draws
PLACES = 4_000_000  # ranks of all draws in memory at once
WIDTHS = 3  # the Monte Carlo error of an end is at most the band's width over this


@dataclass(frozen=True, eq=False)
class Wanted:
    """A measure at its cutoffs (C,), and its values in the systems and queries of the random lists, (C, S, Q)."""

    question: Question
    cutoffs: Array
    values: Array


@dataclass(frozen=True, eq=False)
class Chance:
    """Mean, standard deviation and band of a measure under random orders.

    mean, deviation, low, high (C, N): of each random list; draws (N,): orders drawn, 0 for an exact band. means,
    mean_deviations, mean_low, mean_high (C, S): of the mean over the queries where the system's own value is defined;
    mean_draws: orders behind them.
    """

    mean: Array
    deviation: Array
    low: Array
    high: Array
    draws: Array
    means: Array
    mean_deviations: Array
    mean_low: Array
    mean_high: Array
    mean_draws: int


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Draws of a measure: the mean, deviation and band of each list (C, n), and the sum and count (C, B, S) of defined
    values over each system's queries."""

    mean: Array
    deviation: Array
    band: Band
    total: Array
    count: Array


@dataclass(frozen=True, eq=False)
class Drawing:
    """The draws of a study's random lists, as the settings evaluate them. of_lists: whether each list's own band is
    needed."""

    study: Study
    settings: Settings
    lists: RandomLists
    level: float = 0.95
    seed: int = 0
    of_lists: bool = True
    _bias: dict[int, PositionBias] = field(default_factory=dict, init=False, repr=False)

    def chances(self, wanted: Sequence[Wanted]) -> list[Chance]:
        """Return the chance of each measure, all by the same draws; one with an uncertain band gets twice as many,
        until the Monte Carlo error is below a third of the band's width or MOST_BLOCKS are drawn."""
        every = np.arange(len(self.lists.length))
        first = self._draw(wanted, every, 1)
        return [self._chance(one, summary, every) for one, summary in zip(wanted, first, strict=True)]

    def _chance(self, wanted: Wanted, summary: _Drawn, every: Array) -> Chance:
        closed = moments(self.lists, wanted.question, self._bias_at(wanted), wanted.cutoffs, self.level)
        exact = ~np.isnan(closed.low)
        draws, blocks, mean_blocks = np.full(len(every), BLOCK), 1, 1
        while blocks < MOST_BLOCKS:
            wide = (_uncertain(summary.band) & ~exact).any(axis=0)
            mean_is_wide = bool(_uncertain(self._band_of_means(summary)).any())
            if not mean_is_wide and not wide.any():
                break
            again, blocks = every if mean_is_wide else np.flatnonzero(wide), blocks * 2
            mean_blocks = blocks if mean_is_wide else mean_blocks
            summary = _merged(summary, self._draw([wanted], again, blocks)[0], again)
            draws[again] = blocks * BLOCK
        draws[exact.all(axis=0)] = 0
        return self._with_closed(wanted, summary, closed, draws, mean_blocks * BLOCK)

    def _with_closed(self, wanted: Wanted, summary: _Drawn, closed: Moments, draws: Array, mean_draws: int) -> Chance:
        def preferred(formula: Array, estimate: Array) -> Array:
            return np.where(np.isnan(formula), estimate, formula)

        mean, deviation = preferred(closed.mean, summary.mean), preferred(closed.deviation, summary.deviation)
        low, high = preferred(closed.low, summary.band.low), preferred(closed.high, summary.band.high)
        counted = ~np.isnan(wanted.values)
        of_queries = [np.where(counted, part[:, self.lists.at], np.nan) for part in (mean, deviation**2)]  # (C, S, Q)
        queries = (~np.isnan(of_queries[0])).sum(axis=-1)
        variance = mean_over_queries(of_queries[1]) / np.where(queries > 0, queries, np.nan)
        band = self._band_of_means(summary)
        return Chance(
            mean, deviation, low, high, draws, mean_over_queries(of_queries[0]), np.sqrt(variance), band.low, band.high,
            mean_draws,
        )  # fmt: skip

    def _band_of_means(self, summary: _Drawn) -> Band:
        """Return the band of the means over queries, (C, S)."""
        means = summary.total / np.where(summary.count > 0, summary.count, np.nan)
        return band_of_draws(np.moveaxis(means, 1, 0), self.level)

    def _draw(self, wanted: Sequence[Wanted], numbers: Array, blocks: int) -> list[_Drawn]:
        """Return this number of blocks of draws of these lists, batch by batch."""
        depth = max(int(self.lists.length[numbers].max(initial=1)), 1)
        size = max(PLACES // (depth * BLOCK * blocks), 1)
        batches = [numbers[start : start + size] for start in range(0, len(numbers), size)]
        parts: list[list[_Drawn]] = [[] for _ in wanted]
        for batch in batches:
            places = self.lists.random_orders(batch, range(blocks), self.seed)
            for one, summaries in zip(wanted, parts, strict=True):
                summaries.append(self._summary(one, self._values(places, one), batch))
        return [_joined(summaries) for summaries in parts]

    def _values(self, places: AlignedRankings, wanted: Wanted) -> Array:
        """Return the values of drawn lists, (C, B, n)."""
        if wanted.question.measure is None:
            return effectiveness_of(self.study, places, [wanted.question])
        return values_at(places, wanted.question, self.settings, wanted.cutoffs, self._bias_at(wanted))

    def _bias_at(self, wanted: Wanted) -> PositionBias:
        deepest = int(wanted.cutoffs.max(initial=1))
        if deepest not in self._bias:
            self._bias[deepest] = bias_of(self.lists.places, self.settings, deepest)
        return self._bias[deepest]

    def _summary(self, wanted: Wanted, values: Array, batch: Array) -> _Drawn:
        """Return what is kept of the values (C, B, n) of a batch."""
        defined = ~np.isnan(values)
        zeroed = np.where(defined, values, 0.0)
        count = defined.sum(axis=1)  # (C, n)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = zeroed.sum(axis=1) / count
            rest = np.where(defined, values - mean[:, None], 0.0)
            deviation = np.sqrt((rest**2).sum(axis=1) / count)
        nothing = np.full(mean.shape, np.nan)
        moved = np.moveaxis(values, 1, 0)
        band = band_of_draws(moved, self.level) if self.of_lists else Band(nothing, nothing, nothing)
        queries = self._queries_of(wanted, batch)  # (C, n, S)
        return _Drawn(mean, deviation, band, zeroed @ queries, defined.astype(np.float64) @ queries)

    def _queries_of(self, wanted: Wanted, batch: Array) -> Array:
        """Return for how many defined queries a system has each of these lists, (C, n, S)."""
        systems = len(self.lists.at)
        column = np.full(len(self.lists.length), -1)
        column[batch] = np.arange(len(batch))
        at = column[self.lists.at]  # (S, Q)
        system, query = np.nonzero(at >= 0)
        counts = np.zeros((len(wanted.cutoffs), len(batch), systems))
        for row, values in enumerate(wanted.values):
            np.add.at(counts[row], (at[system, query], system), ~np.isnan(values[system, query]))
        return counts


def _uncertain(band: Band) -> Array:
    """Return where the Monte Carlo error of an end is above a third of the band's width; nowhere for NaN."""
    return band.error * WIDTHS > band.high - band.low


def _joined(parts: Sequence[_Drawn]) -> _Drawn:
    """Return the batches as one: lists side by side, sums over queries added."""
    bands = zip(*(part.band for part in parts), strict=True)
    return _Drawn(
        np.concatenate([part.mean for part in parts], axis=1),
        np.concatenate([part.deviation for part in parts], axis=1),
        Band(*(np.concatenate(end, axis=1) for end in bands)),
        sum((part.total for part in parts[1:]), parts[0].total),
        sum((part.count for part in parts[1:]), parts[0].count),
    )


def _merged(summary: _Drawn, again: _Drawn, numbers: Array) -> _Drawn:
    """Return the draws with those of these lists in their place; the sums over queries only of all lists."""

    def put(old: Array, new: Array) -> Array:
        out = old.copy()
        out[:, numbers] = new
        return out

    band = Band(*(put(old, new) for old, new in zip(summary.band, again.band, strict=True)))
    mean, deviation = put(summary.mean, again.mean), put(summary.deviation, again.deviation)
    merged = replace(summary, mean=mean, deviation=deviation, band=band)
    whole = len(numbers) == summary.mean.shape[1]
    return replace(merged, total=again.total, count=again.count) if whole else merged
