"""One measure's systems against one of them: differences query by query, their intervals and tests.

Axis letters: T answers that belong together (the stops of a slider; one for a table of scores), S systems, Q queries,
N the systems but the baseline, B resamples.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from fairviz.measures import Question, distance, parse, unfairness
from fairviz.measures.bootstrap import RESAMPLES, interval, mean_over_queries, resampled_means, resampling_weights
from fairviz.measures.gsr import slope
from fairviz.measures.paired import DRAWING, EQUAL, TESTS, distances, leaning, moments, slope_p
from fairviz.rankers import RANKERS
from fairviz.rankers.record import EDITED

Array = np.ndarray
REFERENCES = ("perfect", "random", "oracle")
NUMBERS = ("value", "baseline_value", "difference", "ci_low", "ci_high", "p", "effect_size")
COUNTS = ("wins", "ties", "losses")
NO_COUNT = -1  # wins, ties and losses of a measure that has no value for one query


@cache
def is_reference(system: str) -> bool:
    """Whether the system is no contender: the relevant documents themselves, chance, or a reordering that sees the
    judgements, with or without parameters, edited by hand or not."""
    system = system.partition(EDITED)[0]
    name = system.partition("-")[0]
    return name in REFERENCES and name in RANKERS and (system == name or "=" in system)


@dataclass(frozen=True)
class Pairs:
    """The systems of one measure but its baseline. columns: (N,) each, by name: NUMBERS, COUNTS, `queries`, and
    `leans`, which way the test points."""

    systems: tuple[str, ...]
    baseline: str
    columns: dict[str, Array]


@dataclass(frozen=True)
class How:
    """How systems are compared: with which one (nothing for the best), by which test, with which intervals."""

    baseline: str = ""
    test: str = "t"
    level: float = 0.95
    resamples: int = RESAMPLES
    seed: int = 0


def best_of(systems: Sequence[str], means: Array, question: Question) -> str:
    """The contender whose mean (S,) is the fairest; nobody where none has one."""
    far = np.where([is_reference(name) for name in systems], np.nan, unfairness(question, means))
    return "" if np.isnan(far).all() else systems[int(np.nanargmin(far))]


def value_pairs(
    systems: Sequence[str], values: Array, question: Question, how: How, drawn: Array | None = None
) -> list[Pairs | None]:
    """Every system against the baseline by its values of queries (T, S, Q), a Pairs for each of T; None where there is
    no baseline. drawn (B, T, S): the resampled means of the values, where they are made already."""
    if drawn is None:
        drawn = resampled_means(values, how.resamples, how.seed)
    names = [how.baseline or best_of(systems, means, question) for means in mean_over_queries(values)]
    found: list[Pairs | None] = []
    differences: list[Array] = []
    for place, name in enumerate(names):
        if name not in systems:
            found.append(None)
            continue
        against = systems.index(name)
        others = np.delete(np.arange(len(systems)), against)
        columns, apart = _columns(values[place], others, against, question, how, drawn[:, place])
        found.append(Pairs(tuple(systems[other] for other in others.tolist()), name, columns))
        differences.append(apart)
        if how.test not in DRAWING:
            _test([columns], [differences.pop()], how.test)
    if differences:
        _test([pairs.columns for pairs in found if pairs], differences, how.test)
    return found


def _columns(
    values: Array, others: Array, against: int, question: Question, how: How, drawn: Array
) -> tuple[dict[str, Array], Array]:
    """All columns but those of the test, and the differences that it tests (N, Q); values (S, Q), drawn (B, S)."""
    ours, theirs = _common(values[others], values[against])  # (N, Q), and that or (1, Q)
    apart = distances(ours, question.direction) - distances(theirs, question.direction)
    count, mean, spread = moments(apart)
    low, high = _interval_of(ours, theirs, drawn[:, others], drawn[:, [against]], question, how)
    nearer = _nearer(ours, theirs, question)
    columns = {
        "value": mean_over_queries(ours),
        "baseline_value": np.broadcast_to(mean_over_queries(theirs), len(others)),
        "difference": mean,
        "ci_low": np.where(count >= 2, low, np.nan),
        "ci_high": np.where(count >= 2, high, np.nan),
        "effect_size": np.divide(mean, spread, out=np.full(len(others), np.nan), where=spread > EQUAL),
        "wins": (nearer < -EQUAL).sum(axis=1),
        "ties": (np.abs(nearer) <= EQUAL).sum(axis=1),
        "losses": (nearer > EQUAL).sum(axis=1),
        "queries": count,
    }
    return columns, apart


def _common(ours: Array, theirs: Array) -> tuple[Array, Array]:
    """The values of the systems (N, Q) and of the baseline (Q,), NaN where either of the two has none."""
    undefined = np.isnan(ours) | np.isnan(theirs)
    if not undefined.any():
        return ours, theirs[None]
    return np.where(undefined, np.nan, ours), np.where(undefined, np.nan, theirs)


def _interval_of(
    ours: Array, theirs: Array, drawn: Array, drawn_theirs: Array, question: Question, how: How
) -> tuple[Array, Array]:
    """Both ends of the interval of each difference, (N,). The resampled means (B, N) and (B, 1) are of all queries that
    a system has a value for; they are made again for a pair that has fewer in common."""
    if theirs.shape == ours.shape:
        pairs = np.stack([ours, theirs])  # (2, N, Q)
        drawn, drawn_theirs = np.moveaxis(resampled_means(pairs, how.resamples, how.seed), 1, 0)
    return interval(distance(drawn, question) - distance(drawn_theirs, question), how.level)


def _nearer(ours: Array, theirs: Array, question: Question) -> Array:
    """How much nearer to the fairest value the baseline is on each query, (N, Q)."""
    with np.errstate(invalid="ignore"):
        if question.direction in ("higher", "none"):
            return theirs - ours
        return unfairness(question, ours) - unfairness(question, theirs)


def _test(tables: Sequence[dict[str, Array]], differences: Sequence[Array], test: str) -> None:
    """Puts the p of each row of differences into its table, and which way its test points."""
    apart = np.concatenate(differences)
    if not len(apart):
        p = leans = np.zeros(0)
    else:
        p, leans = TESTS[test](apart), leaning(apart, test)
    ends = np.cumsum([len(rows) for rows in differences])[:-1]
    for columns, chance, way in zip(tables, np.split(p, ends), np.split(leans, ends), strict=True):
        columns |= {"p": chance, "leans": way}


def slope_pairs(systems: Sequence[str], query: Array, lists: Array, how: How) -> Pairs | None:
    """Every system against the baseline by its slope: GSR's points, x of the queries (Q,) and y of the lists (S, Q)."""
    means = np.array([_slope(query, row) for row in lists])
    question = parse("GSR@10")
    name = how.baseline or best_of(systems, means, question)
    if name not in systems:
        return None
    against = systems.index(name)
    others = [place for place in range(len(systems)) if place != against]
    rows = [_slope_row(query, lists[[place, against]], how) for place in others]
    columns: dict[str, Array] = {key: np.full(len(rows), NO_COUNT) for key in COUNTS}
    columns |= {key: np.array([row[key] for row in rows], dtype=np.float64) for key in (*NUMBERS, "leans")}
    columns["queries"] = np.array([row["queries"] for row in rows], dtype=np.int64)
    return Pairs(tuple(systems[other] for other in others), name, columns)


def _slope_row(query: Array, pair: Array, how: How) -> dict[str, float]:
    """One system (first of the pair) against the baseline, by the queries on which both have a point."""
    pair = np.where(np.isnan(pair).any(axis=0) | np.isnan(query), np.nan, pair)
    count = int((~np.isnan(pair[0])).sum())
    value, baseline_value = (_slope(query, row) for row in pair)
    signs = [-1.0 if mean < 0 else 1.0 for mean in (value, baseline_value)]
    apart = signs[0] * pair[0] - signs[1] * pair[1]  # GSR is fairest at 0
    difference, p, r = slope_p(query, apart)
    weights = resampling_weights(len(query), how.resamples, how.seed)
    drawn = np.stack([np.abs(slope(query, row, weights)) for row in pair])
    low, high = interval((drawn[0] - drawn[1])[:, None], how.level)
    return {
        "value": value, "baseline_value": baseline_value, "difference": difference,
        "ci_low": low[0] if count >= 3 else np.nan, "ci_high": high[0] if count >= 3 else np.nan,
        "p": p, "leans": float(np.sign(difference)), "effect_size": r, "queries": count,
    }  # fmt: skip


def _slope(query: Array, lists: Array) -> float:
    return float(slope(query, lists, np.ones(len(query))))
