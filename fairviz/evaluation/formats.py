"""A result table as text: aligned for reading, CSV, JSON, LaTeX or Markdown; and text into a file, whole or not."""

import json
import math
import re
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz import interrupts
from fairviz.files import write_output
from fairviz.words.sentences import seconds_text

if TYPE_CHECKING:
    import pandas as pd

EXCEL = "excel"  # the format of CSV for spreadsheets, on the command line --format csv --excel
DIGITS = 4
SURE = 5.0  # seconds of work after which the time left is estimated
_MARKDOWN = re.compile(r"[\\`*_\[\]|~#$>!]")
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def to_table(frame: "pd.DataFrame") -> str:
    """Columns aligned for reading: numbers to the right with four decimals, an en dash where there is none."""
    return aligned_table(*_cells(frame, missing="–"))


def aligned_table(header: list[str], rows: list[list[str]], right: list[bool]) -> str:
    """Cells as columns of the same width, those of `right` to the right."""
    lines = [header, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    aligned = (
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    )
    return "\n".join(aligned) + "\n"


def to_csv(frame: "pd.DataFrame") -> str:
    """CSV with every digit; what is missing is an empty field. Texts that a spreadsheet would run are guarded, with a
    note in the file (fairviz.study.loaders.lines)."""
    from fairviz.study.loaders.lines import guard_frame

    return guard_frame(frame).to_csv(index=False, lineterminator="\n")


def to_json(frame: "pd.DataFrame") -> str:
    """A JSON list of one record a row, every digit; what is missing is null."""
    records = [{name: _plain(value) for name, value in row.items()} for row in frame.to_dict("records")]
    return json.dumps(records, ensure_ascii=False, indent=2) + "\n"


def to_latex(frame: "pd.DataFrame") -> str:
    """A LaTeX tabular with booktabs rules and four decimals; text from data is escaped."""
    header, rows, right = _cells(frame, missing="--")
    return latex_table([latex_text(cell) for cell in header], [list(map(latex_text, row)) for row in rows], right)


def latex_table(header: list[str], rows: list[list[str]], right: list[bool], below: Sequence[list[str]] = ()) -> str:
    """Return a tabular with booktabs rules of cells that are LaTeX already. below: rows below a further rule."""
    lines = [
        f"\\begin{{tabular}}{{{''.join('r' if number else 'l' for number in right)}}}",
        "\\toprule",
        _latex_cells(header),
        "\\midrule",
        *map(_latex_cells, rows),
        *(["\\midrule"] if rows and below else []),
        *map(_latex_cells, below),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def to_markdown(frame: "pd.DataFrame") -> str:
    """A table of Markdown with four decimals, as GitHub and Pandoc read it; text from data is escaped."""
    header, rows, right = _cells(frame, missing="–")
    return markdown_table(list(map(markdown_text, header)), [list(map(markdown_text, row)) for row in rows], right)


def markdown_table(header: list[str], rows: list[list[str]], right: list[bool]) -> str:
    """A table of Markdown of cells that are Markdown already."""
    rules = ["---:" if number else "---" for number in right]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (header, rules, *rows))


FORMATS: dict[str, Callable[["pd.DataFrame"], str]] = {
    "table": to_table,
    "csv": to_csv,
    EXCEL: lambda frame: "\ufeff" + to_csv(frame),  # the byte-order mark by which Excel knows UTF-8
    "json": to_json,
    "latex": to_latex,
    "markdown": to_markdown,
}


def emit(text: str, file: str | Path | None = None) -> None:
    """Write the text to standard output, or to a file (`fairviz.files.write_output`). Raises FairvizError."""
    if file is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_output(file, text)


def say(text: str) -> None:
    """A message for the person, to standard error."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


class ProgressLine:
    """One line on standard error that counts up: `what 12 % (14 of 117; about 4 minutes left)`.

    It stays silent where no person watches. The time left is that of this run's own pace, after a few seconds. `rate`:
    a text before it, set by the caller.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self.shown = ""
        self.rate = ""
        self.began: tuple[float, int] | None = None

    def __call__(self, done: int, total: int) -> None:
        """Show the count where it changed by a hundredth. Raises KeyboardInterrupt after Ctrl-C, which a library may
        have swallowed."""
        interrupts.check()
        line = f"{self.what} {100 * done // max(total, 1)} % ({done:,} of {total:,}{self._left(done, total)})"
        if sys.stderr.isatty() and line.split("%")[0] != self.shown.split("%")[0]:
            sys.stderr.write(f"\r{line.ljust(len(self.shown))}")
            self.shown = line
            sys.stderr.flush()

    def _left(self, done: int, total: int) -> str:
        """Return the rate and the time left since the first count; empty in the first seconds and at the end."""
        now = time.monotonic()
        if self.began is None:
            self.began = now, done
        start, done_before = self.began
        seconds, count = now - start, done - done_before
        if seconds < SURE or count <= 0 or done >= total:
            return ""
        rate = f"; {self.rate}" if self.rate else ""
        return f"{rate}; {seconds_text(seconds * (total - done) / count)} left"

    def close(self) -> None:
        """End the line, if there is one."""
        if self.shown:
            sys.stderr.write("\n")
            self.shown = ""


class ProgressLines:
    """A line of progress for each thing that is done: called with what, how many and of how many."""

    def __init__(self) -> None:
        self.line: ProgressLine | None = None

    def __call__(self, what: str, done: int, total: int) -> None:
        """Counts up, on a new line where this is another thing than before."""
        if self.line is None or self.line.what != what:
            self.close()
            self.line = ProgressLine(what)
        self.line(done, total)

    def close(self) -> None:
        """Ends the line, if there is one."""
        if self.line is not None:
            self.line.close()


def _cells(frame: "pd.DataFrame", missing: str) -> tuple[list[str], list[list[str]], list[bool]]:
    """The header, the rows as text, and which columns hold numbers. A p-value has four decimals, or a power of ten
    where these would all be 0; a number of queries that are needed, missing in some rows and so a float, has none."""
    from pandas.api.types import is_numeric_dtype

    header = [str(name) for name in frame.columns]
    kinds = [name.split("_")[0] for name in header]
    rows = []
    for row in frame.itertuples(index=False, name=None):
        cells = []
        for value, kind in zip(row, kinds, strict=True):
            plain = str(value) if isinstance(value, float) and math.isinf(value) else _plain(value)
            if isinstance(plain, float):  # a ratio over nothing is not missing
                is_tiny = kind == "p" and 0 < plain < 0.5 * 10**-DIGITS
                cells.append(f"{plain:.1e}" if is_tiny else f"{plain:.{0 if kind == 'needed' else DIGITS}f}")
            else:
                cells.append(missing if plain is None else one_line(str(plain)))
        rows.append(cells)
    return header, rows, [is_numeric_dtype(frame[name]) for name in frame.columns]


def _plain(value: object) -> object:
    """The value as Python's own type, None for what is missing."""
    value = value.item() if hasattr(value, "item") else value
    if value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value if isinstance(value, (str, bool, int, float)) else str(value)


def one_line(text: str) -> str:
    """The text without line ends and other signs that are not printed."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def latex_text(text: str) -> str:
    """The text as LaTeX shows it: what LaTeX would read as an order is escaped."""
    return "".join(_LATEX.get(sign, sign) for sign in text)


def markdown_text(text: str) -> str:
    """The text as Markdown shows it: what Markdown or HTML would read as a sign of theirs is escaped."""
    return _MARKDOWN.sub(r"\\\g<0>", text).replace("&", "&amp;").replace("<", "&lt;")


def _latex_cells(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
