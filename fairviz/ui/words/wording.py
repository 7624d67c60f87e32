"""The notice of the page Words: pure functions from tests to spans of text."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.ui.kit.coloured_words import signed
from fairviz.words.sentences import Sentence, Span, p_value

SURE = 0.05
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LEVEL = 0.005  # a g that rounds to 0.00
LEAST = 0.005  # the smallest reported difference of means


def finding(tests: pd.DataFrame, kind: str) -> Sentence:
    """Return the notice: the differences of the lists on the axis, and the permutation tests."""
    defined = tests.dropna(subset=["difference"])
    if defined.empty:
        return (Span("Choose lists, or type words into both fields, to see whether they lie apart."),)
    spans: list[Span] = []
    numbers = defined[["difference", "p"]].to_numpy(dtype=float).tolist()
    for female, male, (difference, p) in zip(defined["female"], defined["male"], numbers, strict=True):
        is_reported = abs(difference) >= LEAST
        relation = " level with " if not is_reported else " above " if difference > 0 else " below "
        numbers_text = f" ({signed(difference)}, {p_value(p)})" if is_reported else ""
        spans += [Span("; ")] if spans else []
        spans += [Span(str(female), True), Span(relation), Span(str(male), True), Span(numbers_text)]
    significant_count = int((defined["p"] < SURE).sum())
    ending = " after debiasing." if kind != "none" else f". {_significance_text(significant_count, len(defined))}"
    return (Span("On the axis: "), *spans, Span(ending))


def _significance_text(significant_count: int, tests: int) -> str:
    if tests == 1:
        return (
            "So far apart chance alone rarely sets them."
            if significant_count
            else "Chance alone can set them so far apart."
        )
    count = (
        "All" if significant_count == tests else "None" if not significant_count else f"{significant_count} of {tests}"
    )
    return f"{count} lie further apart than chance alone would set them (p < {str(SURE).lstrip('0')})."


def p_text(p: float) -> str:
    """Return p as text: `0.022`, `5.5 × 10⁻⁴`; `undefined` for NaN."""
    if np.isnan(p):
        return "undefined"
    if p >= 1e-3:
        return f"{p:.2g}"
    digits, power = f"{p:.1e}".split("e")
    return f"{digits} × 10{str(int(power)).translate(SUPERSCRIPTS)}"


def verdict(word: str, g: float, low: float, high: float, centre: float, kind: str = "none") -> Sentence:
    """Return the sentence on a word's leaning: `nurse leans female (+0.26, −0.13 to +0.31); the pairs do not agree on
    it.`

    The pairs agree if the interval over them excludes 0. centre: the vocabulary's mean g; noted for a word between it
    and 0. kind: the debiasing, after which there is no interval.
    """
    name = Span(word, True)
    if np.isnan(g):
        return (name, Span(" has no vector, and so no genderedness."))
    side = "lies in the middle" if abs(g) < LEVEL else f"leans {'female' if g > 0 else 'male'}"
    if kind != "none":
        return (name, Span(f" {side} ({signed(g)}) after {kind} debiasing."))
    if np.isnan(low) or np.isnan(high):
        return (name, Span(f" {side} ({signed(g)}).{_centre_text(g, centre)}"))
    agreement = "the pairs do not agree on it" if low <= 0 <= high else "the pairs agree on it"
    return (
        name,
        Span(f" {side} ({signed(g)}, {signed(low)} to {signed(high)}); {agreement}.{_centre_text(g, centre)}"),
    )


def _centre_text(g: float, centre: float) -> str:
    """Return the note that a word leans less than the vocabulary's mean; empty otherwise."""
    if abs(g) < LEVEL or np.isnan(centre) or not min(0, centre) < g < max(0, centre):
        return ""
    return f" The mean of all words leans further ({signed(centre)})."


def typed_last(before: Sequence[str], words: Sequence[str]) -> str:
    """Return the last new word; empty without one."""
    new_words = [word for word in words if word not in before]
    return new_words[-1] if new_words else ""


def missing_text(words: pd.DataFrame) -> str:
    """Return the list of words without a vector as text; empty without any."""
    missing = list(dict.fromkeys(words.loc[words["before"].isna(), "word"]))
    if not missing:
        return ""
    return f"Without a vector, and so without a genderedness: {', '.join(missing)}."
