"""A margin within which a difference does not matter, and the power of the minimum detectable difference."""

import math
from collections.abc import Mapping, Sequence
from numbers import Real

import numpy as np

from fairviz.comparison.how import How
from fairviz.comparison.pair_rows import OUTSIDE, REFERENCE, UNTESTED, Row
from fairviz.comparison.pairs import Pairs
from fairviz.errors import UsageError, expect, use_one_of
from fairviz.measures import Question, parse
from fairviz.statistics.references import within

EQUIVALENT, NOT_SHOWN, NO_MARGIN = "equivalent", "not shown", "no margin"
POWER = 0.8  # what is usually asked for
A_MARGIN = "Use a number above 0, in units of the measure, such as 0.01."


def equivalence_columns(pairs: Pairs, rows: Sequence[Row], how: How) -> dict[str, list]:
    """Return the columns of margin and power for these rows."""
    place = {name: row for row, name in enumerate(pairs.points.systems)}
    positions = [(place[row.system], place[row.baseline]) for row in rows]
    added: dict[str, list] = {}
    if how.margins is not None:
        margin = how.margins.get(pairs.text, np.nan)
        p = [float(pairs.columns["p_equivalent"][pair]) for pair in positions]
        added = {"margin": [margin] * len(rows), "p_equivalent": p}
        added["equivalence"] = [_equivalence(row, margin, one, how) for row, one in zip(rows, p, strict=True)]
    if how.power is not None:
        added["minimum_detectable"] = [float(pairs.columns["minimum_detectable"][pair]) for pair in positions]
    return added


def _equivalence(row: Row, margin: float, p: float, how: How) -> str:
    if row.verdict in (REFERENCE, OUTSIDE, UNTESTED):
        return row.verdict
    if np.isnan(margin):
        return NO_MARGIN
    return EQUIVALENT if within(np.array(p), how.alpha) else NOT_SHOWN


def checked_power(power: float, alpha: float) -> float:
    """Return the power. Raises UsageError for one that is not between alpha and 1."""
    remedy = f"Use a number between {alpha:.3g} and 1, such as {POWER}."
    expect("power", power, Real, remedy)
    if not alpha < float(power) < 1:
        raise UsageError(f"power is {power}", remedy)
    return float(power)


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
        named[measure.strip()] = _number(number, text)
    return named


def _number(text: str, whole: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise UsageError(f"--margin is {whole!r}", "Write a number, as 0.01, or a measure's, as CWEx=0.01.") from error


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
        return dict.fromkeys(texts, _checked(margin))
    margins = dict.fromkeys(texts, _checked(margin[""]) if "" in margin else math.nan)
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
        margins |= dict.fromkeys(meant, _checked(value))
    return margins


def _checked(margin: object) -> float:
    expect("margin", margin, Real, A_MARGIN)
    value = float(margin)  # type: ignore[arg-type]
    if not (math.isfinite(value) and value > 0):
        raise UsageError(f"margin is {margin}", A_MARGIN)
    return value
