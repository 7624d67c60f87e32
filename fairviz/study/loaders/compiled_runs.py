"""TREC runs parsed in one pass over their bytes, by code that numba compiles (extra `[fast]`).

Only plain lines are taken: six fields between single spaces or single tabs, in ASCII, with one tag. For any other file
the result is None, and Arrow's reader decides.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from fairviz.words.compiled import compiled

Array = np.ndarray
NEWLINE, SPACE, TAB, POINT, MINUS, ZERO = 10, 32, 9, 46, 45, 48
DIGITS = 15  # of a score that one division gives exactly: below 2^53, over a power of ten up to 10^22
LONGEST_RANK = 9
LONGEST_ID = 8  # digits of a document's number
POWERS = 10.0 ** np.arange(DIGITS + 1)


class Lines(NamedTuple):
    """The lines of a run, (N,) each. starts, ends: of the document's id in the bytes. numbers: the id as a number, -1
    for one that is not a plain number of up to eight digits. hard: rows whose score needs a slower parser, with where
    it starts and ends, (H, 3). changes: rows with another query than the row before; query_starts, query_ends."""

    ranks: Array
    scores: Array
    starts: Array
    ends: Array
    numbers: Array
    hard: Array
    changes: Array
    query_starts: Array
    query_ends: Array


def parse(data: bytes) -> Lines | None:
    """Return the lines of a run, or None for a file with any unusual line. Pieces are parsed on all cores."""
    text = np.frombuffer(data, dtype=np.uint8)
    pieces = [text[start:end] for start, end in pairwise(_cuts(data))]
    if not pieces:
        return None
    separator = SPACE if b" " in data[: data.find(b"\n") if b"\n" in data else len(data)] else TAB
    counts = [int(_count(piece)) + (piece[-1] != NEWLINE) for piece in pieces]
    lines = _empty_lines(sum(counts))
    firsts = np.cumsum([0, *counts])
    parts = [Lines(*(column[start:end] for column in lines)) for start, end in pairwise(firsts)]
    starts = np.cumsum([0, *map(len, pieces)])[:-1]
    with ThreadPoolExecutor(len(pieces)) as pool:
        results = list(pool.map(_parse, pieces, starts, [separator] * len(pieces), parts))
    rows, hard, changes, tag_starts, tag_ends = zip(*results, strict=True)
    tags = {piece[start:end].tobytes() for piece, start, end in zip(pieces, tag_starts, tag_ends, strict=True)}
    if list(rows) != counts or len(tags) > 1:
        return None
    for first, part, hard_count, change_count in zip(firsts, parts, hard, changes, strict=False):
        part.hard[:hard_count, 0] += first
        part.changes[:change_count] += first
    return lines._replace(
        hard=_joined([part.hard for part in parts], hard),
        changes=_joined([part.changes for part in parts], changes),
        query_starts=_joined([part.query_starts for part in parts], changes),
        query_ends=_joined([part.query_ends for part in parts], changes),
    )


def _cuts(data: bytes) -> list[int]:
    """Return the ends of lines that cut the bytes into about as many pieces as there are cores, with both ends."""
    count = os.cpu_count() or 1
    inner = [data.find(b"\n", len(data) * piece // count) + 1 for piece in range(1, count)]
    return sorted({0, len(data), *inner})


def _empty_lines(count: int) -> Lines:
    """Return columns for so many lines, to be filled; the last four for the case that each row has an entry."""
    return Lines(
        ranks=np.empty(count, dtype=np.int32),
        scores=np.empty(count, dtype=np.float64),
        starts=np.empty(count, dtype=np.int64),
        ends=np.empty(count, dtype=np.int64),
        numbers=np.empty(count, dtype=np.int32),
        hard=np.empty((count, 3), dtype=np.int64),
        changes=np.empty(count, dtype=np.int64),
        query_starts=np.empty(count, dtype=np.int64),
        query_ends=np.empty(count, dtype=np.int64),
    )


def _joined(pieces: Sequence[Array], lengths: Sequence[int]) -> Array:
    """Return the filled entries of all pieces, the first so many of each."""
    return np.concatenate([piece[:length] for piece, length in zip(pieces, lengths, strict=True)])


def texts(data: bytes, starts: Array, ends: Array) -> Any:
    """Return these pieces of the bytes, ASCII, as an Arrow column of large strings."""
    import pyarrow as pa

    offsets = np.concatenate([[0], np.cumsum(ends - starts)])
    content = np.empty(offsets[-1], dtype=np.uint8)
    _gather(np.frombuffer(data, dtype=np.uint8), starts, offsets, content)
    return pa.LargeStringArray.from_buffers(len(starts), pa.py_buffer(offsets), pa.py_buffer(content))


@compiled
def _count(text: Array) -> int:
    count = 0
    for byte in text:
        count += byte == NEWLINE
    return count


@compiled
def _field(text: Array, start: int, separator: int) -> Any:
    """Return the end of the field that starts here, -1 for an empty one or one with an unusual byte."""
    place, size = np.uint64(start), np.uint64(len(text))
    while place < size and text[place] > SPACE and text[place] < 128:
        place += np.uint64(1)
    if place == start or (place < size and text[place] != separator and text[place] != NEWLINE):
        return -1
    return np.int64(place)


@compiled
def _number(text: Array, start: int, end: int, longest: int) -> int:
    """Return the digits as a number, -1 for anything else or more than `longest` of them."""
    if end - start > longest:
        return -1
    value: Any = 0
    for place in range(np.uint64(start), np.uint64(end)):
        digit = np.int64(text[place]) - ZERO
        if digit < 0 or digit > 9:
            return -1
        value = value * 10 + digit
    return value


@compiled
def _score(text: Array, start: int, end: int) -> tuple[float, bool]:
    """Return the score, and whether it is exact: digits with one point at the most, and few of them."""
    place = start + (text[start] == MINUS)
    digits, after, has_point = 0, 0, False
    value: Any = 0
    for at in range(np.uint64(place), np.uint64(end)):
        digit = np.int64(text[at]) - ZERO
        if text[at] == POINT and not has_point:
            has_point = True
        elif digit < 0 or digit > 9:
            return 0.0, False
        else:
            value = value * 10 + digit
            digits += 1
            after += has_point
    if digits == 0 or digits > DIGITS or (has_point and (after == 0 or digits == after)):
        return 0.0, False
    score = value / POWERS[after]
    return (-score if place > start else score), True


@compiled
def _equal(text: Array, one: int, one_end: int, other: int, other_end: int) -> bool:
    if one_end - one != other_end - other:
        return False
    for place in range(np.uint64(one_end - one)):
        if text[np.uint64(one) + place] != text[np.uint64(other) + place]:
            return False
    return True


@compiled
def _fields(text: Array, start: int, separator: int, bounds: Array) -> int:
    """Write the starts and ends of the six fields of a line into `bounds`, and return where the next line begins; -1
    for an unusual line."""
    place = start
    for field in range(6):
        end = _field(text, place, separator)
        if end < 0 or (field < 5 and (end == len(text) or text[end] != separator)):
            return -1
        bounds[field, 0], bounds[field, 1] = place, end
        place = end + 1
    return -1 if end < len(text) and text[end] != NEWLINE else place


@compiled
def _parse(text: Array, offset: int, separator: int, lines: Lines) -> tuple[int, int, int, int, int]:
    """Fill the lines, and return the numbers of rows, of hard scores and of changes of the query, and where the tag
    starts and ends. Fewer rows than lines for a piece with an unusual line. offset: of the piece in the file."""
    bounds = np.zeros((6, 2), dtype=np.int64)
    tag_start, tag_end, query_start, query_end = 0, 0, 0, 0
    row, hard, changes, place = 0, 0, 0, 0
    while place < len(text):
        place = _fields(text, place, separator, bounds)
        rank = _number(text, bounds[3, 0], bounds[3, 1], LONGEST_RANK) if place >= 0 else -1
        if row == 0:
            tag_start, tag_end = bounds[5, 0], bounds[5, 1]
        if rank < 0 or not _equal(text, tag_start, tag_end, bounds[5, 0], bounds[5, 1]):
            return -1, 0, 0, 0, 0
        if row == 0 or not _equal(text, query_start, query_end, bounds[0, 0], bounds[0, 1]):
            query_start, query_end = bounds[0, 0], bounds[0, 1]
            lines.changes[changes] = row
            lines.query_starts[changes], lines.query_ends[changes] = query_start + offset, query_end + offset
            changes += 1
        lines.ranks[row] = rank
        lines.starts[row], lines.ends[row] = bounds[2, 0] + offset, bounds[2, 1] + offset
        number = _number(text, bounds[2, 0], bounds[2, 1], LONGEST_ID)
        is_plain = text[bounds[2, 0]] != ZERO or bounds[2, 1] - bounds[2, 0] == 1
        lines.numbers[row] = number if is_plain else -1
        lines.scores[row], is_exact = _score(text, bounds[4, 0], bounds[4, 1])
        if not is_exact:
            lines.hard[hard, 0] = row
            lines.hard[hard, 1], lines.hard[hard, 2] = bounds[4, 0] + offset, bounds[4, 1] + offset
            hard += 1
        row += 1
    return row, hard, changes, tag_start, tag_end


@compiled
def _gather(text: Array, starts: Array, offsets: Array, content: Array) -> None:
    for row in range(len(starts)):
        for place in range(offsets[row + 1] - offsets[row]):
            content[offsets[row] + place] = text[starts[row] + place]
