"""Comparison of systems by their differences query by query, never by their own intervals."""

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from fairviz.comparison.family import How, as_clusters
from fairviz.comparison.pairs import (
    AHEAD,
    MIXED,
    NEEDED,
    OUTSIDE,
    REFERENCE,
    SAME,
    UNTESTED,
    Pairs,
    Row,
    compare_pairs,
    queries_to_decide,
    view,
)
from fairviz.comparison.points import points_of
from fairviz.declared import COMPARE
from fairviz.errors import UsageError, expect, use_one_of
from fairviz.evaluation.gsr import split_parts
from fairviz.evaluation.scores import check_scores, refuse_alone
from fairviz.measures import Question, parse, unfairness
from fairviz.normal_form import normal_form
from fairviz.parameters import check_parameters
from fairviz.statistics.families import parse_tests
from fairviz.statistics.intervals import mean_over_queries
from fairviz.statistics.orders import largest_first
from fairviz.statistics.references import DRAWS, within
from fairviz.study.record import Study, is_contender

Array = np.ndarray
COLUMNS = Row._fields
Rows = Mapping[str, Sequence[Row]]  # by the measure
_TYPES: dict[str, Any] = {
    **dict.fromkeys(("measure", "system", "baseline", "verdict", "warning"), "str"),
    **dict.fromkeys(("wins", "ties", "losses", "queries", "queries_all"), "Int64"),
    **dict.fromkeys(("rank_low", "rank_high", "baseline_rank_low", "baseline_rank_high"), "Int64"),
}
_ADDED = ("margin", "p_equivalent", "equivalence", "minimum_detectable", *NEEDED)  # columns on request
EQUIVALENT, NOT_SHOWN, NO_MARGIN = "equivalent", "not shown", "no margin"
POWER = 0.8  # what is usually asked for
A_MARGIN = "Use a number above 0, in units of the measure, such as 0.01."
SLICE = "slice"
NONE = "(none)"  # queries of which the column says nothing
MOST_SLICES = 100
BY_QUERY = ("measure", "query_id", "system", "value", "baseline", "baseline_value", "difference")
_BY_QUERY_TYPES: dict[str, Any] = {
    **dict.fromkeys(("measure", "query_id", "system", "baseline"), "str"),
    **dict.fromkeys(("value", "baseline_value", "difference"), "float64"),
}


@dataclass(frozen=True, eq=False)
class Comparison:
    """Every pair of systems by every measure, and a view of them against one baseline.

    pairs: of each measure, and within it of each slice of the queries. baseline: the system that rows are against;
    empty for the best of each measure. beside: pairs of other measures of the same family, which are not shown.
    """

    pairs: tuple[Pairs, ...]
    how: How
    baseline: str = ""
    beside: tuple[Pairs, ...] = ()

    def against(self, baseline: str) -> "Comparison":
        """Return the same tests as a view against another baseline."""
        return replace(self, baseline=baseline)

    def showing(self, measures: Collection[str]) -> "Comparison":
        """Return the same tests as a view of these measures; the others stay in the families."""
        all_pairs = (*self.pairs, *self.beside)
        pairs_shown, pairs_beside = (
            tuple(pairs for pairs in all_pairs if (pairs.text in measures) is shown) for shown in (True, False)
        )
        return replace(self, pairs=pairs_shown, beside=pairs_beside)

    @cached_property
    def views(self) -> tuple[Sequence[Row], ...]:
        """The rows of each of `pairs` against the baseline; none where a measure has no baseline."""
        return tuple(view(pairs, self.how, self.baseline) for pairs in self.pairs)

    @cached_property
    def rows(self) -> Rows:
        """For each measure that has a baseline, a row for every other system; slices follow one another."""
        rows: dict[str, list[Row]] = {}
        for pairs, systems in zip(self.pairs, self.views, strict=True):
            if systems:
                rows.setdefault(pairs.text, []).extend(systems)
        return rows

    @cached_property
    def table(self) -> pd.DataFrame:
        """The rows as a table with COLUMNS.

        Slices add `slice` before them; margins add `margin`, `p_equivalent` and `equivalence` after them, and a power
        adds `minimum_detectable`, and `needed` adds NEEDED.
        """
        rows = [row for systems in self.views for row in systems]
        cells = zip(*rows, strict=True) if rows else ((),) * len(COLUMNS)
        table = pd.DataFrame({name: _column(values, name) for name, values in zip(COLUMNS, cells, strict=True)})
        margins, added = self.how.margins, []
        for pairs, systems in zip(self.pairs, self.views, strict=True):
            margin = np.nan if margins is None else margins.get(pairs.text, np.nan)
            place = {name: row for row, name in enumerate(pairs.points.systems)}
            for row in systems:
                at = place[row.system], place[row.baseline]
                p = float(pairs.columns["p_equivalent"][at])
                equivalence = row.verdict
                if row.verdict not in (REFERENCE, OUTSIDE, UNTESTED):
                    shown = EQUIVALENT if within(np.array(p), self.how.alpha) else NOT_SHOWN
                    equivalence = NO_MARGIN if np.isnan(margin) else shown
                queries = queries_to_decide(pairs, self.how, at) if self.how.needed else ()
                added.append((margin, p, equivalence, float(pairs.columns["minimum_detectable"][at]), *queries))
        wanted: tuple[str, ...] = () if margins is None else ("margin", "p_equivalent", "equivalence")
        wanted += () if self.how.power is None else ("minimum_detectable",)
        for name in (*wanted, *(NEEDED if self.how.needed else ())):
            values = [cells[_ADDED.index(name)] for cells in added]
            table[name] = pd.Series(values, index=table.index, dtype="str" if name == "equivalence" else "float64")
        if any(pairs.slice for pairs in self.pairs):
            names = [pairs.slice for pairs, systems in zip(self.pairs, self.views, strict=True) for _ in systems]
            table.insert(0, SLICE, pd.Series(names, index=table.index, dtype="str"))
        return table

    @property
    def family(self) -> int:
        """The number of pairs tested, over all measures."""
        return sum(pairs.family for pairs in (*self.pairs, *self.beside))

    @cached_property
    def sizes_by_family(self) -> dict[str, int]:
        """The number of pairs tested in each family, by `How.family_of`; families without a test are left out."""
        sizes: Counter[str] = Counter()
        for pairs in (*self.pairs, *self.beside):
            sizes[self.how.family_of(pairs.text)] += pairs.family
        return dict(+sizes)


def _column(values: Sequence[Any], name: str) -> Any:
    """Return the values of a column of `compare` as an array of its type."""
    return pd.array(values, dtype=_TYPES[name]) if name in _TYPES else np.array(values, dtype=np.float64)


def compare(
    scores: pd.DataFrame,
    baseline: str = "",
    *,
    tests: str = "maxT",
    level: float = COMPARE["level"].default,
    draws: int = DRAWS,
    seed: int = 0,
    ticked: Sequence[str] = (),
    outside: Sequence[str] = (),
    chosen: Sequence[str] = (),
    clusters: Mapping[str, object] | pd.Series | None = None,
    slices: Mapping[str, object] | pd.Series | None = None,
    margin: float | Mapping[str, float] | None = None,
    power: float | None = None,
    needed: bool = False,
) -> pd.DataFrame:
    """Return every system against a baseline, measure by measure, on the queries that both have a value for.

    With maxT, Tukey and Bonferroni intervals are simultaneous and agree with p_corrected; with other corrections each
    is of one difference, uncorrected. A measure that is fairest at 0 is compared by |mean|, one that is fairest at 1 by
    |ln mean|: `difference` is one of these distances, and both the difference and the sum of the two must differ from
    0. GSR is compared by its slope; its effect_size is the correlation of the differences with the queries.

    Parameters
    ----------
    scores : DataFrame
        The table of `evaluate`, of two systems or more.
    baseline : str
        A system, or empty for the best one of each measure; measures that only describe have none and are left out. It
        changes the view, not the tests.
    tests : str
        The families and the method, as `fairviz.statistics.families` reads them. By default all pairs of systems within
        a measure are one family, tested by single-step maxT of paired t statistics.
    level : float
        Of the intervals, between 0 and 1.
    draws, seed : int
        Random signs of maxT, at least 100 for each difference of a family, and the seed of these.
    ticked : sequence of str
        Systems that join the families although they are references (`perfect`, `random`) or lists edited by hand.
    outside : sequence of str
        Systems that do not join them.
    chosen : sequence of str
        With family='measures', the measures that are one family, any other being one of its own; by default all of the
        scores.
    clusters : mapping or Series, optional
        The cluster of each query by its id, as `study.queries.set_index("query_id")["category"]`. Queries of a cluster
        are drawn together: errors are cluster-robust, with G - 1 degrees of freedom for G clusters, and random signs
        are of clusters (wild cluster bootstrap). Means stay those of queries. With fewer than ten clusters p and
        intervals are rough.
    slices : mapping or Series, optional
        The slice of each query by its id, as `study.queries.set_index("query_id")["category"]`. The table then begins
        with `slice`, and all slices of a measure are one family.
    margin : float or mapping, optional
        The largest difference that does not matter, one for all or by measure. Adds margin, p_equivalent and
        equivalence: `equivalent` where the interval at 2·level − 1 is within the margin.
    power : float, optional
        Adds minimum_detectable, the smallest difference that the family detects with this power.
    needed : bool
        Adds the number of queries that would make a difference that is not significant so, if the difference and the
        spread stay what they are: needed (in its family), with needed_low and needed_high (95 %; infinite where no
        number may be enough), needed_alone (without a correction) and needed_bonferroni (also of the strictest step of
        holm and bh). NaN where the pair is decided or not tested. Half of all samples of this size show a difference
        of this size.

    Returns
    -------
    DataFrame
        A row a measure and system: measure, system, baseline, value and baseline_value (means over the common queries),
        difference with ci_low and ci_high, p (of the pair alone), p_corrected (in its family), effect_size (difference
        over the standard deviation of the differences), wins, ties and losses (queries on which the system is fairer,
        as fair, less fair), queries (in common), queries_all, value_all and baseline_value_all (over all queries of
        each), rank_low and rank_high (the ranks that the tests leave to the system, 1 being the fairest: 1 + the
        systems significantly ahead, to the number of systems less those significantly behind; simultaneous where the
        method is neither bh nor none), baseline_rank_low and baseline_rank_high, verdict and warning. Verdicts: ahead,
        behind, not significantly different, mean and test disagree (as Wilcoxon's ranks can), too few queries (under
        ten in common, or under half of all), reference, not in the family. warning: why a verdict rests on few queries,
        or the query without which it is not significant.

    Raises
    ------
    UsageError
        For an unknown baseline or tests, scores of a single system, and invalid numbers.

    Examples
    --------
    >>> import fairviz
    >>> scores = fairviz.evaluate(fairviz.open_study("newswire"), "CWEx", systems=["bm25", "w2v_add"])
    >>> fairviz.compare(scores, "w2v_add")[["system", "verdict"]].to_dict("records")
    [{'system': 'bm25', 'verdict': 'behind'}]
    """
    check_scores(scores)
    refuse_alone(scores)
    return comparison(
        scores, baseline, tests=tests, level=level, draws=draws, seed=seed, ticked=ticked, outside=outside,
        chosen=chosen, clusters=clusters, slices=slices, margin=margin, power=power, needed=needed,
    ).table  # fmt: skip


def comparison(
    scores: pd.DataFrame,
    baseline: str = "",
    *,
    tests: str = "maxT",
    clusters: Mapping[str, object] | pd.Series | None = None,
    slices: Mapping[str, object] | pd.Series | None = None,
    margin: float | Mapping[str, float] | None = None,
    power: float | None = None,
    needed: bool = False,
    **choices: Any,
) -> Comparison:
    """Return `compare` as a record with all pairs. choices: its level, draws, seed, ticked, outside and chosen."""
    check_scores(scores)
    expect("tests", tests, str, "Use text, such as maxT.")
    expect("baseline", baseline, str, "Use text.")
    baseline = normal_form(baseline)
    for name in ("ticked", "outside", "chosen"):
        names = choices.get(name, ())
        expect(name, names, Sequence, f"Give a list of {'measures' if name == 'chosen' else 'systems'}.")
        choices[name] = tuple(normal_form(one) if isinstance(one, str) else one for one in names)
    expect("needed", needed, bool, "Use True or False.")
    how = How(parse_tests(normal_form(tests)), needed=needed, clusters=as_clusters(clusters), **choices)
    texts = [text for text, _ in split_parts(scores)] if how.chosen else []
    for text in how.chosen:
        if text not in texts:
            raise UsageError(f"the scores do not hold the chosen measure {text!r}", f"Use of {', '.join(texts)}.")
    check_how(scores, how, baseline)
    return compared_as(scores, how, baseline, slices=slices, margin=margin, power=power)


def check_how(scores: pd.DataFrame, how: How, baseline: str = "") -> None:
    """Raise UsageError for a level, a number of draws or a baseline that cannot be."""
    check_parameters(how, COMPARE, "level", "seed", "draws")
    check_choices(how, baseline, [str(name) for name in scores["system"].unique()])


def compared_as(
    scores: pd.DataFrame,
    how: How,
    baseline: str = "",
    *,
    slices: Mapping[str, object] | pd.Series | None = None,
    margin: float | Mapping[str, float] | None = None,
    power: float | None = None,
    requested: Collection[str] = (),
) -> Comparison:
    """Return `comparison` of scores of `evaluate`, by the tests of the settings (`family.how_of`).

    A baseline of the tests that is not among the systems is allowed: nothing is tested then, and `why_untested` returns
    the reason. requested: the measures to show, by default all; others are only tested together with them, and have no
    margin of their own.
    """
    parts = [
        (name, parse(text), points_of(points))
        for name, part in sliced(scores, slices)
        for text, points in split_parts(part)
    ]
    questions = [question for _, question, _ in parts]
    requested = list(dict.fromkeys(requested or (question.text for question in questions)))
    margins = None if margin is None else margins_by_measure(questions, margin, requested)
    how = replace(how, margins=margins, power=None if power is None else _checked_power(power, how.alpha))
    return Comparison(tuple(compare_pairs(parts, how)), how, baseline).showing(requested)


def _checked_power(power: float, alpha: float) -> float:
    """Return the power. Raises UsageError for one that is not between alpha and 1."""
    remedy = f"Use a number between {alpha:.3g} and 1, such as {POWER}."
    expect("power", power, Real, remedy)
    if not alpha < float(power) < 1:
        raise UsageError(f"power is {power}", remedy)
    return float(power)


def answered(scores: pd.DataFrame, how: How) -> list[Pairs]:
    """Return the pairs of each measure of the scores."""
    return compare_pairs([("", parse(text), points_of(points)) for text, points in split_parts(scores)], how)


def check_choices(how: How, baseline: str, systems: Sequence[str]) -> None:
    """Raise UsageError for a baseline that is not there."""
    expect("baseline", baseline, str, "Use text.")
    for name in (baseline, how.tests.baseline):
        if name and name not in systems:
            raise UsageError(f"there is no system {name!r} to compare with", use_one_of(systems, name))


def starred(comparison: Comparison | Rows) -> dict[str, frozenset[str]]:
    """Return for each measure the best system and every one that is not significantly behind it; no system where no
    order was tested, or only that with a baseline named beforehand which is not the best.

    comparison: a comparison, or rows against the best of each measure.
    """
    stars = {}
    named = comparison.how.tests.baseline if isinstance(comparison, Comparison) else ""
    for text, rows in (comparison.against("").rows if isinstance(comparison, Comparison) else comparison).items():
        # ahead: on the queries that both answer
        same = [row.system for row in rows if row.verdict in (SAME, AHEAD, MIXED)]
        tested = any(row.p_corrected == row.p_corrected for row in rows) and named in ("", rows[0].baseline)
        stars[text] = frozenset([*same, rows[0].baseline]) if tested else frozenset()
    return stars


def untested(comparison: Comparison) -> dict[str, frozenset[str]]:
    """Return for each measure the systems whose pair with the best was to be tested and has no verdict, and the best
    itself if no other has one: without a star, they would look as if they were behind."""
    names = {}
    for text, rows in comparison.against("").rows.items():
        contenders = [row for row in rows if row.verdict not in (REFERENCE, OUTSIDE)]
        without = [row.system for row in contenders if row.verdict == UNTESTED]
        is_whole = bool(without) and len(without) == len(contenders)
        names[text] = frozenset([*without, *([rows[0].baseline] if is_whole else [])])
    return names


def read_margins(texts: list[str]) -> dict[str, float]:
    """Margins as they are written on the command line: `CWEx=0.01` for one measure, `0.01` for all others.

    Raises UsageError for what is neither, or names the same measure twice.
    """
    named: dict[str, float] = {}
    for text in texts:
        measure, sign, number = text.rpartition("=")
        if sign and measure.count("(") > measure.count(")"):  # the = of a parameter
            measure, number = text, ""
        if measure.strip() in named:
            whose = f"for {measure.strip()}" if measure.strip() else "for all measures"
            raise UsageError(f"--margin is given twice {whose}", "Give one margin for each.")
        try:
            named[measure.strip()] = float(number)
        except ValueError as error:
            raise UsageError(
                f"--margin is {text!r}", "Write a number, as 0.01, or a measure's, as CWEx=0.01."
            ) from error
    return named


def margins_by_measure(
    questions: Sequence[Question], margin: float | Mapping[str, float], requested: Sequence[str]
) -> dict[str, float]:
    """Return the margin of each measure by its text; NaN where it has none.

    margin: one number for all measures, or one by measure, written as anybody writes it (`CWEx` means every CWEx) and
    under an empty name for all others. requested: texts of measures. Raises UsageError for what is not a margin, or one
    of a measure that is not requested.
    """
    texts = {question.text: question for question in questions}
    if not isinstance(margin, Mapping):
        return dict.fromkeys(texts, _checked_margin(margin))
    margins = dict.fromkeys(texts, _checked_margin(margin[""]) if "" in margin else math.nan)
    for name, value in margin.items():
        if not name:
            continue
        meant = [text for text, question in texts.items() if name in (text, question.name)] or [
            text for text, question in texts.items() if text == parse(str(name), question.cutoff).text
        ]
        if set(meant).isdisjoint(requested):
            raise UsageError(
                f"there is a margin for {name!r}, and it is not compared", use_one_of(requested, str(name))
            )
        margins |= dict.fromkeys(meant, _checked_margin(value))
    return margins


def _checked_margin(margin: object) -> float:
    """Return the margin. Raises UsageError for one that is not a number above 0."""
    expect("margin", margin, Real, A_MARGIN)
    value = float(margin)  # type: ignore[arg-type]
    if not (math.isfinite(value) and value > 0):
        raise UsageError(f"margin is {margin}", A_MARGIN)
    return value


def slices_of(study: Study, column: str) -> pd.Series:
    """Return the text of a column of the queries by query id; `(none)` where it is empty.

    Raises UsageError where the queries have no such column, or nearly every query has a value of its own.
    """
    if column not in study.queries.columns or column == "query_id":
        columns = [name for name in study.queries.columns if name not in ("query_id", "text")]
        raise UsageError(
            f"the queries of {study.name!r} have no column {column!r} to slice by",
            use_one_of(columns, column) if columns else "Add a column to the file of queries, such as category.",
        )
    values = study.queries.set_index("query_id")[column]
    _check_number(values.map(_named).nunique(), f"the column {column!r} of the queries of {study.name!r}")
    return values.map(_named).astype("str").rename(column)


def sliced(scores: pd.DataFrame, slices: Mapping[str, object] | pd.Series | None) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each slice's name with its scores, in the order in which `slices` first names them, those without one last;
    all scores under an empty name where there are no slices. Raises UsageError for what is no slice of each query."""
    if slices is None:
        yield "", scores
        return
    expect("slices", slices, (Mapping, pd.Series), "Give the slice of each query by its id.")
    by_query = {str(query): _named(value) for query, value in slices.items()}
    queries = scores["query_id"].astype("str")
    named = queries.map(by_query).fillna(NONE)
    present = set(named)
    _check_number(len(present), "slices")
    for name in sorted(dict.fromkeys([*by_query.values(), NONE]), key=lambda one: one == NONE):
        if name in present:
            yield name, scores[(named == name).to_numpy()]


def sizes(scores: pd.DataFrame, slices: Mapping[str, object] | pd.Series) -> dict[str, int]:
    """Return the number of queries of the scores in each slice."""
    return {name: part["query_id"].nunique() for name, part in sliced(scores, slices)}


def _named(value: object) -> str:
    text = "" if pd.isna(value) else str(value).strip()  # type: ignore[call-overload]
    return text or NONE


def _check_number(count: int, what: str) -> None:
    if count > MOST_SLICES:
        raise UsageError(
            f"{what} cuts into {count:,} slices, more than {MOST_SLICES}",
            "Slice by a column of few values, such as category.",
        )


def query_values(scores: pd.DataFrame, query: str, systems: Sequence[str], measures: Sequence[str]) -> pd.DataFrame:
    """Return a table of one query: measure, a column a system, and with two systems their difference.

    scores: of `evaluate`.
    """
    query_scores = scores[scores["query_id"] == query]
    table = pd.DataFrame({"measure": measures})
    for name in systems:
        system_scores = query_scores[query_scores["system"] == name]
        values = pd.Series(system_scores["value"].to_numpy(), index=system_scores["measure"].astype("str"))
        table[name] = values.reindex(table["measure"]).to_numpy()
    if len(systems) == 2:
        table["difference"] = table[systems[0]] - table[systems[1]]
    return table


def by_query(
    scores: pd.DataFrame, system: str = "", baseline: str = "", among: Collection[str] | None = None
) -> pd.DataFrame:
    """Compare two systems on every query for which both have a value, by measure, the greatest difference first.

    scores: of `evaluate`; GSR, which has no value of a query, is left out. They are the two best of each measure; a
    baseline that is named takes the place of the best, and a system, where it is another, that of the best of the
    others. among: the systems that the best are chosen from; None for all but references and lists edited by hand. A
    measure for which there are no two is left out. Returns measure, query_id, system, value, baseline, baseline_value
    and difference (value less baseline_value); queries that differ alike stay in their order. Raises UsageError for a
    system without scores.
    """
    check_scores(scores)
    system, baseline = normal_form(system), normal_form(baseline)
    systems = list(dict.fromkeys(scores["system"].astype("str")))
    for name in filter(None, (system, baseline)):
        if name not in systems:
            raise UsageError(f"there is no system {name!r} to compare", use_one_of(systems, name))
    parts = [pd.DataFrame(columns=list(BY_QUERY))]
    for text, points in split_parts(scores):
        if "list" in points:
            continue
        wide = _by_system(points)
        best = _best_first(wide, text, among)
        against = baseline or next(iter(best), "")
        other = next((name for name in (system, *best) if name and name != against), "")
        if {against, other} <= set(wide.columns):
            parts.append(_differences(wide, text, other, against))
    return pd.concat(parts, ignore_index=True).astype(_BY_QUERY_TYPES)


def _by_system(points: pd.DataFrame) -> pd.DataFrame:
    """Return the values as a row a query and a column a system, both as the scores list them."""
    if points.duplicated(["query_id", "system"]).any():
        raise ValueError("the scores have a query twice for a system")
    found = points_of(points)
    return pd.DataFrame(found.values.T, found.queries, found.systems)


def _best_first(wide: pd.DataFrame, text: str, among: Collection[str] | None) -> list[str]:
    """Return the systems by their means, the best first, equal ones as the scores list them. Those without a mean are
    left out; so are all where the measure has no better end."""
    names = [str(name) for name in wide.columns if (is_contender(name) if among is None else name in among)]
    far = unfairness(parse(text), mean_over_queries(wide[names].to_numpy(dtype=np.float64).T))
    return [names[place] for place in np.argsort(far, kind="stable") if not np.isnan(far[place])]


def _differences(wide: pd.DataFrame, text: str, system: str, baseline: str) -> pd.DataFrame:
    """Return BY_QUERY of two systems by one measure, the greatest difference first."""
    difference = (wide[system] - wide[baseline]).dropna()
    difference = difference.iloc[largest_first(difference.abs().to_numpy())]
    rows = wide.loc[difference.index]
    return pd.DataFrame(
        {
            "measure": text,
            "query_id": difference.index,
            "system": system,
            "value": rows[system].to_numpy(),
            "baseline": baseline,
            "baseline_value": rows[baseline].to_numpy(),
            "difference": difference.to_numpy(),
        }
    )
