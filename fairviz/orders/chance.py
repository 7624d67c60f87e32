"""The chance band: the value of each measure if the candidates were in a random order.

A draw is a random order of a list's candidates, cut at the list's length, which the measure itself evaluates. Where a
measure is a weighted sum over ranks, mean and variance are those of all orders (`fairviz.statistics.intervals`), and
with equal weights and two kinds of documents the band is the hypergeometric distribution's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, expect
from fairviz.evaluation import validation
from fairviz.evaluation.choices import Selection, aligned, positions
from fairviz.evaluation.scores import bias_of, depth_of, effectiveness_of, values_at
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.record import WeightedSum
from fairviz.measures.sums import AlignedRankings
from fairviz.orders.candidates import (
    BLOCK,
    SOURCES,
    CandidateSource,
    RandomLists,
    candidate_sets,
    lists_requested,
    needs_collection,
    random_lists,
)
from fairviz.statistics.intervals import (
    Band,
    band_of_draws,
    hypergeometric_ends,
    mean_over_queries,
    permutation_moments,
)
from fairviz.study.record import Study

Array = np.ndarray
EQUAL = 1e-12  # relative difference up to which weights of ranks are equal
MOST_BLOCKS = 16  # of BLOCK draws
PLACES = 4_000_000  # ranks of all draws in memory at once
WIDTHS = 3  # the Monte Carlo error of an end is at most the band's width over this
EXACT, DRAWN = "exact", "permutations"
_BAND = ("chance", "deviation", "low", "high")
ROUNDING = {"float64": 1e-9, "float32": 1e-5}  # a value this near to an end of its band is in it, by dtype


@dataclass(frozen=True, eq=False)
class Moments:
    """mean and deviation (the standard one) of the value in each list, (C, N), NaN without a closed form; low and high:
    the exact band, NaN where the weights are unequal or the candidates have more than two numbers."""

    mean: Array
    deviation: Array
    low: Array
    high: Array


@dataclass(frozen=True, eq=False)
class _Numbers:
    """The numbers of each list's candidates, (N,): their mean, sum of squared deviations, least, greatest, how many are
    the greatest, and whether there are no others."""

    mean: Array
    squares: Array
    least: Array
    greatest: Array
    marked: Array
    two_valued: Array


def moments(lists: RandomLists, question: Question, bias: PositionBias, cutoffs: Array, level: float = 0.95) -> Moments:
    """Return the moments of a measure in random lists, NaN for a measure that is not a weighted sum, and for lists with
    a candidate without evidence, unless it counts as neutral."""
    shape = len(cutoffs), len(lists.length)
    weighted = question.measure.weighted if question.measure else None
    places = lists.places
    has_evidence = places.labelled if question.family == "labels" else places.words.known
    whole = np.array(
        [places.unlabelled == "neutral" or bool(has_evidence[candidates].all()) for candidates in lists.candidates],
        dtype=bool,
    )
    whole = np.flatnonzero(whole & (lists.length > 0)) if weighted else np.zeros(0, dtype=np.int64)
    out = Moments(*(np.full(shape, np.nan) for _ in range(4)))
    if weighted is None or not len(whole):
        return out
    values = _numbers(lists, whole, weighted.numbers(places, question.parameters))
    sums, squares, equal = _weight_sums(weighted, bias, cutoffs, lists.length[whole])
    divisor = _divisor(lists, whole, question, bias, cutoffs)
    sizes = lists.sizes[whole]
    mean, variance = permutation_moments(sums, squares, values.mean, values.squares, sizes)
    out.mean[:, whole], out.deviation[:, whole] = mean / divisor, np.sqrt(variance) / divisor
    reached = np.minimum(cutoffs[:, None], lists.length[whole])  # (C, n)
    exact = equal & values.two_valued
    for end, marked in zip((out.low, out.high), _marked_ends(sizes, values.marked, reached, level), strict=True):
        total = reached * values.least + (values.greatest - values.least) * marked
        end[:, whole] = np.where(exact, sums / reached * total / divisor, np.nan)
    return out


def _marked_ends(sizes: Array, marked: Array, reached: Array, level: float) -> tuple[Array, Array]:
    sizes, marked = (np.broadcast_to(part, reached.shape) for part in (sizes, marked))
    low, high = hypergeometric_ends(sizes.ravel(), marked.ravel(), reached.ravel(), level)
    return low.reshape(reached.shape), high.reshape(reached.shape)


def _numbers(lists: RandomLists, whole: Array, numbers: Array) -> _Numbers:
    """Return the numbers (D,) of the candidates of these lists."""
    sizes, count = lists.sizes[whole], len(whole)
    owner = np.repeat(np.arange(count), sizes)  # (M,)
    values = numbers[np.concatenate([lists.candidates[number] for number in whole.tolist()])].astype(np.float64)
    mean = np.bincount(owner, values, count) / sizes
    greatest, least = np.full(count, -np.inf), np.full(count, np.inf)
    np.maximum.at(greatest, owner, values)
    np.minimum.at(least, owner, values)
    is_greatest = values == greatest[owner]
    others = np.bincount(owner[~is_greatest & (values != least[owner])], minlength=count)
    squares = np.bincount(owner, (values - mean[owner]) ** 2, count)
    return _Numbers(mean, squares, least, greatest, np.bincount(owner[is_greatest], minlength=count), others == 0)


def _weight_sums(
    weighted: WeightedSum, bias: PositionBias, cutoffs: Array, lengths: Array
) -> tuple[Array, Array, Array]:
    """Return Σ w and Σ w² over the ranks of each list within each cutoff, and whether all w are equal: (C, n) each."""
    distinct, at = np.unique(lengths, return_inverse=True)
    rows = []
    for cutoff in cutoffs.tolist():
        curves = [weighted.weights(bias.weights(cutoff)[:length]) for length in distinct.tolist()]
        rows.append([(w.sum(), (w * w).sum(), np.ptp(w) <= EQUAL * np.abs(w).max()) for w in curves])
    table = np.array(rows, dtype=np.float64)[:, at]  # (C, n, 3)
    return table[..., 0], table[..., 1], table[..., 2] > 0


def _divisor(lists: RandomLists, whole: Array, question: Question, bias: PositionBias, cutoffs: Array) -> Array | float:
    """Return the divisor of each list, (C, n): that of any order of its candidates, as all have evidence."""
    weighted = question.measure.weighted if question.measure else None
    if weighted is None or weighted.divisor is None:
        return 1.0
    documents = np.full((len(whole), int(lists.length[whole].max()), 1), -1, dtype=np.int32)
    for row, number in enumerate(whole.tolist()):
        length = int(lists.length[number])
        documents[row, :length, 0] = lists.candidates[number][:length]
    return weighted.divisor(lists.with_orders(whole, documents), question.parameters, bias, cutoffs)[:, 0]


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


def chance(
    study: Study,
    measures: str | Sequence[str],
    settings: Settings | None = None,
    *,
    candidates: CandidateSource = "study",
    level: float = 0.95,
    seed: int = 0,
    places: AlignedRankings | None = None,
    per_query: bool = False,
    **choices: object,
) -> pd.DataFrame:
    """Return the mean and the band of each measure under a random order of the candidates, beside its value.

    Orders without a value are left out; so are stochastic systems, whose values are means over draws.

    Parameters
    ----------
    study : Study
        Of S systems and Q queries.
    measures : str or sequence of str
        M measures, as for `fairviz.evaluate`; also settings, places and choices.
    settings : Settings, optional
        The choices behind the values; the defaults if None.
    candidates : {'study', 'run', 'judged'}
        The documents that any system retrieved for the query, those of the system's own list, or those with a relevance
        judgement. A random list is as long as the run's, or has all candidates if those are fewer.
    level : float
        Of the band, between 0 and 1.
    seed : int
        Of the draws, which no other measure, system or query on screen changes.
    places : AlignedRankings, optional
        Arrays from `fairviz.evaluation.choices.align`.
    per_query : bool
        Whether each query has its row, with query_id, and outside as true, false or missing.
    **choices
        Fields of Settings to change.

    Returns
    -------
    DataFrame
        S · M rows: system, measure, value, chance (the mean), deviation (the standard one), low and high (the band of
        the mean over queries with independent orders), queries (with a value), outside (of these, the number with a
        value outside their own band: by chance a share of up to 1 − level), bands (`exact` if every query's is, else
        `permutations`) and draws. NaN where no order has a value.

    Raises
    ------
    FairvizError
        For GSR, which has no value for one query, and as `fairviz.evaluate`.

    Examples
    --------
    >>> import fairviz
    >>> football = fairviz.open_study("football")
    >>> table = chance(football, "Exposure(group='female')@4", position_bias="uniform", per_query=True)
    >>> table["bands"].unique().tolist()
    ['exact']
    """
    settings = validation.chosen_settings(study, settings, choices)
    expect("candidates", candidates, str, f"Use one of {', '.join(SOURCES)}.")
    expect("per_query", per_query, bool, "Use True or False.")
    validation.check_level(level, seed)
    reason = "has no chance band: it is a slope over queries, with no value for one list"
    questions, selection = lists_requested(study, measures, settings, candidates, places, reason)
    return _table(selection, questions, settings, candidates, per_query, float(level), int(seed))


def chance_of_query(
    study: Study, questions: Sequence[Question], settings: Settings, system: str, query: str, *,
    candidates: CandidateSource = "study", places: AlignedRankings | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Return the row of `chance` for each question, of one list. Raises: see `chance`."""
    places = aligned(study, settings, places, collection=needs_collection(questions, settings, candidates))
    selection = Selection(study, places, (system,), (query,))
    return _table(selection, questions, settings, candidates, per_query=True)


def _table(
    selection: Selection, questions: Sequence[Question], settings: Settings, candidates: CandidateSource,
    per_query: bool, level: float = 0.95, seed: int = 0,
) -> pd.DataFrame:  # fmt: skip
    """Return the rows of the systems and queries shown, question by question."""
    study, places = selection.study, selection.places
    selection = _without_draws(selection)
    lists = lists_of(selection, candidates, max((depth_of(one, places) for one in questions), default=1))
    wanted = [
        Wanted(one, np.array([one.cutoff or settings.cutoff]), _values(selection, one, settings)) for one in questions
    ]
    chances = Drawing(study, settings, lists, level, seed).chances(wanted)
    make = partial(_list_rows if per_query else _system_rows, selection, lists)
    return pd.concat([make(one, result) for one, result in zip(wanted, chances, strict=True)], ignore_index=True)


def _without_draws(selection: Selection) -> Selection:
    """Return the selection without stochastic systems. Raises FairvizError if no other is selected."""
    runs = set(selection.places.rankings.systems)
    systems = tuple(name for name in selection.systems if name in runs)
    if selection.systems and not systems:
        raise FairvizError(
            f"{selection.systems[0]} has no chance band: its values are means over draws, and a band is of one list",
            "Choose one of its draws, or another system.",
        )
    return replace(selection, systems=systems)


def beside(table: pd.DataFrame, bands: pd.DataFrame) -> pd.DataFrame:
    """Return a table of scores or means with the columns chance, chance_low, chance_high and outside of `chance`.

    A table without the column system, or query_id, is of the only one of the bands.
    """
    keys = [name for name in ("system", "query_id", "measure") if name in bands and name in table]
    columns = {"chance": "chance", "low": "chance_low", "high": "chance_high", "outside": "outside"}
    texts = table.astype(dict.fromkeys(keys, "str"))
    return texts.merge(bands[[*keys, *columns]].rename(columns=columns), on=keys, how="left", validate="one_to_one")


def lists_of(selection: Selection, candidates: CandidateSource, depth: int) -> RandomLists:
    """Return the random lists of the systems and queries shown. Raises: see `candidate_sets`."""
    study, places, rankings = selection.study, selection.places, selection.places.rankings
    systems, queries = positions(rankings.systems, selection.systems), positions(rankings.queries, selection.queries)
    return random_lists(places, candidate_sets(study, places, candidates), systems, queries, depth)


def _values(selection: Selection, question: Question, settings: Settings) -> Array:
    """Return the values of the systems and queries shown, (1, S, Q)."""
    if question.measure is None:
        return selection.take(effectiveness_of(selection.study, selection.places, [question]))
    cutoffs = np.array([question.cutoff or settings.cutoff])
    return selection.take(values_at(selection.places, question, settings, cutoffs))


def _list_rows(selection: Selection, lists: RandomLists, wanted: Wanted, result: Chance) -> pd.DataFrame:
    """Return a row for each list."""
    outside, draws = _outside(lists, wanted, result).ravel(), result.draws[lists.at].ravel()
    bands = (result.mean, result.deviation, result.low, result.high)
    return pd.DataFrame(
        {
            **selection.columns,
            "measure": pd.Series([wanted.question.text] * len(draws), dtype="str"),
            "value": wanted.values[0].ravel(),
            **{name: band[0, lists.at].ravel() for name, band in zip(_BAND, bands, strict=True)},
            "outside": pd.Series(outside).astype("boolean"),
            "bands": pd.Series(np.where(draws == 0, EXACT, DRAWN), dtype="str"),
            "draws": draws,
        }
    )


def _system_rows(selection: Selection, lists: RandomLists, wanted: Wanted, result: Chance) -> pd.DataFrame:
    """Return a row for each system."""
    values, exact = wanted.values[0], (result.draws[lists.at] == 0).all(axis=1)
    bands = (result.means, result.mean_deviations, result.mean_low, result.mean_high)
    return pd.DataFrame(
        {
            "system": pd.Series(list(selection.systems), dtype="str"),
            "measure": pd.Series([wanted.question.text] * len(values), dtype="str"),
            "value": mean_over_queries(values),
            **{name: band[0] for name, band in zip(_BAND, bands, strict=True)},
            "queries": (~np.isnan(values)).sum(axis=1),
            "outside": np.nansum(_outside(lists, wanted, result), axis=1).astype(np.int64),
            "bands": pd.Series(np.where(exact, EXACT, DRAWN), dtype="str"),
            "draws": result.mean_draws,
        }
    )


def _outside(lists: RandomLists, wanted: Wanted, result: Chance) -> Array:
    """Return 1 for a value outside its band, 0 inside and NaN without a value or a band, (S, Q)."""
    value, low, high = wanted.values[0], result.low[0, lists.at], result.high[0, lists.at]
    rounding = ROUNDING[np.dtype(lists.places.dtype).name]
    outside = (value < low - rounding) | (value > high + rounding)
    return np.where(np.isnan(value) | np.isnan(low), np.nan, outside)
