"""The columns that a file of rows must have: their names, other names for them, and the first line of CSV and TSV.

Names are the same in any case of letters and with any of `-`, `_`, `.` and blanks: "Query-ID" is query_id.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fairviz.errors import problem
from fairviz.study.loaders.guards import unguard_names
from fairviz.study.loaders.source import MOST_COLUMNS
from fairviz.words.sentences import agreeing

_SAME = re.compile(r"[\s_.-]+")
_HEADER_WORDS = {"id", "did", "pid", "title", "label", "annotator", "word", "group", "passage", "document", "question"}
_HEADER_WORDS |= {"genderbias", "contentgender"}
QUERY_IDS = tuple((name, "query_id") for name in ("qid", "q_id", "topic_id", "topic", "query"))
DOCUMENT_IDS = tuple(
    (name, "doc_id")
    for name in ("docno", "docid", "did", "d_id", "corpus_id", "cid", "pid", "passage_id", "document_id", "document")
)


@dataclass(frozen=True)
class Header:
    """The columns under the names of the layout and as the file names them; `in_file`: whether its first line does;
    `foreign`: whether they are those of a program's export."""

    names: list[str]
    named: tuple[str, ...]
    in_file: bool = True
    foreign: bool = False


@dataclass(frozen=True)
class Layout:
    """The requirements of a file: required columns, other names for them, the order of a TSV without a header, and the
    columns of ids. foreign: columns of the exports of programs, of each those that tell it apart; such a file may
    lack all others, as its rows are made into others later. foreign_if_lacking: those that do so in a file that lacks a
    required one.
    """

    part: str
    required: tuple[str, ...]
    aliases: tuple[tuple[str, str], ...] = ()
    headerless: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    foreign: tuple[tuple[str, ...], ...] = ()
    foreign_if_lacking: tuple[tuple[str, ...], ...] = ()

    def fits(self, names: Sequence[str]) -> bool:
        """Return whether these are columns of a sound file."""
        return self.is_foreign(names) or {*self.required} <= {*self.own_names(list(names))}

    def is_foreign(self, names: Sequence[str]) -> bool:
        """Return whether these are the columns of a program's export."""
        if any({*columns} <= {*names} for columns in self.foreign):
            return True
        lacks = not {*self.required} <= {*self.own_names(list(names))}
        return lacks and any({*columns} <= {*names} for columns in self.foreign_if_lacking)

    def columns(self, names: list, file: str) -> Header:
        """Return the header of a file that names its columns elsewhere. Raises DataError for an invalid one."""
        named = tuple(map(str, names))
        if self.is_foreign(named):
            return Header(list(named), named, foreign=True)
        own_names = self.own_names(names)
        self._check(own_names, named, file, 0)
        return Header(own_names, named)

    def header(self, rows: Sequence[list[str]], quoted: Sequence[bool], file: str) -> tuple[int, Header]:
        """Return the place and the header of the first line, split in several ways, of which the first counts unless
        another one alone fits. quoted: of each way, whether it is that of CSV. Raises DataError for an invalid line.

        A TSV without a header begins with as many cells as in MS MARCO, and none like a column's name.
        """
        place = next((place for place, cells in enumerate(rows) if self.fits(cells)), 0)
        cells, is_csv = rows[place], quoted[place]
        without = not is_csv and len(cells) == len(self.headerless)
        if without and not {*map(column_key, cells)} & self._header_words():
            return place, Header(list(self.headerless), self.headerless, in_file=False)
        cells = unguard_names(cells) if is_csv else cells
        if self.is_foreign(cells) and not _find_repeated(cells):
            return place, Header(cells, tuple(cells), foreign=True)
        own_names = self.own_names(cells)
        names = [cell or f"column_{number}" for number, cell in enumerate(own_names, start=1)]
        for number, (cell, name) in enumerate(zip(own_names, names, strict=True), start=1):
            if not cell and name in own_names:
                message = f"column {number} has no name, and {name} is another's"
                raise problem(file, message, "Give each column its own name.", line=1)
        self._check(names, cells, file, 1)
        return place, Header(names, tuple(cells))

    def own_names(self, names: list) -> list:
        """Return the columns under the names of the layout: a missing one replaces itself in another spelling, or else
        its first alias that is present.
        """
        own_names, plain = list(names), [column_key(str(name)) for name in names]
        wanted = dict.fromkeys((*self.required, *self.ids, *(new for _, new in self.aliases)))
        spelt = [_SAME.sub("_", str(name)).casefold() for name in names]
        pairs = [(name, name) for name in wanted]
        # PyTerrier's docid is a number beside the id docno
        before = [pair for pair in self.aliases if pair[0] == "docno"]
        for old, new, keys in (
            *((old, new, spelt) for old, new in pairs),
            *((column_key(old), new, plain) for old, new in (*before, *pairs, *self.aliases)),
        ):
            if new not in own_names and old in keys:
                place = keys.index(old)
                if own_names[place] == names[place]:
                    own_names[place] = new
        return own_names

    def _header_words(self) -> set[str]:
        names = (*self.required, *self.ids, *(old for old, _ in self.aliases))
        return _HEADER_WORDS | {*map(column_key, names)}

    def _check(self, names: list[str], named: Sequence[str], file: str, line: int) -> None:
        """Raise DataError for too many, missing or repeated columns; `named`: their names in the file."""
        if len(names) > MOST_COLUMNS:
            message = f"the file has {len(names):,} columns, more than {MOST_COLUMNS:,}"
            raise problem(file, message, "Keep the columns that are needed.")
        missing = [name for name in self.required if name not in names]
        if missing:
            missing_text = " and ".join(repr(name) for name in missing)
            columns_text, verb = agreeing(len(missing), "column"), agreeing(len(missing), "is", "are")
            columns = ", ".join(self.required)
            remedy = f"Name the columns {columns} in the first line."
            remedy = remedy if line else f"Call the columns or keys {columns}."
            message = f"the {columns_text} {missing_text} {verb} missing"
            raise problem(file, message, remedy, ", ".join(map(str, named)), line)
        # one of two `_id` becomes the query_id
        repeated_names = _find_repeated(names) or _find_repeated([name for name in named if name])
        if repeated_names:
            remedy = "Give each column its own name."
            raise problem(file, "two columns have the same name", remedy, repeated_names[0], line)


def column_key(name: str) -> str:
    """Return a column's name as it is compared with others: `Query-ID` as queryid."""
    return _SAME.sub("", name).casefold()


def _find_repeated(names: Sequence[str]) -> list[str]:
    return [name for place, name in enumerate(names) if name in names[:place]]
