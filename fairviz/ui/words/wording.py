"""Texts of the page Words: pure functions from numbers to spans of text."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.ui.kit.coloured_words import signed
from fairviz.words.sentences import Sentence, Span

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LEVEL = 0.005  # a g that rounds to 0.00


def p_text(p: float) -> str:
    """Return p as text: `0.022`, `5.5 × 10⁻⁴`; `undefined` for NaN."""
    if np.isnan(p):
        return "undefined"
    if p >= 1e-3:
        return f"{p:.2g}"
    digits, power = f"{p:.1e}".split("e")
    return f"{digits} × 10{str(int(power)).translate(SUPERSCRIPTS)}"


def verdict(word: str, g: float, relative: float, low: float, high: float, kind: str = "none") -> Sentence:
    """Return the sentence on a word's leaning: `nurse leans female (+0.35 [+0.10, +0.42] from the average word; g =
    +0.26).`

    relative: g minus the vocabulary's mean, low and high its interval over the pairs. If that contains 0, the direction
    is uncertain. kind: the debiasing, after which there is no interval.
    """
    name = Span(word, True)
    if np.isnan(g):
        return (name, Span(" has no vector, and so no genderedness."))
    side = "is in the middle" if abs(relative) < LEVEL else f"leans {'female' if relative > 0 else 'male'}"
    interval = f" [{signed(low)}, {signed(high)}]"
    if np.isnan(low) or np.isnan(high):
        interval = ""
    elif low <= 0 <= high:
        side = "has no certain direction"
    after = f" after {kind} debiasing" if kind != "none" else ""
    return (name, Span(f" {side}{after} ({signed(relative)}{interval} from the average word; g = {signed(g)})."))


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
