"""Cells and lines, one at a time: slow, plain, and not copied from the program's readers."""

import json
import re
from collections.abc import Iterable
from typing import Any

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
Row = dict[str, Any]


class UnreadableError(Exception):
    """The file says nothing that could be read without guessing."""


def text_of(data: bytes) -> str:
    """The bytes as UTF-8, a byte-order mark dropped."""
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableError("not UTF-8") from error
    if "\0" in text:
        raise UnreadableError("a zero byte")
    if not text.strip():
        raise UnreadableError("empty")
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
    rows: list[list[str]] = []
    row: list[str] = []
    place = 0
    while place <= len(text):
        cell, place = (_quoted if text[place : place + 1] == '"' else _plain)(text, place, delimiters)
        row.append(cell)
        ended = place >= len(text) or text[place] not in delimiters
        place += 1
        if ended:
            rows.append(row)
            row = []
    return [row for row in rows if len(row) > 1 or row[0].strip()]


def _plain(text: str, place: int, delimiters: str) -> tuple[str, int]:
    found = re.compile(f"[{delimiters}\n]").search(text, place)
    end = found.start() if found else len(text)
    cell = text[place:end]
    return (cell.removesuffix("\r") if text[end : end + 1] == "\n" else cell), end


def _quoted(text: str, place: int, delimiters: str) -> tuple[str, int]:
    pieces, start = [], place + 1
    while True:
        end = text.find('"', start)
        if end < 0:
            raise UnreadableError("a quote is never closed")
        pieces.append(text[start:end])
        if text[end + 1 : end + 2] != '"':
            break
        start = end + 2
    place = end + 2 if text[end + 1 : end + 3] == "\r\n" else end + 1
    if place < len(text) and text[place] not in delimiters and text[place] != "\n":
        raise UnreadableError("text after a closing quote")
    return '"'.join(pieces), place


def named_rows(names: list[str], rows: Iterable[list[str]]) -> list[Row]:
    """Each row under the names; every row must have as many cells."""
    if len(set(names)) < len(names):
        raise UnreadableError("two columns of one name")
    found = []
    for row in rows:
        if len(row) != len(names):
            raise UnreadableError(f"{len(row)} cells under {len(names)} names")
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
        if not isinstance(found, dict):
            raise UnreadableError("no object")
        rows.append({name: _flat(value) for name, value in found.items()})
    names = {name for row in rows for name in row}
    return [{name: row.get(name) for name in names} for row in rows]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key twice")
    return dict(pairs)


def _flat(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else value
