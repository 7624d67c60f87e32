"""Errors a person can mend. Anything else that is raised is a bug, and is left to crash loudly."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SHOWN_LINES = 20


class FairvizError(Exception):
    """What the user can mend: one sentence of what is wrong, and on its own line what to do about it."""

    def __init__(self, message: str, remedy: str = "") -> None:
        self.message = message
        self.remedy = remedy
        super().__init__(f"{message}\n{remedy}" if remedy else message)


class UsageError(FairvizError):
    """A question asked wrongly (an unknown measure, a cutoff of 0): the command line exits with status 2."""


@dataclass(frozen=True)
class BadLine:
    """One line of a file that cannot be used.

    `line` counts from 1 as an editor does; 0 stands for the file as a whole. `value` is the text of the line, or
    the part of it that is wrong; None prints nothing after the problem.
    """

    file: str
    line: int
    problem: str
    value: str | None = None

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        shown = "" if self.value is None else f": {_shortened(self.value)!r}"
        return f"{place}: {self.problem}{shown}"


class DataError(FairvizError):
    """Every bad line of what was read, the first 20 printed and the rest counted, with the remedies after them."""

    def __init__(self, lines: Iterable[BadLine], remedy: str | Iterable[str] = "") -> None:
        self.lines = tuple(lines)
        remedies = [remedy] if isinstance(remedy, str) else list(dict.fromkeys(remedy))
        shown = [str(line) for line in self.lines[:SHOWN_LINES]]
        hidden = len(self.lines) - len(shown)
        if hidden:
            shown.append(f"… and {hidden:,} more bad line{'s' if hidden > 1 else ''}")
        super().__init__("\n".join(shown), "\n".join(text for text in remedies if text))


def _shortened(value: str, width: int = 120) -> str:
    return value if len(value) <= width else value[: width - 1] + "…"


def display_path(path: str | Path, root: str | Path | None = None) -> str:
    """The path as errors name it: relative to the study folder where it lies inside one, else as given."""
    path = Path(path)
    if root is not None and path.is_relative_to(root):
        path = path.relative_to(root)
    return path.as_posix()
