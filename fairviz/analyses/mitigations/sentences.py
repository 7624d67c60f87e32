"""Findings of a bench: the better system by each measure, and a warning where a mitigation is better by one measure and
worse by another. Findings that rest on means alone, without a corrected test, are marked."""

from collections.abc import Sequence

import pandas as pd

from fairviz.comparison.pairs import AHEAD, BEHIND, FEWEST_QUERIES, UNTESTED
from fairviz.words.sentences import decimal, listed

NOTHING = "no measure is significantly different"
FEW = f"no measure has a verdict: fewer than {FEWEST_QUERIES} queries in common, or fewer than half of all"
BETTER, WORSE = "better", "worse"
LEAST = 0.0005  # a difference of means that three decimals show
HALF, DOUBLE = (0.45, 0.55), (1.8, 2.2)  # of the value without the mitigation


def outcomes(table: pd.DataFrame) -> tuple[str, ...]:
    """A sentence for each mitigation."""
    return tuple(_outcome(part) for _, part in table.groupby("mitigation", sort=False))


def warnings_of(table: pd.DataFrame) -> tuple[str, ...]:
    """A sentence for each mitigation that is better by one measure and worse by another."""
    both = (part for _, part in table.groupby("mitigation", sort=False) if {AHEAD, BEHIND} <= set(part["verdict"]))
    return tuple(_outcome(part) for part in both)


def leanings(table: pd.DataFrame) -> tuple[str, ...]:
    """A sentence for each mitigation whose means are better by one measure and worse by another, where tests do not
    support both."""
    sentences = []
    for name, part in table.groupby("mitigation", sort=False):
        better, worse = (part[part["by_means"] == side] for side in (BETTER, WORSE))
        if len(better) and len(worse) and not {AHEAD, BEHIND} <= set(part["verdict"]):
            spoilt = listed([_changed(row) for row in worse.to_dict("records")])
            mended = listed(better["measure"].tolist())
            sentences.append(f"{name}: by its means worse by {spoilt}, and better by {mended}. No test supports both.")
    return tuple(sentences)


def _outcome(part: pd.DataFrame) -> str:
    rows = part.to_dict("records")
    phrases = []
    for verdict, word in ((AHEAD, "better"), (BEHIND, "worse")):
        changes = [_changed(row) for row in rows if row["verdict"] == verdict]
        phrases += [f"{word} by {listed(changes)}"] if changes else []
    nothing = FEW if all(row["verdict"] == UNTESTED for row in rows) else NOTHING
    return f"{rows[0]['mitigation']} against {rows[0]['base']}: {', and '.join(phrases) or nothing}."


def _changed(row: dict) -> str:
    return f"{row['measure']}, which {changed(row['base_value'], row['value'])}"


def changed(before: float, after: float) -> str:
    """Return a number's change in words.

    >>> changed(0.42, 0.21), changed(0.702, 0.686), changed(-0.2, 0.1)
    ('halves (0.420 to 0.210)', 'falls (0.702 to 0.686)', 'rises (−0.200 to 0.100)')
    """
    verb = "rises" if after > before else "falls"
    if before * after > 0:
        ratio = after / before
        verb = next((word for word, (low, high) in _VERBS if low <= ratio <= high), verb)
    return f"{verb} ({_value_text(before)} to {_value_text(after)})"


_VERBS: Sequence[tuple[str, tuple[float, float]]] = (("halves", HALF), ("doubles", DOUBLE))


def _value_text(value: float) -> str:
    return decimal(value)
