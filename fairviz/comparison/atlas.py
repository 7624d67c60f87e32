"""Disagreement of measures: on queries, on the order of systems, and on the fairer of two systems for a query."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations

import numpy as np
import pandas as pd

from fairviz.comparison.family import untested
from fairviz.comparison.points import Points, points_of
from fairviz.errors import FairvizError, UsageError, expect
from fairviz.evaluation.choices import positions
from fairviz.evaluation.gsr import split_parts
from fairviz.evaluation.questions import chosen_settings
from fairviz.evaluation.scores import check_scores, evaluate, summarise
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question, parse, unfairness
from fairviz.measures.sums import AlignedRankings
from fairviz.statistics.contrasts import EQUAL, sign_of
from fairviz.statistics.paired import corrected
from fairviz.study.record import Study, is_reference

Array = np.ndarray
FEWEST = 3  # queries, or systems: through two points every correlation is 1 or -1
CORRELATIONS = (
    "first", "second", "over", "system", "pearson", "p", "p_corrected", "kendall", "p_kendall", "p_kendall_corrected",
    "count",
)  # fmt: skip
OVER_QUERIES, OVER_SYSTEMS = "queries", "systems"
QUERIES = (
    "first", "second", "system_a", "system_b", "opposed", "queries", "share", "means", "query_id", "first_a", "first_b",
    "second_a", "second_b", "first_fairer", "second_fairer", "strength",
)  # fmt: skip
OPPOSITE, ALIKE, OPEN = "opposite", "alike", "equal"
CACHED = 10_000  # correlations, by a digest of their values: a slider moves few of the measures
_CORRELATIONS: dict[bytes, tuple[float, float, float, float]] = {}


@dataclass(frozen=True, eq=False)
class Atlas:
    """Measures against measures, each pair once.

    correlations: CORRELATIONS, for each pair of measures a row per system, over queries (GSR has no value for a query
    and is left out), and a row `over` systems: Kendall's tau-b between the orders of the systems by the two measures,
    `perfect` and `random` left out. count: the queries or systems that have both values; p are corrected for the
    correlations over queries alone. All go by fairness: a measure whose least value is fairest counts backwards, one
    that is fairest at 0 or 1 by its distance from there, so that agreement is positive. without: measures left out of
    the correlations over queries. outside: systems in no family and no order.
    """

    correlations: pd.DataFrame
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    without: tuple[str, ...]
    points: dict[str, Points]
    outside: tuple[str, ...] = ()

    @property
    def counted(self) -> pd.DataFrame:
        """The correlations without those of systems that are outside."""
        return self.correlations[~self.correlations["system"].isin(self.outside)]

    def queries(self, system_a: str = "", system_b: str = "") -> pd.DataFrame:
        """The queries on which two measures order two systems oppositely: QUERIES, by strength.

        Of the two systems; by default of every pair of systems but `perfect`, `random` and those outside. opposed: on
        how many `queries`, of those on which both measures have values of both systems; share: opposed / queries, NaN
        for none. means: `opposite` or `alike`, whether the measures' means over these queries order the two oppositely;
        `equal` if one of them does not order them. A pair that is opposed on no query has one row without query, at the
        end. first_a and so on are values of the measures; first_fairer the system that the first measure finds fairer.
        strength: the smaller of the two differences, each in standard deviations of that measure's differences of
        these systems. Raises UsageError for systems that are none, for one alone, or one and the same.
        """
        pairs: list[tuple[str, str]] = [(system_a, system_b)]
        if system_a or system_b:
            for name in pairs[0]:
                if name not in self.systems:
                    raise UsageError(
                        f"there is no system {name!r} in the atlas", f"Use two of {', '.join(self.systems)}."
                    )
            if system_a == system_b:
                raise UsageError(f"both systems are {system_a!r}", "Name two.")
        else:
            contenders = [name for name in self.systems if not is_reference(name) and name not in self.outside]
            pairs = list(combinations(contenders, 2))
        names = np.array(pairs, dtype=object).reshape(-1, 2)  # (P, 2)
        one, other = (np.array([self.systems.index(name) for name in side], dtype=int) for side in names.T)
        fair = {text: fairness(parse(text), points.values) for text, points in self.points.items()}  # (S, Q)
        apart = {text: values[one] - values[other] for text, values in fair.items()}  # (P, Q)
        parts = []
        for first, second in combinations(self.points, 2):
            parts.append(self._opposed((first, second), (one, other), names, (apart[first], apart[second])))
        table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(QUERIES))
        return table.sort_values("strength", ascending=False, kind="stable", ignore_index=True)

    def _opposed(
        self, measures: tuple[str, str], rows: tuple[Array, Array], names: Array, apart: tuple[Array, Array]
    ) -> pd.DataFrame:
        """Return the rows of two measures. rows: of the systems of each pair, (P,) each. apart: differences, (P, Q)."""
        held = [self.points[text] for text in measures]
        signs = [sign_of(values) for values in apart]
        defined = ~np.isnan(signs[0]) & ~np.isnan(signs[1])  # (P, Q)
        with np.errstate(invalid="ignore"):
            is_opposed = defined & (signs[0] * signs[1] < 0)
        queries, opposed = defined.sum(axis=1), is_opposed.sum(axis=1)
        means, strengths = [], np.full(is_opposed.shape, np.nan)
        for pair, (one, other) in enumerate(zip(*rows, strict=True)):
            ways = []  # which of the two is fairer by its mean over these queries
            for text, points in zip(measures, held, strict=True):
                values = points.values[[one, other]][:, defined[pair]]
                both = fairness(parse(text), values.mean(axis=1)) if queries[pair] else np.full(2, np.nan)
                ways.append(float(sign_of(both[:1] - both[1:])[0]))
            is_open = 0 in ways or bool(np.isnan(ways).any())
            means.append(OPEN if is_open else ALIKE if ways[0] == ways[1] else OPPOSITE)
            chosen = is_opposed[pair]
            if chosen.any():
                finite = [values[pair][np.isfinite(values[pair])] for values in apart]
                spread = [float(np.std(values, ddof=1)) if len(values) > 1 else np.nan for values in finite]
                with np.errstate(divide="ignore"):  # all differences may be equal
                    sizes = [np.abs(values[pair, chosen]) / width for values, width in zip(apart, spread, strict=True)]
                strengths[pair, chosen] = np.minimum(*sizes)
        pairs, places = np.nonzero(is_opposed)
        silent = np.flatnonzero(opposed == 0)
        where = np.concatenate([pairs, silent])
        columns: dict[str, object] = {"first": measures[0], "second": measures[1]}
        columns |= {"system_a": names[where, 0], "system_b": names[where, 1]}
        shares = np.divide(opposed, queries, out=np.full(len(queries), np.nan), where=queries > 0)
        columns |= {"opposed": opposed[where], "queries": queries[where], "share": shares[where]}
        columns |= {"means": np.array(means, dtype=object)[where]}
        columns |= {"query_id": np.append(np.array(held[0].queries, dtype=object)[places], [""] * len(silent))}
        none = np.full(len(silent), np.nan)
        for which, points, values in zip(("first", "second"), held, apart, strict=True):
            for side, systems in zip("ab", rows, strict=True):
                columns[f"{which}_{side}"] = np.append(points.values[systems[pairs], places], none)
            fairer = np.where(values[pairs, places] > 0, names[pairs, 0], names[pairs, 1])
            columns[f"{which}_fairer"] = np.append(fairer, [""] * len(silent))
        return pd.DataFrame(columns | {"strength": np.append(strengths[pairs, places], none)})[list(QUERIES)]


def atlas(
    study: Study,
    measures: str | Sequence[str],
    settings: Settings | None = None,
    *,
    correction: str = "bonferroni",
    rankings: AlignedRankings | None = None,
    **choices: object,
) -> Atlas:
    """Return measures against measures: correlations over queries, orders of systems, queries on which they disagree.

    Parameters
    ----------
    study : Study
        Of two systems or more.
    measures : str or sequence of str
        Two measures or more, as for `fairviz.evaluate`; also settings, places and choices.
    settings : Settings, optional
        The choices behind the values; the defaults if None.
    correction : str
        Of the p of all correlations, as in table 1 of the TExFAIR paper (Bonferroni).
    rankings : AlignedRankings, optional
        Arrays from `fairviz.evaluation.choices.align`.
    **choices
        Fields of Settings to change.

    Returns
    -------
    Atlas
        With the table `correlations`, and the method `queries` on which measures disagree.

    Raises
    ------
    UsageError
        For fewer than two measures, and as `fairviz.evaluate`.
    FairvizError
        As `fairviz.evaluate`.

    Examples
    --------
    >>> import fairviz
    >>> atlas = fairviz.atlas(fairviz.open_study("newswire"), ["CWEx", "NFaiRR"], systems=["bm25", "w2v_add"])
    >>> atlas.correlations[["system", "kendall"]].round(2).values.tolist()
    [['bm25', 0.45], ['w2v_add', 0.48], ['', nan]]
    >>> atlas.queries("bm25", "w2v_add")[["query_id", "first_fairer", "opposed", "queries"]].head(1).values.tolist()
    [['q21', 'bm25', 8, 40]]
    """
    settings = chosen_settings(study, settings, choices)
    return atlas_of(evaluate(study, measures, settings, rankings=rankings), correction, untested(study, settings))


def atlas_of(scores: pd.DataFrame, correction: str = "bonferroni", outside: Collection[str] = ()) -> Atlas:
    """Return the atlas of scores of `evaluate`. outside: systems whose correlations are in no family, and that are in
    no order. Raises UsageError for fewer than two measures, or a correction that there is not."""
    check_scores(scores)
    expect("correction", correction, str, "Use text, such as bonferroni.")
    parts = dict(split_parts(scores))
    if len(parts) < 2:
        raise UsageError(
            f"the atlas has {'one measure' if parts else 'no measure'}", "Give two or more: CWEx NFaiRR TExFAIR."
        )
    systems, queries = (tuple(str(name) for name in scores[column].unique()) for column in ("system", "query_id"))
    points = {}  # with systems and queries in the order of the scores, the same for every measure
    for text, part in parts.items():
        own = points_of(part)
        columns = positions(queries, own.queries)
        table_of_values = np.full((len(systems), len(queries)), np.nan)
        table_of_values[np.ix_(positions(systems, own.systems), columns)] = own.values
        of_queries = np.full(len(queries) if len(own.query) else 0, np.nan)
        if len(own.query):
            of_queries[columns] = own.query
        points[text] = Points(systems, queries, table_of_values, of_queries)
    single = {text: one for text, one in points.items() if not len(one.query)}
    without = tuple(text for text in points if text not in single)
    contenders = [name for name in systems if not is_reference(name) and name not in outside]
    summary, rows = summarise(scores).set_index(["measure", "system"])["value"], []
    by_query = {text: fairness(parse(text), one.values) for text, one in single.items()}
    by_mean = {text: fairness(parse(text), summary[text].reindex(contenders).to_numpy()) for text in points}
    for first, second in combinations(points, 2):
        if first in single and second in single:
            for place, system in enumerate(systems):
                values = _correlated(by_query[first][place], by_query[second][place])
                rows.append((first, second, OVER_QUERIES, system, *values))
        _, _, kendall, p, count = _correlated(by_mean[first], by_mean[second])
        rows.append((first, second, OVER_SYSTEMS, "", np.nan, np.nan, kendall, p, count))
    plain = ["first", "second", "over", "system", "pearson", "p", "kendall", "p_kendall", "count"]
    table = pd.DataFrame(rows, columns=plain)
    table = table.astype({"pearson": "f8", "p": "f8", "kendall": "f8", "p_kendall": "f8", "count": "i8"})
    in_family = table["over"].eq(OVER_QUERIES) & ~table["system"].isin(list(outside))
    try:
        for name in ("p", "p_kendall"):
            table[f"{name}_corrected"] = corrected(table[name].where(in_family).to_numpy(), correction)
    except FairvizError as error:
        raise UsageError(error.message, error.remedy) from error
    return Atlas(table[list(CORRELATIONS)], tuple(points), systems, without, single, tuple(outside))


def fairness(question: Question, values: Array) -> Array:
    """The values so that more is fairer, of any shape; those of a measure that only describes as they are."""
    return np.asarray(values, dtype=float) if question.direction == "none" else -unfairness(question, values)


def _correlated(first: Array, second: Array) -> tuple[float, float, float, float, int]:
    """Return Pearson's r and its p, Kendall's tau-b and its p, and the number of queries that have both values.

    NaN where fewer than three do, or one of the two has no spread.
    """
    from scipy.stats import kendalltau, pearsonr

    defined = np.isfinite(first) & np.isfinite(second)
    x, y = first[defined], second[defined]
    if len(x) < FEWEST or np.ptp(x) <= EQUAL or np.ptp(y) <= EQUAL:
        return np.nan, np.nan, np.nan, np.nan, len(x)
    key = blake2b(x.tobytes() + y.tobytes()).digest()
    correlations = _CORRELATIONS.get(key)
    if correlations is None:
        if len(_CORRELATIONS) >= CACHED:
            _CORRELATIONS.clear()
        # rounding must not break ties: 0.1 + 0.2 and 0.3 are the same value
        line, order = pearsonr(x, y), kendalltau(np.round(x, 12), np.round(y, 12))
        correlations = float(line.statistic), float(line.pvalue), float(order.statistic), float(order.pvalue)
        _CORRELATIONS[key] = correlations
    return *correlations, len(x)
