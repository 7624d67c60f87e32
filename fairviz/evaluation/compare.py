"""Two systems answer the same queries, so they are compared by their differences query by query, never by their own
two intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError, expect
from fairviz.evaluation.equivalence import EQUIVALENT, NO_MARGIN, NOT_SHOWN, checked_power, margins_by_measure
from fairviz.evaluation.given import check_level, check_scores
from fairviz.evaluation.pairs import FEWEST_QUERIES, LEAST_SHARE, How, Pairs, compare_pairs, is_enough
from fairviz.evaluation.points import Points, points_of
from fairviz.evaluation.points import is_reference as is_reference
from fairviz.evaluation.slices import SLICE, sliced
from fairviz.evaluation.slopes import split_parts
from fairviz.measures import Question, parse, unfairness
from fairviz.statistics.bootstrap import mean_over_queries
from fairviz.statistics.contrasts import EQUAL
from fairviz.statistics.families import METHODS, STATISTICS, parse_tests
from fairviz.statistics.references import within
from fairviz.statistics.signs import DRAWS

Array = np.ndarray
AHEAD, BEHIND, SAME = "ahead", "behind", "not significantly different"
MIXED, UNTESTED, REFERENCE, OUTSIDE = "mean and test disagree", "too few queries", "reference", "not in the family"
FEWEST_DRAWS = "Use a whole number of 99 or more, such as 9999."
LOST, UNEVEN = 0.1, 0.05  # shares of the queries: lost by the pair, and lost by one side more than by the other


class Row(NamedTuple):
    """One system against the baseline by one measure; no wins, ties and losses for a slope over queries.

    value and baseline_value: over the common queries; value_all and baseline_value_all: over all that each has.
    queries: the common ones; queries_all: those asked. warning: why the verdict rests on fewer queries, if it does.
    """

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
    queries_all: int
    value_all: float
    baseline_value_all: float
    verdict: str
    warning: str


COLUMNS = Row._fields
MARGIN_COLUMNS = ("margin", "p_equivalent", "equivalence")
Rows = Mapping[str, Sequence[Row]]  # by the measure
_TYPES: dict[str, Any] = {
    **dict.fromkeys(("measure", "system", "baseline", "verdict", "warning"), "str"),
    **dict.fromkeys(("wins", "ties", "losses", "queries", "queries_all"), "Int64"),
}


@dataclass(frozen=True, eq=False)
class Comparison:
    """Every pair of systems by every measure, and a view of them against one baseline.

    pairs: of each measure, and within it of each slice of the queries. baseline: the system that rows are against;
    empty for the best of each measure.
    """

    pairs: tuple[Pairs, ...]
    how: How
    baseline: str = ""

    def against(self, baseline: str) -> "Comparison":
        """Return the same tests as a view against another baseline."""
        return replace(self, baseline=baseline)

    @cached_property
    def rows(self) -> Rows:
        """For each measure that has a baseline, a row for every other system; slices follow one another."""
        rows: dict[str, list[Row]] = {}
        for pairs in self.pairs:
            made = view(pairs, self.how, self.baseline)
            if made:
                rows.setdefault(pairs.text, []).extend(made)
        return rows

    @cached_property
    def table(self) -> pd.DataFrame:
        """The rows as a table with COLUMNS; before them `slice` where there are slices, after them MARGIN_COLUMNS where
        there are margins and `minimum_detectable` where there is a power."""
        held = [(pairs, view(pairs, self.how, self.baseline)) for pairs in self.pairs]
        rows = [row for _, made in held for row in made]
        numbers = {name: [row[place] for row in rows] for place, name in enumerate(COLUMNS)}
        table = pd.DataFrame(numbers, columns=list(COLUMNS)).astype(
            {name: _TYPES.get(name, "float64") for name in COLUMNS}
        )
        added = [_added(pairs, made, self.how) for pairs, made in held]
        for name in added[0] if added else ():
            values = [value for part in added for value in part[name]]
            table[name] = pd.Series(values, index=table.index, dtype="str" if name == "equivalence" else "float64")
        if any(pairs.slice for pairs in self.pairs):
            names = [pairs.slice for pairs, made in held for _ in made]
            table.insert(0, SLICE, pd.Series(names, index=table.index, dtype="str"))
        return table

    @property
    def family(self) -> int:
        """How many pairs were tested, over all measures."""
        return sum(pairs.family for pairs in self.pairs)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many pairs each family holds, one number a family, without those in which nothing was tested."""
        if self.how.tests.family == "measures":
            return (self.family,) if self.family else ()
        sizes: dict[str, int] = {}
        for pairs in self.pairs:
            sizes[pairs.text] = sizes.get(pairs.text, 0) + pairs.family
        return tuple(size for size in sizes.values() if size)


def view(pairs: Pairs, how: How, baseline: str = "") -> list[Row]:
    """Return a row for every system against the baseline, or the best; nothing where there is no such system."""
    points, name = pairs.points, baseline or pairs.best
    if name not in points.systems:
        return []
    against = points.systems.index(name)
    others = [place for place in range(len(points.systems)) if place != against]
    ours, theirs = _common(points, others, against)
    columns = {key: matrix[others, against] for key, matrix in pairs.columns.items()}
    values, baseline_values = (_means(points, table) for table in (ours, theirs))
    means, total = points.means, len(points.queries)
    counts = None if points.is_slope else _counts(ours, theirs, pairs.question)
    rows = []
    for row, place in enumerate(others):
        held = {key: float(column[row]) for key, column in columns.items()}
        cells = (
            pairs.text, points.systems[place], name, float(values[row]), float(baseline_values[row]),
            *(held[key] for key in ("difference", "ci_low", "ci_high", "p", "p_corrected")),
            _effect(held, int(pairs.queries[place, against]), points.is_slope),
            *((None, None, None) if counts is None else counts[row]),
            int(pairs.queries[place, against]), total, float(means[place]), float(means[against]),
            _verdict(pairs, how, (points.systems[place], name), held), _warning(pairs, place, against),
        )  # fmt: skip
        rows.append(Row._make(cells))
    return rows


def _effect(row: Mapping[str, float], queries: int, is_slope: bool) -> float:
    """Return the difference over the standard deviation of the differences; of a slope the correlation."""
    if not row["spread"] > EQUAL:
        return np.nan
    if not is_slope:
        return row["difference"] / row["spread"]
    t = row["difference"] / row["error"]
    return t / np.sqrt(t**2 + queries - 2)


def _verdict(pairs: Pairs, how: How, pair: tuple[str, str], row: Mapping[str, float]) -> str:
    """Return what the test of a system against a baseline shows."""
    if any(is_reference(name) and not how.is_tested(name) for name in pair):
        return REFERENCE
    if not all(map(how.is_tested, pair)) or (how.tests.baseline and how.tests.baseline not in pair):
        return OUTSIDE
    p, difference = row["p_corrected"], row["difference"]
    if np.isnan(p):
        return UNTESTED
    if not within(np.array(p), how.alpha):
        return SAME
    if row["leans"] * difference <= 0:
        return MIXED
    low = pairs.question.direction in ("lower", "zero", "one")  # the fairest value lies low
    return AHEAD if (difference < 0) == low else BEHIND


def _warning(pairs: Pairs, place: int, against: int) -> str:
    """Return why a verdict rests on few of the queries, or on other ones for each side; empty where it does not."""
    total, common = len(pairs.points.queries), int(pairs.queries[place, against])
    lost = [total - int(pairs.queries[each, each]) for each in (place, against)]
    if not total or (total - common <= LOST * total and abs(lost[0] - lost[1]) <= UNEVEN * total):
        return ""
    names = (pairs.points.systems[place], pairs.points.systems[against])
    parts = [f"{count} for {name}" for name, count in zip(names, lost, strict=True) if count]
    why = "" if is_enough(common, total) else f"; a verdict needs {_least(total)}"
    return f"{common} of {total} queries in common (undefined: {', '.join(parts)}){why}"


def _least(total: int) -> int:
    """Return how many common queries a verdict needs, of all."""
    return max(FEWEST_QUERIES, int(np.ceil(LEAST_SHARE * total)))


def _common(points: Points, others: Sequence[int], against: int) -> tuple[Array, Array]:
    """Return the values of the systems and of the baseline, (N, Q) each, NaN where either has none."""
    ours, theirs = points.values[others], np.broadcast_to(points.values[against], (len(others), len(points.queries)))
    undefined = np.isnan(ours) | np.isnan(theirs)
    return np.where(undefined, np.nan, ours), np.where(undefined, np.nan, theirs)


def _means(points: Points, values: Array) -> Array:
    """Return the means, or slopes, of values (N, Q) that stand in the place of the points' own."""
    return replace(points, values=values).means if points.is_slope else mean_over_queries(values)


def _counts(ours: Array, theirs: Array, question: Question) -> list[tuple[int, int, int]]:
    """Return on how many queries each system is fairer than the baseline, as fair, and less fair."""
    with np.errstate(invalid="ignore"):
        if question.direction in ("higher", "none"):
            nearer = theirs - ours
        else:
            nearer = unfairness(question, ours) - unfairness(question, theirs)
    parts = ((nearer < -EQUAL), (np.abs(nearer) <= EQUAL), (nearer > EQUAL))
    return list(zip(*(part.sum(axis=1).tolist() for part in parts), strict=True))


def _added(pairs: Pairs, rows: Sequence[Row], how: How) -> dict[str, list]:
    """Return the columns of margin and power for these rows."""
    place = {name: row for row, name in enumerate(pairs.points.systems)}
    at = [(place[row.system], place[row.baseline]) for row in rows]
    added: dict[str, list] = {}
    if how.margins is not None:
        margin = how.margins.get(pairs.text, np.nan)
        p = [float(pairs.columns["p_equivalent"][pair]) for pair in at]
        added = {"margin": [margin] * len(rows), "p_equivalent": p}
        added["equivalence"] = [_equivalence(row, margin, one, how) for row, one in zip(rows, p, strict=True)]
    if how.power is not None:
        added["minimum_detectable"] = [float(pairs.columns["minimum_detectable"][pair]) for pair in at]
    return added


def _equivalence(row: Row, margin: float, p: float, how: How) -> str:
    if row.verdict in (REFERENCE, OUTSIDE, UNTESTED):
        return row.verdict
    if np.isnan(margin):
        return NO_MARGIN
    return EQUIVALENT if within(np.array(p), how.alpha) else NOT_SHOWN


def compare(
    scores: pd.DataFrame,
    baseline: str = "",
    *,
    tests: str = "maxT",
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
    ticked: Sequence[str] = (),
    outside: Sequence[str] = (),
    slices: Mapping[str, object] | pd.Series | None = None,
    margin: float | Mapping[str, float] | None = None,
    power: float | None = None,
) -> pd.DataFrame:
    """Return every system against a baseline, measure by measure, on the queries that both have a value for.

    scores: of `evaluate`. baseline: a system, or empty for the best one of each measure (the fairest, or the most
    effective; measures that only describe then have none and are left out). It changes the view, not the tests.
    tests: the families and the method, as `fairviz.statistics.families` reads them. By default all pairs of systems
    within a measure are one family, tested by single-step maxT of paired t statistics. ticked: systems that join the
    families although they are references (`perfect`, `random`) or lists edited by hand. outside: systems that do not.

    Returns measure, system, baseline, value and baseline_value (means over the common queries), difference with its
    interval, p (of the pair alone), p_corrected (in its family), effect_size (difference over the standard deviation
    of the differences), wins, ties and losses (queries on which the system is fairer, as fair, less fair), queries (in
    common), queries_all, value_all and baseline_value_all (means over all queries that each has), verdict and warning.
    Verdicts: ahead, behind, not significantly different, mean and test disagree (Wilcoxon's signed ranks can point the
    other way than the mean), too few queries (under ten in common, or under half of all), reference, not in the family.
    With maxT, Tukey and Bonferroni intervals are simultaneous and agree with p_corrected; with other corrections each
    is of one difference, uncorrected. A measure that is fairest at 0 is compared by |mean|, one that is fairest at 1 by
    |ln mean|: `difference` is one of these distances, and both the difference and the sum of the two must differ from
    0. GSR is compared by its slope; its effect_size is the correlation of the differences with the queries.

    slices: the slice of each query by its id, as `study.queries.set_index("query_id")["category"]`: the table then
    begins with `slice`, and all slices of a measure are one family. margin: how large a difference may be and not
    matter, one for all or by measure; adds margin, p_equivalent and equivalence: equivalent where the interval at
    2·level − 1 lies within the margin. power: adds minimum_detectable, the smallest difference that the family shows
    with this power. Raises UsageError for an unknown baseline or tests, scores of a single system, and numbers that
    cannot be.
    """
    check_scores(scores)
    refuse_alone(scores)
    return comparison(
        scores, baseline, tests=tests, level=level, draws=draws, seed=seed, ticked=ticked, outside=outside,
        slices=slices, margin=margin, power=power,
    ).table  # fmt: skip


def comparison(
    scores: pd.DataFrame,
    baseline: str = "",
    *,
    tests: str = "maxT",
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
    ticked: Sequence[str] = (),
    outside: Sequence[str] = (),
    slices: Mapping[str, object] | pd.Series | None = None,
    margin: float | Mapping[str, float] | None = None,
    power: float | None = None,
) -> Comparison:
    """Return `compare` as a record with all pairs."""
    check_scores(scores)
    check_level(level, seed)
    expect("draws", draws, Integral, FEWEST_DRAWS)
    if int(draws) < 99:
        raise UsageError(f"draws is {draws}", FEWEST_DRAWS)
    expect("tests", tests, str, "Use text, such as maxT.")
    for name, systems in (("ticked", ticked), ("outside", outside)):
        expect(name, systems, Sequence, "Give a list of systems.")
    how = How(parse_tests(tests), level, int(draws), int(seed), tuple(ticked), tuple(outside))
    check_choices(how, baseline, [str(name) for name in scores["system"].unique()])
    parts = [
        (name, parse(text), points_of(points))
        for name, part in sliced(scores, slices)
        for text, points in split_parts(part)
    ]
    how = extended(how, [question for _, question, _ in parts], margin, power)
    return Comparison(tuple(compare_pairs(parts, how)), how, baseline)


def extended(
    how: How, questions: Sequence[Question], margin: float | Mapping[str, float] | None, power: float | None
) -> How:
    """Return how to compare with a margin for each measure and a power, where they are given."""
    margins = None if margin is None else margins_by_measure(questions, margin)
    return replace(how, margins=margins, power=None if power is None else checked_power(power, how.alpha))


def answered(scores: pd.DataFrame, how: How) -> list[Pairs]:
    """Return the pairs of each measure of the scores."""
    return compare_pairs([("", parse(text), points_of(points)) for text, points in split_parts(scores)], how)


def check_choices(how: How, baseline: str, systems: Sequence[str]) -> None:
    """Raise UsageError for a baseline that is not there."""
    expect("baseline", baseline, str, "Use text.")
    for name in (baseline, how.tests.baseline):
        if name and name not in systems:
            raise UsageError(f"there is no system {name!r} to compare with", f"Use one of {', '.join(systems)}.")


def refuse_alone(scores: pd.DataFrame) -> None:
    """Raise FairvizError for the scores of a single system, which is compared with nobody."""
    systems = scores["system"].unique()
    if len(systems) == 1:
        raise FairvizError(
            f"there is one system, {systems[0]}, and nothing to compare it with",
            "Add a second run: runs/NAME.run, or `fairviz rank STUDY --with bm25`.",
        )


def starred(found: Comparison | Rows) -> dict[str, frozenset[str]]:
    """Return for each measure of a comparison with the best system that system and every one that is not significantly
    behind it; no system where no order was tested. found: the comparison, or its rows."""
    stars = {}
    for text, rows in (found.rows if isinstance(found, Comparison) else found).items():
        # ahead: on the queries that both answer
        same = [row.system for row in rows if row.verdict in (SAME, AHEAD, MIXED)]
        tested = any(row.p_corrected == row.p_corrected for row in rows)
        stars[text] = frozenset([*same, rows[0].baseline]) if tested else frozenset()
    return stars


def family_text(found: Comparison) -> str:
    """Return the family and the method as captions show them: `all 21 pairs, maxT`."""
    tests, sizes = found.how.tests, found.sizes
    if not sizes:
        return "no pair could be tested"
    count = f"{min(sizes):,}" if min(sizes) == max(sizes) else f"{min(sizes):,} to {max(sizes):,}"
    noun = "pair" if max(sizes) == 1 else "pairs"
    what = f"{count} {noun} with {tests.baseline}" if tests.baseline else f"{'all ' * (max(sizes) > 1)}{count} {noun}"
    if tests.family == "measures":
        measures = len({pairs.text for pairs in found.pairs})
        what += f" in {measures} measures" if measures > 1 else ""
    single = f"{STATISTICS[tests.statistic]}, " if tests.method not in ("maxT", "tukey") else ""
    return f"{what}, {single}{METHODS[tests.method]}"


def interval_note(found: Comparison) -> str:
    """Return what intervals of differences hold for: `95 % simultaneous` or `95 % of one difference, uncorrected`."""
    level = f"{100 * found.how.level:g} %"
    return f"{level} simultaneous" if found.how.tests.simultaneous else f"{level} of one difference, uncorrected"
