"""Formats of p, of signed differences and of lists of names in sentences of comparisons."""

import math
from collections.abc import Sequence

from fairviz.words.rich_text import Span

MOST_NAMES = 3


def chance(p: float, *, several: bool = False) -> str:
    """`p = .002`, `p < .001`; of several the highest, rounded up: `p ≤ .019`. Never .05 for a smaller p."""
    if p < 0.001:
        return "p < .001"
    rounded = math.ceil(p * 1000) / 1000 if several else round(p, 3)
    if p < 0.05 <= rounded:
        return "p < .05"
    return f"p {'≤' if several else '='} {rounded:.3f}".replace("0.", ".", 1)


def signed(value: float) -> str:
    """`+0.075` or `−0.075`: three digits behind the point, more where they would all be 0."""
    text = f"{value:+.3f}" if abs(value) >= 0.0005 or not value else f"{value:+.1e}"
    return text.replace("-", "−")


def naming(names: Sequence[str], first: Sequence[str]) -> list[Span]:
    """Up to three names; of more those in `first` and the number of the others."""
    if len(names) <= MOST_NAMES:
        return joined([Span(name, True) for name in names])
    named = [name for name in names if name in first][:MOST_NAMES]
    rest = len(names) - len(named)
    more = f"{rest} more" if named else f"{rest} systems"
    return joined([*(Span(name, True) for name in named), Span(more, not named)])


def joined(spans: Sequence[Span]) -> list[Span]:
    """`a, b and c`, spans kept."""
    out: list[Span] = []
    for place, span in enumerate(spans):
        joint = "" if place == 0 else " and " if place == len(spans) - 1 else ", "
        out += [Span(joint), span] if joint else [span]
    return out


def listed(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
