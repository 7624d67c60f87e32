"""Texts that a spreadsheet would run as a formula: guarded in a CSV file that says so, and read back as they were.

Where a text of a table begins with one of = + - @ (wide ones too), an apostrophe, a tab or a line end, each such text
in the file gets one apostrophe in front, and the file a last column `guarded_by_apostrophe`, which says `yes` in every
row. Whoever reads such a file takes one apostrophe off each cell that begins with it, and drops the column; a file
without the column is read as it stands. Numbers are never guarded.
"""

from collections.abc import Iterable, Sequence

import pandas as pd

MARK = "guarded_by_apostrophe"
SAID = "yes"
SET_APART = f"{MARK} "  # the mark's name while a file is read: a column of the study may bear the name, never the blank
_STARTS = tuple("=+-@＝＋－＠'\t\r\n")


def guarded_rows(names: Sequence[str], rows: Iterable[Sequence[object]]) -> list[list[object]]:
    """The first line and the rows, for a CSV writer; guarded and marked where any text needs it."""
    lines: list[list[object]] = [list(names), *(list(row) for row in rows)]
    if not any(_runs(cell) for line in lines for cell in line):
        return lines
    guarded = [list(map(_guarded, line)) for line in lines]
    return [[*line, SAID if place else MARK] for place, line in enumerate(guarded)]


def guarded_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame as a CSV file shall hold it; itself where no text needs guarding."""
    texts = [place for place, kind in enumerate(frame.dtypes) if not pd.api.types.is_numeric_dtype(kind)]
    columns = {place: frame.iloc[:, place].astype("object") for place in texts}
    if not any(map(_runs, frame.columns)) and not any(_runs(cell) for column in columns.values() for cell in column):
        return frame
    guarded = {
        place: columns[place].map(_guarded) if place in columns else frame.iloc[:, place]
        for place in range(frame.shape[1])
    }
    made = pd.DataFrame(guarded, index=frame.index).assign(mark=SAID)
    return made.set_axis([*(_guarded(name) for name in frame.columns), MARK], axis="columns")


def is_guarded(names: Sequence[str]) -> bool:
    """Whether the columns of a file are those of a guarded one."""
    return bool(names) and names[-1] == MARK


def unguarded(cell: str) -> str:
    """The text that the cell of a guarded file stands for."""
    return cell.removeprefix("'")


def unguarded_names(names: Sequence[str]) -> list[str]:
    """The columns that those of a guarded file stand for, and the mark's, set apart."""
    return [*map(unguarded, names[:-1]), SET_APART]


def unguarded_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """The texts that a guarded file's rows stand for, without the column that marks it; the names are left."""
    return frame.drop(columns=SET_APART).map(unguarded, na_action="ignore")


def _runs(cell: object) -> bool:
    return isinstance(cell, str) and (cell.startswith(_STARTS) or cell == MARK)


def _guarded(cell: object) -> object:
    return f"'{cell}" if _runs(cell) else cell
