"""The chance band: the value of each measure if the candidates were in a random order.

A draw is a random order of a list's candidates, cut at the list's length, which the measure itself evaluates. Where a
measure is a weighted sum over ranks, mean and variance are those of all orders (`fairviz.statistics.intervals`), and
with equal weights and two kinds of documents the band is the hypergeometric distribution's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, expect
from fairviz.evaluation.choices import Selection, aligned
from fairviz.evaluation.questions import chosen_settings
from fairviz.evaluation.scores import bias_of, check_level, depth_of, effectiveness_of, values_at
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.sums import AlignedRankings
from fairviz.orders.candidates import (
    BLOCK,
    SOURCES,
    CandidateSource,
    RandomLists,
    lists_requested,
    needs_collection,
    random_lists,
)
from fairviz.orders.ties import named_rows
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


@dataclass(eq=False)
class _Drawn:
    """Draws of a measure: the mean, deviation and band of each list (C, n), and the sum and count (C, B, S) of defined
    values over each system's queries."""

    mean: Array
    deviation: Array
    band: Band
    total: Array
    count: Array


def moments(lists: RandomLists, question: Question, bias: PositionBias, cutoffs: Array, level: float = 0.95) -> Moments:
    """Return the moments of a measure in random lists, NaN for a measure that is not a weighted sum, and for lists with
    a candidate without evidence, unless it counts as neutral."""
    rankings, weighted = lists.rankings, question.measure.weighted if question.measure else None
    out = Moments(*(np.full((len(cutoffs), len(lists.length)), np.nan) for _ in range(4)))
    if weighted is None:
        return out
    has_evidence = rankings.labelled if question.family == "labels" else rankings.words.known
    is_whole = [rankings.unlabelled == "neutral" or bool(has_evidence[one].all()) for one in lists.candidates]
    whole = np.flatnonzero(np.array(is_whole, dtype=bool) & (lists.length > 0))  # (n,)
    if not len(whole):
        return out
    count, sizes, lengths = len(whole), lists.sizes[whole], lists.length[whole]
    candidates = [lists.candidates[number] for number in whole.tolist()]

    # The numbers of each list's candidates: least, greatest, how many are the greatest, and whether there are others.
    owner = np.repeat(np.arange(count), sizes)  # (M,)
    numbers = weighted.numbers(rankings, question.parameters)[np.concatenate(candidates)].astype(np.float64)
    center = np.bincount(owner, numbers, count) / sizes
    squares = np.bincount(owner, (numbers - center[owner]) ** 2, count)
    greatest, least = np.full(count, -np.inf), np.full(count, np.inf)
    np.maximum.at(greatest, owner, numbers)
    np.minimum.at(least, owner, numbers)
    is_greatest = numbers == greatest[owner]
    marked = np.bincount(owner[is_greatest], minlength=count)
    two_valued = np.bincount(owner[~is_greatest & (numbers != least[owner])], minlength=count) == 0

    # Σ w and Σ w² over the ranks of each list within each cutoff, and whether all w are equal: (C, n) each.
    distinct, at = np.unique(lengths, return_inverse=True)
    rows = []
    for cutoff in cutoffs.tolist():
        curves = [weighted.weights(bias.weights(cutoff)[:length]) for length in distinct.tolist()]
        rows.append([(w.sum(), (w * w).sum(), np.ptp(w) <= EQUAL * np.abs(w).max()) for w in curves])
    sums, weight_squares, equal = np.moveaxis(np.array(rows, dtype=np.float64)[:, at], -1, 0)

    divisor: Array | float = 1.0
    if weighted.divisor is not None:  # that of any order of the candidates, as all have evidence
        documents = np.full((count, int(lengths.max()), 1), -1, dtype=np.int32)
        for row, (length, one) in enumerate(zip(lengths.tolist(), candidates, strict=True)):
            documents[row, :length, 0] = one[:length]
        divisor = weighted.divisor(lists.with_orders(whole, documents), question.parameters, bias, cutoffs)[:, 0]

    mean, variance = permutation_moments(sums, weight_squares, center, squares, sizes)
    out.mean[:, whole], out.deviation[:, whole] = mean / divisor, np.sqrt(variance) / divisor
    reached = np.minimum(cutoffs[:, None], lengths)  # (C, n)
    of_each = [np.broadcast_to(part, reached.shape).ravel() for part in (sizes, marked)]
    marked_ends = hypergeometric_ends(of_each[0], of_each[1], reached.ravel(), level)
    for end, marked_end in zip((out.low, out.high), marked_ends, strict=True):
        total = reached * least + (greatest - least) * marked_end.reshape(reached.shape)
        end[:, whole] = np.where((equal > 0) & two_valued, sums / reached * total / divisor, np.nan)
    return out


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
        return [self._chance(one, drawn, every) for one, drawn in zip(wanted, first, strict=True)]

    def _chance(self, wanted: Wanted, drawn: _Drawn, every: Array) -> Chance:
        """Return the closed forms, and the draws where there are none, after more draws where the band is uncertain."""
        closed = moments(self.lists, wanted.question, self._bias_at(wanted), wanted.cutoffs, self.level)
        exact = ~np.isnan(closed.low)
        draws, blocks, mean_blocks = np.full(len(every), BLOCK), 1, 1
        while blocks < MOST_BLOCKS:
            wide = (_uncertain(drawn.band) & ~exact).any(axis=0)
            mean_is_wide = bool(_uncertain(self._band_of_means(drawn)).any())
            if not mean_is_wide and not wide.any():
                break
            numbers, blocks = every if mean_is_wide else np.flatnonzero(wide), blocks * 2
            mean_blocks = blocks if mean_is_wide else mean_blocks
            again = self._draw([wanted], numbers, blocks)[0]
            olds, news = (drawn.mean, drawn.deviation, *drawn.band), (again.mean, again.deviation, *again.band)
            for old, new in zip(olds, news, strict=True):
                old[:, numbers] = new
            if len(numbers) == len(every):  # sums over queries are of all lists only
                drawn.total, drawn.count = again.total, again.count
            draws[numbers] = blocks * BLOCK
        draws[exact.all(axis=0)] = 0

        mean, deviation, low, high = (
            np.where(np.isnan(formula), estimate, formula)
            for formula, estimate in zip(
                (closed.mean, closed.deviation, closed.low, closed.high),
                (drawn.mean, drawn.deviation, drawn.band.low, drawn.band.high),
                strict=True,
            )
        )
        counted = ~np.isnan(wanted.values)
        means, variances = (np.where(counted, part[:, self.lists.at], np.nan) for part in (mean, deviation**2))
        queries = (~np.isnan(means)).sum(axis=-1)  # (C, S)
        variance = mean_over_queries(variances) / np.where(queries > 0, queries, np.nan)
        band = self._band_of_means(drawn)
        return Chance(
            mean, deviation, low, high, draws, mean_over_queries(means), np.sqrt(variance), band.low, band.high,
            mean_blocks * BLOCK,
        )  # fmt: skip

    def _band_of_means(self, drawn: _Drawn) -> Band:
        """Return the band of the means over queries, (C, S)."""
        means = drawn.total / np.where(drawn.count > 0, drawn.count, np.nan)
        return band_of_draws(np.moveaxis(means, 1, 0), self.level)

    def _draw(self, wanted: Sequence[Wanted], numbers: Array, blocks: int) -> list[_Drawn]:
        """Return this number of blocks of draws of these lists, evaluated batch by batch."""
        depth = max(int(self.lists.length[numbers].max(initial=1)), 1)
        size = max(PLACES // (depth * BLOCK * blocks), 1)
        parts: list[list[_Drawn]] = [[] for _ in wanted]
        for start in range(0, len(numbers), size):
            batch = numbers[start : start + size]
            rankings = self.lists.random_orders(batch, range(blocks), self.seed)
            for one, drawn in zip(wanted, parts, strict=True):
                if one.question.measure is None:
                    values = effectiveness_of(self.study, rankings, [one.question])
                else:
                    values = values_at(rankings, one.question, self.settings, one.cutoffs, self._bias_at(one))
                drawn.append(self._summary(one, values, batch))
        return [_joined(drawn) for drawn in parts]

    def _bias_at(self, wanted: Wanted) -> PositionBias:
        deepest = int(wanted.cutoffs.max(initial=1))
        if deepest not in self._bias:
            self._bias[deepest] = bias_of(self.lists.rankings, self.settings, deepest)
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
        nothing = np.full((3, *mean.shape), np.nan)
        band = band_of_draws(np.moveaxis(values, 1, 0), self.level) if self.of_lists else Band(*nothing)
        queries = self._queries_of(wanted, batch)  # (C, n, S)
        return _Drawn(mean, deviation, band, zeroed @ queries, defined.astype(np.float64) @ queries)

    def _queries_of(self, wanted: Wanted, batch: Array) -> Array:
        """Return for how many defined queries a system has each of these lists, (C, n, S)."""
        column = np.full(len(self.lists.length), -1)
        column[batch] = np.arange(len(batch))
        at = column[self.lists.at]  # (S, Q)
        system, query = np.nonzero(at >= 0)
        counts = np.zeros((len(wanted.cutoffs), len(batch), len(at)))
        for row, values in enumerate(wanted.values):
            np.add.at(counts[row], (at[system, query], system), ~np.isnan(values[system, query]))
        return counts


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


def _uncertain(band: Band) -> Array:
    """Return where the Monte Carlo error of an end is above a third of the band's width; nowhere for NaN."""
    return band.error * WIDTHS > band.high - band.low


def chance(
    study: Study,
    measures: str | Sequence[str],
    settings: Settings | None = None,
    *,
    candidates: CandidateSource = "study",
    level: float = 0.95,
    seed: int = 0,
    rankings: AlignedRankings | None = None,
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
        M measures, as for `fairviz.evaluate`; also settings, rankings and choices.
    settings : Settings, optional
        The choices behind the values; the defaults if None.
    candidates : {'study', 'run', 'judged'}
        The documents that any system retrieved for the query, those of the system's own list, or those with a relevance
        judgement. A random list is as long as the run's, or has all candidates if those are fewer.
    level : float
        Of the band, between 0 and 1.
    seed : int
        Of the draws, which no other measure, system or query on screen changes.
    rankings : AlignedRankings, optional
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
    settings = chosen_settings(study, settings, choices)
    expect("candidates", candidates, str, f"Use one of {', '.join(SOURCES)}.")
    expect("per_query", per_query, bool, "Use True or False.")
    check_level(level, seed)
    reason = "has no chance band: it is a slope over queries, with no value for one list"
    questions, selection = lists_requested(study, measures, settings, candidates, rankings, reason)
    return _table(selection, questions, settings, candidates, per_query, float(level), int(seed))


def chance_of_query(
    study: Study, questions: Sequence[Question], settings: Settings, system: str, query: str, *,
    candidates: CandidateSource = "study", rankings: AlignedRankings | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Return the row of `chance` for each question, of one list. Raises: see `chance`."""
    rankings = aligned(study, settings, rankings, collection=needs_collection(questions, settings, candidates))
    selection = Selection(study, rankings, (system,), (query,))
    return _table(selection, questions, settings, candidates, per_query=True)


def beside(table: pd.DataFrame, bands: pd.DataFrame) -> pd.DataFrame:
    """Return a table of scores or means with the columns chance, chance_low, chance_high and outside of `chance`.

    A table without the column system, or query_id, is of the only one of the bands.
    """
    keys = [name for name in ("system", "query_id", "measure") if name in bands and name in table]
    columns = {"chance": "chance", "low": "chance_low", "high": "chance_high", "outside": "outside"}
    texts = table.astype(dict.fromkeys(keys, "str"))
    return texts.merge(bands[[*keys, *columns]].rename(columns=columns), on=keys, how="left", validate="one_to_one")


def _table(
    selection: Selection, questions: Sequence[Question], settings: Settings, candidates: CandidateSource,
    per_query: bool, level: float = 0.95, seed: int = 0,
) -> pd.DataFrame:  # fmt: skip
    """Return the rows of the systems and queries shown, question by question; stochastic systems have none.

    Raises FairvizError if no other system is selected.
    """
    study, rankings, runs = selection.study, selection.rankings, set(selection.rankings.lists.systems)
    systems = tuple(name for name in selection.systems if name in runs)
    if selection.systems and not systems:
        raise FairvizError(
            f"{selection.systems[0]} has no chance band: its values are means over draws, and a band is of one list",
            "Choose one of its draws, or another system.",
        )
    selection = replace(selection, systems=systems)
    lists = random_lists(selection, candidates, max((depth_of(one, rankings) for one in questions), default=1))
    wanted = []
    for question in questions:
        cutoffs = np.array([question.cutoff or settings.cutoff])
        values = (
            effectiveness_of(study, rankings, [question])
            if question.measure is None
            else values_at(rankings, question, settings, cutoffs)
        )
        wanted.append(Wanted(question, cutoffs, selection.take(values)))
    chances = Drawing(study, settings, lists, level, seed).chances(wanted)
    tables = [_rows(selection, lists, one, result, per_query) for one, result in zip(wanted, chances, strict=True)]
    return pd.concat(tables, ignore_index=True)


def _rows(
    selection: Selection, lists: RandomLists, wanted: Wanted, result: Chance, per_query: bool
) -> pd.DataFrame:  # fmt: skip
    """Return a row for each list, or for each system over its queries."""
    values, low, high = wanted.values[0], result.low[0, lists.at], result.high[0, lists.at]  # (S, Q)
    rounding = ROUNDING[np.dtype(lists.rankings.dtype).name]
    outside = (values < low - rounding) | (values > high + rounding)
    outside = np.where(np.isnan(values) | np.isnan(low), np.nan, outside)
    exact, draws = result.draws[lists.at] == 0, result.draws[lists.at].ravel()
    if per_query:
        shown, exact = values.ravel(), exact.ravel()
        ends = [end[0, lists.at].ravel() for end in (result.mean, result.deviation, result.low, result.high)]
        counts = {"outside": pd.Series(outside.ravel()).astype("boolean")}
    else:
        shown, exact = mean_over_queries(values), exact.all(axis=1)
        ends = [end[0] for end in (result.means, result.mean_deviations, result.mean_low, result.mean_high)]
        counts = {"queries": (~np.isnan(values)).sum(axis=1), "outside": np.nansum(outside, axis=1).astype(np.int64)}
    return pd.DataFrame(
        {
            **named_rows(selection, wanted.question.text, per_query),
            "value": shown,
            **dict(zip(("chance", "deviation", "low", "high"), ends, strict=True)),
            **counts,
            "bands": pd.Series(np.where(exact, EXACT, DRAWN), dtype="str"),
            "draws": draws if per_query else result.mean_draws,
        }
    )
