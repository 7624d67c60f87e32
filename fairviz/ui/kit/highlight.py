"""A document's text as escaped HTML: gender words marked by group, every word shaded by genderedness, excerpts around
gender words, and a chip for a label."""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import numpy as np

from fairviz.evaluation.choices import chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import Theme, group_colour
from fairviz.normal_form import normal_form
from fairviz.study.record import Study
from fairviz.ui.kit.html import escape
from fairviz.words.counting import Lexicon, document_text, find_entries
from fairviz.words.sentences import decimal
from fairviz.words.tokenizers import WORD

MOST_CHARACTERS = 4_000  # characters of a text that are shown before a click shows all of it
LEVELS = 4  # shades on either side of the centre
STEP = 0.06  # genderedness from one shade to the next
MOST_MARKS = 20_000  # words of a text that are marked or shaded; more are too slow in a browser
SHAPES = {"neutral": "●", "female": "■", "male": "▲"}
MORE_SHAPES = ("◆", "★", "✚", "▼")
LINES = {"female": "solid", "male": "dashed"}
MORE_LINES = ("double", "dotted")


def marked_html(text: str, lexicon: Lexicon, tokenizer: str, groups: Sequence[str]) -> str:
    """Return the text as HTML with the lexicon's words marked by group."""
    found = find_entries(text, lexicon, tokenizer, groups)
    return _html(text, [((one.start, one.end), _mark(groups, one.group), one.group) for one in found])


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
    spans = [(token.start, token.end) for token in WORD.tokens(text)]
    g = genderedness([normal_form(text[start:end]).lower() for start, end in spans]) if spans else np.zeros(0)
    marks_by_position = {
        position: _mark(groups, found.group)  # an entry such as ex-boyfriend contains two of these words
        for found in find_entries(text, lexicon, tokenizer, groups)
        for position in range(found.start, found.end)
    }
    parts = []
    for span, value in zip(spans, g.tolist(), strict=True):
        classes = " ".join(filter(None, (shade(value, centre), marks_by_position.get(span[0], ""))))
        if classes:
            parts.append((span, classes, "" if np.isnan(value) else f"g = {decimal(value, sign='+')}"))
    return _html(text, parts)


def shade(value: float, centre: float) -> str:
    """Return the CSS class of a shade: `fv-f1` to `fv-f4` on the female side of the centre, `fv-m…` on the male side,
    else none."""
    if np.isnan(value):
        return ""
    level = min(int(abs(value - centre) / STEP), LEVELS)
    return f"fv-{'f' if value > centre else 'm'}{level}" if level else ""


def _mark(groups: Sequence[str], group: str) -> str:
    return f"fv-w{groups.index(group)}" if group else ""


def _html(text: str, parts: Sequence[tuple[tuple[int, int], str, str]]) -> str:
    """Return the escaped text with the first MOST_MARKS parts in spans. parts: start and end, class, title."""
    pieces, done = [], 0
    for (start, end), name, title in parts[:MOST_MARKS]:
        pieces.append(escape(text[done:start]))
        tooltip = f' title="{escape(title)}"' if title else ""
        pieces.append(f'<span class="{name}"{tooltip}>{escape(text[start:end])}</span>')
        done = end
    return "".join([*pieces, escape(text[done:])])


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


class Extent(NamedTuple):
    """Numbers of characters of an excerpt: of the beginning, on either side of a later gender word, and in total."""

    beginning: int
    around: int
    most: int


ROOMY, NARROW = Extent(110, 32, 260), Extent(44, 18, 130)


def marked(study: Study, settings: Settings, names: Sequence[str], *, roomy: bool = True) -> dict[str, str]:
    """Return the excerpts of each of these documents with text, gender words marked, as HTML."""
    documents = study.documents[study.documents["doc_id"].isin(list(names))]
    marking = chosen_lexicon(study, settings), settings.tokenizer, study.groups
    excerpts_by_name = {}
    for name, text in zip(documents["doc_id"], document_text(documents), strict=True):
        if isinstance(text, str):
            found = excerpts(text, *marking, ROOMY if roomy else NARROW)
            excerpts_by_name[str(name)] = " … ".join(marked_html(text[start:end], *marking) for start, end in found)
    return excerpts_by_name


def excerpts(
    text: str, lexicon: Lexicon, tokenizer: str, groups: Sequence[str], extent: Extent = ROOMY
) -> list[tuple[int, int]]:
    """Return start and end of each excerpt of a text, its beginning and the text around its first gender words, from
    space to space; the last one is empty if the text continues."""
    pieces = [(0, len(cut(text, extent.beginning)))]
    for found in find_entries(text[:MOST_CHARACTERS], lexicon, tokenizer, groups):
        if found.end <= pieces[-1][1] or sum(stop - start for start, stop in pieces) >= extent.most:
            continue
        begin = text.rfind(" ", 0, max(found.start - extent.around, 0)) + 1
        end = text.find(" ", found.end + extent.around)
        piece = begin, len(text) if end < 0 else end
        if begin <= pieces[-1][1]:
            pieces[-1] = pieces[-1][0], piece[1]
        else:
            pieces.append(piece)
    return pieces if pieces[-1][1] >= len(text) else [*pieces, (len(text), len(text))]


def beginnings(study: Study, names: Collection[str], most: int) -> dict[str, str]:
    """Return the first `most` characters of title and text of each of these documents, not escaped."""
    documents = study.documents[study.documents["doc_id"].isin(list(names))]
    titles, bodies = (documents[part].fillna("").astype("str") for part in ("title", "text"))
    texts = (titles + " " + bodies).str.strip()
    return {str(name): cut(text, most) for name, text in zip(documents["doc_id"], texts, strict=True)}
