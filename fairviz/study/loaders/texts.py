"""Queries and documents with a header, MS MARCO's TSV without one, JSON of BEIR and others, TREC's markup.

A file is read by its content: text that begins with `<` is markup, whatever its name.

Queries have `query_id, text`, documents `doc_id, text` and perhaps `title`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

import pandas as pd

from fairviz.errors import BadLines, problem, raise_bad
from fairviz.study.loaders.archive import packed_names
from fairviz.study.loaders.lines import DOCUMENT_IDS, Layout, decode
from fairviz.study.loaders.rows import Rows, find_non_text, repeated_ids, rows_of
from fairviz.study.loaders.source import Source, open_source
from fairviz.study.tables import DOCUMENTS, QUERIES, Schema, conform

_QUERY_ALIASES = (  # of BEIR, of Grep-BiasIR, and others
    *(("_id", "query_id"), ("q_id", "query_id"), ("qid", "query_id"), ("topic_id", "query_id"), ("id", "query_id")),
    *((name, "text") for name in ("query", "contents", "content", "question", "title")),
)
_DOCUMENT_ALIASES = (
    *(("_id", "doc_id"), ("d_id", "doc_id")),
    *(each for each in DOCUMENT_IDS if each[0] != "document"),
    ("id", "doc_id"),
    *((name, "text") for name in ("document", "contents", "content", "body", "passage")),
    ("doc_title", "title"),
)
_QUERY_COLUMNS, _DOCUMENT_COLUMNS = ("query_id", "text"), ("doc_id", "text")
QUERY_LAYOUT = Layout("queries", _QUERY_COLUMNS, _QUERY_ALIASES, _QUERY_COLUMNS, ids=("query_id",))
DOCUMENT_LAYOUT = Layout("documents", _DOCUMENT_COLUMNS, _DOCUMENT_ALIASES, _DOCUMENT_COLUMNS, ids=("doc_id",))

_TAG = re.compile(rb"<(?:top|doc)[ \t]*>", re.IGNORECASE)


SUFFIXES = packed_names(".txt", ".trec", ".sgml", ".sgm", ".xml")
TOPIC = "Write each topic as: <top> <num> Number: 301 <title> its text </top>."
DOCUMENT = "Write each document as: <DOC> <DOCNO> its id </DOCNO> <TEXT> its text </TEXT> </DOC>."
XML_TOPIC = 'Write each topic as: <topic number="1"><query> its text </query></topic>.'
_XML_TOPICS = {"topic", "top", "query"}
_XML_IDS = ("number", "num", "id", "identifier", "qid", "query_id", "topic_id")
_XML_TEXTS = ("query", "title", "text", "question", "content", "description", "desc", "narrative", "en-title")
_DEEPEST = 100  # tags inside one another
_TITLES = ("title", "headline", "hl", "head", "ti")
_FIELD = re.compile(r"<(/?)(num|title|desc|narr|dom|smry|con|fac|def|time|nat)[ \t]*>", re.IGNORECASE)
_LABELS = {"num": re.compile(r"\s*number\s*:", re.IGNORECASE), "title": re.compile(r"\s*topic\s*:", re.IGNORECASE)}
_PARAGRAPH = re.compile(r"</?p[ \t]*>", re.IGNORECASE)


def _is_markup(source: Source) -> bool:
    """Return whether the file is SGML or XML: by its name or, in .txt, by its first sign or a tag of TREC's."""
    if source.ending != ".txt":
        return source.ending in SUFFIXES
    return source.data.lstrip()[:1] == b"<" or bool(_TAG.search(source.data))


def read_queries(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """Return a file of queries as a queries table, extra columns kept. Raises DataError that names every bad line."""
    source = open_source(path, root)
    if _is_markup(source):
        return topics_of(source)
    rows = rows_of(source, QUERY_LAYOUT)
    raise_bad(find_non_text(rows, "text", missing=False), "Give every query a text.")
    raise_bad(repeated_ids(rows, "query_id"), "Keep one line for each query.")
    return conform(rows.frame, QUERIES)


def read_documents(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """Return a file of documents as a documents table, extra columns kept. Raises DataError that names every bad line.

    An empty cell is a document with empty text; null, in JSON lines and Parquet, is missing text.
    """
    source = open_source(path, root)
    if _is_markup(source):
        return documents_of(source)
    rows = rows_of(source, DOCUMENT_LAYOUT)
    names = [name for name in ("text", "title") if name in rows.frame]
    bad_lines = [line for name in names for line in find_non_text(rows, name, missing=True)]
    raise_bad(bad_lines, "Write texts and titles as text, in quotes in JSON.")
    raise_bad(repeated_ids(rows, "doc_id"), "Keep one line for each document.")
    titles = {"title": rows.frame["title"].fillna("")} if "title" in rows.frame else {}
    return conform(rows.frame.assign(**titles), DOCUMENTS)


# --- TREC's SGML and XML: topics (`<top><num><title>`, `<topic number="1">`) as queries and `<DOC><DOCNO>…` as
# documents. The text of SGML is kept unchanged: no entity is resolved (`&amp;` stays), no tag is interpreted, and
# only those that mark paragraphs are removed; each of these becomes a line end.


def topics_of(source: Source) -> pd.DataFrame:
    """Return a file of TREC topics as a queries table: the number and the title of each, in one line.

    Raises DataError that names every topic without one of them.
    """
    text, file = decode(source.data, source.file), source.file
    if not re.search(r"<top[ \t]*>", text, re.IGNORECASE) or text.lstrip().startswith("<?xml"):
        return _xml_topics(source)
    bad_lines, topics = BadLines(file, TOPIC), []
    for block in _blocks(text, "top", bad_lines):
        fields = _fields(block.text)
        missing = [name for name in ("num", "title") if not fields.get(name)]
        for name in missing:
            bad_lines.add(block.line, f"the topic that begins here has no <{name}>")
        if not missing:
            topics.append((block.line, fields["num"], fields["title"]))
    return _build_table(topics, ["query_id", "text"], QUERIES, bad_lines, TOPIC)


def _fields(block: str) -> dict[str, str]:
    """Return the fields of a topic, each up to the next tag, without TREC's label."""
    fields: dict[str, str] = {}
    tags = list(_FIELD.finditer(block))
    for place, tag in enumerate(tags):
        if tag[1]:
            continue
        end = tags[place + 1].start() if place + 1 < len(tags) else len(block)
        name, content = tag[2].lower(), block[tag.end() : end]
        label = _LABELS[name].match(content) if name in _LABELS else None
        fields.setdefault(name, " ".join(content[label.end() if label else 0 :].split()))
    return fields


def _xml_topics(source: Source) -> pd.DataFrame:
    """Return the topics of an XML file: the number of each is an attribute or an element, its text the query or title.

    Entities are refused before any is expanded, and nothing outside of the file is opened.
    """
    parser = expat.ParserCreate("utf-8")  # as the file was checked, whatever it declares
    reading = _XmlReading(parser, BadLines(source.file, XML_TOPIC))
    parser.StartElementHandler, parser.EndElementHandler = reading.start, reading.end
    parser.CharacterDataHandler, parser.EntityDeclHandler = reading.text, reading.refuse
    try:
        parser.Parse(source.data, True)
    except expat.ExpatError as error:
        message = f"not sound XML ({expat.ErrorString(error.code)})"
        raise problem(source.file, message, XML_TOPIC, line=error.lineno) from error
    return _build_table(reading.topics, ["query_id", "text"], QUERIES, reading.bad, XML_TOPIC)


@dataclass
class _XmlReading:
    """The topics of an XML file while it is read.

    topics: line, number and text of each closed one. opened: tag, attributes or fields, and texts of each open element.
    topic: the depth and the line of the open topic.
    """

    parser: Any
    bad: BadLines
    topics: list[tuple[int, str, str]] = field(default_factory=list)
    opened: list[tuple[str, dict[str, str], list[str]]] = field(default_factory=list)
    topic: tuple[int, int] | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Open an element. Raises DataError for too many inside one another."""
        name, line = tag.rpartition(":")[2].lower(), self.parser.CurrentLineNumber
        if len(self.opened) >= _DEEPEST:
            raise problem(self.bad.file, f"more than {_DEEPEST} tags inside one another", XML_TOPIC, line=line)
        if self.topic is None and self.opened and name in _XML_TOPICS:
            self.topic = len(self.opened), line
        self.opened.append((name, {key.lower(): value for key, value in attributes.items()}, []))

    def text(self, text: str) -> None:
        """Add text to the innermost element."""
        self.opened[-1][2].append(text)

    def end(self, _: str) -> None:
        """Close an element: a topic, or a field of one, `<title>` beside its attributes."""
        name, fields, texts = self.opened.pop()
        if self.topic is None:
            return
        depth, line = self.topic
        text = " ".join("".join(texts).split())
        if len(self.opened) > depth:
            self.opened[depth][1].setdefault(f"<{name}>", text)
            return
        self.topic = None
        number = next((fields[key].strip() for key in _XML_IDS if fields.get(key, "").strip()), "")
        number = number or next((fields[f"<{key}>"] for key in _XML_IDS if fields.get(f"<{key}>")), "")
        query = next((fields[f"<{key}>"] for key in _XML_TEXTS if fields.get(f"<{key}>")), text)
        for value, what in ((number, "number"), (query, "text")):
            if not value:
                self.bad.add(line, f"the topic that begins here has no {what}")
        if number and query:
            self.topics.append((line, number, query))

    def refuse(self, *_: object) -> None:
        """Raise DataError for an entity."""
        line = self.parser.CurrentLineNumber
        raise problem(self.bad.file, "the file defines entities of XML", "Remove its <!DOCTYPE …>.", line=line)


def documents_of(source: Source) -> pd.DataFrame:
    """Return a file of TREC documents as a documents table: DOCNO, the headline or title, and the content of TEXT.

    A document without TEXT has everything after its DOCNO as its text. Raises DataError that names every document that
    is not closed or has no DOCNO.
    """
    file = source.file
    bad_lines, documents = BadLines(file, DOCUMENT), []
    for block in _blocks(decode(source.data, file), "doc", bad_lines):
        names = _elements(block.text, "docno")
        name = names[0].strip() if names else ""
        if not name or re.search(r"\s", name):
            bad_lines.add(block.line, "the document that begins here has no DOCNO of one word", name or None)
            continue
        before = re.split(r"<text[ \t]*>", block.text, maxsplit=1, flags=re.IGNORECASE)[0]
        titles = next((found for tag in _TITLES if (found := _elements(before, tag))), [])
        texts = _elements(block.text, "text")
        texts = texts or [re.split(r"</docno[ \t]*>", block.text, maxsplit=1, flags=re.IGNORECASE)[-1]]
        title = " ".join(_paragraphs("\n".join(titles)).split())
        documents.append((block.line, name, title, "\n".join(map(_paragraphs, texts))))
    return _build_table(documents, ["doc_id", "title", "text"], DOCUMENTS, bad_lines, DOCUMENT)


def _build_table(
    numbered: list[tuple], names: list[str], schema: Schema, bad_lines: BadLines, remedy: str
) -> pd.DataFrame:
    bad_lines.raise_collected()
    if not numbered:
        raise problem(bad_lines.file, f"the file holds no {'topic' if schema is QUERIES else 'document'}", remedy)
    frame = pd.DataFrame([row[1:] for row in numbered], columns=names, dtype="str")
    rows = Rows(frame, bad_lines.file, lambda: [row[0] for row in numbered])
    raise_bad(repeated_ids(rows, names[0]), f"Keep one of each {names[0]}.")
    return conform(frame, schema)


@dataclass(frozen=True)
class _Block:
    """The text between a start tag and its end tag, and the line of the start tag."""

    line: int
    text: str


def _blocks(text: str, tag: str, bad_lines: BadLines) -> Iterator[_Block]:
    """Yield the text between each `<tag>` and `</tag>`; text outside and unpaired tags are bad lines."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    start, line, is_open = 0, 1, False  # of the text after the last tag
    for tag_match in re.finditer(rf"<(/?){tag}[ \t]*>", text, re.IGNORECASE):
        content, closing = text[start : tag_match.start()], bool(tag_match[1])
        tag_line = line + content.count("\n")
        if closing and is_open:
            yield _Block(line, content)
        elif is_open:
            bad_lines.add(line, f"the <{tag.upper()}> that begins here is not closed")
        else:
            _add_outside_text(content, line, bad_lines)
            if closing:
                bad_lines.add(tag_line, f"a </{tag.upper()}> that closes nothing")
        start, line, is_open = tag_match.end(), tag_line, not closing
    if is_open:
        bad_lines.add(line, f"the <{tag.upper()}> that begins here is not closed")
    else:
        _add_outside_text(text[start:], line, bad_lines)


def _add_outside_text(text: str, line: int, bad_lines: BadLines) -> None:
    """Record text outside of all blocks that begins in this line."""
    words = text.lstrip()
    if words:
        blank_lines = text[: len(text) - len(words)].count("\n")
        bad_lines.add(line + blank_lines, "text outside of the tags", words.split("\n", 1)[0].rstrip())


def _elements(block: str, tag: str) -> list[str]:
    """Return the content of each element of this name, in order."""
    contents, start = [], None
    for tag_match in re.finditer(rf"<(/?){tag}[ \t]*>", block, re.IGNORECASE):
        if tag_match[1] and start is not None:
            contents.append(block[start : tag_match.start()])
        start = None if tag_match[1] else tag_match.end()
    return contents


def _paragraphs(text: str) -> str:
    """Return the paragraphs, one a line."""
    return "\n".join(filter(None, (paragraph.strip() for paragraph in _PARAGRAPH.split(text))))
