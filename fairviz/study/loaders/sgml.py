"""TREC's SGML: topics (`<top><num><title>`) as queries and `<DOC><DOCNO>…` as documents.

The text is data: it stands in the table as it stands in the file. No entity is resolved (`&amp;` stays), no tag in it
is followed, and none but those that mark paragraphs is taken out; each of these becomes a line end.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from fairviz.errors import BadLines, DataError, display_path
from fairviz.study.loaders.packing import packed_names
from fairviz.study.loaders.rows import Rows, repeated_ids
from fairviz.study.loaders.source import decode, problem, read_bytes
from fairviz.study.tables import DOCUMENTS, QUERIES, Schema, conform

SUFFIXES = packed_names(".txt", ".trec", ".sgml", ".sgm")
TOPIC = "Write each topic as: <top> <num> Number: 301 <title> its text </top>."
DOCUMENT = "Write each document as: <DOC> <DOCNO> its id </DOCNO> <TEXT> its text </TEXT> </DOC>."
_TITLES = ("title", "headline", "hl", "head", "ti")
_FIELD = re.compile(r"<(/?)(num|title|desc|narr|dom|smry|con|fac|def|time|nat)[ \t]*>", re.IGNORECASE)
_LABELS = {"num": re.compile(r"\s*number\s*:", re.IGNORECASE), "title": re.compile(r"\s*topic\s*:", re.IGNORECASE)}
_PARAGRAPH = re.compile(r"</?p[ \t]*>", re.IGNORECASE)


@dataclass(frozen=True)
class _Block:
    """What stands between a start tag and its end tag, and the line of the start tag."""

    line: int
    text: str


def read_topics(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """A file of TREC topics as a queries table: the number and the title of each, in one line.

    Raises DataError that names every topic without one of them.
    """
    file = display_path(path, root)
    bad, found = BadLines(file, TOPIC), []
    for block in _blocks(decode(read_bytes(path, root), file), "top", bad):
        fields = _fields(block.text)
        missing = [name for name in ("num", "title") if not fields.get(name)]
        for name in missing:
            bad.add(block.line, f"the topic that begins here has no <{name}>")
        if not missing:
            found.append((block.line, fields["num"], fields["title"]))
    return _table(found, ["query_id", "text"], QUERIES, bad, TOPIC)


def read_documents_in_sgml(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """A file of TREC documents as a documents table: DOCNO, the headline or title, and what stands in TEXT.

    A document without TEXT has what follows its DOCNO as its text. Raises DataError that names every document that is
    not closed or has no DOCNO.
    """
    file = display_path(path, root)
    bad, found = BadLines(file, DOCUMENT), []
    for block in _blocks(decode(read_bytes(path, root), file), "doc", bad):
        names = _elements(block.text, "docno")
        name = names[0].strip() if names else ""
        if name and not re.search(r"\s", name):
            found.append((block.line, name, _title(block.text), _text(block.text)))
        else:
            bad.add(block.line, "the document that begins here has no DOCNO of one word", name or None)
    return _table(found, ["doc_id", "title", "text"], DOCUMENTS, bad, DOCUMENT)


def _table(found: list[tuple], names: list[str], schema: Schema, bad: BadLines, remedy: str) -> pd.DataFrame:
    bad.settle()
    if not found:
        raise problem(bad.file, f"the file holds no {'topic' if schema is QUERIES else 'document'}", remedy)
    frame = pd.DataFrame([row[1:] for row in found], columns=names, dtype="str")
    repeated = repeated_ids(Rows(frame, bad.file, lambda: [row[0] for row in found]), frame, names[0])
    if repeated:
        raise DataError(repeated, f"Keep one of each {names[0]}.")
    return conform(frame, schema)


def _blocks(text: str, tag: str, bad: BadLines) -> Iterator[_Block]:
    """What stands between each `<tag>` and `</tag>`; text outside of them, and tags without their fellows, are bad."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    start, line, inside = 0, 1, False  # of the text behind the last tag
    for found in re.finditer(rf"<(/?){tag}[ \t]*>", text, re.IGNORECASE):
        between, closing = text[start : found.start()], bool(found[1])
        here = line + between.count("\n")
        if closing and inside:
            yield _Block(line, between)
        elif inside:
            bad.add(line, f"the <{tag.upper()}> that begins here is not closed")
        else:
            _note_outside(between, line, bad)
            if closing:
                bad.add(here, f"a </{tag.upper()}> that closes nothing")
        start, line, inside = found.end(), here, not closing
    if inside:
        bad.add(line, f"the <{tag.upper()}> that begins here is not closed")
    else:
        _note_outside(text[start:], line, bad)


def _note_outside(text: str, line: int, bad: BadLines) -> None:
    """Notes text that begins in this line and that no block would hold."""
    words = text.lstrip()
    if words:
        blank = text[: len(text) - len(words)].count("\n")
        bad.add(line + blank, "text outside of the tags", words.split("\n", 1)[0].rstrip())


def _fields(block: str) -> dict[str, str]:
    """The fields of a topic, each up to the next tag, without the label that TREC writes in front of it."""
    fields: dict[str, str] = {}
    tags = list(_FIELD.finditer(block))
    for place, tag in enumerate(tags):
        if tag[1]:
            continue
        end = tags[place + 1].start() if place + 1 < len(tags) else len(block)
        name, text = tag[2].lower(), block[tag.end() : end]
        label = _LABELS[name].match(text) if name in _LABELS else None
        fields.setdefault(name, " ".join(text[label.end() if label else 0 :].split()))
    return fields


def _elements(block: str, tag: str) -> list[str]:
    """What stands in each element of this name, in their order."""
    found, start = [], None
    for mark in re.finditer(rf"<(/?){tag}[ \t]*>", block, re.IGNORECASE):
        if mark[1] and start is not None:
            found.append(block[start : mark.start()])
        start = None if mark[1] else mark.end()
    return found


def _title(block: str) -> str:
    outside = re.split(r"<text[ \t]*>", block, maxsplit=1, flags=re.IGNORECASE)[0]
    titles = (_elements(outside, tag) for tag in _TITLES)
    found = next((texts for texts in titles if texts), [])
    return " ".join(_paragraphs("\n".join(found)).split())


def _text(block: str) -> str:
    texts = _elements(block, "text")
    if not texts:
        texts = [re.split(r"</docno[ \t]*>", block, maxsplit=1, flags=re.IGNORECASE)[-1]]
    return "\n".join(map(_paragraphs, texts))


def _paragraphs(text: str) -> str:
    """The paragraphs, one below another."""
    return "\n".join(filter(None, (paragraph.strip() for paragraph in _PARAGRAPH.split(text))))
