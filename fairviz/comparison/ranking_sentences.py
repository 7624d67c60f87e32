"""Sentences on which system is ahead of which, made from paired tests and nothing else, and the family of these tests
as captions show it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fairviz.comparison.compare import Comparison, untested
from fairviz.comparison.family import How
from fairviz.comparison.pairs import (
    AHEAD,
    BEHIND,
    MIXED,
    OUTSIDE,
    REFERENCE,
    SAME,
    UNTESTED,
    Row,
    is_enough,
    why_no_verdict,
    why_untested,
)
from fairviz.measures import Question
from fairviz.statistics.families import METHODS
from fairviz.statistics.references import within
from fairviz.study.record import is_reference
from fairviz.words.sentences import Span, agreeing, counted, first_listed, listed, naming, p_cell, p_value, signed

DIFFERING = 3  # verdicts that a sentence names
NOT_FOR = "Do not compare intervals of single systems; the paired tests (★) do that."


def family_text(comparison: Comparison) -> str:
    """Return the family and the method as captions show them: `all 21 pairs, maxT`."""
    sizes = dict(comparison.sizes_by_family)
    if not sizes:
        return f"no pair was tested, as {why_untested(comparison.pairs, comparison.how)}"
    parts = []
    if across := sizes.pop("", 0):
        parts.append(_pairs_text([across], comparison.how) + _across_text(comparison))
    if sizes:
        parts.append(_pairs_text(list(sizes.values()), comparison.how) + (" in each other measure" if across else ""))
    method = comparison.how.method_text([pairs.question for pairs in comparison.pairs])
    if clusters := comparison.how.clusters:
        queries = list({query for pairs in comparison.pairs for query in pairs.points.queries})
        if clusters.are_few(queries):  # as in `compare_blocks`
            method = method.replace(METHODS["maxT"], METHODS["bonferroni"])
        method = f"{method}, {clusters.text(queries)}"
    return f"{' and '.join(parts)}, {method}"


def _across_text(comparison: Comparison) -> str:
    """Return of which measures the family across measures is; empty where it is one measure by itself."""
    texts = {pairs.text for pairs in (*comparison.pairs, *comparison.beside)}
    count = sum(not comparison.how.family_of(text) for text in texts)
    if count < 2:
        return ""
    return f" in the {count} measures of the Overview" if comparison.how.chosen else f" in {count} measures"


def _pairs_text(sizes: Sequence[int], how: How) -> str:
    """Return the numbers of pairs in these families: `all 21 pairs`."""
    count = f"{min(sizes):,}" if min(sizes) == max(sizes) else f"{min(sizes):,} to {max(sizes):,}"
    noun = agreeing(max(sizes), "pair")
    named = how.tests.baseline
    return f"{count} {noun} with {named}" if named else f"{'all ' * (max(sizes) > 1)}{count} {noun}"


def interval_note(comparison: Comparison) -> str:
    """Return the coverage of the intervals of differences: `95 % simultaneous` or `95 % of one difference,
    uncorrected`."""
    level = f"{100 * comparison.how.level:g} %"
    together = comparison.how.tests.simultaneous and comparison.family
    return f"{level} simultaneous" if together else f"{level} of one difference, uncorrected"


def rank_note(comparison: Comparison) -> str:
    """Return the coverage of the ranks that the tests leave: `95 % simultaneous`, or that none is simultaneous."""
    level = f"{100 * comparison.how.level:g} %"
    if comparison.how.tests.method in ("bh", "none"):
        return "not simultaneous, as the tests are not"
    across = "in each measure" if comparison.how.tests.family == "pairs" else "over all measures"
    return f"{level} simultaneous {across}"


def needed_text(number: float, low: float, high: float) -> str:
    """Return how many queries would decide: `130 queries would decide (95 %: 52 to no end)`; empty where none is known.

    >>> needed_text(130, 52, float("inf"))
    '130 queries would decide (95 %: 52 to no end)'
    """
    if number != number:
        return ""
    if number == float("inf"):
        return "no number of queries would decide"
    last = "no end" if high == float("inf") else f"{high:,.0f}"
    return f"{number:,.0f} queries would decide (95 %: {low:,.0f} to {last})"


def joining_text(before: Comparison, after: Comparison) -> str:
    """Return what systems that join the tests change: `7 → 8 systems, 28 pairs; corrections changed: 1 verdict differs:
    CWEx of w2v_add and bm25 (p .041 → .052).`

    before and after: of the same measures, and of the same systems shown.
    """
    counts = [sum(map(each.how.is_tested, each.pairs[0].points.systems)) for each in (before, after)]
    if not after.family:
        return f"{counts[0]:,} → {counts[1]:,} systems; no pair is tested: {why_untested(after.pairs, after.how)}."
    sizes = f"{counts[0]:,} → {counts[1]:,} systems, {counted(max(each.family for each in after.pairs), 'pair')}"
    differing = []
    for then, now in zip(before.pairs, after.pairs, strict=True):
        p_then, p_now = then.columns["p_corrected"], now.columns["p_corrected"]
        changed = within(p_then, before.how.alpha) != within(p_now, after.how.alpha)
        changed = ~np.isnan(p_then) & (changed | np.isnan(p_now))
        for first, second in np.argwhere(np.triu(changed)):
            names, p = [then.points.systems[place] for place in (first, second)], (p_then, p_now)
            p_text = " → ".join(p_cell(float(one[first, second]), "no verdict") for one in p)
            differing.append(f"{now.question.name} of {names[0]} and {names[1]} (p {p_text})")
    if not differing:
        return f"{sizes}; no verdict on the others differs."
    differ = f"{counted(len(differing), 'verdict')} {agreeing(len(differing), 'differs', 'differ')}"
    return f"{sizes}; corrections changed: {differ}: {first_listed(differing, DIFFERING)}."


@dataclass(frozen=True)
class Standing:
    """The verdicts of one measure on its baseline; each tuple holds names of systems, and no name is in two of them."""

    question: Question
    baseline: str
    ahead_of: tuple[str, ...]
    behind: tuple[str, ...]
    same: tuple[str, ...]
    mixed: tuple[str, ...]
    untested: tuple[str, ...]
    rows: Mapping[str, Row]

    @property
    def verdicts(self) -> tuple:
        """Return the order of the systems in words, one clause for all measures with the same order."""
        return (self.baseline, self.ahead_of, self.behind, self.same, self.mixed, self.untested)

    @property
    def tested(self) -> bool:
        """True if any order was tested."""
        return bool(self.ahead_of or self.behind or self.same or self.mixed)


def standings(comparison: Comparison, questions: Sequence[Question]) -> list[Standing]:
    """Return the verdicts on each measure's baseline, for measures with a baseline and another contender."""
    all_standings = []
    for question in questions:
        rows = comparison.rows.get(question.text)
        if not rows:
            continue
        below, above, same, mixed, untested = (
            tuple(row.system for row in rows if row.verdict == said) for said in (BEHIND, AHEAD, SAME, MIXED, UNTESTED)
        )
        rows_by_system = {row.system: row for row in rows}
        standing = Standing(question, rows[0].baseline, below, above, same, mixed, untested, rows_by_system)
        if standing.tested or standing.untested:
            all_standings.append(standing)
    return all_standings


def clauses(standings: Sequence[Standing], *, best: bool) -> list[Span]:
    """`bi_encoder is ahead of bm25 in CWEx (+0.075, p = .002) and not significantly different from tfidf; …`.

    Return a clause for each baseline. best: whether the baselines are the best of their measures.
    """
    groups: dict[tuple, list[Standing]] = {}
    for standing in standings:
        if standing.tested:
            groups.setdefault(standing.verdicts, []).append(standing)
    leaders = list(dict.fromkeys(standing.baseline for standing in standings))
    spans: list[Span] = []
    for group in groups.values():
        if spans:
            spans.append(Span("; "))
        spans += _clause(group, leaders, best=best)
    return spans


def _clause(group: Sequence[Standing], leaders: Sequence[str], *, best: bool) -> list[Span]:
    """Return what a baseline's standings have in common, with the measures in which it is so."""
    first, measures = group[0], listed([standing.question.name for standing in group])
    spans = [Span(first.baseline, True)]
    orders = [(" is ahead of ", first.ahead_of, False), (" is behind ", first.behind, True)]
    named_orders = [(verb, names, below) for verb, names, below in orders if names]
    for place, (verb, names, below) in enumerate(named_orders):
        by = [f"in {each.question.name} ({difference_text(each, names, below=below)})" for each in group]
        joint = verb if not place else verb.replace(" is", " and", 1)
        spans += [Span(joint), *naming(names, leaders), Span(f" {listed(by)}")]
    if first.same:
        lone = f" has the best mean in {measures} and is {SAME} from " if best else f" is {SAME} from "
        spans += [Span(f" and {SAME} from " if named_orders else lone), *naming(first.same, leaders)]
        spans += [] if named_orders or best else [Span(f" in {measures}")]
    return [*spans, *_without_order(first, measures, is_first=not (named_orders or first.same))]


def _without_order(standing: Standing, measures: str, *, is_first: bool) -> list[Span]:
    """Return the end of a clause: the systems for which the test points against the mean, and those with too few
    queries. is_first: whether the clause has named nothing but the baseline."""
    spans: list[Span] = []
    if standing.mixed:
        start = f": in {measures} " if is_first else ", while "
        spans += [Span(f"{start}mean and test point different ways for "), *naming(standing.mixed, ())]
    if standing.untested:
        rows = [standing.rows[name] for name in standing.untested]
        is_few = [not is_enough(row.queries, row.queries_all) for row in rows]
        reasons = ["too few common queries"] if any(is_few) else []
        reasons += [] if all(is_few) else ["an undefined difference"]
        spans += [Span(", and is not tested against "), *naming(standing.untested, ())]
        spans.append(Span(f" ({' or '.join(reasons)})"))
    return spans


def difference_text(standing: Standing, names: Sequence[str], *, below: bool = False) -> str:
    """`+0.075, p = .002`: the baseline's difference from these systems in the measure's own direction, and the highest
    p; for several systems the range."""
    rows = [standing.rows[name] for name in names]
    leads = [-row.difference for row in rows]
    ends = list(dict.fromkeys((signed(min(leads)), signed(max(leads)))))
    if abs(min(leads)) > abs(max(leads)):
        ends = ends[::-1]
    units = {"zero": " in distance from 0", "one": " in distance from 1, on a logarithmic scale"}
    p = p_value(max(row.p_corrected for row in rows), several=len(rows) > 1)
    return f"{' to '.join(ends)}{units.get(standing.question.direction, '')}, {p}"


def family_note(comparison: Comparison) -> str:
    """Return the family and the method as a sentence, or that nothing could be tested."""
    if not comparison.family:
        return f"No difference is tested: {why_untested(comparison.pairs, comparison.how)}."
    return f"Tests: {family_text(comparison)}."


def stars_note(comparison: Comparison) -> str:
    """Return what a star means, or why there is none; empty where nothing could be tested."""
    untested, named = untested_note(comparison), comparison.how.tests.baseline
    if not comparison.family:
        return f"No system is starred: {why_untested(comparison.pairs, comparison.how)}." if untested or named else ""
    if named:
        return f"★ only where {named} is the best: no pair without it is tested."
    return f"★ best, or {SAME} from the best; two starred ones may differ. {untested}".rstrip()


def untested_note(comparison: Comparison) -> str:
    """Return what `n.t.` behind a value means, by measure: `n.t.: pair with the best not tested (AWRF: too few
    queries).`; empty where nothing is marked so."""
    reasons: dict[str, list[str]] = {}
    marked = untested(comparison)
    for pairs in comparison.pairs:
        if marked.get(pairs.text):
            measures = reasons.setdefault(why_no_verdict(pairs, comparison.how), [])
            measures += [pairs.question.name] if pairs.question.name not in measures else []
    if not reasons:
        return ""
    text = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())
    return f"n.t.: pair with the best not tested ({text})."


def outside_note(comparison: Comparison) -> str:
    """Return which systems are shown without a verdict although they are no references; empty where none is."""
    systems = dict.fromkeys(name for pairs in comparison.pairs for name in pairs.points.systems)
    names = [name for name in systems if not comparison.how.is_tested(name) and not is_reference(name)]
    return f"Not tested: {listed(names)}." if names else ""


def warned_note(comparison: Comparison) -> str:
    """Return how many differences rest on fewer queries than the study has, or are undefined on enough of them, as
    sentences; empty for none."""
    compared = [row for rows in comparison.rows.values() for row in rows if row.verdict not in (REFERENCE, OUTSIDE)]
    fewer = sum(bool(row.warning) and row.queries < row.queries_all for row in compared)
    undefined = sum(row.verdict == UNTESTED and bool(is_enough(row.queries, row.queries_all)) for row in compared)
    sentences = ((fewer, "based on fewer queries than selected"), (undefined, "undefined, and not tested"))
    return " ".join(
        f"{count:,} of {counted(len(compared), 'difference')} {'is' if count == 1 else 'are'} {what}."
        for count, what in sentences
        if count
    )
