"""Systems in the order of each measure, with the verdict on each: for a figure, a terminal and one line in words."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.comparison.compare import Comparison, family_text, starred
from fairviz.comparison.pair_rows import AHEAD, BEHIND, MIXED, REFERENCE, SAME
from fairviz.comparison.pairs import Pairs
from fairviz.measures import Question, unfairness
from fairviz.study.references import is_reference
from fairviz.words.sentences import decimal, first_listed, p_value

BEST, UNTESTED = "best", "no verdict"
MOST_NAMED = 3  # systems that one line in words names


@dataclass(frozen=True)
class Placed:
    """One system in one measure: its mean, and its verdict, one of BEST, SAME, BEHIND, AHEAD, MIXED, UNTESTED and
    REFERENCE."""

    system: str
    value: float
    verdict: str


@dataclass(frozen=True)
class Order:
    """The systems of one measure, the fairest first, those without a place in the order last.

    against: the system that verdicts are against: the best, or the baseline that the tests name; empty without tests.
    ringed: systems that are the best or not significantly different from it. groups: systems that do not differ from
    one another significantly, of which no system lies between two of a group and differs from one of them. p: the
    largest corrected p of those that are behind, NaN for none.
    """

    question: Question
    systems: tuple[Placed, ...]
    against: str
    ringed: frozenset[str]
    groups: tuple[tuple[str, ...], ...]
    p: float

    @property
    def contenders(self) -> tuple[Placed, ...]:
        """The systems that are no references."""
        return tuple(placed for placed in self.systems if placed.verdict != REFERENCE)

    @property
    def leaders(self) -> tuple[str, ...]:
        """The ringed systems, the fairest first; without any the fairest alone."""
        names = tuple(placed.system for placed in self.contenders if placed.system in self.ringed)
        return names or tuple(placed.system for placed in self.contenders[:1])

    @property
    def behind(self) -> tuple[str, ...]:
        """The systems that are significantly behind, the fairest first."""
        return tuple(placed.system for placed in self.contenders if placed.verdict == BEHIND)

    @property
    def lead(self) -> str:
        """The number of systems that are significantly behind, and p: `ahead of 5 of 6 · p ≤ .030`."""
        if not self.against:
            return "not tested"
        others = len(self.contenders) - 1
        if not self.behind:
            return f"ahead of none of {others}"
        return f"ahead of {len(self.behind)} of {others} · {p_value(self.p, several=len(self.behind) > 1)}"

    @property
    def words(self) -> str:
        """The order in one line: `CWEx@10: w2v_add is best; not significantly different: w2v_si; behind: bm25.`"""
        return f"{self.question.text}: {self.verdicts}"

    @property
    def verdicts(self) -> str:
        """The line without the measure."""
        if not self.contenders:
            return "no system has a value."
        first = self.contenders[0]
        best = self.against or first.system
        if not self.against:
            return f"{first.system} has the best mean, {decimal(first.value)}; not tested."
        parts = [f"{best} is {'the baseline' if best != first.system else 'best'}"]
        for verdict, text in ((AHEAD, "ahead"), (SAME, SAME), (MIXED, "undecided"), (BEHIND, "behind")):
            names = [placed.system for placed in self.contenders if placed.verdict == verdict]
            if names:
                p = f" ({p_value(self.p, several=len(names) > 1)})" if verdict == BEHIND else ""
                parts.append(f"{text}: {first_listed(names, MOST_NAMED)}{p}")
        return f"{'; '.join(parts)}."


def orders(summary: pd.DataFrame, questions: Sequence[Question], comparison: Comparison) -> list[Order]:
    """Return the order of each measure that has a better direction and a value, in the order of the questions.

    summary: of `summarise` (system, measure, value). comparison: of the same systems and measures.
    """
    view = comparison.against(comparison.how.tests.baseline)
    by_measure = {pairs.text: pairs for pairs in comparison.pairs}
    stars = starred(comparison)
    made = []
    for question in questions:
        rows = summary[(summary["measure"] == question.text) & summary["value"].notna()]
        if question.direction == "none" or rows.empty:
            continue
        values = dict(zip(rows["system"].astype(str), rows["value"].astype(float), strict=True))
        verdicts = {row.system: row for row in view.rows.get(question.text, ())}
        pairs = by_measure.get(question.text)
        against = view.rows[question.text][0].baseline if verdicts and pairs is not None and pairs.family else ""
        systems = _placed(question, values, comparison, {name: row.verdict for name, row in verdicts.items()}, against)
        p = [row.p_corrected for row in verdicts.values() if row.verdict == BEHIND]
        groups = _groups(pairs, [placed.system for placed in systems], comparison.how.alpha) if against else ()
        made.append(
            Order(question, systems, against, stars.get(question.text, frozenset()), groups, max(p, default=math.nan))
        )
    return made


def _placed(
    question: Question, values: dict[str, float], comparison: Comparison, verdicts: dict[str, str], against: str
) -> tuple[Placed, ...]:
    """Return the systems, the fairest first, references last."""
    distance = dict(zip(values, unfairness(question, list(values.values())).tolist(), strict=True))
    placed = []
    for name in sorted(values, key=lambda name: (is_reference(name), distance[name])):
        verdict = verdicts.get(name, UNTESTED) if against else UNTESTED
        if is_reference(name) and not comparison.how.is_tested(name):
            verdict = REFERENCE
        elif name == against:
            verdict = BEST
        elif verdict not in (AHEAD, BEHIND, SAME, MIXED):
            verdict = UNTESTED
        placed.append(Placed(name, values[name], verdict))
    return tuple(placed)


def _groups(pairs: Pairs | None, systems: Sequence[str], alpha: float) -> tuple[tuple[str, ...], ...]:
    """Return the longest runs of neighbours in the order of which no two differ significantly; runs of one are left
    out. A pair without a test ends a run."""
    if pairs is None:
        return ()
    known = [name for name in systems if name in pairs.points.systems]
    places = [pairs.points.systems.index(name) for name in known]
    p = pairs.columns["p_corrected"]
    runs: list[tuple[str, ...]] = []
    ends_before = 0
    for start in range(len(known)):
        end = start + 1
        while end < len(known) and np.all(p[places[end], places[start:end]] >= alpha):
            end += 1
        if end - start > 1 and end > ends_before:
            runs.append(tuple(known[start:end]))
        ends_before = max(ends_before, end)
    return tuple(runs)


def caption(comparison: Comparison) -> str:
    """Return the meaning of rings and pale marks, with the family and the method, in one line."""
    if not comparison.family:
        return f"{family_text(comparison)[0].upper()}{family_text(comparison)[1:]}."
    against = comparison.how.tests.baseline or "the best"
    return (
        f"Ringed: not significantly different from {against}; pale: significantly behind ({family_text(comparison)})."
    )


def strips(made: Sequence[Order], width: int = 60) -> str:
    """Return the orders as lines for a terminal: a letter for each system at its place, `[a]` where ringed.

    The fairer end is at the right. Letters that would lie on one another stand above one another. A reference beyond
    the others' range stands at its end.
    """
    names = list(dict.fromkeys(placed.system for order in made for placed in order.systems))
    letters = {name: _letter(place) for place, name in enumerate(names)}
    legend = "  ".join(f"{letter} {name}" for name, letter in letters.items())
    lines = [legend, "[ ] best or not significantly different from it"]
    for order in made:
        lines += ["", *_strip(order, letters, width)]
    return "\n".join(lines)


def _letter(place: int) -> str:
    """Return a, b, …, z, a1, b1, …."""
    return chr(ord("a") + place % 26) + (str(place // 26) if place >= 26 else "")


def _strip(order: Order, letters: dict[str, str], width: int) -> list[str]:
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
    axis = "".join(character if character != " " else "·" for character in rows[0]) if rows else "·" * width
    line = f"{decimal(left):>8} {axis} {decimal(right)}"
    return [f"{order.question.text}  {direction(order.question)}", *above, line, f"{margin} {order.verdicts}"]


def ends(order: Order) -> tuple[float, float]:
    """Return the values at the left and the right end of a measure's axis, the fairer at the right.

    References do not set them. Of a measure that is fairest at 0 or 1 the axis is not turned.
    """
    values = [placed.value for placed in order.contenders] or [placed.value for placed in order.systems]
    low, high = min(values), max(values)
    return (high, low) if order.question.direction == "lower" else (low, high)


def position(value: float, left: float, right: float) -> float:
    """Return a value's place between the ends, from 0 to 1; a value beyond them is at the end, 0.5 if they are equal.

    >>> position(0.3, 0.2, 0.4), position(0.9, 0.4, 0.2)
    (0.5, 0.0)
    """
    return min(max((value - left) / (right - left), 0.0), 1.0) if left != right else 0.5


def direction(question: Question) -> str:
    """Return the better end of a measure's axis in words: `fairer →`, `better →` or `0 is fairest`."""
    goal = "better" if question.measure is None else "fairer"
    return {"zero": "0 is fairest", "one": "1 is fairest"}.get(question.direction, f"{goal} →")
