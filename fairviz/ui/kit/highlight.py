"""A document's text as escaped HTML: gender words marked by group, every word shaded by genderedness."""

import re
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from fairviz.figures.style import Theme, group_colour
from fairviz.ui.kit.html import escape
from fairviz.words.counting import Lexicon
from fairviz.words.sentences import decimal

MOST_CHARACTERS = 4_000  # characters of a text that are shown before a click shows all of it
LEVELS = 4  # shades on either side of the centre
STEP = 0.06  # genderedness from one shade to the next
MOST_MARKS = 20_000  # words of a text that are marked or shaded; more are too slow in a browser
SHAPES = {"neutral": "●", "female": "■", "male": "▲"}
MORE_SHAPES = ("◆", "★", "✚", "▼")
LINES = {"female": "solid", "male": "dashed"}
MORE_LINES = ("double", "dotted")
_TOKENS = {"word": re.compile(r"\w+"), "whitespace": re.compile(r"\S+")}


class Token(NamedTuple):
    """A word of a text: its start, its end (one past its last character), and the word as the tokenizer returns it."""

    start: int
    end: int
    word: str


def tokens(text: str, tokenizer: str) -> list[Token]:
    """Return the tokens of fairviz.words.counting.TOKENIZERS with their positions in the original text.

    Tokenizers work on lower case, which is longer than a text with İ: positions are then mapped back.
    """
    lowered = text.lower()
    lowered_tokens = [Token(*match.span(), match.group()) for match in _TOKENS[tokenizer].finditer(lowered)]
    if len(lowered) == len(text):
        return lowered_tokens
    ends = list(accumulate(len(character.lower()) for character in text))
    positions = np.searchsorted(ends, np.arange(len(lowered)), side="right")
    return [
        Token(int(positions[token.start]), int(positions[token.end - 1]) + 1, token.word) for token in lowered_tokens
    ]


def group_of_tokens(text_tokens: Sequence[Token], lexicon: Lexicon, groups: Sequence[str]) -> list[str]:
    """Return the gender group of each token, empty for a word outside the lexicon."""
    groups_by_word = {word: group for word, group in lexicon.words if group in groups}
    return [groups_by_word.get(token.word, "") for token in text_tokens]


def marked_html(text: str, lexicon: Lexicon, tokenizer: str, groups: Sequence[str]) -> str:
    """Return the text as HTML with the lexicon's words marked by group."""
    gendered = _gendered(text, lexicon, tokenizer, groups)
    return _html(text, [(token, _mark(groups, group), group) for token, group in gendered])


def shaded_html(
    text: str,
    lexicon: Lexicon,
    tokenizer: str,
    groups: Sequence[str],
    genderedness: Callable[[list[str]], np.ndarray],
    centre: float,
) -> str:
    """Return the text as HTML with every word shaded by its genderedness about `centre`, and the lexicon's words
    marked.

    genderedness: from words to g (N,), NaN for a word without a vector, which has no shade. The tooltip shows raw g.
    """
    words = tokens(text, "word")
    g = genderedness([token.word for token in words]) if words else np.zeros(0)
    marks_by_position = {
        position: _mark(groups, group)  # a whitespace token such as ex-boyfriend contains two of these words
        for token, group in _gendered(text, lexicon, tokenizer, groups)
        for position in range(token.start, token.end)
    }
    parts = []
    for token, value in zip(words, g.tolist(), strict=True):
        classes = " ".join(filter(None, (shade(value, centre), marks_by_position.get(token.start, ""))))
        if classes:
            parts.append((token, classes, "" if np.isnan(value) else f"g = {decimal(value, sign='+')}"))
    return _html(text, parts)


def _gendered(text: str, lexicon: Lexicon, tokenizer: str, groups: Sequence[str]) -> list[tuple[Token, str]]:
    text_tokens = tokens(text, tokenizer)
    token_groups = group_of_tokens(text_tokens, lexicon, groups)
    return [(token, group) for token, group in zip(text_tokens, token_groups, strict=True) if group]


def shade(value: float, centre: float) -> str:
    """Return the CSS class of a shade: `fv-f1` to `fv-f4` on the female side of the centre, `fv-m…` on the male side,
    else none."""
    if np.isnan(value):
        return ""
    level = min(int(abs(value - centre) / STEP), LEVELS)
    return f"fv-{'f' if value > centre else 'm'}{level}" if level else ""


def _mark(groups: Sequence[str], group: str) -> str:
    return f"fv-w{groups.index(group)}" if group else ""


def _html(text: str, parts: Sequence[tuple[Token, str, str]]) -> str:
    """Return the escaped text with the first MOST_MARKS tokens in spans with a class and a title."""
    pieces, end = [], 0
    for token, name, title in parts[:MOST_MARKS]:
        pieces.append(escape(text[end : token.start]))
        tooltip = f' title="{escape(title)}"' if title else ""
        pieces.append(f'<span class="{name}"{tooltip}>{escape(text[token.start : token.end])}</span>')
        end = token.end
    return "".join([*pieces, escape(text[end:])])


def cut(text: str, most: int = MOST_CHARACTERS) -> str:
    """Return the first `most` characters of a text at most, cut at a space if one is among the last 80."""
    if len(text) <= most:
        return text
    space = text.rfind(" ", max(most - 80, 0), most)
    return text[: space if space > 0 else most]


def shape(group: str, groups: Sequence[str]) -> str:
    """Return the symbol of a group, so that colour is never the only cue."""
    if group in SHAPES:
        return SHAPES[group]
    others = [name for name in groups if name not in SHAPES]
    return MORE_SHAPES[others.index(group) % len(MORE_SHAPES)] if group in others else "○"


def line(group: str, groups: Sequence[str]) -> str:
    """Return the CSS border style under a group's words."""
    others = [name for name in groups if name not in LINES]
    return LINES[group] if group in LINES else MORE_LINES[others.index(group) % len(MORE_LINES)]


def chip(label: str, labels: Sequence[str], theme: Theme) -> str:
    """Return a label as HTML: its shape and name on its colour; `no label` if it is empty."""
    if not label:
        return '<span class="fv-nochip">no label</span>'
    ink = "#12161d" if theme.dark else "#ffffff"
    colour = group_colour(label, labels, theme)
    return f'<span class="fv-chip" style="background:{colour};color:{ink}">{escape(shape(label, labels))} {escape(label)}</span>'  # noqa: E501


def style_sheet(groups: Sequence[str], theme: Theme) -> str:
    """Return the CSS classes of marks and shades in the colours of the theme, as one style element."""
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
