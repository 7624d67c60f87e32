"""The parts of a study read slowly, after what the README says a file of each holds: cells and lines one at a time, not
copied from the program's readers; compressed files unpacked whole; SGML walked over one tag at a time."""

import bz2
import gzip
import io
import json
import lzma
import math
import re
import struct
import tomllib
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import numpy as np

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
Row = dict[str, Any]


class UnreadableError(Exception):
    """The file says nothing that could be read without guessing."""


def need(is_true: bool, refusal: str) -> None:
    if not is_true:
        raise UnreadableError(refusal)


def text_of(data: bytes) -> str:
    """The bytes as UTF-8, a byte-order mark dropped."""
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableError("not UTF-8") from error
    need("\0" not in text, "a zero byte")
    need(text.strip() != "", "empty")
    return text


def has_lone_return(data: bytes) -> bool:
    """Whether a carriage return stands without its line feed: such a file may be read in two ways."""
    return b"\r" in data.replace(b"\r\n", b"")


def line_ends(text: str) -> list[str]:
    """The text as it may be read: a lone carriage return is a letter, or ends a line as on old Macs."""
    if "\r" not in text.replace("\r\n", ""):
        return [text]
    return [text, text.replace("\r\n", "\n").replace("\r", "\n")]


def lines_of(text: str) -> list[str]:
    """The lines that hold anything."""
    return [line.rstrip("\r") for line in text.split("\n") if line.strip(" \t\r")]


def cells_of(text: str, delimiters: str) -> list[list[str]]:
    """Rows of cells, quoted as RFC 4180 has it: a quote opens a cell only where the cell begins."""
    rows, row, place = [], [], 0
    stop = re.compile(f"[{delimiters}\n]|\\Z")
    while place <= len(text):
        pieces = []
        while text[place : place + 1] == '"':  # one that opens the cell, or follows one that seemed to close it
            end = text.find('"', place + 1)
            need(end >= 0, "a quote is never closed")
            pieces.append(text[place + 1 : end])
            place = end + 1
        if pieces:
            place += text[place : place + 2] == "\r\n"
            need(text[place : place + 1] in ("", "\n", *delimiters), "text after a closing quote")
        else:
            end = stop.search(text, place).start()  # type: ignore[union-attr]
            pieces, place = [text[place:end].removesuffix("\r" * (text[end : end + 1] == "\n"))], end
        row.append('"'.join(pieces))
        if text[place : place + 1] in ("", "\n"):
            rows.append(row)
            row = []
        place += 1
    return [row for row in rows if len(row) > 1 or row[0].strip()]


def named_rows(names: list[str], rows: Iterable[list[str]]) -> list[Row]:
    """Each row under the names; every row must have as many cells."""
    need(len(set(names)) == len(names), "two columns of one name")
    found = []
    for row in rows:
        need(len(row) == len(names), f"{len(row)} cells under {len(names)} names")
        found.append(dict(zip(names, row, strict=True)))
    return found


def json_rows(text: str) -> list[Row]:
    """One object a line, lists and objects in it as JSON text; columns that a line lacks are None."""
    rows = []
    for line in lines_of(text):
        try:
            found = json.loads(line, object_pairs_hook=_once)
            json.dumps(found, ensure_ascii=False).encode("utf-8")
        except (ValueError, RecursionError) as error:
            raise UnreadableError(f"no JSON: {error}") from error
        need(isinstance(found, dict), "no object")
        rows.append({name: _flat(value) for name, value in found.items()})
    names = {name for row in rows for name in row}
    return [{name: row.get(name) for name in names} for row in rows]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key twice")
    return dict(pairs)


def _flat(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else value


# --- Compressed files, unpacked whole: by Python's own modules, and by Arrow where Python has none


def plain_suffix(suffix: str) -> str:
    """The ending without that of its compression: .run of .run.gz."""
    plain, _, last = suffix.rpartition(".")
    return plain if f".{last}" in UNPACKERS else suffix


def unpacked(suffix: str, data: bytes) -> bytes:
    """The file without its compression, by the whole and with Python's own modules where they know it."""
    ending = "." + suffix.rpartition(".")[2]
    if ending not in UNPACKERS:
        return data
    try:
        return UNPACKERS[ending](data)
    except (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error) as error:
        raise UnreadableError(f"no sound {ending}") from error


def _zstandard(data: bytes) -> bytes:
    import pyarrow as pa

    return pa.input_stream(io.BytesIO(data), compression="zstd").read()


UNPACKERS = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress, ".zst": _zstandard}


# --- TREC topics and documents in SGML, walked over one tag at a time


FIELDS = ("num", "title", "desc", "narr", "dom", "smry", "con", "fac", "def", "time", "nat")
TITLES = ("title", "headline", "hl", "head", "ti")
LABELS = {"num": "number", "title": "topic"}


class Tag(NamedTuple):
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
        need(tag.closes == inside, f"a tag of {name} without its fellow")
        need(inside or not between.strip(), f"text outside of {name}")
        found += [between] * inside
        last, inside = tag.end, not inside
    need(not inside and not text[last:].strip(), f"{name} is not closed, or text stands behind")
    need(len(found) > 0, f"no {name}")
    return found


def sgml_topics(text: str) -> list[Row]:
    made = []
    for block in blocks(text, "top"):
        found: dict[str, str] = {}
        marks = list(tags(block, *FIELDS))
        ends = [mark.start for mark in marks[1:]] + [len(block)]
        for mark, end in zip(marks, ends, strict=True):
            if not mark.closes:
                found.setdefault(mark.name, " ".join(without_label(mark.name, block[mark.end : end]).split()))
        need(bool(found.get("num") and found.get("title")), "a topic without number or title")
        made.append({"query_id": found["num"], "text": found["title"]})
    return made


def without_label(name: str, text: str) -> str:
    """The text without the `Number:` or `Topic:` in front of it."""
    label, rest = LABELS.get(name, ""), text.lstrip()
    if not label or rest[: len(label)].lower() != label or not rest[len(label) :].lstrip().startswith(":"):
        return text
    return rest[len(label) :].lstrip()[1:]


def sgml_documents(text: str) -> list[Row]:
    made = []
    for block in blocks(text, "doc"):
        names = elements(block, "docno")
        name = names[0].strip() if names else ""
        need(len(name.split()) == 1, "a document without a DOCNO of one word")
        made.append({"doc_id": name, "title": title_of(block), "text": body_of(block)})
    return made


def elements(block: str, name: str) -> list[str]:
    """What stands in each element of this name: from an opening tag to a closing one, none between."""
    marks = list(tags(block, name))
    return [block[one.end : other.start] for one, other in pairwise(marks) if other.closes and not one.closes]


def title_of(block: str) -> str:
    opened = next((mark.start for mark in tags(block, "text") if not mark.closes), len(block))
    found = next(filter(None, (elements(block[:opened], name) for name in TITLES)), [])
    return " ".join(paragraphs("\n".join(found)).split())


def body_of(block: str) -> str:
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


# --- The parts of a study


GROUPS = ("neutral", "female", "male")
COLUMN_WORDS = {
    "id", "_id", "qid", "q_id", "query_id", "did", "docid", "doc_id", "pid", "text", "query", "title", "document",
    "passage", "label", "annotator", "word", "group", "gender_bias", "content_gender", "d_id",
}  # fmt: skip
UNNAMED_TSV = {"queries": ["query_id", "text"], "documents": ["doc_id", "text"]}  # as MS MARCO has them
GUARDED = "guarded_by_apostrophe"
OTHER_NAMES = {  # of BEIR, Grep-BiasIR and MSMGenderBias: read where the column's own name is absent
    "queries": [("_id", "query_id"), ("q_id", "query_id"), ("query", "text")],
    "documents": [("_id", "doc_id"), ("d_id", "doc_id"), ("document", "text"), ("doc_title", "title")],
    "labels": [("d_id", "doc_id"), ("gender_bias", "label"), ("content_gender", "label")],
}


def rows_of(part: str, suffix: str, source: str | bytes) -> list[Row]:
    """The rows of a file of this ending; `source` is its text, or the bytes of a Parquet file."""
    if isinstance(source, bytes):
        rows = parquet_rows(source)
    elif suffix == ".jsonl":
        rows = json_rows(source)
    else:
        return csv_rows(part, source) if suffix == ".csv" else tsv_rows(part, source)
    names = list(dict.fromkeys(name for row in rows for name in row))
    own = dict(zip(names, _own(names, part), strict=True))
    return [{own[name]: value for name, value in row.items()} for row in rows]


def _moment(value: Any) -> Any:
    """A day as the moment at which it begins, which is how it is read."""
    is_day = isinstance(value, date) and not isinstance(value, datetime)
    return datetime(value.year, value.month, value.day) if is_day else value


def _own(names: list[str], part: str) -> list[str]:
    """The columns under their own names, the first of a name alone."""
    found = [*names]
    for other, own in OTHER_NAMES.get(part, []):
        if own not in found and other in found:
            found[found.index(other)] = own
    return found


def parquet_rows(data: bytes) -> list[Row]:
    from pyarrow import parquet

    table = parquet.ParquetFile(io.BytesIO(data)).read()
    need(len(set(table.column_names)) == len(table.column_names), "two columns of one name")
    columns = [[_moment(value) for value in column.to_pylist()] for column in table.columns]
    return [dict(zip(table.column_names, row, strict=True)) for row in zip(*columns, strict=True)]


def _names(cells: list[str], part: str) -> list[str]:
    plain = [cell.strip().strip('"') for cell in cells]
    need(not any(name and plain.count(name) > 1 for name in plain), "two columns of one name")
    return [name or f"column_{place}" for place, name in enumerate(_own(plain, part), start=1)]


def csv_rows(part: str, text: str) -> list[Row]:
    """A file whose last column is called `guarded_by_apostrophe` has one apostrophe too many before some cells."""
    names, *rows = cells_of(text, ",")
    if names[-1].strip().strip('"') != GUARDED:
        return named_rows(_names(names, part), rows)
    is_sound = not any(len(row) == len(names) and row[-1] != "yes" for row in rows)
    need(is_sound, "a row that does not say that it is guarded")
    plain = [name.strip().strip('"').removeprefix("'") for name in names[:-1]]
    found = named_rows([*_names(plain, part), "the mark"], ([cell.removeprefix("'") for cell in row] for row in rows))
    return [{name: cell for name, cell in row.items() if name != "the mark"} for row in found]


def tsv_rows(part: str, text: str) -> list[Row]:
    """Quotes are letters, save around a whole cell under a header, and where the file makes no sense without them."""
    rows = [line.split("\t") for line in lines_of(text)]
    unnamed = UNNAMED_TSV.get(part, [])
    if len(rows[0]) == len(unnamed) and not COLUMN_WORDS & {cell.strip().strip('"').lower() for cell in rows[0]}:
        return named_rows(unnamed, rows)
    if '"' in text and any(len(row) != len(rows[0]) for row in rows):
        rows = cells_of(text, "\t")
        return named_rows(_names(rows[0], part), rows[1:])
    return named_rows(_names(rows[0], part), ([_bare(cell) for cell in row] for row in rows[1:]))


def _bare(cell: str) -> str:
    inner = cell[1:-1]
    whole = len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inner.replace('""', "")
    return inner.replace('""', '"') if whole else cell


def _id(value: Any) -> str:
    need(isinstance(value, (str, int)) and not isinstance(value, bool) and value != "", f"no id: {value!r}")
    return str(value)


def _text(value: Any, *, missing: bool) -> Any:
    need(isinstance(value, str) or (missing and value is None), f"no text: {value!r}")
    return value


def _have(rows: list[Row], *names: str) -> None:
    need(not rows or set(names) <= set(rows[0]), f"a column of {names} is missing")


def _each_once(rows: list[Row], *names: str) -> None:
    keys = [tuple(row[name] for name in names) for row in rows]
    need(len(set(keys)) == len(keys), "a key twice")


def queries(suffix: str, source: str | bytes) -> list[Row]:
    rows = sgml_topics(str(source)) if suffix == ".sgml" else rows_of("queries", suffix, source)
    _have(rows, "query_id", "text")
    rows = [row | {"query_id": _id(row["query_id"]), "text": _text(row["text"], missing=False)} for row in rows]
    _each_once(rows, "query_id")
    return rows


def documents(suffix: str, source: str | bytes) -> list[Row]:
    rows = sgml_documents(str(source)) if suffix == ".sgml" else rows_of("documents", suffix, source)
    _have(rows, "doc_id", "text")
    rows = [row | {"doc_id": _id(row["doc_id"]), "text": _text(row["text"], missing=True)} for row in rows]
    rows = [row | {"title": _text(row.get("title"), missing=True) or ""} for row in rows]
    _each_once(rows, "doc_id")
    return rows


def group_of(label: str) -> str:
    plain = label.strip().lower()
    for group in GROUPS:
        if plain == group or (plain and plain == group[0]):
            return group
    raise UnreadableError(f"no group: {label!r}")


def labels(suffix: str, source: str | bytes) -> list[Row]:
    """A row that says again what an earlier one said counts once."""
    rows = rows_of("labels", suffix, source)
    _have(rows, "doc_id", "label")
    kept: dict[tuple[str, str], Row] = {}
    for row in rows:
        made = row | {"doc_id": _id(row["doc_id"]), "annotator": _id(row.get("annotator", "annotator"))}
        made["label"] = group_of(_id(row["label"]))
        if "test_label" in row:
            made["test_label"] = group_of(row["test_label"]) if row["test_label"] else ""
        earlier = kept.setdefault((made["doc_id"], made["annotator"]), made)
        need(earlier["label"] == made["label"], "two labels of one annotator for one document")
    return list(kept.values())


def columns_of(text: str, width: int) -> list[list[str]]:
    """Columns between blanks, as TREC writes them."""
    rows = [line.replace("\t", " ").strip(" ").split(" ") for line in lines_of(text)]
    rows = [[cell for cell in row if cell] for row in rows]
    need(all(len(row) == width for row in rows), f"a line without {width} columns")
    return rows


def _whole(cell: str) -> int:
    need(_is_whole(cell), f"no whole number: {cell[:40]!r}")
    return int(cell)


def _is_whole(cell: str) -> bool:
    return bool(WHOLE.fullmatch(cell)) and len(cell) <= 20 and -(2**31) <= int(cell) < 2**31


def _number(cell: str) -> float:
    need(bool(NUMBER.fullmatch(cell)) and math.isfinite(float(cell)), f"no number: {cell[:40]!r}")
    return float(cell)


def runs(_: str, source: str) -> list[Row]:
    first = lines_of(source)[0].replace("\t", " ").split()
    if len(first) == 3 and first[1].upper() != "Q0" and _is_whole(first[2]):
        rows = [{"query_id": q, "doc_id": d, "rank": _whole(rank)} for q, d, rank in columns_of(source, 3)]
        _each_once(rows, "query_id", "doc_id")
        return [row | {"score": -float(row["rank"])} for row in rows]
    found = columns_of(source, 6)
    need(len({row[5] for row in found}) == 1, "two tags")
    rows = [
        {"query_id": q, "doc_id": d, "rank": _whole(rank), "score": _number(score)} for q, _, d, rank, score, _ in found
    ]
    _each_once(rows, "query_id", "doc_id")
    return rows


def qrels(_: str, source: str) -> list[Row]:
    first, _, rest = source.partition("\n")
    beir = first.rstrip("\r").split("\t") == ["query-id", "corpus-id", "score"]
    found = columns_of(rest if beir else source, 3 if beir else 4)
    rows = [{"query_id": row[0], "doc_id": row[-2], "relevance": _whole(row[-1])} for row in found]
    _each_once(rows, "query_id", "doc_id")
    return rows


def lexicon(_: str, source: str) -> list[Row]:
    found: dict[str, str] = {}
    for place, line in enumerate(lines_of(source)):
        cells = [cell.strip() for cell in cells_of(line, ",\t")[0]]
        if place == 0 and [cell.lower() for cell in cells] in (["word", "group"], ["word", "gender"]):
            continue
        need(len(cells) == 2 and cells[0] != "", "no word and group")
        group = group_of(cells[1])
        need(found.setdefault(cells[0].lower(), group) == group, "a word in two groups")
    return [{"word": word, "group": group} for word, group in found.items()]


def weights(_: str, source: str) -> list[Row]:
    found: dict[int, float] = {}
    for place, line in enumerate(lines_of(source)):
        cells = cells_of(line, ",\t")[0]
        if place == 0 and [cell.strip().lower() for cell in cells] == ["rank", "weight"]:
            continue
        need(len(cells) == 2, "not two columns")
        rank, weight = _whole(cells[0].strip()), _number(cells[1].strip())
        need(1 <= rank <= 1000 and rank not in found and weight >= 0, "a rank or weight that is none")
        found[rank] = weight
    need(any(found.values()), "no weight above 0")
    return [{"weight": found.get(rank, 0.0)} for rank in range(1, max(found) + 1)]


READERS: dict[str, Callable[[str, Any], list[Row]]] = {
    reader.__name__: reader for reader in (queries, documents, labels, runs, qrels, lexicon, weights)
}


def readings(part: str, suffix: str, data: bytes) -> list[list[Row]]:
    """Every way in which the file may be read; raises UnreadableError where there is none."""
    if suffix == ".parquet":
        return [READERS[part](suffix, data)]
    plain, found, refusals = plain_suffix(suffix), [], []
    for text in line_ends(text_of(unpacked(suffix, data))):
        try:
            found.append(READERS[part](plain, text))
        except UnreadableError as refusal:
            refusals.append(refusal)
    if not found:
        raise refusals[0]
    return found


# --- What is no table of a study: word vectors, zips, study.toml, decisions, measures, addresses


Vectors = dict[str, list[float]]
TOML_TEXTS = ("title", "description", "licence", "citation", "neutral", "protected", "lexicon", "labels", "annotator")
TOML_SOURCES = ("queries", "documents", "qrels")
TOML_LISTS = ("groups", "notices", "systems")
IGNORED = {"__MACOSX", ".DS_Store", "Thumbs.db"}
ROW = ("mark", "time", "doc_id", "action", "label", "reason", "author")
FORMULA = tuple("=+-@\t\r'")
TAKES_NO_CUTOFF = (
    "Rprec", "RPrec", "Bpref", "BPref", "infAP", "SetF", "SetP", "SetRelP", "SetR", "SetAP", "NumRet", "NumRelRet",
    "NumQ", "NumRel", "IPrec", "Compat",
)  # fmt: skip


def vectors(suffix: str, data: bytes) -> Vectors:
    """Words and their numbers; of two equal words the first counts."""
    first, _, rest = data.partition(b"\n")
    head = first.split()
    if len(head) == 2 and all(part.isdigit() for part in head):
        count, width = int(head[0]), int(head[1])
        found = _binary(rest, count, width) if suffix == ".bin" else _lines(rest, width)
        need(len(found) == count, f"{count} words are spoken of and {len(found)} are there")
    else:
        need(suffix != ".bin", "no header")
        found = _lines(data, len(first.split(b" ")) - 1)
    kept: Vectors = {}
    for word, numbers in found:
        kept.setdefault(word, numbers)
    return kept


def _lines(data: bytes, width: int) -> list[tuple[str, list[float]]]:
    found = []
    for line in text_of(data).split("\n"):
        word, *numbers = line.rstrip().split(" ")
        if not word and not numbers:
            continue
        try:
            row = [float(number) for number in numbers]  # Python's, which knows the digits of every script
        except ValueError as error:
            raise UnreadableError("a word and what is no number") from error
        need(len(row) == width, f"{len(row)} numbers, not {width}")
        found.append((word, row))
    return found


def _binary(data: bytes, count: int, width: int) -> list[tuple[str, list[float]]]:
    found = []
    for _ in range(count):
        word, blank, data = data.partition(b" ")
        need(blank != b"" and len(data) >= 4 * width, "cut off")
        numbers, data = data[: 4 * width], data[4 * width :]
        try:
            found.append((word.lstrip(b"\n").decode("utf-8"), list(struct.unpack(f"<{width}f", numbers))))
        except UnicodeDecodeError as error:
            raise UnreadableError("a word that is not UTF-8") from error
    need(not data.strip(), "more than the header speaks of")
    return found


def fasttext_words(data: bytes) -> list[str]:
    """The vocabulary of a fastText model: a header of 64 bytes, the dictionary's counts, then each word."""
    magic, *about = struct.unpack_from("<14i", data) if len(data) > 92 else (0,)
    need(magic == 793712314, "no fastText file")
    count, width, place, found = struct.unpack_from("<i", data, 64)[0], about[1], 64 + 28, []
    for _ in range(count):
        end = data.find(b"\0", place)
        need(0 <= end <= len(data) - 10, "cut off in its words")
        found.append(data[place:end].decode("utf-8", "backslashreplace"))
        place = end + 10
    rows, columns = struct.unpack_from("<qq", data, place + 1) if len(data) >= place + 17 else (0, 0)
    is_whole = rows >= count and columns == width and len(data) >= place + 17 + 4 * rows * columns
    need(is_whole, "cut off in its numbers")
    return found


def same_vectors(words: list[str], numbers: np.ndarray, expected: Vectors) -> str:
    """What differs between the program's vectors and the slow ones, or nothing."""
    kept: dict[str, np.ndarray] = {}
    for word, vector in zip(words, numbers, strict=True):
        kept.setdefault(word, vector)
    if list(kept) != list(expected):
        odd = sorted(set(kept) ^ set(expected))
        return f"words differ: {odd[:3]!r} ({len(kept)} read, {len(expected)} there)"
    for word, vector in kept.items():
        with np.errstate(over="ignore"):
            wanted = np.array(expected[word], dtype=np.float32)
        if vector.shape != wanted.shape or not np.allclose(vector, wanted, rtol=1e-5, atol=0, equal_nan=True):
            return f"the vector of {word!r} differs: {vector[:3]} and {wanted[:3]}"
    return ""


def toml(data: bytes) -> Row:
    """What a study.toml sets; a key that there is not refuses it. In a file without any other end of a line, a
    carriage return is one."""
    text = text_of(data).replace("\r\n", "\n")
    try:
        found = tomllib.loads(text if "\n" in text else text.replace("\r", "\n"))
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        raise UnreadableError("no TOML") from error
    unknown = set(found) - {*TOML_TEXTS, *TOML_SOURCES, *TOML_LISTS, "targets", "annotators"}
    need(not unknown, f"unknown {unknown}")
    return found


def same_metadata(metadata: Any, expected: Row) -> str:
    for key, value in expected.items():
        if key in TOML_SOURCES:
            read = metadata.sources.get(key)
        elif key == "annotators":
            read = {name: {"kind": kind, "description": about} for name, (kind, about) in metadata.annotators.items()}
            value = {name: {"kind": "", "description": ""} | entry for name, entry in value.items()}
        else:
            read = getattr(metadata, key)
        read = list(read) if isinstance(read, tuple) else read
        if (read.strip() if isinstance(read, str) else read) != (value.strip() if isinstance(value, str) else value):
            return f"{key} is {read!r} and the file says {value!r}"
    return ""


def zipped(data: bytes) -> dict[str, bytes]:
    """The files of a zipped study by their paths, below the one folder that holds them all if there is one."""
    found: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.infolist():
                parts = PurePosixPath(member.filename.replace("\\", "/")).parts
                if member.is_dir() or IGNORED & set(parts):
                    continue
                name = "/".join(parts)
                is_safe = bool(parts) and parts[0] != "/" and ".." not in parts
                need(is_safe and name not in found, f"a member {member.filename!r}")
                found[name] = archive.read(member)
    except UnreadableError:
        raise
    except Exception as error:  # whatever a spoilt zip raises, it cannot be read
        raise UnreadableError(f"no zip: {error}") from error
    tops = {name.split("/")[0] for name in found}
    if len(tops) == 1 and tops != {"runs"} and all("/" in name for name in found):
        return {name.split("/", 1)[1]: content for name, content in found.items()}
    return found


def decisions(suffix: str, text: str) -> list[Row]:
    """The rows of decisions that a file holds, cells as text."""
    made = []
    first = text.splitlines()[0] if text.strip() else ""
    older = suffix == ".csv" and not first.strip().strip('"').endswith(GUARDED)
    for row in rows_of("decisions", suffix, text):
        need({"doc_id", "label"} <= set(row), "a column is missing")
        cells = {name: _cell(value, older and "mark" in row) for name, value in row.items()}
        if cells.get("annotator", "adjudicated") != "adjudicated":
            continue
        row = {name: cells.get(name, "") for name in ROW}
        row |= {name: cleaned(row[name]) for name in ROW if name != "doc_id"}
        need(row["action"] in ("", "decide", "undo") and row["doc_id"] != "", "no action or no document")
        row["action"] = row["action"] or "decide"
        row["label"] = row["label"] if row["action"] == "undo" else group_of(row["label"])
        row["time"] = moment(row["time"]) if row["time"] else ""
        made.append(row)
    return made


def cleaned(text: str) -> str:
    """As the database keeps a text: without zero bytes, carriage returns and blanks around it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").strip()


def _cell(value: Any, guarded: bool) -> str:
    """As text; guarded: without the apostrophe that earlier versions put in front, in a file that does not say so."""
    if value is None:
        return ""
    return value[1:] if guarded and value.startswith("'") and value[1:].startswith(FORMULA) else str(value)


def moment(text: str) -> str:
    try:
        return f"{datetime.fromisoformat(text).astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"
    except (ValueError, OverflowError) as error:
        raise UnreadableError(f"no time: {text!r}") from error


def missing_decision(stored: list[Any], expected: list[Row]) -> str:
    """The first decision of the file that the database does not hold, or nothing."""
    marked: dict[str, Row] = {}
    loose: dict[str, Row] = {}
    for row in expected:
        if row["mark"]:
            marked.setdefault(row["mark"], row)
        else:
            loose[row["doc_id"]] = row
    by_mark = {row.mark: row for row in stored}
    for mark, row in marked.items():
        found = by_mark.get(mark)
        if found is None or any(row[name] not in ("", getattr(found, name)) for name in ROW):
            return f"the file holds {row!r} and the database {found!r}"
    for name, row in loose.items():
        if not any(found.doc_id == name and found.label == row["label"] for found in stored):
            return f"the decision {row!r} is not in the database"
    if len(stored) > len(marked) + len(loose):
        return f"{len(stored)} rows in the database of {len(marked) + len(loose)} in the file"
    return ""


def measure(text: str) -> tuple[str, dict[str, str], int | None]:
    """Name, parameters as written, and cutoff of a measure's text."""
    match = re.fullmatch(r"([A-Za-z_0-9]+)([^@]*?)(?:@(.*))?", text.strip(), re.DOTALL) if "'" not in text else None
    if match is None or len(text) > 1000 or {'"', "#"} & {*text}:
        raise UnreadableError("only simple texts are judged")
    inside = match[2].strip()
    parts = inside[1:-1].split(",") if len(inside) > 1 and inside[0] + inside[-1] == "()" else None
    need(not (parts is None and inside) and not {*"()[]{}"} & {*inside[1:-1]}, "brackets in brackets")
    pairs = [part.partition("=") for part in parts or () if part.strip()]
    given = {name.strip(): value.strip() for name, _, value in pairs}
    need(len(given) == len(pairs), "a name twice")
    at = (match[3] or "").strip()
    return match[1], given, int(at) if at.isascii() and at.isdigit() and len(at) < 7 else None
