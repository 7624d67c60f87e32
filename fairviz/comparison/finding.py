"""Systems in the order of each measure, with the verdict on each: for a figure, a terminal and one line in words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pandas as pd

from fairviz.comparison import ranking_sentences
from fairviz.comparison.compare import Comparison, starred
from fairviz.comparison.family import How
from fairviz.comparison.pairs import AHEAD, BEHIND, MIXED, OUTSIDE, REFERENCE, SAME, UNTESTED, Pairs, why_no_verdict
from fairviz.comparison.ranking_sentences import Standing, difference_text, family_note, standings
from fairviz.measures import Question, unfairness
from fairviz.statistics.references import within
from fairviz.study.record import is_reference
from fairviz.words.sentences import Sentence, Span, counted, decimal, first_listed, p_value

BEST = "best"
ASIDE = (REFERENCE, OUTSIDE)  # shown beside the order: they set no end of an axis and count nowhere
NO_VALUE = "No fairness measure has a value here: see below what is missing."
VERDICTS = {BEHIND: "ahead of", AHEAD: "behind", SAME: f"{SAME} from", MIXED: "undecided with"}  # of the baseline
MOST_NAMED = 3  # systems that one line in words names
INSEPARABLE = "Cannot be separated (no two of a group differ significantly):"
MOST_GROUPS, MOST_OF_GROUP = 6, 8  # that a line names
MOST_NOT = 2  # systems that the head of a strip names in each clause
REASONS = {
    "labels": "no document in the top k has a label, or the system lacks the query",
    "words": "no document in the top k has text, or the system lacks the query",
    "relevance": "nothing is judged relevant to the query, or the system lacks it",
    "effectiveness": "nothing is judged for the query",
}


@dataclass(frozen=True)
class Placed:
    """One system in one measure: its mean, and its verdict, one of BEST, SAME, BEHIND, AHEAD, MIXED, UNTESTED,
    REFERENCE and OUTSIDE."""

    system: str
    value: float
    verdict: str


@dataclass(frozen=True)
class Order:
    """The systems of one measure, the fairest first, those of ASIDE last.

    standing: the verdicts against the best, or against the baseline that the tests name; None without tests. ringed:
    the best system and those that are not significantly different from it. groups: runs of neighbours in the order of
    which no two differ significantly. inseparable: groups of systems of which no two differ significantly; every pair
    that is tested and does not is in one. ranks: the first and the last rank that the tests leave to each system.
    untested: why there are no tests, in two words; empty if there are.
    """

    question: Question
    systems: tuple[Placed, ...]
    standing: Standing | None
    ringed: frozenset[str]
    groups: tuple[tuple[str, ...], ...]
    untested: str = ""
    inseparable: tuple[tuple[str, ...], ...] = ()
    ranks: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def contenders(self) -> tuple[Placed, ...]:
        """The systems that may be tested: no references, and no others that are taken out."""
        return tuple(placed for placed in self.systems if placed.verdict not in ASIDE)

    def of_verdict(self, verdict: str) -> tuple[str, ...]:
        """Return the systems with this verdict, the fairest first."""
        return tuple(placed.system for placed in self.contenders if placed.verdict == verdict)

    @property
    def leader(self) -> str:
        """The system that `lead` is about: that of the verdicts, without tests the one with the best mean."""
        if self.standing is not None:
            return self.standing.baseline
        return self.contenders[0].system if self.contenders else ""

    def lead(self, name: Callable[[str], str] = str) -> str:
        """Return whom the leader is ahead of, and whom not, alone: `ahead of 4 of 6 · p ≤ .032; not of w2v_si, tfidf`.

        name: shortens the name of a system.
        """
        if self.standing is None:
            return f"not tested: {self.untested}" if self.untested else "not tested"
        behind, total = self.of_verdict(BEHIND), len(self.contenders) - 1
        if not behind:
            parts = [f"ahead of none of {total}"]
        else:
            p = max(self.standing.rows[system].p_corrected for system in behind)
            parts = [f"ahead of {len(behind)} of {total} · {p_value(p, several=len(behind) > 1)}"]
            if rest := (*self.of_verdict(SAME), *self.of_verdict(MIXED)):
                parts.append(f"not of {first_listed(map(name, rest), MOST_NOT)}")
        for verdict, text in ((AHEAD, "behind"), (UNTESTED, "not tested against")):
            if systems := self.of_verdict(verdict):
                parts.append(f"{text} {first_listed(map(name, systems), MOST_NOT)}")
        return "; ".join(parts)

    @property
    def words(self) -> Sentence:
        """The order in one line: `CWEx: w2v_add is ahead of bm25 (+0.116, p = .002).`"""
        return Span(self.question.name, True), Span(f": {self.verdicts}")

    @property
    def verdicts(self) -> str:
        """The line without the measure."""
        if not self.contenders:
            return "no system has a value that may be tested."
        if self.standing is None:
            first = self.contenders[0]
            return f"{first.system} has the best mean, {decimal(first.value)}; {self.lead()}."
        parts = []
        for verdict, text in {**VERDICTS, UNTESTED: "not tested against"}.items():
            if names := self.of_verdict(verdict):
                numbers = f" ({difference_text(self.standing, names)})" if verdict in (BEHIND, AHEAD) else ""
                parts.append(f"{text} {first_listed(names, MOST_NAMED)}{numbers}")
        is_ahead = self.of_verdict(BEHIND) or self.of_verdict(AHEAD)
        return f"{self.standing.baseline} {'is' if is_ahead else 'has the best mean;'} {'; '.join(parts)}."


def inseparable_text(order: Order) -> str:
    """Return the groups of systems that cannot be separated: `CWEx: a, b and c; c and d.`"""
    everyone = len(order.ranks) > 2 and any(len(group) == len(order.ranks) for group in order.inseparable)
    groups = [first_listed(group, MOST_OF_GROUP) for group in order.inseparable]
    text = f"all {len(order.ranks)} systems" if everyone else first_listed(groups, MOST_GROUPS, between="; ")
    return f"{order.question.name}: {text or 'no two systems'}."


def inseparable_line(measure_orders: Sequence[Order]) -> str:
    """Return the groups of each measure that is tested, in a line; empty where none is."""
    texts = [inseparable_text(order) for order in measure_orders if order.standing]
    return f"{INSEPARABLE} {' '.join(texts)}" if texts else ""


def lines(measure_orders: Sequence[Order]) -> list[Sentence]:
    """Return the orders in words, a line for each measure, after NO_VALUE where no fairness measure has a
    value."""
    is_fair = any(order.question.family != "effectiveness" for order in measure_orders)
    missing = [] if is_fair else [(Span(NO_VALUE),)]
    return [*missing, *(order.words for order in measure_orders)]


def orders(summary: pd.DataFrame, questions: Sequence[Question], comparison: Comparison) -> list[Order]:
    """Return the order of each measure that has a better direction and a value, in the order of the questions.

    summary: of `summarise` (system, measure, value). comparison: of the same systems and measures.
    """
    view = comparison.against(comparison.how.tests.baseline)
    tested = {standing.question.text: standing for standing in standings(view, questions) if standing.tested}
    pairs = {pairs.text: pairs for pairs in comparison.pairs}
    stars, measures = starred(comparison), summary["measure"].astype(str).to_numpy()
    measure_orders = []
    for question in questions:
        rows = summary[(measures == question.text) & summary["value"].notna().to_numpy()]
        if question.direction == "none" or rows.empty:
            continue
        values = dict(zip(rows["system"].astype(str), rows["value"].astype(float), strict=True))
        standing = tested.get(question.text)
        systems = _placed(question, values, comparison.how, standing)
        contenders = [placed.system for placed in systems if placed.verdict not in ASIDE]
        groups, inseparable = _groups(pairs[question.text], contenders, comparison.how.alpha) if standing else ((), ())
        reason = "" if standing or len(contenders) < 2 else why_no_verdict(pairs[question.text], comparison.how)
        ringed = stars.get(question.text, frozenset())
        ranks = pairs[question.text].ranks if standing else {}
        measure_orders.append(Order(question, systems, standing, ringed, groups, reason, inseparable, ranks))
    return measure_orders


def _placed(question: Question, values: Mapping[str, float], how: How, standing: Standing | None) -> tuple[Placed, ...]:
    """Return the systems with their verdicts, the fairest first, those of ASIDE last. values: by system."""
    verdicts: dict[str, str] = {}
    if standing is not None:
        verdicts[standing.baseline] = BEST
        verdicts |= {name: row.verdict for name, row in standing.rows.items()}
    verdicts |= {name: REFERENCE if is_reference(name) else OUTSIDE for name in values if not how.is_tested(name)}
    distance = dict(zip(values, unfairness(question, list(values.values())).tolist(), strict=True))
    names = sorted(values, key=lambda name: (verdicts.get(name) in ASIDE, distance[name]))
    return tuple(Placed(name, values[name], verdicts.get(name, UNTESTED)) for name in names)


def _groups(
    pairs: Pairs, systems: Sequence[str], alpha: float
) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    """Return the longest runs of neighbours in the order of which no two differ significantly, which bars can show, and
    groups that hold every pair that does not. Groups of one are left out, and so are pairs without a test."""
    names = [name for name in systems if name in pairs.points.systems]
    places = [pairs.points.systems.index(name) for name in names]
    p = pairs.columns["p_corrected"][np.ix_(places, places)]
    same = ~(within(p, alpha) | np.isnan(p))
    runs: list[tuple[str, ...]] = []
    ends_before = 0
    for start in range(len(names)):
        end = start + 1
        while end < len(names) and same[end, start:end].all():
            end += 1
        if end - start > 1 and end > ends_before:
            runs.append(tuple(names[start:end]))
        ends_before = max(ends_before, end)
    groups: list[list[int]] = []
    for pair in combinations(range(len(names)), 2):
        if same[pair] and not any(set(pair) <= set(group) for group in groups):
            group = list(pair)
            for one in range(len(names)):
                if one not in group and same[one, group].all():
                    group.append(one)
            groups.append(sorted(group))
    return tuple(runs), tuple(tuple(names[place] for place in group) for group in groups)


def caption(comparison: Comparison) -> str:
    """Return the meaning of rings and pale marks, with the family and the method, or why nothing is tested."""
    if not comparison.family:
        return family_note(comparison)
    against = comparison.how.tests.baseline or "the best"
    return (
        f"Ringed: not significantly different from {against} (two ringed ones may differ); pale: significantly behind. "
        f"{family_note(comparison)}"
    )


def strips(measure_orders: Sequence[Order], width: int = 60) -> str:
    """Return the orders as lines for a terminal: a letter for each system at its place, `[a]` where ringed.

    The fairer end is at the right. Letters of one place are above one another. A reference beyond the others' range is
    at its end.
    """
    names = list(dict.fromkeys(placed.system for order in measure_orders for placed in order.systems))
    letters = {  # a, b, …, z, a1, b1, …
        name: chr(ord("a") + place % 26) + (str(place // 26) if place >= 26 else "") for place, name in enumerate(names)
    }
    legend = "  ".join(f"{letter} {name}" for name, letter in letters.items())
    lines = [legend, "[ ] best or not significantly different from it"]
    for order in measure_orders:
        lines += ["", f"{order.question.text}  {direction(order.question)}", *_strip(order, letters, width)]
    return "\n".join(lines)


def _strip(order: Order, letters: Mapping[str, str], width: int) -> list[str]:
    """Return the lines of one order: letters above one another, then the axis, then what the differences show."""
    left, right = ends(order)
    rows: list[list[str]] = []
    for placed in order.systems:
        text = letters[placed.system]
        text = f"[{text}]" if placed.system in order.ringed else text
        start = round(position(placed.value, left, right) * (width - 1)) - len(text) // 2
        start = min(max(start, 0), width - len(text))
        row = next((row for row in rows if not "".join(row[start : start + len(text)]).strip()), None)
        if row is None:
            row = [" "] * width
            rows.append(row)
        row[start : start + len(text)] = text
    margin = " " * 8
    above = [f"{margin} {''.join(row).rstrip()}" for row in rows[:0:-1]]
    axis = "".join(rows[0]).replace(" ", "·") if rows else "·" * width
    return [*above, f"{decimal(left):>8} {axis} {decimal(right)}", f"{margin} {order.verdicts}"]


def ends(order: Order) -> tuple[float, float]:
    """Return the values at the left and the right end of a measure's axis, the fairer at the right.

    Systems of ASIDE do not set them. Of a measure that is fairest at 0 or 1 the axis is not turned.
    """
    values = [placed.value for placed in order.contenders] or [placed.value for placed in order.systems]
    low, high = min(values), max(values)
    return (high, low) if order.question.direction == "lower" else (low, high)


def position(value: float, left: float, right: float) -> float:
    """Return a value's place between the ends, from 0 to 1; a value beyond them is at the end, 0.5 if they are equal.

    >>> position(3, 2, 4), position(9, 4, 2)
    (0.5, 0.0)
    """
    return min(max((value - left) / (right - left), 0.0), 1.0) if left != right else 0.5


def direction(question: Question) -> str:
    """Return the better end of a measure's axis in words: `fairer →`, `better →` or `0 is fairest`."""
    goal = "better" if question.measure is None else "fairer"
    return {"zero": "0 is fairest", "one": "1 is fairest"}.get(question.direction, f"{goal} →")


def finding(summary: pd.DataFrame, questions: Sequence[Question], comparison: Comparison) -> list[Sentence]:
    """Return the order of the systems in words, a line for each measure, and the tests; or why there is no order.

    comparison: of the systems of the summary.
    """
    lone = lone_system(summary, comparison)
    if lone:
        return [lone]
    return [*lines(orders(summary, questions, comparison)), (Span(ranking_sentences.family_note(comparison)),)]


def lone_system(summary: pd.DataFrame, comparison: Comparison) -> Sentence:
    """Return that one system, or none, is shown beside the references; empty where there are two to compare."""
    systems = [str(name) for name in dict.fromkeys(summary["system"].tolist())]
    references = [name for name in systems if is_reference(name) and not comparison.how.is_tested(name)]
    contenders = [name for name in systems if name not in references]
    tested = [name for name in contenders if comparison.how.is_tested(name)]
    if len(contenders) > 1 and len(tested) != 1:
        return ()
    lone_systems = tested or contenders
    if not lone_systems:
        return (Span("Only references are shown: a system is needed to see how fair it is."),)
    beside = f" beside {'the reference' if len(references) == 1 else 'references'}" if references else ""
    need = f" is shown{beside}: a second system is needed to see whether measures agree."
    return (Span("Only "), Span(lone_systems[0], True), Span(need))


def undefined_note(summary: pd.DataFrame, questions: Sequence[Question]) -> str:
    """A line for each measure that leaves rankings without a value: how many, and why."""
    notes = []
    for question in questions:
        missed = int(summary[summary["measure"] == question.text]["undefined"].sum())
        if missed:
            rankings = counted(missed, "ranking")
            reason = ("" if question.measure is None else question.measure.undefined) or REASONS[question.family]
            notes.append(f"{question.name} is undefined for {rankings}, which averages leave out: {reason}.")
    return "\n".join(notes)


def source_note(licence: str, citation: str) -> str:
    """Licence and citation of a study in one line."""
    parts = [f"Licence: {licence.rstrip('.')}." if licence else "", f"Cite: {citation}" if citation else ""]
    return " ".join(part for part in parts if part)
