"""Two systems answer the same queries, so they are compared by their differences query by query, never by their own
two intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from fairviz.errors import UsageError, expect
from fairviz.evaluation.given import check_bootstrap, check_scores
from fairviz.evaluation.pairs import COUNTS, NO_COUNT, NUMBERS, How, Pairs, slope_pairs, value_pairs
from fairviz.evaluation.pairs import is_reference as is_reference
from fairviz.evaluation.slopes import split_parts
from fairviz.measures import parse
from fairviz.measures.bootstrap import RESAMPLES
from fairviz.measures.paired import CORRECTIONS, TESTS, corrected, slope_p

Array = np.ndarray
_TYPES: dict[str, Any] = {
    **dict.fromkeys(("measure", "system", "baseline"), "str"),
    **dict.fromkeys((*NUMBERS, "p_corrected"), "float64"),
    **dict.fromkeys(("wins", "ties", "losses", "queries"), "Int64"),
}
AHEAD, BEHIND, SAME, UNTESTED, REFERENCE = "ahead", "behind", "not told apart", "too few queries", "reference"
MIXED = "mean and test part"
Verdict = Literal["ahead", "behind", "not told apart", "mean and test part", "too few queries", "reference"]


class Row(NamedTuple):
    """One system against the baseline by one measure: COLUMNS; no wins, ties and losses where they are not counted."""

    measure: str
    system: str
    baseline: str
    value: float
    baseline_value: float
    difference: float
    ci_low: float
    ci_high: float
    p: float
    p_corrected: float
    effect_size: float
    wins: int | None
    ties: int | None
    losses: int | None
    queries: int
    verdict: Verdict


COLUMNS = Row._fields
Rows = Mapping[str, Sequence[Row]]  # by the measure


@dataclass(frozen=True)
class Comparison:
    """`rows` holds, for each measure that has a baseline, a row for every other system; `family` is how many tests the
    correction was for."""

    rows: Rows
    family: int
    test: str = "t"
    correction: str = "holm"
    level: float = 0.95

    @cached_property
    def table(self) -> pd.DataFrame:
        """The rows as a table with COLUMNS."""
        return pd.DataFrame([row for rows in self.rows.values() for row in rows], columns=list(COLUMNS)).astype(_TYPES)


def rows_of(table: pd.DataFrame) -> Rows:
    """The rows of such a table, by the measure."""
    columns = [] if table.empty else [table[name].tolist() for name in COLUMNS]
    rows: dict[str, list[Row]] = {}
    for row in zip(*columns, strict=True):
        rows.setdefault(str(row[0]), []).append(Row._make(None if cell is pd.NA else cell for cell in row))
    return rows


def compare(
    scores: pd.DataFrame,
    baseline: str = "",
    *,
    test: str = "t",
    correction: str = "holm",
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> pd.DataFrame:
    """Every system against a baseline, measure by measure, on the queries that both have a value for.

    scores: of `evaluate`. baseline: a system, or nothing for the best one of each measure (the fairest, or the most
    effective; measures that only describe then have none and are left out). test: `t`, `randomisation` or `wilcoxon`.
    correction: `holm`, `bonferroni`, `bh` or `none`, over all systems and measures of the table; the systems `perfect`
    and `random` are references, which are in no family.

    Returns measure, system, baseline, value and baseline_value (means over the common queries), difference with its
    percentile bootstrap interval (shared resamples of queries), p, p_corrected, effect_size (mean over standard
    deviation of the differences), wins, ties and losses (queries on which the system is fairer, equal, less fair),
    queries, and verdict: ahead, behind, not told apart, mean and test part (Wilcoxon's signed ranks can point the other
    way than the mean, and then no order is claimed), too few queries, reference. A measure that is fairest at 0 is
    compared by |mean|, one that is fairest at 1 by |ln mean|: `difference` is then one of these distances. GSR is
    compared by the slope of the lists' differences over the queries; its effect_size is their correlation. NaN where
    fewer than two queries (three for GSR) are common. Raises UsageError for an unknown baseline, test or correction.
    """
    return comparison(
        scores, baseline, test=test, correction=correction, level=level, resamples=resamples, seed=seed
    ).table


def comparison(
    scores: pd.DataFrame,
    baseline: str = "",
    *,
    test: str = "t",
    correction: str = "holm",
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Comparison:
    """`compare` with the size of its family."""
    check_scores(scores)
    check_bootstrap(level, resamples, seed)
    how = How(baseline, test, level, resamples, seed)
    check_choices(how, correction, list(dict.fromkeys(scores["system"].astype("str"))))
    return assembled(answered(scores, how), test, correction, level)


def check_choices(how: How, correction: str, systems: Sequence[str]) -> None:
    """Raises UsageError for an unknown baseline, test or correction."""
    for name, value in (("baseline", how.baseline), ("test", how.test), ("correction", correction)):
        expect(name, value, str, "Use text.")
    if how.test not in TESTS:
        raise UsageError(f"test is {how.test!r}", f"Use one of {', '.join(TESTS)}.")
    if how.baseline and how.baseline not in systems:
        raise UsageError(f"there is no system {how.baseline!r} to compare with", f"Use one of {', '.join(systems)}.")
    if correction not in CORRECTIONS:
        raise UsageError(f"correction is {correction!r}", f"Use one of {', '.join(CORRECTIONS)}.")


def answered(scores: pd.DataFrame, how: How) -> list[tuple[str, Pairs]]:
    """The pairs of each measure that has a baseline, by its text."""
    found = [(text, _pairs(points, text, how)) for text, points in split_parts(scores)]
    return [(text, pairs) for text, pairs in found if pairs is not None]


def starred(found: pd.DataFrame | Rows) -> dict[str, frozenset[str]]:
    """For each measure of a comparison with its best system, that system and every one that no test puts behind it;
    nobody where no order could be tested. found: the table or the rows of a comparison."""
    stars = {}
    for text, rows in (rows_of(found) if isinstance(found, pd.DataFrame) else found).items():
        # ahead: on the queries that both answer
        same = [row.system for row in rows if row.verdict in (SAME, AHEAD, MIXED)]
        tested = any(row.p_corrected == row.p_corrected for row in rows)
        stars[text] = frozenset([*same, rows[0].baseline]) if tested else frozenset()
    return stars


def slopes_against(points: pd.DataFrame, first: str, others: Sequence[str], correction: str = "holm") -> pd.DataFrame:
    """One system's GSR less that of each other one, signed: system, difference, p, p_corrected.

    points: system, query_id, query, list. p is that of the slope of the lists' differences over the queries that both
    answer; one family. NaN with fewer than three such queries. Systems without a point are left out.
    """
    systems, query, lists = _slopes(points)
    place = {name: row for row, name in enumerate(systems)}
    rows = []
    for name in others:
        if name in place and first in place:
            difference, p, _ = slope_p(query, lists[place[first]] - lists[place[name]])
            rows.append((name, difference, p))
    table = pd.DataFrame(rows, columns=["system", "difference", "p"]).astype({"difference": "f8", "p": "f8"})
    return table.assign(p_corrected=corrected(table["p"].to_numpy(), correction))


def assembled(found: Sequence[tuple[str, Pairs]], test: str, correction: str, level: float) -> Comparison:
    """One family of the pairs of each measure, by its text: corrected, with a verdict in each row."""
    names = [(text, system, pairs.baseline) for text, pairs in found for system in pairs.systems]
    columns = {
        name: np.concatenate([np.zeros(0), *(pairs.columns[name] for _, pairs in found)])
        for name in (*NUMBERS, *COUNTS, "queries", "leans")
    }
    contenders = np.array([not is_reference(system) for _, system, _ in names], dtype=bool)
    p = np.where(contenders, columns["p"], np.nan)
    columns["p_corrected"] = corrected(p, correction)
    lowest = {text for text, _ in found if parse(text).direction in ("lower", "zero", "one")}
    low = np.array([text in lowest for text, *_ in names], dtype=bool)  # the fairest value lies low
    rows = _rows(names, columns, verdicts(columns, contenders, low, 1 - level))
    return Comparison(rows, int((~np.isnan(p)).sum()), test, correction, level)


def _rows(names: Sequence[tuple[str, str, str]], columns: Mapping[str, Array], verdicts: Array) -> Rows:
    """The rows of pairs named measure, system, baseline, in COLUMNS."""
    held = [columns[name].tolist() for name in COLUMNS[3:-1]]
    rows: dict[str, list[Row]] = {}
    counted = [name in (*COUNTS, "queries") for name in COLUMNS[3:-1]]
    for name, cells, verdict in zip(names, zip(*held, strict=True), verdicts.tolist(), strict=True):
        values = [_count(cell) if whole else cell for cell, whole in zip(cells, counted, strict=True)]
        rows.setdefault(name[0], []).append(Row._make((*name, *values, verdict)))
    return rows


def _count(cell: float) -> int | None:
    return None if cell == NO_COUNT else int(cell)


def _values(points: pd.DataFrame) -> tuple[list[str], Array]:
    """The systems, and the values of queries, (S, Q)."""
    (system, systems), (query, queries) = (pd.factorize(points[name].astype("str")) for name in ("system", "query_id"))
    values = np.full((len(systems), len(queries)), np.nan)
    values[system, query] = points["value"].to_numpy(dtype=np.float64)
    return list(systems), values


def _slopes(points: pd.DataFrame) -> tuple[list[str], Array, Array]:
    """The systems, the genderedness of the queries (Q,) and that of the lists (S, Q)."""
    (system, systems), (query, queries) = (pd.factorize(points[name].astype("str")) for name in ("system", "query_id"))
    lists, asked = np.full((len(systems), len(queries)), np.nan), np.full(len(queries), np.nan)
    lists[system, query] = points["list"].to_numpy(dtype=np.float64)
    asked[query] = points["query"].to_numpy(dtype=np.float64)
    return list(systems), asked, lists


def _pairs(points: pd.DataFrame, text: str, how: How) -> Pairs | None:
    """One measure's systems against the baseline."""
    if "list" in points:
        return slope_pairs(*_slopes(points), how)
    systems, values = _values(points)
    return value_pairs(systems, values[None], parse(text), how)[0]


def verdicts(columns: Mapping[str, Array], contenders: Array, low: Array, alpha: float) -> Array:
    """What is said of each row, by its p_corrected, difference and leans; low: whether its fairest value lies low."""
    p, difference = columns["p_corrected"], columns["difference"]
    order = np.where(columns["leans"] * difference > 0, np.where((difference < 0) == low, AHEAD, BEHIND), MIXED)
    verdict = np.where(p < alpha, order, SAME)
    return np.where(contenders, np.where(np.isnan(p), UNTESTED, verdict), REFERENCE)
