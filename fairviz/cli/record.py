"""The record of a verb of the command line, and arguments that verbs share."""

import argparse
import os
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from fairviz.errors import UsageError
from fairviz.evaluation.formats import FORMATS, emit, say
from fairviz.parameters import Parameter, check_address, format_value
from fairviz.words.sentences import out_of

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.evaluation.exports import Origin
    from fairviz.evaluation.settings import Settings
    from fairviz.models.asking import Estimate
    from fairviz.study.record import Study

ANSWERS_KEPT = "stopped: answers are kept; run the same command to resume"
CODES_KEPT = "stopped: encoded texts and answers are kept; run the same command to resume"
_NOTES: list[str] = []  # of the verb that runs; a process runs one
NOT_PASSED = 3  # exit status of a verb that judges
MORE = "more options"  # the title of their group


@dataclass(frozen=True)
class Command:
    """A verb: its one-line help, its arguments, its function, and the epilog of its help.

    run(arguments) returns the exit status, 0 for success. epilog: paragraphs; or a function called only for --help all,
    which may import slow modules. stopped: the line printed after Ctrl-C, with what is kept and how to resume. tables:
    the values of --table with their descriptions, the last part of the help. example: a call, without `fairviz`.
    aliases: earlier names, which are read and not listed. group: of GROUPS, for a verb of a package. package: that of
    others from which it comes, with its version, set when it is loaded.
    """

    name: str
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    epilog: Callable[[], str] | Iterable[str] = ()
    stopped: str = "stopped"
    tables: Mapping[str, str] = field(default_factory=dict)
    example: str = ""
    aliases: tuple[str, ...] = ()
    group: str = "Look closer"
    package: str = ""

    prints: ClassVar[bool] = True  # its result is on standard output

    @property
    def names(self) -> tuple[str, ...]:
        """The name, then the earlier ones."""
        return self.name, *self.aliases

    def help_epilog(self) -> str:
        """Return the text at the end of the verb's help."""
        return self.epilog() if callable(self.epilog) else format_epilog(self.epilog, self.tables)


def adopt(record: Command, groups: Sequence[str]) -> Command:
    """Return the record of a package. Raises ValueError, with the reason, for a record that cannot be used."""
    check_address(record.name)
    if record.group not in groups:
        raise ValueError(f"its group is {record.group!r}, and not one of {', '.join(groups)}")
    if record.aliases:
        raise ValueError("a verb of a package has no aliases")
    return replace(record, help=f"{record.help} (package {record.package})")


def add_parameters(
    place: "argparse._ActionsContainer", table: Mapping[str, Parameter], *names: str, unset: bool = False
) -> None:
    """Add an option for each declared parameter of the table. names: those to add, by default all. unset: the values
    are None where they are not given."""
    for name in names or table:
        add_parameter(place, table[name], unset=unset)


def add_parameter(
    place: "argparse._ActionsContainer", parameter: Parameter, option: str = "", dest: str = "", *, unset: bool = False
) -> None:
    """Add the option of a declared parameter. option, dest: by default made of its name."""
    default = parameter.default
    option = option or f"--{parameter.name.replace('_', '-')}"
    text = parameter.help.replace("%", "%%")
    if parameter.told and default not in (None, ""):
        shown = f"default: {default if isinstance(default, str) else format_value(default)}"
        text = f"{text} ({shown})" if text else shown
    arguments: dict[str, Any] = {"default": None if unset else default, "help": text, "required": parameter.required}
    arguments["dest"] = dest or parameter.name
    letter = "" if parameter.names == "text" else parameter.names.upper()
    if parameter.kind == "several":
        place.add_argument(arguments["dest"], metavar=letter.removesuffix("S"), nargs="*", help=parameter.help)
    elif parameter.kind == "flag":
        place.add_argument(option, action=argparse.BooleanOptionalAction, **arguments)
    elif parameter.kind == "choice":
        place.add_argument(option, choices=tuple(parameter.choices), **arguments)
    elif parameter.is_text:
        place.add_argument(option, metavar=letter or "TEXT", **arguments)
    else:
        letter = letter or ("N" if parameter.whole else parameter.name.upper())
        place.add_argument(option, metavar=letter, type=reader(parameter), **arguments)


def reader(parameter: Parameter) -> Callable[[str], Any]:
    """Return what reads a number of the parameter's range from the command line; whole ones have digits alone."""

    def read(text: str) -> Any:
        try:
            if parameter.whole:
                digits = text.isascii() and text.isdigit() and len(text.lstrip("0")) < 20  # int refuses many more
                value: Any = int(text) if digits else None
            else:
                is_percent = parameter.names == "share" and text.endswith("%")
                value = float(text[:-1]) / 100 if is_percent else float(text)
        except ValueError:
            value = None
        if value is None or not parameter.accepts(value):
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not {parameter.range_text}")
        return parameter.number_type(value)

    return read


def refuse_conflicts(given: Mapping[str, object], conflicts: Iterable[tuple[str, Iterable[str], str, str]]) -> None:
    """Raise UsageError for the first two options that exclude each other.

    given: the options that are given, by name; others are missing or empty. conflicts: an option, those that it
    excludes, the message and the remedy, in which {} is the excluded one.
    """
    for option, others, message, remedy in conflicts:
        if given.get(option):
            for name in (other.replace("_", "-") for other in others if given.get(other)):
                raise UsageError(message.format(name), remedy.format(name))


def more_options(parser: argparse.ArgumentParser) -> "argparse._ArgumentGroup":
    """Return the group of the less common options, which only `--help all` shows."""
    groups = [group for group in parser._action_groups if group.title == MORE]
    return groups[0] if groups else parser.add_argument_group(MORE)


def add_study(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Add the argument STUDY. more: what else it may be."""
    help_text = f"a study folder, the name of a built-in or fetched study, or ir_datasets:NAME{more}"
    parser.add_argument("study", metavar="STUDY", help=help_text)


def add_measures(parser: argparse.ArgumentParser) -> None:
    """Add the positional argument MEASURE…."""
    parser.add_argument(
        "measures", metavar="MEASURE", nargs="+", help="such as 'CWEx(alpha=0.5)@10'; without @k it takes --k"
    )


def print_notices(study: "Study") -> None:
    """Print the study's notices and the warnings from reading it, as `print_notes` does."""
    print_notes((*study.notices, *study.warnings))


def print_notes(lines: Iterable[str]) -> None:
    """Print each line as a note at the end of the verb, after its result; not after an error."""
    _NOTES.extend(lines)


def print_kept_notes() -> None:
    """Print the notes of the verb that has ended."""
    for line in _NOTES:
        say(f"note: {' '.join(line.splitlines())}")
    drop_notes()


def drop_notes() -> None:
    """Forget the notes that are not printed yet."""
    _NOTES.clear()


def format_epilog(
    paragraphs: Iterable[str] = (), tables: Mapping[str, str] | None = None, heading: str = "Tables:"
) -> str:
    """Return the epilog of a verb: paragraphs, then under the heading a line for each of its tables."""
    lines = [textwrap.fill(paragraph, 100) + "\n" for paragraph in paragraphs]
    lines += [heading] if tables else []
    for name, text in (tables or {}).items():
        lines += hanging(name, text)
    return "\n".join(lines)


def hanging(name: str, text: str) -> list[str]:
    """Return `NAME: TEXT` in lines for an epilog, the later ones further to the right."""
    return textwrap.wrap(f"{name}: {text}", 100, initial_indent="  ", subsequent_indent="      ")


def print_estimates(
    estimates: "Mapping[str, Estimate]",
    *,
    estimate_only: bool,
    cost_of: Callable[[int, int], str] = lambda tokens_in, tokens_out: "",
) -> None:
    """Print the expected requests of each language model. estimate_only: True if nothing else is done. cost_of: the
    cost of tokens of prompts and of answers, empty without prices."""
    for name, estimate in estimates.items():
        cost = cost_of(estimate.tokens_in, estimate.tokens_out)
        say(
            f"{name}: {out_of(estimate.open, estimate.questions, 'question')} to ask. About {estimate.tokens_in:,} "
            f"tokens of prompts and at most {estimate.tokens_out:,} of answers"
            f"{f', at most about {cost}' if cost else ''}"
        )
    if estimate_only and not estimates:
        say("no language model is used: nothing to pay")


def lexicon_text(file: str) -> str:
    """Return the word list in a file in the format of `Settings.lexicon`; a text in this format as it is. Raises
    DataError that names every bad line."""
    from fairviz.study.loaders import read_lexicon
    from fairviz.words.counting import format_lexicon

    if (file == "gsr" or (":" in file and not {*file} & {*"/\\"})) and not os.path.exists(file):
        return file
    return format_lexicon(read_lexicon(Path(file)))


def stop_words_text(file: str) -> str:
    """Return the stop list in a file in the format of `Settings.stop_words`; words with blanks between them as they
    are. Raises DataError that names every bad line."""
    from fairviz.study.loaders.word_files import read_stop_words
    from fairviz.words.gsr_words import format_stop_words

    if " " in file and not os.path.exists(file):
        return file
    return format_stop_words(read_stop_words(Path(file)))


def add_output(parser: argparse.ArgumentParser, *formats: str) -> None:
    """Add the options --format, --output and --provenance. formats: more of them."""
    parser.add_argument("--format", choices=("table", "csv", "json", "latex", "markdown", *formats), default="table",
                        help="default: %(default)s; in csv, texts that a spreadsheet would run begin with an "
                        "apostrophe, and a last column guarded_by_apostrophe marks their rows")  # fmt: skip
    parser.add_argument("--output", metavar="FILE", help="write to this file instead of standard output")
    add_excel(more_options(parser))
    more_options(parser).add_argument("--provenance", action=argparse.BooleanOptionalAction, help="write into the "
                                      "result how it was made: study, position bias, k, annotator, settings, version "
                                      "and date; last columns in csv and json, comment lines in the others (default: "
                                      "in files, not on standard output)")  # fmt: skip


def add_excel(place: "argparse._ActionsContainer") -> None:
    """Add the option --excel, which `main` reads for all verbs."""
    place.add_argument("--excel", action="store_true", help="with --format csv: begin with a byte-order mark, without "
                       "which Excel garbles letters such as é")  # fmt: skip


def write(table: "pd.DataFrame", arguments: argparse.Namespace, about: "Callable[[], Origin]") -> None:
    """Write the table as --format, --output and --provenance request. Raises FairvizError if it cannot be written."""
    if not includes_origin(arguments):
        emit(FORMATS[arguments.format](table), arguments.output)
        return
    from fairviz.evaluation.exports import rendered

    emit(rendered(table, arguments.format, about()), arguments.output)


def write_result(
    table: "pd.DataFrame",
    arguments: argparse.Namespace,
    study: "Study",
    parameters: Iterable[tuple[str, object]] = (),
    *,
    settings: "Settings | None" = None,
    measures: Iterable[str] = (),
) -> None:
    """Write the table as `write` does. Its provenance: the study, the settings (the default ones if it depends on
    none), the measures, and parameters of the verb."""
    from fairviz.evaluation.exports import origin
    from fairviz.evaluation.settings import Settings

    write(table, arguments, lambda: origin(study, settings or Settings(), tuple(measures), tuple(parameters)))


def includes_origin(arguments: argparse.Namespace) -> bool:
    """Return whether the result includes its provenance: by --provenance, else if it is written to a file."""
    return arguments.output is not None if arguments.provenance is None else bool(arguments.provenance)
