"""The one sentence of what to notice on the page Words: pure functions from tests to spans of text."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.ui.kit.html import Sentence, Span
from fairviz.ui.stereotypes.wording import signed

SURE = 0.05
LEVEL = 0.005  # a g that rounds to 0.00
LEAST = 0.005  # a difference of the means that is worth a word


def finding(tests: pd.DataFrame, kind: str) -> Sentence:
    """Which lists lie apart on the axis, by how much, and what the permutation tests say."""
    known = tests.dropna(subset=["difference"])
    if known.empty:
        return (Span("Choose lists, or type words into both fields, to see whether they lie apart."),)
    spans: list[Span] = []
    numbers = known[["difference", "p"]].to_numpy(dtype=float).tolist()
    for female, male, (difference, p) in zip(known["female"], known["male"], numbers, strict=True):
        apart = abs(difference) >= LEAST
        where = " level with " if not apart else " above " if difference > 0 else " below "
        told = f" ({signed(difference)}, p = {p_text(p)})" if apart else ""
        spans += [Span("; ")] if spans else []
        spans += [Span(str(female), True), Span(where), Span(str(male), True), Span(told)]
    sure = int((known["p"] < SURE).sum())
    tail = " after debiasing." if kind != "none" else f". {_sure(sure, len(known))}"
    return (Span("On the axis: "), *spans, Span(tail))


def _sure(sure: int, tests: int) -> str:
    if tests == 1:
        return "So far apart chance alone rarely sets them." if sure else "Chance alone can set them so far apart."
    count = "All" if sure == tests else "None" if not sure else f"{sure} of {tests}"
    return f"{count} lie further apart than chance alone would set them (p < {SURE})."


def p_text(p: float) -> str:
    """`0.022`, `5.5 × 10⁻⁴`; `undefined` for NaN."""
    if np.isnan(p):
        return "undefined"
    if p >= 1e-3:
        return f"{p:.2g}"
    digits, power = f"{p:.1e}".split("e")
    return f"{digits} × 10{_raised(int(power))}"


def _raised(power: int) -> str:
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def verdict(word: str, g: float, low: float, high: float, centre: float, kind: str = "none") -> Sentence:
    """`nurse leans female (+0.26, −0.13 to +0.31); the pairs do not agree on it.`: on which side of 0 a word lies, and
    whether its interval over the defining pairs holds 0.

    centre: the vocabulary's mean g; a word between it and 0 says so. kind: the debiasing, which leaves no interval.
    """
    name = Span(word, True)
    if np.isnan(g):
        return (name, Span(" has no vector, and so no genderedness."))
    side = "lies in the middle" if abs(g) < LEVEL else f"leans {'female' if g > 0 else 'male'}"
    if kind != "none":
        return (name, Span(f" {side} ({signed(g)}) after {kind} debiasing."))
    if np.isnan(low) or np.isnan(high):
        return (name, Span(f" {side} ({signed(g)}).{_beside(g, centre)}"))
    agreed = "the pairs do not agree on it" if low <= 0 <= high else "the pairs agree on it"
    return (name, Span(f" {side} ({signed(g)}, {signed(low)} to {signed(high)}); {agreed}.{_beside(g, centre)}"))


def _beside(g: float, centre: float) -> str:
    """Says where a word leans less than the vocabulary does on the whole; empty elsewhere."""
    if abs(g) < LEVEL or np.isnan(centre) or not min(0, centre) < g < max(0, centre):
        return ""
    return f" The mean of all words leans further ({signed(centre)})."


def typed_last(before: Sequence[str], words: Sequence[str]) -> str:
    """The last of the words that were not there before; empty where none is new."""
    new = [word for word in words if word not in before]
    return new[-1] if new else ""


def missing_text(words: pd.DataFrame) -> str:
    """The words that have no vector, listed; empty where all have one."""
    missing = list(dict.fromkeys(words.loc[words["before"].isna(), "word"]))
    if not missing:
        return ""
    return f"Without a vector, and so without a genderedness: {', '.join(missing)}."
