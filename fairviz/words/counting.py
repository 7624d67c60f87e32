"""Lexicons, and counts of each gender group's words in documents."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np

from fairviz.errors import UsageError
from fairviz.normal_form import folded, normal_form
from fairviz.words.sentences import agreeing, counted, first_listed, out_of
from fairviz.words.tokenizers import CHARACTERS, UNACCENTED, WORD, Tokenizer, is_unspaced, tokenizer_named, unpointed

NAMED = 5  # entries that are named one by one
_CELLS = 4_000_000  # counts of entries in texts at a time
_MOST_UNACCENTED = 100_000  # texts that are searched once more without accents
_BATCH = 500  # texts at a time: their bytes stay in the processor's cache
_PATTERN = 200  # entries in a regular expression
_LONGEST = 31
SPACE = ord(" ")
_REPLACED = {"ß": "ss", "ı": "i", "’": "'"}  # letters whose folded form is not their lower case
_LATIN = (range(0x80, 0x250), range(0x2000, 0x2070), range(0x20A0, 0x20C0))  # and punctuation, currency signs
_POINTED_SCRIPT = re.compile("[\u0590-\u06ff\u0750-\u077f]")  # Hebrew, Arabic
# Separators of the list, and white space at an end, which would be read as layout. Written as in a URL.
_PARTS_LIST = re.compile(r"[%:;|]|^\s+|\s+$")


@dataclass(frozen=True)
class Lexicon:
    """Gender words: `words` maps an entry in lower case to its group, as pairs so that it can be hashed.

    An entry of several tokens is a phrase; one that ends in `*` is the beginning of a word (`Entries`).
    """

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


def escaped(word: str, separators: re.Pattern[str] = _PARTS_LIST) -> str:
    """Return the word with the list's separators written as `%7C`; `unquote` reverses it."""
    return separators.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), word)


def entry_text(word: str) -> str:
    """Return an entry of a word list as it is shown and stored: in normal form and lower case.

    >>> [entry_text(word) for word in ("İŞADAMI", "Nurtur*")]
    ['işadami', 'nurtur*']
    """
    return folded(word) if "İ" in word else normal_form(normal_form(word).lower())


def parse_lexicon(text: str) -> Lexicon:
    """Return `female:she|her;male:he|him` as a Lexicon named `custom`; words in lower case. Raises UsageError.

    A separator inside a word or a group is written as in a URL: `%7C` for `|`, `%3A` for
    `:`, `%3B` for `;`, `%25` for `%`. Spellings of one word (`fairviz.normal_form.folded`) are one entry.
    """
    words: dict[str, tuple[str, str]] = {}
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        name, colon, words_text = part.partition(":")
        group = normal_form(unquote(name.strip()))
        if not colon or not group:
            raise UsageError(f"the lexicon part {part[:60]!r} has no group", "Write it as female:she|her;male:he|him.")
        for word in filter(None, (entry_text(unquote(piece.strip())) for piece in words_text.split("|"))):
            earlier = words.setdefault(folded(word), (word, group))[1]
            if earlier != group:
                raise UsageError(
                    f"the lexicon puts {word[:60]!r} in two groups, {earlier[:60]} and {group[:60]}", "Keep one."
                )
    if not words:
        raise UsageError("the lexicon holds no word", "Write it as female:she|her;male:he|him.")
    return Lexicon("custom", tuple(words.values()))


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


Tails = dict[str | tuple[str], int]


@dataclass(frozen=True, eq=False)
class Entries:
    """The entries of a word list as a tokenizer cuts them, to be found in texts that it cut.

    tails: by the tokens before the last one, the place of the group of each last token, and under (beginning,) that of
    each beginning of a last token. lost: the entries that no text can contain, as the tokenizer yields no token of them
    or drops a `*` that is not at their end.
    """

    tokenizer: Tokenizer
    tails: dict[tuple[str, ...], Tails] = field(default_factory=lambda: {(): {}})
    lost: list[str] = field(default_factory=list)

    def add(self, entry: str, place: int) -> None:
        """Add an entry of the group at this place; of two with the same tokens, the first counts."""
        text = entry.removesuffix("*")
        tokens = self.tokenizer.tokens(text)
        words = tuple(token.word for token in tokens)
        if not words or ("*" in text and not any("*" in word for word in words)):
            self.lost.append(entry)
        elif text == entry:
            self.tails.setdefault(words[:-1], {}).setdefault(words[-1], place)
        elif tokens[-1].end == len(text):
            self.tails.setdefault(words[:-1], {}).setdefault((words[-1],), place)
        else:
            self.lost.append(entry)

    @cached_property
    def words(self) -> dict[str, int]:
        """The place of the group of each entry of one token."""
        return {word: place for word, place in self.tails[()].items() if isinstance(word, str)}

    @cached_property
    def sequences(self) -> dict[tuple[str, ...], int]:
        """The place of the group of each other entry, by its tokens, the last one perhaps the beginning of one."""
        return {
            (*head, *([last] if isinstance(last, str) else last)): place
            for head, tails in self.tails.items()
            for last, place in tails.items()
            if head or not isinstance(last, str)
        }

    @cached_property
    def is_plain(self) -> bool:
        """Whether the entries of one token alone give every count: each phrase contains one of them, of its group."""
        if any(not isinstance(last, str) for tails in self.tails.values() for last in tails):
            return False
        return all(
            [self.words[word] for word in phrase if word in self.words] == [place]
            for phrase, place in self.sequences.items()
        )

    @cached_property
    def _heads(self) -> dict[str, list[tuple[str, ...]]]:
        """The tokens before a last one by the first of them, longest first."""
        heads: dict[str, list[tuple[str, ...]]] = {}
        for head in sorted(filter(None, self.tails), key=len, reverse=True):
            heads.setdefault(head[0], []).append(head)
        return heads

    @cached_property
    def _vocabulary(self) -> frozenset[str]:
        """All tokens of entries; empty if none is in Hebrew or Arabic script."""
        tokens = {*self.words, *(word for words in self.sequences for word in words)}
        return frozenset(tokens if _POINTED_SCRIPT.search(" ".join(tokens)) else ())

    def find(self, words: Sequence[str]) -> list[tuple[int, int, int]]:
        """Return each entry among the words of a text: its first word, one past its last, and its group's place.

        From left to right the longest entry counts, and none of its words counts again. An entry in Hebrew or Arabic
        without vowel signs is found with any; one with them as it is written.
        """
        if self._vocabulary:
            words = [
                word if word in self._vocabulary or _place(self.tails[()], word) >= 0 else unpointed(word)
                for word in words
            ]
        if not self.sequences:
            return [(at, at + 1, self.words[word]) for at, word in enumerate(words) if word in self.words]
        found, at = [], 0
        while at < len(words):
            for head in (*self._heads.get(words[at], ()), ()):
                last = at + len(head)
                is_here = last < len(words) and tuple(words[at:last]) == head
                place = _place(self.tails[head], words[last]) if is_here else -1
                if place >= 0:
                    found.append((at, last + 1, place))
                    at = last
                    break
            at += 1
        return found


def _place(tails: Tails, word: str) -> int:
    """Return the place of the group of the word, or of the longest beginning of it; -1 for none."""
    if word in tails:
        return tails[word]
    return next((tails[word[:end],] for end in range(len(word), 0, -1) if (word[:end],) in tails), -1)


def tokenizer_of(lexicon: Lexicon, name: str) -> Tokenizer:
    """Return the tokenizer that counts a word list under this name: `characters` in place of `word` for a list with
    entries in a script without blanks between words. Raises UsageError for no tokenizer.

    >>> [tokenizer_of(parse_lexicon(text), "word").name for text in ("female:she", "female:she|女")]
    ['word', 'characters']
    """
    tokenizer = tokenizer_named(name)
    is_word = tokenizer.name == WORD.name
    return CHARACTERS if is_word and any(is_unspaced(word) for word, _ in lexicon.words) else tokenizer


@lru_cache(maxsize=16)
def entries_of(lexicon: Lexicon, tokenizer: str, groups: tuple[str, ...]) -> Entries:
    """Return the entries of these groups as the tokenizer (see `tokenizer_of`) cuts them."""
    entries = Entries(tokenizer_of(lexicon, tokenizer))
    for word, group in lexicon.words:
        if group in groups:
            entries.add(word, groups.index(group))
    return entries


class Found(NamedTuple):
    """An entry in a text: its start, its end (one past its last character), and its group."""

    start: int
    end: int
    group: str


def find_entries(text: str, lexicon: Lexicon, tokenizer: str, groups: Sequence[str]) -> list[Found]:
    """Return the entries of these groups that `count_groups` counts in a text, where they are in it.

    >>> find_entries("An ex-wife", parse_lexicon("female:wife|ex-wife"), "word", ["female"])
    [Found(start=3, end=10, group='female')]
    """
    entries = entries_of(lexicon, tokenizer, tuple(groups))
    tokens = entries.tokenizer.tokens(text)
    found = entries.find([token.word for token in tokens])
    return [Found(tokens[first].start, tokens[end - 1].end, groups[place]) for first, end, place in found]


def count_groups(
    texts: Iterable[str | None],
    lexicon: Lexicon,
    tokenizer: str = "word",
    groups: Sequence[str] = ("female", "male"),
    *,
    fast: bool = False,
) -> Counts:
    """Count the entries of each group of `groups`, in their order, in each text (`Entries.find`), and its tokens.

    Words of other groups are not counted. Texts in Latin script are counted by Arrow's kernels, or with `fast` by code
    that numba compiles; texts in others, and those with a phrase or a beginning of the list, by Python. All agree to
    the token (tests compare them).
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    column = _arrow_column(texts)
    has_text = pc.is_valid(column).to_numpy(zero_copy_only=False)
    counts = np.zeros((len(column), len(groups)), dtype=np.int32)
    tokens = np.zeros(len(column), dtype=np.int32)
    entries = entries_of(lexicon, tokenizer, tuple(groups))
    cut = entries.tokenizer
    ascii_rows, latin_rows = _rows_of_bytes(column, has_text, entries)
    by_python = has_text.copy()
    by_python[ascii_rows] = by_python[latin_rows] = False
    if fast:
        _count_ascii(column, ascii_rows, entries, counts, tokens)
        ascii_rows = ascii_rows[:0]
    for rows, latin_script in ((ascii_rows, False), (latin_rows, True)):
        for start in range(0, len(rows), _BATCH):
            batch = rows[start : start + _BATCH]
            text, offsets = _spaced(column.take(pa.array(batch)), cut, latin_script)
            counts[batch], tokens[batch] = _count_spaced(text, offsets, entries.words, len(groups))
    for row in np.flatnonzero(by_python):
        words = cut.words(column[int(row)].as_py())
        tokens[row] = len(words)
        for _, _, place in entries.find(words):
            counts[row, place] += 1
    return Counts(counts, tokens, has_text)


def _arrow_column(texts: Iterable[str | None]) -> Any:
    """Return the texts as one Arrow array of large strings."""
    import pyarrow as pa

    column: Any = texts
    if not isinstance(texts, pa.ChunkedArray):
        column = pa.array(texts, type=pa.large_string(), from_pandas=True)
    column = column.cast(pa.large_string())
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _count_ascii(column: Any, rows: np.ndarray, entries: Entries, counts: np.ndarray, tokens: np.ndarray) -> None:
    """Count entries and tokens of these rows, texts in ASCII, into `counts` and `tokens`, by compiled code."""
    from fairviz.words.compiled import count_rows, word_table

    _, offsets, data = column.buffers()
    starts = np.frombuffer(offsets, dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    text = np.frombuffer(data, dtype=np.uint8) if data is not None else np.zeros(0, "u1")
    words_by_length = word_table(tuple(entries.words.items()))
    count_rows(text, starts, rows, _byte_table(entries.tokenizer), words_by_length, counts, tokens)


def _rows_of_bytes(column: Any, has_text: np.ndarray, entries: Entries) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of texts that are counted by their bytes: those in ASCII, and the others in Latin script.

    The tokenizer decides character by character, and no entry but single words is in the text.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    tokenizer = entries.tokenizer
    if not tokenizer.by_character:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    ascii_only = pc.fill_null(pc.string_is_ascii(column), False).to_numpy(False)
    plain, latin = np.flatnonzero(ascii_only), np.flatnonzero(has_text & ~ascii_only)
    if len(plain) and not entries.is_plain:
        texts = column if len(plain) == len(column) else column.take(pa.array(plain))
        for pattern in _sequence_patterns(entries):
            plain, texts = _without(pattern, plain, texts)
    if not entries.is_plain or not tokenizer.accents:
        latin = latin[:0]
    elif len(latin):
        latin, _ = _without(_foreign(), latin, column.take(pa.array(latin)))
    return plain, latin


def _without(pattern: str, rows: np.ndarray, texts: Any) -> tuple[np.ndarray, Any]:
    """Return the rows and texts without a match of the pattern."""
    import pyarrow as pa
    import pyarrow.compute as pc

    left = ~pc.match_substring_regex(texts, pattern).to_numpy(False)
    return (rows, texts) if left.all() else (rows[left], texts.filter(pa.array(left)))


def _sequence_patterns(entries: Entries) -> list[str]:
    """Return regular expressions one of which matches each ASCII text that contains a phrase or a beginning."""
    table = _byte_table(entries.tokenizer)
    separator = "[" + "".join(f"\\x{byte:02x}" for byte in range(128) if table[byte] == SPACE) + "]"
    sequences = [words for words in entries.sequences if "".join(words).isascii()]
    texts = [f"{separator}+".join(map(re.escape, words)) for words in sequences]
    return [f"(?i)(?:^|{separator})(?:{'|'.join(texts[at : at + _PATTERN])})" for at in range(0, len(texts), _PATTERN)]


@cache
def _foreign() -> str:
    """Return a pattern of characters whose folded form is not Arrow's lower case: they send a text to Python."""
    signs = [chr(point) for points in _LATIN for point in points]
    taken = [sign for sign in signs if folded(sign) == sign.lower() or sign in _REPLACED]
    return "[^\\x00-\\x7f" + "".join(f"\\x{{{ord(sign):x}}}" for sign in taken) + "]"


@cache
def _byte_table(tokenizer: Tokenizer) -> np.ndarray:
    """Return the replacement of each byte: its lower case, or a space for an ASCII separator."""
    table = np.arange(256, dtype=np.uint8)
    for byte in range(128):
        table[byte] = ord(chr(byte).lower()) if tokenizer.spans(chr(byte)) else SPACE
    return table


def _spaced(column, tokenizer: Tokenizer, latin: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the bytes of texts in lower case, with a space for every byte of a separator, and their offsets.

    A table look-up over the buffer of all texts: ten times a regular expression's speed. ASCII needs nothing else;
    the Latin separators beyond it are two or three bytes each, found by their first byte.
    """
    import pyarrow.compute as pc

    if latin:
        for letter, form in _REPLACED.items():
            column = pc.replace_substring(column, letter, form)
        column = pc.utf8_lower(column)
    _, offsets, data = column.buffers()
    starts = np.frombuffer(offsets, dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    text = np.zeros(0, "u1")
    if data is not None:
        text = _byte_table(tokenizer)[np.frombuffer(data, dtype=np.uint8)[starts[0] : starts[-1]]]
    if latin:
        for lead in (0xC2, 0xC3, 0xE2):  # first bytes in UTF-8
            _blank_separators(text, lead, tokenizer)
    return text, starts - starts[0]


def _blank_separators(text: np.ndarray, lead: int, tokenizer: Tokenizer) -> None:
    """Overwrite the separators whose UTF-8 begins with this byte by spaces, in place."""
    places = np.flatnonzero(text == lead)
    if not len(places):
        return
    width = 3 if lead == 0xE2 else 2
    second_bytes = text[places + 1].astype(np.int64) & 0x3F
    if width == 2:
        points = ((lead & 0x1F) << 6) | second_bytes
    else:
        points = ((lead & 0x0F) << 12) | (second_bytes << 6) | (text[places + 2] & 0x3F)
    distinct, inverse = np.unique(points, return_inverse=True)
    is_separator = np.array([not tokenizer.spans(chr(point)) for point in distinct])
    separator_places = places[is_separator[inverse]]
    for offset in range(width):
        text[separator_places + offset] = SPACE


def _count_spaced(
    text: np.ndarray, offsets: np.ndarray, codes: dict[str, int], groups: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return counts (D, G) and tokens (D,) of texts with spaces between tokens.

    Most tokens differ from every lexicon word in length, first or last byte; only the others are looked up.
    """
    starts, ends = _token_bounds(text, offsets)
    tokens = np.diff(np.searchsorted(starts, offsets))
    for row, outline in enumerate(_outlines(tuple(codes))):
        letter = text[starts] if row == 0 else text[ends - 1]
        candidates = np.flatnonzero(outline.take(np.minimum(ends - starts, _LONGEST) * 256 + letter))
        starts, ends = starts[candidates], ends[candidates]
    word_groups = _lexicon_groups(text, starts, ends, codes)
    documents = np.searchsorted(offsets, starts, side="right") - 1
    in_lexicon = word_groups >= 0
    shape = (len(offsets) - 1, groups)
    counts = np.bincount(documents[in_lexicon] * groups + word_groups[in_lexicon], minlength=shape[0] * groups)
    return counts.reshape(shape), tokens


def _token_bounds(text: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the start and the end of each token (one past its last byte); a text's edge separates too."""
    inside = np.zeros(len(text) + 2, dtype=bool)
    np.not_equal(text, SPACE, out=inside[1:-1])
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


@lru_cache(maxsize=16)
def _outlines(words: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return flat tables of the (length, first byte) and the (length, last byte) of the lexicon's words."""
    outlines = np.zeros((2, (_LONGEST + 1) * 256), dtype=bool)
    for word in words:
        encoded = word.encode()
        length = min(len(encoded), _LONGEST) * 256
        outlines[0, length + encoded[0]] = outlines[1, length + encoded[-1]] = True
    return outlines[0], outlines[1]


def document_text(documents):
    """Return title and text of each document of the table, joined by a space, as in the papers' Grep-BiasIR figures.

    An empty title is left out; missing text remains missing.
    """
    titles, texts = documents["title"].fillna(""), documents["text"]
    if not (titles != "").any():
        return texts
    return texts.where(titles == "", titles + " " + texts.fillna("")).where(texts.notna())


@dataclass(frozen=True)
class ListUse:
    """Matches of the entries of a word list under a tokenizer.

    tokenizer: the name of the one that cuts the texts. entries: their number. phrases: those of several tokens.
    beginnings: those that end in `*`. unspaced: those in a script without blanks. lost: those that no text can contain.
    absent: those that none of these texts contains. unaccented: of the absent, those that a text contains with other
    accents or vowel signs.
    """

    tokenizer: str
    entries: int
    phrases: int
    beginnings: int
    unspaced: int
    lost: tuple[str, ...]
    absent: tuple[str, ...] = ()
    unaccented: tuple[str, ...] = ()

    @property
    def rules(self) -> tuple[str, ...]:
        """A sentence for each way of matching that is not of single words."""
        entries, beginnings = counted(self.unspaced, "entry", "entries"), counted(self.beginnings, "entry", "entries")
        sentences = (
            (
                self.unspaced and self.tokenizer == CHARACTERS.name,
                f"{entries} in scripts without blanks {agreeing(self.unspaced, 'matches', 'match')} inside sentences: "
                f"tokenizer {CHARACTERS.name}.",
            ),
            (
                self.phrases,
                f"{counted(self.phrases, 'phrase')} {agreeing(self.phrases, 'matches', 'match')} as sequences of "
                "words, the longest first.",
            ),
            (
                self.beginnings,
                f"{beginnings} with * {agreeing(self.beginnings, 'matches', 'match')} every word that begins so.",
            ),
        )
        return tuple(sentence for is_so, sentence in sentences if is_so)

    @property
    def misses(self) -> tuple[str, ...]:
        """A sentence for the entries that match nothing, and for those that accents keep from it."""
        lost, absent = (out_of(len(some), self.entries, "entry", "entries") for some in (self.lost, self.absent))
        occurs = agreeing(len(self.absent), "occurs", "occur")
        sentences = (
            (
                self.lost,
                f"{lost} can never match with the tokenizer {self.tokenizer}: {first_listed(self.lost, NAMED)}.",
            ),
            (self.absent, f"{absent} {occurs} in no document: {first_listed(self.absent, NAMED)}."),
            (
                self.unaccented,
                f"{counted(len(self.unaccented), 'entry', 'entries')} of these would match without accents: tokenizer "
                f"{UNACCENTED.name}.",
            ),
        )
        return tuple(sentence for some, sentence in sentences if some)


def no_hits(lexicon: Lexicon, documents: int) -> tuple[str, str]:
    """Return what it means that no word of the list is in any of so many documents, and the remedy."""
    occurs = f"no word of the list {lexicon.name!r} occurs in any of {counted(documents, 'document')}"
    if lexicon == GSR_LEXICON:
        remedy = "Add words in the language of the documents: lexicon.csv with the columns word, group."
    else:
        remedy = "Write words in the language and spelling of the documents: `fairviz check` counts those that match."
    return f"{occurs}, so that all would count as neutral", remedy


def list_use(lexicon: Lexicon, tokenizer: str, groups: Sequence[str], texts: Any = None) -> ListUse:
    """Return how the entries of these groups are matched. texts: None leaves out which are absent from them.

    >>> from fairviz.words.counting import parse_lexicon
    >>> use = list_use(parse_lexicon("female:she|ex-wife|*a"), "word", ["female"], ["She left", None])
    >>> use.phrases, use.lost, use.absent
    (1, ('*a',), ('ex-wife',))
    """
    entries = entries_of(lexicon, tokenizer, tuple(groups))
    possible = [word for word, group in lexicon.words if group in groups and word not in entries.lost]
    absent = [] if texts is None else _absent(texts, possible, entries.tokenizer.name)
    keeps_accents = bool(absent) and entries.tokenizer.accents
    first_texts = next(_parts(texts, 0, _MOST_UNACCENTED), ()) if keeps_accents else ()
    still_absent = set(_absent(first_texts, absent, UNACCENTED.name))
    return ListUse(
        entries.tokenizer.name,
        len(possible) + len(entries.lost),
        sum(len(entries.tokenizer.words(word)) > 1 for word in possible if not is_unspaced(word)),
        sum(word.endswith("*") for word in possible),
        sum(map(is_unspaced, possible)),
        tuple(entries.lost),
        tuple(absent),
        tuple(word for word in absent if word not in still_absent),
    )


def _absent(texts: Any, entries: Sequence[str], tokenizer: str) -> list[str]:
    """Return the entries that are in none of the texts, as they are counted: each is a group of its own."""
    groups = [str(place) for place in range(len(entries))]
    lexicon, found = Lexicon("each", tuple(zip(entries, groups, strict=True))), set[str]()
    for part in _parts(texts, len(entries)):
        if found.issuperset(entries):
            break
        counts = count_groups(part, lexicon, tokenizer, groups).counts
        found.update(entry for entry, count in zip(entries, counts.sum(axis=0), strict=True) if count)
    return [entry for entry in entries if entry not in found]


def _parts(texts: Any, width: int, most: int = 50_000) -> Iterator[Any]:
    """Yield the texts, a list or a column of a table, in parts of `most` at most, fewer the more entries there are."""
    step = min(max(_CELLS // max(width, 1), 100), most)
    for start in range(0, len(texts), step):
        yield getattr(texts, "iloc", texts)[start : start + step]


def documents_with_entries(texts: Any, lexicon: Lexicon, tokenizer: str, groups: Sequence[str], enough: int) -> int:
    """Return the number of texts with an entry of these groups; counting stops at `enough`."""
    found = 0
    for part in _parts(texts, len(groups), 5_000):
        found += int(np.count_nonzero(count_groups(part, lexicon, tokenizer, groups).counts.any(axis=1)))
        if found >= enough:
            break
    return found
