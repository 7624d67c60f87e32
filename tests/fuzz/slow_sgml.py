"""TREC topics and documents in SGML, walked over one tag at a time."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from tests.fuzz.slow_text import Row, UnreadableError

FIELDS = ("num", "title", "desc", "narr", "dom", "smry", "con", "fac", "def", "time", "nat")
TITLES = ("title", "headline", "hl", "head", "ti")
LABELS = {"num": "number", "title": "topic"}


class Tag(NamedTuple):
    """A tag of the text: where it starts and ends, and whether it closes."""

    start: int
    end: int
    name: str
    closes: bool


def tags(text: str, *names: str) -> Iterator[Tag]:
    """The tags of these names: `<`, perhaps `/`, the name in any case, perhaps blanks, `>`."""
    place = text.find("<")
    while place >= 0:
        end = text.find(">", place)
        if end < 0:
            return
        inside = text[place + 1 : end]
        closes = inside.startswith("/")
        name = inside[closes:].rstrip(" \t")
        if name.isascii() and name.lower() in names:
            yield Tag(place, end + 1, name.lower(), closes)
        place = text.find("<", place + 1)


def blocks(text: str, name: str) -> list[str]:
    """What stands between each pair of tags; anything else than blanks outside of them is wrong."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    found, last, inside = [], 0, False
    for tag in tags(text, name):
        between = text[last : tag.start]
        if tag.closes != inside:
            raise UnreadableError(f"a tag of {name} without its fellow")
        if inside:
            found.append(between)
        elif between.strip():
            raise UnreadableError(f"text outside of {name}")
        last, inside = tag.end, not inside
    if inside or text[last:].strip():
        raise UnreadableError(f"{name} is not closed, or text stands behind")
    if not found:
        raise UnreadableError(f"no {name}")
    return found


def topics(text: str) -> list[Row]:
    made = []
    for block in blocks(text, "top"):
        found: dict[str, str] = {}
        marks = list(tags(block, *FIELDS))
        ends = [mark.start for mark in marks[1:]] + [len(block)]
        for mark, end in zip(marks, ends, strict=True):
            if not mark.closes:
                found.setdefault(mark.name, " ".join(without_label(mark.name, block[mark.end : end]).split()))
        if not found.get("num") or not found.get("title"):
            raise UnreadableError("a topic without number or title")
        made.append({"query_id": found["num"], "text": found["title"]})
    return made


def without_label(name: str, text: str) -> str:
    """The text without the `Number:` or `Topic:` in front of it."""
    label, rest = LABELS.get(name, ""), text.lstrip()
    if not label or rest[: len(label)].lower() != label or not rest[len(label) :].lstrip().startswith(":"):
        return text
    return rest[len(label) :].lstrip()[1:]


def documents(text: str) -> list[Row]:
    made = []
    for block in blocks(text, "doc"):
        names = elements(block, "docno")
        name = names[0].strip() if names else ""
        if len(name.split()) != 1:
            raise UnreadableError("a document without a DOCNO of one word")
        made.append({"doc_id": name, "title": title_of(block), "text": text_of(block)})
    return made


def elements(block: str, name: str) -> list[str]:
    """What stands in each element of this name: from an opening tag to a closing one, none between."""
    marks = list(tags(block, name))
    return [block[one.end : other.start] for one, other in pairwise(marks) if other.closes and not one.closes]


def title_of(block: str) -> str:
    opened = next((mark.start for mark in tags(block, "text") if not mark.closes), len(block))
    found = next(filter(None, (elements(block[:opened], name) for name in TITLES)), [])
    return " ".join(paragraphs("\n".join(found)).split())


def text_of(block: str) -> str:
    """What stands in TEXT, or else behind the first end of a DOCNO."""
    texts = elements(block, "text") or [block[next(mark.end for mark in tags(block, "docno") if mark.closes) :]]
    return "\n".join(paragraphs(text) for text in texts)


def paragraphs(text: str) -> str:
    """The text with each mark of a paragraph as the end of a line."""
    pieces, last = [], 0
    for mark in tags(text, "p"):
        pieces.append(text[last : mark.start])
        last = mark.end
    return "\n".join(filter(None, (piece.strip() for piece in [*pieces, text[last:]])))
