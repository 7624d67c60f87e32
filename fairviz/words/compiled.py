"""Code that numba compiles (extra `[fast]`). The import takes half a second: see `installed.has_layer`."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numba import njit

Kernel = TypeVar("Kernel", bound=Callable)
Array = np.ndarray
SPACE = np.uint8(ord(" "))
LONGEST = 31  # bytes of a word by which it is filed


def compiled(function: Kernel) -> Kernel:
    """Return the function as numba compiles it at its first call, kept between processes where numba can write."""
    try:
        return cast(Kernel, njit(function, cache=True, nogil=True))
    except RuntimeError:  # no folder can be written
        return cast(Kernel, njit(function, nogil=True))


class WordTable(NamedTuple):
    """W words, filed by min(length, LONGEST) * 256 + first byte. shelves (8193,): the first word of each file. text:
    the words' bytes in sequence; offsets (W + 1,) of each word in it; groups (W,) of each word."""

    shelves: Array
    text: Array
    offsets: Array
    groups: Array


@lru_cache(maxsize=16)
def word_table(words: tuple[tuple[str, int], ...]) -> WordTable:
    """Return the table of these words and their groups."""
    encoded = [(word.encode(), group) for word, group in words]
    filed = sorted((min(len(word), LONGEST) * 256 + word[0], word, group) for word, group in encoded)
    shelves = np.searchsorted([file for file, _, _ in filed], np.arange((LONGEST + 1) * 256 + 1))
    text = np.frombuffer(b"".join(word for _, word, _ in filed), dtype=np.uint8)
    offsets = np.cumsum([0, *(len(word) for _, word, _ in filed)])
    return WordTable(shelves, text, offsets, np.array([group for _, _, group in filed], dtype=np.int64))


@compiled
def _group_of(text: Array, start: Any, stop: Any, table: Array, words: WordTable) -> int:
    """Return the group of the word in these bytes, -1 for none."""
    length = stop - start
    file = min(length, LONGEST) * 256 + table[text[start]]
    for word in range(words.shelves[file], words.shelves[file + 1]):
        offset = words.offsets[word]
        if words.offsets[word + 1] - offset != length:
            continue
        place = 1
        while place < length and table[text[start + place]] == words.text[offset + place]:
            place += 1
        if place == length:
            return words.groups[word]
    return -1


@compiled
def count_rows(
    text: Array, offsets: Array, rows: Array, table: Array, words: WordTable, counts: Array, tokens: Array
) -> None:
    """Count the tokens and the words of these texts into the same rows of `counts` (D, G) and `tokens` (D,).

    text: bytes; offsets (D + 1,) of each text. table (256,): the replacement of each byte, a space for a separator.
    """
    for row in rows:
        place, end = np.uint64(offsets[row]), np.uint64(offsets[row + 1])
        while place < end:
            while place < end and table[text[place]] == SPACE:
                place += np.uint64(1)
            start = place
            while place < end and table[text[place]] != SPACE:
                place += np.uint64(1)
            if place > start:
                tokens[row] += 1
                group = _group_of(text, np.int64(start), np.int64(place), table, words)
                if group >= 0:
                    counts[row, group] += 1
