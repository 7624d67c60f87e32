"""The record of a verb of the command line, and arguments that verbs share."""

import argparse
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.evaluation.formats import FORMATS, emit, say
from fairviz.words.counting import format_lexicon
from fairviz.words.gsr_words import format_stop_words

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.evaluation.exports import Origin
    from fairviz.study.record import Study

ANSWERS_KEPT = "stopped: what was answered is kept, and the same command goes on from there"
CODES_KEPT = "stopped: encoded texts and answers are kept; run the same command to resume"


MOST = 1_000_000_000  # upper bound of counts without a smaller bound


@dataclass(frozen=True)
class Command:
    """A verb: its one-line help, its arguments, its function, and the epilog of its help.

    run(arguments) returns the exit status, 0 for success. epilog is called only for --help, so that it may import slow
    modules. stopped: the line printed after Ctrl-C, with what is kept and how to resume.
    """

    name: str
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    epilog: Callable[[], str] | None = None
    stopped: str = "stopped"


def whole_number_from(least: int, most: int = MOST) -> Callable[[str], int]:
    """Return a parser of whole numbers from `least`, 0 or 1, to `most`."""

    def read(text: str) -> int:
        digits = (text.lstrip("0") or "0") if text.isascii() and text.isdigit() else ""
        if not digits or (digits == "0" and least):
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is no whole number of {least} or more")
        if len(digits) > len(str(most)) or int(digits) > most:  # int refuses more than 4,300 digits
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is larger than {most:,}")
        return int(digits)

    return read


whole_number = whole_number_from(1)


def number_to(most: float) -> Callable[[str], float]:
    """Return a parser of numbers from 0 to `most`."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 <= value < float("inf"):
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is no number of 0 or more")
        if value > most:
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is larger than {most:,}")
        return value

    return read


not_negative = number_to(MOST)


def between_0_and_1(text: str) -> float:
    """Return a number above 0 and below 1."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no number between 0 and 1")
    return value


def share_called(noun: str) -> Callable[[str], float]:
    """Return a parser of numbers from 0 to 1, both included; its errors call the number `noun`."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 <= value <= 1:
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is no {noun} from 0 to 1")
        return value

    return read


def add_study(parser: argparse.ArgumentParser) -> None:
    """Add the argument STUDY."""
    help_text = "a study folder, the name of a built-in or fetched study, or ir_datasets:NAME"
    parser.add_argument("study", metavar="STUDY", help=help_text)


def add_measures(parser: argparse.ArgumentParser) -> None:
    """Add the positional argument MEASURE…."""
    parser.add_argument(
        "measures", metavar="MEASURE", nargs="+", help="such as 'CWEx(alpha=0.5)@10'; without @k it takes --k"
    )


def print_notices(study: "Study") -> None:
    """Print the study's notices and the warnings from reading it."""
    for notice in (*study.notices, *study.warnings):
        say(f"note: {notice}")


def format_epilog(paragraphs: Iterable[str], tables: Mapping[str, str]) -> str:
    """Return the epilog of a verb: paragraphs, then a line for each of its tables."""
    lines = [textwrap.fill(paragraph, 100) + "\n" for paragraph in paragraphs]
    lines.append("Tables:")
    for name, text in tables.items():
        lines += textwrap.wrap(f"{name}: {text}", 100, initial_indent="  ", subsequent_indent="      ")
    return "\n".join(lines)


def lexicon_text(file: str) -> str:
    """Return the word list in a file in the format of `Settings.lexicon`. Raises DataError that names every bad
    line.
    """
    from fairviz.study.loaders import read_lexicon

    return format_lexicon(read_lexicon(Path(file)))


def stop_words_text(file: str) -> str:
    """Return the stop list in a file in the format of `Settings.stop_words`. Raises DataError that names every bad
    line.
    """
    from fairviz.study.loaders.word_files import read_stop_words

    return format_stop_words(read_stop_words(Path(file)))


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add the options --format, --output and --provenance."""
    parser.add_argument(
        "--format",
        choices=("table", "csv", "json", "latex", "markdown"),
        default="table",
        help="default: %(default)s; in csv, texts that a spreadsheet would run begin with an apostrophe, and a last "
        "column guarded_by_apostrophe says so",
    )
    parser.add_argument("--output", metavar="FILE", help="write to this file instead of standard output")
    parser.add_argument(
        "--provenance",
        action=argparse.BooleanOptionalAction,
        help="say in the result what it was made of: study, position bias, k, annotator, settings, version and date; "
        "last columns in csv and json, comment lines in the others (default: in files, not on standard output)",
    )


def write(table: "pd.DataFrame", arguments: argparse.Namespace, about: "Callable[[], Origin]") -> None:
    """Write the table as --format, --output and --provenance request. Raises FairvizError if it cannot be written."""
    if not includes_origin(arguments):
        emit(FORMATS[arguments.format](table), arguments.output)
        return
    from fairviz.evaluation.exports import rendered

    emit(rendered(table, arguments.format, about()), arguments.output)


def includes_origin(arguments: argparse.Namespace) -> bool:
    """Return whether the result includes its provenance: by --provenance, else if it is written to a file."""
    return arguments.output is not None if arguments.provenance is None else bool(arguments.provenance)
