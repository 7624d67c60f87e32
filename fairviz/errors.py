"""Errors a person can mend. Anything else that is raised is a bug, and is left to crash loudly."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

SHOWN_LINES = 20
MOST_BAD_LINES = 100  # of a file: after them it is taken for something else, and not read on
_KEPT = 1000  # characters of a bad line


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
    the part of it that is wrong; None prints nothing after the problem. `stops` marks the line that says that the
    file was not read on, which is always shown.
    """

    file: str
    line: int
    problem: str
    value: str | None = None
    stops: bool = False

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        shown = "" if self.value is None else f": {_shortened(self.value)!r}"
        return f"{place}: {_shortened(self.problem, 500)}{shown}"


class DataError(FairvizError):
    """Every bad line of what was read, the first 20 printed and the rest counted, with the remedies after them."""

    def __init__(self, lines: Iterable[BadLine], remedy: str | Iterable[str] = "") -> None:
        self.lines = tuple(lines)
        remedies = [remedy] if isinstance(remedy, str) else list(dict.fromkeys(remedy))
        told = [line for line in self.lines if not line.stops]
        shown = [str(line) for line in told[:SHOWN_LINES]]
        hidden = len(told) - len(shown)
        if hidden:
            shown.append(f"… and {hidden:,} more bad line{'s' if hidden > 1 else ''}")
        shown += list(dict.fromkeys(str(line) for line in self.lines if line.stops))[:SHOWN_LINES]
        super().__init__("\n".join(shown), "\n".join(text for text in remedies if text))


class BadLines:
    """The bad lines of a file while it is read. The hundredth stops the reading, so that a file of millions of them
    costs no more than one of a hundred."""

    def __init__(self, file: str, remedy: str | Callable[[list[BadLine]], Iterable[str]]) -> None:
        self.file = file
        self.remedy = remedy
        self.found: list[BadLine] = []

    def add(self, line: int, problem: str, value: str | None = None) -> None:
        """Notes a bad line. Raises DataError with all of them where they are too many to read on."""
        self.found.append(BadLine(self.file, line, problem, None if value is None else value[:_KEPT]))
        if len(self.found) >= MOST_BAD_LINES:
            self.settle()

    def settle(self) -> None:
        """Raises DataError with the lines in their order, if there are any."""
        if self.found:
            found = sorted(self.found, key=lambda line: line.line)
            raise DataError(capped(found), self.remedy if isinstance(self.remedy, str) else self.remedy(found))


def capped(lines: Iterable[BadLine]) -> list[BadLine]:
    """The first hundred of the bad lines and, where there are as many, one that says that reading stopped there."""
    found = list(islice(lines, MOST_BAD_LINES))
    if len(found) == MOST_BAD_LINES:
        last, what = found[-1], f"reading stopped here, after {MOST_BAD_LINES} bad lines"
        found.append(BadLine(last.file, last.line, what, stops=True))
    return found


def _shortened(value: str, width: int = 120) -> str:
    return value if len(value) <= width else value[: width - 1] + "…"


def display_path(path: str | Path, root: str | Path | None = None) -> str:
    """The path as errors name it: relative to the study folder where it lies inside one, else as given."""
    path = Path(path)
    if root is not None and path.is_relative_to(root):
        path = path.relative_to(root)
    return path.as_posix()


def expect(name: str, value: object, kinds: type | tuple[type, ...], remedy: str) -> None:
    """Raises UsageError, with the argument's name, where its value is of none of these types. True is no number."""
    wanted = kinds if isinstance(kinds, tuple) else (kinds,)
    if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
        raise UsageError(f"{name} is {told(value)}", remedy)


def told(value: object) -> str:
    """A value of the wrong type as messages show it: itself where it is short, else its type."""
    text = repr(value)
    short = len(text) <= 60 and "\n" not in text and " at 0x" not in text
    return text if short else f"of the type {type(value).__name__}"
