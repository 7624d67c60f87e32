"""Disagreement of measures: on queries, on the order of systems, and on the fairer of two systems for a query."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations

import numpy as np
import pandas as pd

from fairviz.comparison.family import untested
from fairviz.comparison.points import Points, points_of
from fairviz.errors import FairvizError, UsageError, expect
from fairviz.evaluation import validation
from fairviz.evaluation.choices import positions
from fairviz.evaluation.gsr import split_parts
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.validation import check_scores
from fairviz.measures import Question, parse, unfairness
from fairviz.measures.sums import AlignedRankings
from fairviz.statistics.contrasts import EQUAL, sign_of
from fairviz.statistics.paired import corrected
from fairviz.study.record import Study, is_reference

Array = np.ndarray
FEWEST = 3  # queries, or systems: through two points every correlation is 1 or -1
CORRELATIONS = (
    "first", "second", "system", "pearson", "p", "p_corrected", "kendall", "p_kendall", "p_kendall_corrected",
    "queries",
)  # fmt: skip
ORDERS = ("first", "second", "kendall", "p_kendall", "systems")
OPPOSED = ("first", "second", "system_a", "system_b", "opposed", "queries", "share", "means")
QUERIES = (
    "first", "second", "system_a", "system_b", "query_id", "first_a", "first_b", "second_a", "second_b", "first_fairer",
    "second_fairer", "strength",
)  # fmt: skip
OPPOSITE, ALIKE, OPEN = "opposite", "alike", "equal"
CACHED = 10_000  # correlations, by a digest of their values: a slider moves few of the measures
_CORRELATIONS: dict[bytes, tuple[float, float, float, float]] = {}


@dataclass(frozen=True, eq=False)
class Atlas:
    """Measures against measures, each pair once.

    correlations: CORRELATIONS, a row for each pair of measures and system, over queries (GSR has no value for a query
    and is left out). orders: ORDERS, Kendall's tau-b between the orders of the systems by two measures, `perfect` and
    `random` left out. opposed: OPPOSED, on how many queries two measures order two systems oppositely, of those on
    which both have values, and whether they do so by their means over these. All go by fairness: a measure whose least
    value is fairest counts backwards, one that is fairest at 0 or 1 by its distance from there, so that agreement is
    positive. without: measures left out of the correlations. outside: systems in no family and no order.
    """

    correlations: pd.DataFrame
    orders: pd.DataFrame
    opposed: pd.DataFrame
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    without: tuple[str, ...]
    points: dict[str, Points]
    outside: tuple[str, ...] = ()

    @property
    def counted(self) -> pd.DataFrame:
        """The correlations of the systems that are not outside."""
        return self.correlations[~self.correlations["system"].isin(self.outside)]

    def queries(self, system_a: str, system_b: str) -> pd.DataFrame:
        """The queries on which two measures order the two systems oppositely: QUERIES, by strength.

        first_a and so on are values of the measures; first_fairer the system that the first measure finds fairer.
        strength: the smaller of the two differences, each in standard deviations of that measure's differences of
        these systems. Raises UsageError for systems that are none, or one and the same.
        """
        pair = (system_a, system_b)
        for name in pair:
            if name not in self.systems:
                raise UsageError(f"there is no system {name!r} in the atlas", f"Use two of {', '.join(self.systems)}.")
        if system_a == system_b:
            raise UsageError(f"both systems are {system_a!r}", "Name two.")
        parts = []
        for measures in combinations(self.points, 2):
            held = [self.points[text] for text in measures]
            rows = [held[0].systems.index(name) for name in pair]
            fair = [fairness(parse(text), one.values[rows]) for text, one in zip(measures, held, strict=True)]  # (2, Q)
            with np.errstate(invalid="ignore"):
                apart = [values[0] - values[1] for values in fair]
                spread = [np.nanstd(values[np.isfinite(values)], ddof=1) if np.isfinite(values).sum() > 1 else np.nan
                          for values in apart]  # fmt: skip
                opposed = np.flatnonzero(sign_of(apart[0]) * sign_of(apart[1]) < 0)
            strengths = [np.abs(values[opposed]) / width for values, width in zip(apart, spread, strict=True)]
            columns: dict[str, object] = {
                "first": measures[0],
                "second": measures[1],
                "system_a": system_a,
                "system_b": system_b,
            }
            columns |= {"query_id": np.array(held[0].queries, dtype=object)[opposed]}
            for which, one, differences in zip(("first", "second"), held, apart, strict=True):
                columns |= {f"{which}_a": one.values[rows[0], opposed], f"{which}_b": one.values[rows[1], opposed]}
                columns |= {f"{which}_fairer": np.where(differences[opposed] > 0, *pair)}
            parts.append(pd.DataFrame(columns | {"strength": np.minimum(*strengths)})[list(QUERIES)])
        table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(QUERIES))
        return table.sort_values("strength", ascending=False, kind="stable", ignore_index=True)


def atlas(
    study: Study,
    measures: str | Sequence[str],
    settings: Settings | None = None,
    *,
    correction: str = "bonferroni",
    places: AlignedRankings | None = None,
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
    places : AlignedRankings, optional
        Arrays from `fairviz.evaluation.choices.align`.
    **choices
        Fields of Settings to change.

    Returns
    -------
    Atlas
        With tables of correlations, orders and opposed queries.

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
    [['bm25', 0.45], ['w2v_add', 0.48]]
    """
    settings = validation.chosen_settings(study, settings, choices)
    return atlas_of(evaluate(study, measures, settings, places=places), correction, untested(study, settings))


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
        values = np.full((len(systems), len(queries)), np.nan)
        values[np.ix_(positions(systems, own.systems), columns)] = own.values
        of_queries = np.full(len(queries) if len(own.query) else 0, np.nan)
        if len(own.query):
            of_queries[columns] = own.query
        points[text] = Points(systems, queries, values, of_queries)
    single = {text: one for text, one in points.items() if not len(one.query)}
    without = tuple(text for text in points if text not in single)
    contenders = [name for name in systems if not is_reference(name) and name not in outside]
    correlations = _correlations(single, systems, correction, outside)

    summary, rows = summarise(scores).set_index(["measure", "system"])["value"], []
    fair = {text: fairness(parse(text), summary[text].reindex(contenders).to_numpy()) for text in points}
    for first, second in combinations(points, 2):
        _, _, kendall, p, count = _correlated(fair[first], fair[second])
        rows.append((first, second, kendall, p, count))
    orders = pd.DataFrame(rows, columns=list(ORDERS)).astype({"kendall": "f8", "p_kendall": "f8", "systems": "i8"})
    opposed = pd.DataFrame(_opposed(single, systems, contenders), columns=list(OPPOSED))
    return Atlas(correlations, orders, opposed, tuple(points), systems, without, single, tuple(outside))


def fairness(question: Question, values: Array) -> Array:
    """The values so that more is fairer, of any shape; those of a measure that only describes as they are."""
    return np.asarray(values, dtype=float) if question.direction == "none" else -unfairness(question, values)


def _correlations(
    points: dict[str, Points], systems: Sequence[str], correction: str, outside: Collection[str]
) -> pd.DataFrame:
    rows = []
    fair = {text: fairness(parse(text), one.values) for text, one in points.items()}
    for first, second in combinations(points, 2):
        for place, system in enumerate(systems):
            rows.append((first, second, system, *_correlated(fair[first][place], fair[second][place])))
    plain = ["first", "second", "system", "pearson", "p", "kendall", "p_kendall", "queries"]
    table = pd.DataFrame(rows, columns=plain)
    table = table.astype({"pearson": "f8", "p": "f8", "kendall": "f8", "p_kendall": "f8", "queries": "i8"})
    try:
        for name in ("p", "p_kendall"):
            family = table[name].mask(table["system"].isin(list(outside)))
            table[f"{name}_corrected"] = corrected(family.to_numpy(), correction)
    except FairvizError as error:
        raise UsageError(error.message, error.remedy) from error
    return table[list(CORRELATIONS)]


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


def _opposed(points: dict[str, Points], systems: Sequence[str], names: Sequence[str]) -> Iterator[tuple]:
    pairs = list(combinations([systems.index(name) for name in names], 2))
    questions = {text: parse(text) for text in points}
    fair = {text: fairness(questions[text], one.values) for text, one in points.items()}
    signs = {text: [sign_of(values[one] - values[other]) for one, other in pairs] for text, values in fair.items()}
    for first, second in combinations(points, 2):
        for (one, other), *signs_of_pair in zip(pairs, signs[first], signs[second], strict=True):
            defined = ~np.isnan(signs_of_pair[0]) & ~np.isnan(signs_of_pair[1])
            count, opposed = int(defined.sum()), int((signs_of_pair[0][defined] * signs_of_pair[1][defined] < 0).sum())
            verdict = OPEN
            if count:  # which of the two is fairer by its mean over these queries
                means = [points[text].values[[one, other]][:, defined].mean(axis=1) for text in (first, second)]
                by_means = [
                    fairness(questions[text], values) for text, values in zip((first, second), means, strict=True)
                ]
                ways = [float(sign_of(values[:1] - values[1:])[0]) for values in by_means]
                if 0 not in ways and not np.isnan(ways).any():
                    verdict = ALIKE if ways[0] == ways[1] else OPPOSITE
            share = opposed / count if count else np.nan
            yield first, second, systems[one], systems[other], opposed, count, share, verdict
