"""Errors that a user can correct, and what readers of files notice. Any other error is a bug, and must crash loudly."""

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
from numbers import Integral
from pathlib import Path
from typing import TypeVar

from fairviz.normal_form import folded, normal_form

SHOWN_LINES = 20
MOST_BAD_LINES = 100  # of a file: after them the reading stops, as it is probably another kind of file
_MOST_CHARACTERS = 1000  # characters of a bad line
_NOTICES: ContextVar[list[str] | None] = ContextVar("notices", default=None)
T = TypeVar("T")


class FairvizError(Exception):
    """An error that the user can correct: one sentence on the defect, and the remedy on its own line."""

    def __init__(self, message: str, remedy: str = "") -> None:
        self.message = message
        self.remedy = remedy
        super().__init__(f"{message}\n{remedy}" if remedy else message)


class UsageError(FairvizError):
    """An invalid question (an unknown measure, a cutoff of 0): the command line exits with status 2."""


class PackageError(FairvizError):
    """A fault of code that is not the program's own, such as a measure of another package: the command line exits with
    status 2, as the question cannot be answered with it."""


@dataclass(frozen=True)
class BadLine:
    """A line of a file that cannot be used.

    `line` counts from 1 as in an editor; 0 means the whole file. `value`: the text of the line, or its invalid part;
    None prints nothing after the problem. `stops`: whether the line reports that reading stopped, which is always
    printed.
    """

    file: str
    line: int
    problem: str
    value: str | None = None
    stops: bool = False

    def __str__(self) -> str:
        def short(text: str, width: int) -> str:
            return text if len(text) <= width else text[: width - 1] + "…"

        place = f"{self.file}:{self.line}" if self.line else self.file
        value_text = "" if self.value is None else f": {short(self.value, 120)!r}"
        return f"{place}: {short(self.problem, 500)}{value_text}"


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return "Did you mean …? " with the name nearest to `name`, whatever the case of its letters; "" without one.

    >>> did_you_mean("cwx", ("CWEx", "AWRF"))
    'Did you mean CWEx? '
    """
    originals = {folded(known): known for known in names if normal_form(known) != normal_form(name)}
    closest = difflib.get_close_matches(folded(name), originals, n=1)
    return f"Did you mean {originals[closest[0]]}? " if closest else ""


def use_one_of(names: Iterable[str], wrong_name: str) -> str:
    """Return the remedy for a name that is not among `names`: the nearest one, and all of them."""
    names = list(names)
    if wrong_name not in names and normal_form(wrong_name) in map(normal_form, names):
        return "It is there in another Unicode form: write it in the composed one (NFC)."
    return f"{did_you_mean(wrong_name, names)}Use one of {', '.join(names)}."


def same_but_for_case(name: str, names: Iterable[str]) -> str:
    """Return the only one of `names` with the letters of `name` in any case; `name` if it is one of them, or if none or
    several fit.

    >>> same_but_for_case("cwex", ("CWEx", "AWRF"))
    'CWEx'
    """
    names = list(names)
    fitting = [known for known in names if folded(known) == folded(name)]
    return fitting[0] if len(fitting) == 1 and name not in names else name


class DataError(FairvizError):
    """Every bad line of the input, the first 20 printed and the rest counted, with the remedies after them."""

    def __init__(self, lines: Iterable[BadLine], remedy: str | Iterable[str] = "") -> None:
        self.lines = tuple(lines)
        remedies = [remedy] if isinstance(remedy, str) else list(dict.fromkeys(remedy))
        bad_lines = [line for line in self.lines if not line.stops]
        line_texts = [str(line) for line in bad_lines[:SHOWN_LINES]]
        hidden_count = len(bad_lines) - len(line_texts)
        if hidden_count:
            line_texts.append(f"… and {hidden_count:,} more bad line{'s' if hidden_count > 1 else ''}")
        line_texts += list(dict.fromkeys(str(line) for line in self.lines if line.stops))[:SHOWN_LINES]
        super().__init__("\n".join(line_texts), "\n".join(text for text in remedies if text))


class BadLines:
    """The bad lines of a file while it is read. The hundredth stops the reading, which limits the cost of any file.

    `remedy`: one for all lines, remedies by a word of the problem, or a function that returns those of these lines.
    """

    def __init__(self, file: str, remedy: str | Mapping[str, str] | Callable[[list[BadLine]], Iterable[str]]) -> None:
        self.file = file
        self.remedy = remedy
        self.lines: list[BadLine] = []

    def add(self, line: int, problem: str, value: str | None = None) -> None:
        """Record a bad line. Raises DataError with all of them at the hundredth."""
        self.lines.append(BadLine(self.file, line, problem, None if value is None else value[:_MOST_CHARACTERS]))
        if len(self.lines) >= MOST_BAD_LINES:
            self.raise_collected()

    def raise_collected(self) -> None:
        """Raise DataError with the bad lines in order, if there are any."""
        if not self.lines:
            return
        lines = sorted(self.lines, key=lambda line: line.line)
        if isinstance(self.remedy, Mapping):  # the remedies whose word is in a problem, without values in quotes
            words = {word for line in lines for word in line.problem.split("'")[0].replace(",", " ").split()}
            raise DataError(cap_lines(lines), [remedy for word, remedy in self.remedy.items() if word in words])
        raise DataError(cap_lines(lines), self.remedy if isinstance(self.remedy, str) else self.remedy(lines))


def cap_lines(lines: Iterable[BadLine]) -> list[BadLine]:
    """Return the first hundred of the bad lines and, after a hundredth, one that reports the stop."""
    first_lines = list(islice(lines, MOST_BAD_LINES))
    if len(first_lines) == MOST_BAD_LINES:
        last, message = first_lines[-1], f"reading stopped here, after {MOST_BAD_LINES} bad lines"
        first_lines.append(BadLine(last.file, last.line, message, stops=True))
    return first_lines


def problem(file: str, message: str, remedy: str, value: str | None = None, line: int = 0) -> DataError:
    """Return a DataError of one line."""
    return DataError([BadLine(file, line, message, value)], remedy)


def raise_bad(lines: Sequence[BadLine], remedy: str) -> None:
    """Raise DataError with these bad lines, if there are any."""
    if lines:
        raise DataError(lines, remedy)


@contextmanager
def parsing(file: str, message: str, remedy: str, line: int = 0) -> Iterator[None]:
    """Convert any error of a library on damaged data into one DataError.

    Only calls of the library belong inside: an error of our own code is a bug, and must crash loudly.
    """
    try:
        yield
    except DataError:
        raise
    except MemoryError as error:
        raise problem(
            file, "the file does not fit into memory", "Keep a part of it, or use a larger computer."
        ) from error
    except Exception as error:
        raise problem(file, message, remedy, line=line) from error


def attempt(read: Callable[[], T]) -> T | None:
    """Return the result of a library's fast reader, or None for any error: a careful reader then finds the reason."""
    try:
        with parsing("", "", ""):
            return read()
    except DataError:
        return None


@contextmanager
def noticing(notices: list[str]) -> Iterator[list[str]]:
    """Append to `notices` what readers notice in the block: what they skipped, and what they took for something."""
    token = _NOTICES.set(notices)
    try:
        yield notices
    finally:
        _NOTICES.reset(token)


def notice(text: str) -> None:
    """Record a sentence about a file for the caller's `noticing`."""
    notices = _NOTICES.get()
    if notices is not None and text not in notices:
        notices.append(text)


def display_path(path: str | Path, root: str | Path | None = None) -> str:
    """Return the path for errors: relative to the study folder if inside it, else unchanged."""
    path = Path(path)
    if root is not None and path.is_relative_to(root):
        path = path.relative_to(root)
    return path.as_posix()


def expect(name: str, value: object, kinds: type | tuple[type, ...], remedy: str) -> None:
    """Raise UsageError, with the argument's name, for a value of none of these types. True is not a number."""
    types = kinds if isinstance(kinds, tuple) else (kinds,)
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        raise UsageError(f"{name} is {value_text(value)}", remedy)


def expect_whole(name: str, value: object, low: int, high: int | None = None) -> None:
    """Raise UsageError, with the argument's name, for anything but a whole number from `low` to `high`."""
    remedy = f"Use a whole number of {low} or more." if high is None else f"Use a whole number from {low} to {high:,}."
    expect(name, value, Integral, remedy)
    if value < low or (high is not None and value > high):  # type: ignore[operator]
        raise UsageError(f"{name} is {value_text(value)}", remedy)


def expect_progress(progress: object) -> None:
    """Raise UsageError unless the argument `progress` is a function or None."""
    if progress is not None and (not callable(progress) or isinstance(progress, type)):
        raise UsageError(
            f"progress is {value_text(progress)}", "Give a function of what is done, how much, and in all."
        )


def value_text(value: object) -> str:
    """Return a value of the wrong type for messages: itself if short, else its type."""
    try:
        text = repr(value)
    except ValueError:  # a whole number of more than 4,300 digits
        return f"of the type {type(value).__name__}, with too many digits"
    short = len(text) <= 60 and "\n" not in text and " at 0x" not in text
    return text if short else f"of the type {type(value).__name__}"
