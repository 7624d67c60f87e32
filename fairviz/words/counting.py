"""Words: tokenizers, lexicons, and how many words of each gender group a document holds."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from urllib.parse import unquote

import numpy as np

from fairviz.errors import UsageError

_WORD = re.compile(r"\w+")


def word_tokens(text: str) -> list[str]:
    r"""Runs of `\w` in lower case: "Man, his" gives man, his."""
    return _WORD.findall(text.lower())


def whitespace_tokens(text: str) -> list[str]:
    """What stands between white space, in lower case: "Man, his" gives "man," and his. The papers' public code."""
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


# Signs that part the list, and white space at an end, which would be taken for layout. A URL's way to write them.
_PARTS_LIST = re.compile(r"[%:;|]|^\s+|\s+$")


def escaped(word: str, signs: re.Pattern[str] = _PARTS_LIST) -> str:
    """The word with these signs as `%7C`, so that it stands in a list whose parts they divide; `unquote` reads it."""
    return signs.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), word)


def parse_lexicon(text: str) -> Lexicon:
    """`female:she|her;male:he|him` as a Lexicon named `custom`; words in lower case. Raises UsageError.

    A sign that divides is written as a URL writes it where it belongs to a word or a group: `%7C` for `|`, `%3A` for
    `:`, `%3B` for `;`, `%25` for `%`.
    """
    words: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        name, colon, listed = part.partition(":")
        group = unquote(name.strip())
        if not colon or not group:
            raise UsageError(f"the lexicon part {part[:60]!r} has no group", "Write it as female:she|her;male:he|him.")
        for word in filter(None, (unquote(piece.strip()).lower() for piece in listed.split("|"))):
            if words.setdefault(word, group) != group:
                raise UsageError(
                    f"the lexicon puts {word[:60]!r} in two groups, {words[word][:60]} and {group[:60]}", "Keep one."
                )
    if not words:
        raise UsageError("the lexicon holds no word", "Write it as female:she|her;male:he|him.")
    return Lexicon("custom", tuple(words.items()))


def format_lexicon(lexicon: Lexicon) -> str:
    """The lexicon as one line that `parse_lexicon` reads."""
    return ";".join(
        f"{escaped(group)}:{'|'.join(escaped(word) for word, of in lexicon.words if of == group)}"
        for group in lexicon.groups
    )


@dataclass(frozen=True)
class Counts:
    """Gender words of D documents: `counts` (D, G) whole numbers, `tokens` (D,) all tokens, `known` (D,) whether
    the document has text at all (empty text is known, and holds no word)."""

    counts: np.ndarray
    tokens: np.ndarray
    known: np.ndarray


def count_groups(
    texts: Iterable[str | None], lexicon: Lexicon, tokenizer: str = "word", groups: Sequence[str] = ("female", "male")
) -> Counts:
    """How many tokens of each text are words of each group: Counts over the texts, groups in the order given.

    Words whose group is not among `groups` are not counted. Texts in Latin script are counted by Arrow's kernels,
    others by Python's tokenizer, and both agree to the token (tests compare them).
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    column = pa.array(texts, type=pa.large_string(), from_pandas=True)
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    known = pc.is_valid(column).to_numpy(zero_copy_only=False)
    counts = np.zeros((len(column), len(groups)), dtype=np.int32)
    tokens = np.zeros(len(column), dtype=np.int32)
    codes = {word: groups.index(group) for word, group in lexicon.words if group in groups}
    ascii_only = pc.fill_null(pc.string_is_ascii(column), False).to_numpy(False)
    latin = np.flatnonzero(known & ~ascii_only)
    if len(latin):
        latin = latin[~pc.match_substring_regex(column.take(pa.array(latin)), _FOREIGN).to_numpy(False)]
    done = np.zeros(len(column), dtype=bool)
    for rows, latin_script in ((np.flatnonzero(ascii_only), False), (latin, True)):
        done[rows] = True
        for start in range(0, len(rows), _BATCH):
            batch = rows[start : start + _BATCH]
            text, offsets = _spaced(column.take(pa.array(batch)), tokenizer, latin_script)
            counts[batch], tokens[batch] = _count_spaced(text, offsets, codes, len(groups))
    split = TOKENIZERS[tokenizer]
    for row in np.flatnonzero(known & ~done):
        words = split(column[int(row)].as_py())
        tokens[row] = len(words)
        for word in words:
            group = codes.get(word)
            if group is not None:
                counts[row, group] += 1
    return Counts(counts, tokens, known)


_BATCH = 500  # texts at a time: their bytes stay in the processor's cache
_LONGEST = 31
# Characters on which Arrow and Python agree about case, letters and white space: Latin (but the Turkish dotted İ,
# whose lower case Python writes with two), general punctuation, currency signs. Any other sends a text to Python.
_FOREIGN = r"[^\x00-\x{12f}\x{131}-\x{24f}\x{2000}-\x{206f}\x{20a0}-\x{20bf}]"


def _is_separator(sign: str, tokenizer: str) -> bool:
    return sign.isspace() if tokenizer == "whitespace" else not (sign.isalnum() or sign == "_")


@cache
def _byte_table(tokenizer: str) -> np.ndarray:
    """What each byte becomes: its lower case, or a space where ASCII separates tokens."""
    table = np.arange(256, dtype=np.uint8)
    for byte in range(128):
        table[byte] = ord(" ") if _is_separator(chr(byte), tokenizer) else ord(chr(byte).lower())
    return table


def _spaced(column, tokenizer: str, latin: bool) -> tuple[np.ndarray, np.ndarray]:
    """Texts in lower case as bytes, with a space for every byte of a separator; and their offsets.

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
        _blank(text, lead, tokenizer)
    return text, starts - starts[0]


def _blank(text: np.ndarray, lead: int, tokenizer: str) -> None:
    """Puts spaces over the separators whose UTF-8 begins with this byte, in place."""
    width = 3 if lead == 0xE2 else 2
    places = np.flatnonzero(text == lead)
    if not len(places):
        return
    second = text[places + 1].astype(np.int64) & 0x3F
    code = ((lead & 0x1F) << 6) | second if width == 2 else (2 << 12) | (second << 6) | (text[places + 2] & 0x3F)
    known, which = np.unique(code, return_inverse=True)
    blank = places[np.array([_is_separator(chr(point), tokenizer) for point in known])[which]]
    for offset in range(width):
        text[blank + offset] = ord(" ")


def _count_spaced(
    text: np.ndarray, offsets: np.ndarray, codes: dict[str, int], groups: int
) -> tuple[np.ndarray, np.ndarray]:
    """Counts (D, G) and tokens (D,) of texts whose tokens stand between spaces.

    Most tokens are told from every lexicon word by their length, first and last byte; only the rest are looked up.
    """
    starts, ends = _token_bounds(text, offsets)
    tokens = np.diff(np.searchsorted(starts, offsets))
    for row, seen in enumerate(_outlines(tuple(codes))):
        edge = text[starts] if row == 0 else text[ends - 1]
        likely = np.flatnonzero(seen.take(np.minimum(ends - starts, _LONGEST) * 256 + edge))
        starts, ends = starts[likely], ends[likely]
    group = _looked_up(text, starts, ends, codes)
    documents = np.searchsorted(offsets, starts, side="right") - 1
    hits = group >= 0
    shape = (len(offsets) - 1, groups)
    counted = np.bincount(documents[hits] * groups + group[hits], minlength=shape[0] * groups)
    return counted.reshape(shape), tokens


@lru_cache(maxsize=16)
def _outlines(words: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Which (length, first byte) and which (length, last byte) any word of the lexicon has, as flat tables."""
    seen = np.zeros((2, (_LONGEST + 1) * 256), dtype=bool)
    for word in words:
        encoded = word.encode()
        length = min(len(encoded), _LONGEST) * 256
        seen[0, length + encoded[0]] = seen[1, length + encoded[-1]] = True
    return seen[0], seen[1]


def _token_bounds(text: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each token begins and ends (one past its last byte); a text's edge is a separator too."""
    inside = np.zeros(len(text) + 2, dtype=bool)
    np.not_equal(text, ord(" "), out=inside[1:-1])
    edge = np.zeros(len(text) + 1, dtype=bool)
    edge[offsets] = True
    begins = inside[1:] & (~inside[:-1] | edge)
    ends = inside[:-1] & (~inside[1:] | edge)
    return np.flatnonzero(begins), np.flatnonzero(ends)


def _looked_up(text: np.ndarray, starts: np.ndarray, ends: np.ndarray, codes: dict[str, int]) -> np.ndarray:
    """The group of each token, -1 for a word outside the lexicon."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lengths = ends - starts
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
    words = pa.LargeStringArray.from_buffers(len(starts), pa.py_buffer(offsets), pa.py_buffer(text[places]))
    found = pc.index_in(words, pa.array(list(codes), type=pa.large_string()))
    return np.array([*codes.values(), -1])[pc.fill_null(found, len(codes)).to_numpy()]


def document_text(documents):
    """Title and text of each document, joined by a space, as the papers' figures on Grep-BiasIR have it.

    documents: the table. An empty title is left out; a document whose text is missing is missing here.
    """
    titles, texts = documents["title"].fillna(""), documents["text"]
    if not (titles != "").any():
        return texts
    return texts.where(titles == "", titles + " " + texts.fillna("")).where(texts.notna())
