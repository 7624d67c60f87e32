"""The columns that a file of rows must have: their names, other names for them, and the first line of CSV and TSV."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairviz.errors import problem
from fairviz.study.loaders.guards import unguard_names
from fairviz.study.loaders.source import MOST_COLUMNS
from fairviz.words.sentences import agreeing

_HEADER_WORDS = {"id", "_id", "qid", "q_id", "query_id", "did", "docid", "doc_id", "pid", "text", "query", "title"}
_HEADER_WORDS |= {"document", "passage", "label", "annotator", "word", "group", "gender_bias", "content_gender", "d_id"}


@dataclass(frozen=True)
class Header:
    """The columns under the names of the layout and as the file names them; `in_file`: whether its first line does."""

    names: list[str]
    named: tuple[str, ...]
    in_file: bool = True


@dataclass(frozen=True)
class Layout:
    """The requirements of a file: required columns, other names for them, the order of a TSV without a header, and the
    columns of ids.
    """

    part: str
    required: tuple[str, ...]
    aliases: tuple[tuple[str, str], ...] = ()
    headerless: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()

    def columns(self, names: list, file: str) -> Header:
        """Return the header of a file that names its columns elsewhere. Raises DataError for an invalid one."""
        own_names, named = self._own_names(names), tuple(map(str, names))
        self._check(own_names, named, file, 0)
        return Header(own_names, named)

    def header(self, cells: list[str], file: str, ending: str) -> Header:
        """Return the header in the first line of CSV or TSV. Raises DataError for an invalid one.

        A TSV without a header begins with as many cells as in MS MARCO, and none like a column's name.
        """
        fits = ending == ".tsv" and len(cells) == len(self.headerless)
        if fits and not {cell.lower() for cell in cells} & _HEADER_WORDS:
            return Header(list(self.headerless), self.headerless, in_file=False)
        cells = unguard_names(cells) if ending == ".csv" else cells
        own_names = self._own_names(cells)
        names = [cell or f"column_{place}" for place, cell in enumerate(own_names, start=1)]
        for place, (cell, name) in enumerate(zip(own_names, names, strict=True), start=1):
            if not cell and name in own_names:
                message = f"column {place} has no name, and {name} is another's"
                raise problem(file, message, "Give each column its own name.", line=1)
        self._check(names, cells, file, 1)
        return Header(names, tuple(cells))

    def _own_names(self, names: list) -> list:
        """Return the columns under the names of the layout: a missing one replaces its first alias that is present."""
        own_names = list(names)
        for old, new in self.aliases:
            if old in own_names and new not in own_names:
                own_names[own_names.index(old)] = new
        return own_names

    def _check(self, names: list[str], named: Sequence[str], file: str, line: int) -> None:
        """Raise DataError for too many, missing or repeated columns; `named`: their names in the file."""
        if len(names) > MOST_COLUMNS:
            message = f"the file has {len(names):,} columns, more than {MOST_COLUMNS:,}"
            raise problem(file, message, "Keep the columns that are needed.")
        missing = [name for name in self.required if name not in names]
        if missing:
            missing_text = " and ".join(repr(name) for name in missing)
            columns_text, verb = agreeing(len(missing), "column"), agreeing(len(missing), "is", "are")
            remedy = f"Name the columns {', '.join(self.required)} in the first line."
            message = f"the {columns_text} {missing_text} {verb} missing"
            raise problem(file, message, remedy, ", ".join(map(str, named)), line)
        # one of two `_id` becomes the query_id
        repeated_names = _find_repeated(names) or _find_repeated([name for name in named if name])
        if repeated_names:
            remedy = "Give each column its own name."
            raise problem(file, "two columns have the same name", remedy, repeated_names[0], line)


def _find_repeated(names: Sequence[str]) -> list[str]:
    return [name for place, name in enumerate(names) if name in names[:place]]
