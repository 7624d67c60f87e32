"""Tokenizers, lexicons, and counts of each gender group's words in documents."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any
from urllib.parse import unquote

import numpy as np

from fairviz.errors import UsageError

_WORD = re.compile(r"\w+")


def word_tokens(text: str) -> list[str]:
    r"""Return the runs of `\w` in lower case: man and his for "Man, his"."""
    return _WORD.findall(text.lower())


def whitespace_tokens(text: str) -> list[str]:
    """Return the tokens between white space in lower case: "man," and his for "Man, his". The papers' public code."""
    return text.lower().split()


TOKENIZERS: dict[str, Callable[[str], list[str]]] = {"word": word_tokens, "whitespace": whitespace_tokens}


@dataclass(frozen=True)
class Lexicon:
    """Gender words: `words` maps a word in lower case to its group, as pairs so that it can be hashed."""

    name: str
    words: tuple[tuple[str, str], ...]

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that have a word, in order of appearance."""
        return tuple(dict.fromkeys(group for _, group in self.words))


_FEMALE = """actress actresses aunt aunts ballerina ballerinas bride brides businesswoman businesswomen chairwoman
chairwomen congresswoman congresswomen councilwoman councilwomen daughter daughters exgirlfriend exgirlfriends
ex-girlfriend ex-girlfriends female females gal gals girl girls girlfriend girlfriends godmother godmothers
granddaughter granddaughters grandma grandmas grandmother grandmothers her hers herself hostess hostesses housewife
housewives lady ladies ma maid maiden maids mama mom mommy moms mother mothers ms mrs niece nieces nun nuns princess
princesses queen queens schoolgirl schoolgirls she sister sisters spokeswoman spokeswomen stepdaughter stepmother
waitress waitresses wife wives woman women"""
_MALE = """actor actors bachelor bachelors bloke blokes boy boys boyfriend boyfriends brother brothers brethren
businessman businessmen chairman chairmen chap chaps congressman congressmen councilman councilmen dad daddy dads dude
dudes exboyfriend exboyfriends ex-boyfriend ex-boyfriends father fathers fella fellas gentleman gentlemen godfather
godfathers grandfather grandfathers grandpa grandson grandsons guy guys handyman handymen he him himself his husband
husbands king kings lad lads male males man men monk monks mr nephew nephews pa prince princes salesman salesmen
schoolboy schoolboys son sons spokesman spokesmen statesman statesmen stepfather stepfathers stepson stepsons uncle
uncles waiter waiters"""

GSR_LEXICON = Lexicon(
    "gsr", tuple((word, "female") for word in _FEMALE.split()) + tuple((word, "male") for word in _MALE.split())
)


# Separators of the list, and white space at an end, which would be read as layout. Written as in a URL.
_PARTS_LIST = re.compile(r"[%:;|]|^\s+|\s+$")


def escaped(word: str, separators: re.Pattern[str] = _PARTS_LIST) -> str:
    """Return the word with the list's separators written as `%7C`; `unquote` reverses it."""
    return separators.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), word)


def parse_lexicon(text: str) -> Lexicon:
    """Return `female:she|her;male:he|him` as a Lexicon named `custom`; words in lower case. Raises UsageError.

    A separator inside a word or a group is written as in a URL: `%7C` for `|`, `%3A` for
    `:`, `%3B` for `;`, `%25` for `%`.
    """
    words: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        name, colon, words_text = part.partition(":")
        group = unquote(name.strip())
        if not colon or not group:
            raise UsageError(f"the lexicon part {part[:60]!r} has no group", "Write it as female:she|her;male:he|him.")
        for word in filter(None, (unquote(piece.strip()).lower() for piece in words_text.split("|"))):
            if words.setdefault(word, group) != group:
                raise UsageError(
                    f"the lexicon puts {word[:60]!r} in two groups, {words[word][:60]} and {group[:60]}", "Keep one."
                )
    if not words:
        raise UsageError("the lexicon holds no word", "Write it as female:she|her;male:he|him.")
    return Lexicon("custom", tuple(words.items()))


def format_lexicon(lexicon: Lexicon) -> str:
    """Return the lexicon as one line for `parse_lexicon`."""
    return ";".join(
        f"{escaped(group)}:{'|'.join(escaped(word) for word, word_group in lexicon.words if word_group == group)}"
        for group in lexicon.groups
    )


@dataclass(frozen=True)
class Counts:
    """Gender words of D documents: `counts` (D, G) of words, `tokens` (D,) of all tokens, and `known` (D,), true for a
    document with text (empty text is known, without words)."""

    counts: np.ndarray
    tokens: np.ndarray
    known: np.ndarray


def count_groups(
    texts: Iterable[str | None], lexicon: Lexicon, tokenizer: str = "word",
    groups: Sequence[str] = ("female", "male"), *, fast: bool = False,
) -> Counts:  # fmt: skip
    """Count the tokens of each text that are words of each group of `groups`, in their order.

    Words of other groups are not counted. Texts in Latin script are counted by Arrow's kernels, or with `fast` by code
    that numba compiles; others by Python's tokenizer. All agree to the token (tests compare them).
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    column: Any = texts
    if not isinstance(texts, pa.ChunkedArray):
        column = pa.array(texts, type=pa.large_string(), from_pandas=True)
    column = column.cast(pa.large_string())
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    has_text = pc.is_valid(column).to_numpy(zero_copy_only=False)
    counts = np.zeros((len(column), len(groups)), dtype=np.int32)
    tokens = np.zeros(len(column), dtype=np.int32)
    codes = {word: groups.index(group) for word, group in lexicon.words if group in groups}
    ascii_only = pc.fill_null(pc.string_is_ascii(column), False).to_numpy(False)
    latin = np.flatnonzero(has_text & ~ascii_only)
    if len(latin):
        latin = latin[~pc.match_substring_regex(column.take(pa.array(latin)), _FOREIGN).to_numpy(False)]
    arrow_rows = np.zeros(len(column), dtype=bool)
    if fast:
        _count_ascii(column, np.flatnonzero(ascii_only), codes, tokenizer, counts, tokens)
        arrow_rows = ascii_only.copy()
    for rows, latin_script in ((np.flatnonzero(ascii_only & (not fast)), False), (latin, True)):
        arrow_rows[rows] = True
        for start in range(0, len(rows), _BATCH):
            batch = rows[start : start + _BATCH]
            text, offsets = _spaced(column.take(pa.array(batch)), tokenizer, latin_script)
            counts[batch], tokens[batch] = _count_spaced(text, offsets, codes, len(groups))
    split = TOKENIZERS[tokenizer]
    for row in np.flatnonzero(has_text & ~arrow_rows):
        words = split(column[int(row)].as_py())
        tokens[row] = len(words)
        for word in words:
            group = codes.get(word)
            if group is not None:
                counts[row, group] += 1
    return Counts(counts, tokens, has_text)


def _count_ascii(column, rows, codes, tokenizer, counts, tokens) -> None:
    from fairviz.words.compiled_counting import count_rows, word_table

    _, offsets, data = column.buffers()
    starts = np.frombuffer(offsets, dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    text = np.frombuffer(data, dtype=np.uint8) if data is not None else np.zeros(0, "u1")
    count_rows(text, starts, rows, _byte_table(tokenizer), word_table(tuple(codes.items())), counts, tokens)


_BATCH = 500  # texts at a time: their bytes stay in the processor's cache
_LONGEST = 31
# Characters on which Arrow and Python agree about case, letters and white space: Latin (but the Turkish dotted İ,
# whose lower case Python writes with two), general punctuation, currency signs. Any other sends a text to Python.
_FOREIGN = r"[^\x00-\x{12f}\x{131}-\x{24f}\x{2000}-\x{206f}\x{20a0}-\x{20bf}]"


def _is_separator(sign: str, tokenizer: str) -> bool:
    return sign.isspace() if tokenizer == "whitespace" else not (sign.isalnum() or sign == "_")


@cache
def _byte_table(tokenizer: str) -> np.ndarray:
    """Return the replacement of each byte: its lower case, or a space for an ASCII separator."""
    table = np.arange(256, dtype=np.uint8)
    for byte in range(128):
        table[byte] = ord(" ") if _is_separator(chr(byte), tokenizer) else ord(chr(byte).lower())
    return table


def _spaced(column, tokenizer: str, latin: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the bytes of texts in lower case, with a space for every byte of a separator, and their offsets.

    A table look-up over the buffer of all texts: ten times a regular expression's speed. ASCII needs nothing else;
    the Latin separators beyond it are two or three bytes each, found by their first byte.
    """
    import pyarrow.compute as pc

    column = pc.utf8_lower(column) if latin else column
    _, offsets, data = column.buffers()
    starts = np.frombuffer(offsets, dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    text = (
        _byte_table(tokenizer)[np.frombuffer(data, dtype=np.uint8)[starts[0] : starts[-1]]]
        if data is not None
        else np.zeros(0, "u1")
    )
    for lead in (0xC2, 0xC3, 0xE2) if latin else ():
        _blank_separators(text, lead, tokenizer)
    return text, starts - starts[0]


def _blank_separators(text: np.ndarray, lead: int, tokenizer: str) -> None:
    """Overwrite the separators whose UTF-8 begins with this byte by spaces, in place."""
    width = 3 if lead == 0xE2 else 2
    places = np.flatnonzero(text == lead)
    if not len(places):
        return
    second_bytes = text[places + 1].astype(np.int64) & 0x3F
    code_points = (
        ((lead & 0x1F) << 6) | second_bytes
        if width == 2
        else (2 << 12) | (second_bytes << 6) | (text[places + 2] & 0x3F)
    )
    distinct_points, inverse = np.unique(code_points, return_inverse=True)
    separator_places = places[np.array([_is_separator(chr(point), tokenizer) for point in distinct_points])[inverse]]
    for offset in range(width):
        text[separator_places + offset] = ord(" ")


def _count_spaced(
    text: np.ndarray, offsets: np.ndarray, codes: dict[str, int], groups: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return counts (D, G) and tokens (D,) of texts with spaces between tokens.

    Most tokens differ from every lexicon word in length, first or last byte; only the others are looked up.
    """
    starts, ends = _token_bounds(text, offsets)
    tokens = np.diff(np.searchsorted(starts, offsets))
    for row, outline in enumerate(_outlines(tuple(codes))):
        edge = text[starts] if row == 0 else text[ends - 1]
        candidates = np.flatnonzero(outline.take(np.minimum(ends - starts, _LONGEST) * 256 + edge))
        starts, ends = starts[candidates], ends[candidates]
    word_groups = _lexicon_groups(text, starts, ends, codes)
    documents = np.searchsorted(offsets, starts, side="right") - 1
    in_lexicon = word_groups >= 0
    shape = (len(offsets) - 1, groups)
    counts = np.bincount(documents[in_lexicon] * groups + word_groups[in_lexicon], minlength=shape[0] * groups)
    return counts.reshape(shape), tokens


@lru_cache(maxsize=16)
def _outlines(words: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return flat tables of the (length, first byte) and the (length, last byte) of the lexicon's words."""
    outlines = np.zeros((2, (_LONGEST + 1) * 256), dtype=bool)
    for word in words:
        encoded = word.encode()
        length = min(len(encoded), _LONGEST) * 256
        outlines[0, length + encoded[0]] = outlines[1, length + encoded[-1]] = True
    return outlines[0], outlines[1]


def _token_bounds(text: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the start and the end of each token (one past its last byte); a text's edge separates too."""
    inside = np.zeros(len(text) + 2, dtype=bool)
    np.not_equal(text, ord(" "), out=inside[1:-1])
    edge = np.zeros(len(text) + 1, dtype=bool)
    edge[offsets] = True
    begins = inside[1:] & (~inside[:-1] | edge)
    ends = inside[:-1] & (~inside[1:] | edge)
    return np.flatnonzero(begins), np.flatnonzero(ends)


def _lexicon_groups(text: np.ndarray, starts: np.ndarray, ends: np.ndarray, codes: dict[str, int]) -> np.ndarray:
    """Return the group of each token, -1 for a word outside the lexicon."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lengths = ends - starts
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    byte_places = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
    words = pa.LargeStringArray.from_buffers(len(starts), pa.py_buffer(offsets), pa.py_buffer(text[byte_places]))
    word_places = pc.index_in(words, pa.array(list(codes), type=pa.large_string()))
    return np.array([*codes.values(), -1])[pc.fill_null(word_places, len(codes)).to_numpy()]


def document_text(documents):
    """Return title and text of each document of the table, joined by a space, as in the papers' Grep-BiasIR figures.

    An empty title is left out; missing text remains missing.
    """
    titles, texts = documents["title"].fillna(""), documents["text"]
    if not (titles != "").any():
        return texts
    return texts.where(titles == "", titles + " " + texts.fillna("")).where(texts.notna())
