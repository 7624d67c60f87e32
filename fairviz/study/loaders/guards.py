"""Texts that a spreadsheet would run as a formula: marked by an apostrophe in a CSV file, and restored on reading.

If a text of a table begins with = + - @ (also wide ones), an apostrophe, a tab or a line end, each of these texts in
the file gets one apostrophe in front, and the file a last column `guarded_by_apostrophe` with `yes` in every row.
Readers remove one apostrophe from each cell that begins with it, and drop the column; a file without the column is read
unchanged. Numbers are never guarded.
"""

from collections.abc import Iterable, Sequence

import pandas as pd

MARK = "guarded_by_apostrophe"
MARK_VALUE = "yes"
SET_APART = f"{MARK} "  # the mark's name while a file is read: a study's column may have the name, but never the blank
_STARTS = tuple("=+-@＝＋－＠'\t\r\n")


def guard_rows(names: Sequence[str], rows: Iterable[Sequence[object]]) -> list[list[object]]:
    """Return the first line and the rows for a CSV writer, guarded and marked if any text needs it."""
    lines: list[list[object]] = [list(names), *(list(row) for row in rows)]
    if not any(_is_formula(cell) for line in lines for cell in line):
        return lines
    guarded = [list(map(_guard_cell, line)) for line in lines]
    return [[*line, MARK_VALUE if place else MARK] for place, line in enumerate(guarded)]


def guard_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame for a CSV file; itself if no text needs guarding."""
    texts = [place for place, kind in enumerate(frame.dtypes) if not pd.api.types.is_numeric_dtype(kind)]
    columns = {place: frame.iloc[:, place].astype("object") for place in texts}
    if not any(map(_is_formula, frame.columns)) and not any(
        _is_formula(cell) for column in columns.values() for cell in column
    ):
        return frame
    guarded = {
        place: columns[place].map(_guard_cell) if place in columns else frame.iloc[:, place]
        for place in range(frame.shape[1])
    }
    marked = pd.DataFrame(guarded, index=frame.index).assign(mark=MARK_VALUE)
    return marked.set_axis([*(_guard_cell(name) for name in frame.columns), MARK], axis="columns")


def is_guarded(names: Sequence[str]) -> bool:
    """Return whether the columns are those of a guarded file."""
    return bool(names) and names[-1] == MARK


def unguard(cell: str) -> str:
    """Return the original text of a guarded file's cell."""
    return cell.removeprefix("'")


def unguard_names(names: Sequence[str]) -> list[str]:
    """Return the original columns of a guarded file, and the mark's, set apart; columns of another file unchanged."""
    return [*map(unguard, names[:-1]), SET_APART] if is_guarded(names) else list(names)


def _is_formula(cell: object) -> bool:
    return isinstance(cell, str) and (cell.startswith(_STARTS) or cell == MARK)


def _guard_cell(cell: object) -> object:
    return f"'{cell}" if _is_formula(cell) else cell
