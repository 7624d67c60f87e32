"""A document's text as HTML: gender words marked by group, every word shaded by genderedness. Always escaped."""

import re
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from fairviz.figures.style import Theme, group_colour
from fairviz.ui.kit.html import escape
from fairviz.words.counting import Lexicon

SHOWN = 4_000  # characters of a text that are shown until a reader asks for all of it
LEVELS = 4  # shades on either side of the centre
STEP = 0.06  # genderedness from one shade to the next
MOST_MARKS = 20_000  # words of a text that are marked or shaded; a browser chokes on more
SHAPES = {"neutral": "●", "female": "■", "male": "▲"}
MORE_SHAPES = ("◆", "★", "✚", "▼")
LINES = {"female": "solid", "male": "dashed"}
MORE_LINES = ("double", "dotted")
_TOKENS = {"word": re.compile(r"\w+"), "whitespace": re.compile(r"\S+")}


class Token(NamedTuple):
    """A word of a text: where it begins and ends (one past its last character), and as the tokenizer gives it."""

    start: int
    end: int
    word: str


def tokens(text: str, tokenizer: str) -> list[Token]:
    """The tokens of fairviz.words.counting.TOKENIZERS with their places in the text as it was written.

    Tokenizers work on lower case, which is longer than the text where it holds İ: places are then counted back.
    """
    lowered = text.lower()
    found = [Token(*match.span(), match.group()) for match in _TOKENS[tokenizer].finditer(lowered)]
    if len(lowered) == len(text):
        return found
    ends = list(accumulate(len(sign.lower()) for sign in text))
    back = np.searchsorted(ends, np.arange(len(lowered)), side="right")
    return [Token(int(back[one.start]), int(back[one.end - 1]) + 1, one.word) for one in found]


def group_of_tokens(found: Sequence[Token], lexicon: Lexicon, groups: Sequence[str]) -> list[str]:
    """The gender group of each token, empty for a word outside the lexicon."""
    words = {word: group for word, group in lexicon.words if group in groups}
    return [words.get(one.word, "") for one in found]


def marked_html(text: str, lexicon: Lexicon, tokenizer: str, groups: Sequence[str]) -> str:
    """The text with the lexicon's words marked by group."""
    found = tokens(text, tokenizer)
    names = group_of_tokens(found, lexicon, groups)
    return _html(text, [(one, _mark(groups, name), name) for one, name in zip(found, names, strict=True) if name])


def shaded_html(
    text: str,
    lexicon: Lexicon,
    tokenizer: str,
    groups: Sequence[str],
    genderedness: Callable[[list[str]], np.ndarray],
    centre: float,
) -> str:
    """The text with every word shaded by its genderedness about `centre`, and the lexicon's words marked too.

    genderedness: words to g (N,), NaN where a word has no vector; such a word has no shade. The number that the
    pointer shows is raw g.
    """
    found = tokens(text, "word")
    g = genderedness([one.word for one in found]) if found else np.zeros(0)
    marks = {
        at: _mark(groups, name)  # a token of white space, ex-boyfriend, holds two of these words
        for one, name in _gendered(text, lexicon, tokenizer, groups)
        for at in range(one.start, one.end)
    }
    parts = []
    for one, value in zip(found, g.tolist(), strict=True):
        name = " ".join(filter(None, (shade(value, centre), marks.get(one.start, ""))))
        if name:
            parts.append((one, name, "" if np.isnan(value) else f"g = {value:+.3f}".replace("-", "−")))
    return _html(text, parts)


def _gendered(text: str, lexicon: Lexicon, tokenizer: str, groups: Sequence[str]) -> list[tuple[Token, str]]:
    found = tokens(text, tokenizer)
    names = group_of_tokens(found, lexicon, groups)
    return [(one, name) for one, name in zip(found, names, strict=True) if name]


def shade(value: float, centre: float) -> str:
    """The class of a shade: `fv-f1` to `fv-f4` on the female side of the centre, `fv-m…` on the male one, else none."""
    if np.isnan(value):
        return ""
    level = min(int(abs(value - centre) / STEP), LEVELS)
    return f"fv-{'f' if value > centre else 'm'}{level}" if level else ""


def _mark(groups: Sequence[str], name: str) -> str:
    return f"fv-w{groups.index(name)}" if name else ""


def _html(text: str, parts: Sequence[tuple[Token, str, str]]) -> str:
    """The text with the first MOST_MARKS of these tokens in spans of a class and a title, everything escaped."""
    out, at = [], 0
    for one, name, title in parts[:MOST_MARKS]:
        out.append(escape(text[at : one.start]))
        told = f' title="{escape(title)}"' if title else ""
        out.append(f'<span class="{name}"{told}>{escape(text[one.start : one.end])}</span>')
        at = one.end
    return "".join([*out, escape(text[at:])])


def cut(text: str, most: int = SHOWN) -> str:
    """The beginning of a long text, up to a space where there is one near; the text itself where it is short."""
    if len(text) <= most:
        return text
    space = text.rfind(" ", max(most - 80, 0), most)
    return text[: space if space > 0 else most]


def shape(group: str, groups: Sequence[str]) -> str:
    """The sign of a group, so that nothing rests on colour alone."""
    if group in SHAPES:
        return SHAPES[group]
    others = [name for name in groups if name not in SHAPES]
    return MORE_SHAPES[others.index(group) % len(MORE_SHAPES)] if group in others else "○"


def line(group: str, groups: Sequence[str]) -> str:
    """The underline of a group's words."""
    others = [name for name in groups if name not in LINES]
    return LINES[group] if group in LINES else MORE_LINES[others.index(group) % len(MORE_LINES)]


def chip(label: str, labels: Sequence[str], theme: Theme) -> str:
    """A label as HTML: its shape and name on its colour; a dash where there is none."""
    if not label:
        return '<span class="fv-nochip">no label</span>'
    ink = "#12161d" if theme.dark else "#ffffff"
    colour = label_colour(label, labels, theme)
    return f'<span class="fv-chip" style="background:{colour};color:{ink}">{escape(shape(label, labels))} {escape(label)}</span>'  # noqa: E501


def label_colour(label: str, labels: Sequence[str], theme: Theme) -> str:
    """The colour of a label: the group's; labels that are no genders by their place."""
    return group_colour(label, labels, theme)


def style_sheet(groups: Sequence[str], theme: Theme) -> str:
    """The classes of marks and shades in the colours of the theme, as one style element."""
    rules = [
        f".fv-w{place}{{border-bottom:2px {line(group, groups)} {group_colour(group, groups, theme)};"
        f"background:{group_colour(group, groups, theme)}26;padding:0 .1em;border-radius:2px}}"
        for place, group in enumerate(groups)
    ]
    for side, group in (("f", "female"), ("m", "male")):
        for level in range(1, LEVELS + 1):
            alpha = f"{40 * level:02x}"
            rules.append(
                f".fv-{side}{level}{{background:{group_colour(group, groups, theme)}{alpha};border-radius:2px}}"
            )
    return f"<style>{''.join(rules)}</style>"
