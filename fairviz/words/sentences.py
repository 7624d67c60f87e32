"""Sentences of plain and strong pieces, and numbers, p-values, counts and lists of names as text: alike on pages, in
reports and in messages.

`shortest` is for names, addresses, commands and recipes: not rounded, so that the same number is read back.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

MOST_NAMES = 3
LEAST = 5e-7  # a difference below it is shown as 0
VOWELS = ("a", "e", "i", "o", "u")
CONSONANT_SOUNDS = ("uni", "use", "usu", "uti", "one", "once", "eu")


class Span(NamedTuple):
    """A piece of a sentence; names of systems and measures are strong."""

    text: str
    strong: bool = False


Sentence = Sequence[Span]


def plain(sentence: Sentence) -> str:
    """Return the spans as plain text."""
    return "".join(span.text for span in sentence)


def shortest(number: float) -> str:
    """Return the shortest decimal text that reads back as this number; a whole number has no point.

    >>> shortest(0.7), shortest(1.0), shortest(0.1234567), shortest(0.1 + 0.2)
    ('0.7', '1', '0.1234567', '0.30000000000000004')
    """
    value = float(number)
    return str(int(number)) if value.is_integer() else repr(value)


def number(value: float) -> str:
    """Return the number with three decimals below ten, three digits above, a true minus sign; `undefined` for NaN."""
    if math.isnan(value):
        return "undefined"
    return decimal(value) if abs(value) < 10 else _minus(f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}")


def decimal(value: float, digits: int = 3, sign: str = "") -> str:
    """Return the number with this many decimals and a true minus sign; `undefined` for NaN. What rounds to 0 has no
    sign.

    sign: `+` for a sign before positive numbers too.

    >>> decimal(-0.25), decimal(0.25, 2, "+"), decimal(-0.0001), decimal(float("nan"))
    ('−0.250', '+0.25', '0.000', 'undefined')
    """
    if math.isnan(value):
        return "undefined"
    text = f"{value:{sign}.{digits}f}"
    is_zero = not any(character in "123456789if" for character in text)
    return text.lstrip("+-") if is_zero else _minus(text)


def signed(value: float) -> str:
    """Return `+0.075` or `−0.075`: three decimals, or as many as show a digit; 0 below half a millionth.

    >>> signed(-0.0751), signed(0.00004), signed(0.0)
    ('−0.075', '+0.00004', '0.000')
    """
    tiny = math.isfinite(value) and LEAST <= abs(value) < 0.0005
    return decimal(value, -math.floor(math.log10(abs(value))) if tiny else 3, "+")


def significant(value: float, digits: int = 4) -> str:
    """Return the number with this many digits, without zeros at its end; `0` below half a millionth.

    >>> significant(0.00001236), significant(-0.5), significant(12345.6)
    ('0.00001236', '−0.5', '12,346')
    """
    if not math.isfinite(value) or abs(value) < LEAST:
        return "0" if abs(value) < LEAST else decimal(value)
    text = f"{value:,.{max(digits - 1 - math.floor(math.log10(abs(value))), 0)}f}"
    return _minus(text.rstrip("0").rstrip(".") if "." in text else text)


def percent(share: float, digits: int = 0, sign: str = "") -> str:
    """Return the share as `69 %`; `undefined` for NaN.

    >>> percent(0.691), percent(-0.19, sign="+"), percent(-0.0001, sign="+"), percent(0.0234, 1)
    ('69 %', '−19 %', '0 %', '2.3 %')
    """
    text = decimal(100 * share, digits, sign)
    return text if text == "undefined" else f"{text} %"


def _minus(text: str) -> str:
    """Return the text of a number with a true minus sign, infinity as its symbol."""
    return text.replace("-", "−").replace("inf", "∞")


def with_interval(value: float, low: float, high: float, mark: str = "") -> str:
    """Return a value, a mark, and its interval if it is finite, for a narrow column: `0.250 ★ [.20, .30]`."""
    interval = f" [{_end(low)}, {_end(high)}]" if math.isfinite(low) and math.isfinite(high) else ""
    return f"{number(value)}{f' {mark}' if mark else ''}{interval}"


def _end(value: float) -> str:
    """Return an end of an interval with two decimals and no 0 before the point; three digits above ten."""
    text = decimal(value, 2) if abs(value) < 10 else number(value)
    return text.replace("0.", ".", 1) if abs(value) < 0.995 else text


def p_value(p: float, *, several: bool = False) -> str:
    """Return `p = .002` or `p < .001`; of several the highest, rounded up: `p ≤ .019`. Below .05 it is never `.05`."""
    if math.isnan(p):
        return "p undefined"
    if p < 0.001:
        return "p < .001"
    rounded = math.ceil(p * 1000) / 1000 if several else round(p, 3)
    if p < 0.05 <= rounded:
        return "p < .05"
    return f"p {'≤' if several else '='} {rounded:.3f}".replace("0.", ".", 1)


def p_cell(p: float, undefined: str) -> str:
    """Return p for the cell of a table with the head p: `.002` or `< .001`; `undefined` for NaN."""
    return undefined if math.isnan(p) else p_value(p).removeprefix("p ").removeprefix("= ")


def agreeing(count: float, singular: str, plural: str = "") -> str:
    """Return the form of a noun or verb that agrees with the count.

    >>> agreeing(1, "query"), agreeing(2, "query"), agreeing(0, "system"), agreeing(2, "is", "are")
    ('query', 'queries', 'systems', 'are')
    """
    if count == 1:
        return singular
    return plural or (f"{singular[:-1]}ies" if singular.endswith(("ry", "gy")) else f"{singular}s")


def counted(count: int, singular: str, plural: str = "") -> str:
    """Return `1 query` or `1,200 queries`."""
    return f"{count:,} {agreeing(count, singular, plural)}"


def out_of(count: int, total: int, singular: str, plural: str = "") -> str:
    """Return `1 of 1 query` or `3 of 1,200 queries`."""
    return f"{count:,} of {counted(total, singular, plural)}"


def with_article(noun: str) -> str:
    """Return `a run` or `an annotator`; a quotation mark before the noun does not count."""
    first = noun.lstrip("'\"“(").lower()
    is_open = first.startswith(VOWELS) and not first.startswith(CONSONANT_SOUNDS)
    return f"{'an' if is_open else 'a'} {noun}"


def seconds_text(seconds: float) -> str:
    """Return `about 12 seconds`, `about 4 minutes` or `about 3.0 hours`."""
    if seconds < 1:
        return "a second or less"
    if seconds < 100:
        return f"about {counted(round(seconds), 'second')}"
    return f"about {seconds / 60:.0f} minutes" if seconds < 6000 else f"about {seconds / 3600:.1f} hours"


def listed(words: Sequence[str], joint: str = "and") -> str:
    """Return `a`, `a and b` or `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {joint} {words[-1]}"


def first_listed(names: Iterable[object], most: int, between: str = ", ") -> str:
    """Return the first few names and the number of the others: `a, b and 3 more`."""
    texts = list(map(str, names))
    rest = len(texts) - most
    return between.join(texts[:most]) + (f" and {rest:,} more" if rest > 0 else "")


def naming(names: Sequence[str], first: Sequence[str]) -> list[Span]:
    """Return up to three names; of more those in `first` and the number of the others."""
    if len(names) <= MOST_NAMES:
        return joined([Span(name, True) for name in names])
    named = [name for name in names if name in first][:MOST_NAMES]
    rest = len(names) - len(named)
    more = f"{rest} more" if named else f"{rest} systems"
    return joined([*(Span(name, True) for name in named), Span(more, not named)])


def joined(spans: Sequence[Span]) -> list[Span]:
    """Return the spans as `a, b and c`."""
    out: list[Span] = []
    for place, span in enumerate(spans):
        joint = "" if place == 0 else " and " if place == len(spans) - 1 else ", "
        out += [Span(joint), span] if joint else [span]
    return out
