"""The command line: parses the arguments, runs the verb, and maps errors to a message and a status.

Results are written to standard output, messages and progress to standard error. Status 0: success; 1: an error in the
data or the environment; 2: wrong arguments, or a fault of another package's code; 3: a gate that is not passed, and
with `gate --strict` in place of 1; 141: the output was closed; 130: stopped by Ctrl-C.
"""

import argparse
import os
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from fairviz import interrupts
from fairviz.cli import ANALYSES_GROUP, VERBS_GROUP, Command, all_groups, groups_for
from fairviz.cli.record import MORE, drop_notes, print_kept_notes
from fairviz.errors import FairvizError, PackageError, UsageError, did_you_mean
from fairviz.evaluation.formats import EXCEL, emit, say
from fairviz.files import check_output
from fairviz.home import __version__
from fairviz.installed import absent
from fairviz.normal_form import normal_form

ALL = "all"  # the argument of --help for everything
WRITTEN = ("output", "outcomes", "report")  # arguments that name a file to write
DATA_ERROR, USAGE_ERROR, CLOSED_PIPE = 1, 2, 141  # the first unless an option sets `data_error`


class _Help(argparse.Action):
    """Print the help and exit: `--help` with the common options, `--help all` with everything."""

    def __call__(self, parser, namespace, values, _option=None):
        emit(parser.format_help() if values == ALL else parser.format_short_help())
        parser.exit()


class _Parser(argparse.ArgumentParser):
    """A parser that adds its arguments when it is used, and whose epilog is computed only for `--help all`.

    example: a call of the verb, for its help.
    """

    example: str = ""
    late_epilog: Callable[[], str] | None = None
    late_arguments: Callable[[argparse.ArgumentParser], None] | None = None

    def complete(self) -> None:
        """Add the arguments, unless they are there."""
        add, self.late_arguments = self.late_arguments, None
        if add is not None:
            add(self)

    def parse_known_args(self, args=None, namespace=None):
        self.complete()
        return super().parse_known_args(args, namespace)

    def format_help(self) -> str:
        self.complete()
        if self.late_epilog is not None:
            self.epilog = self.late_epilog()
        return super().format_help()

    def format_short_help(self) -> str:
        """Return the help with the example and the common options, and how to see the rest."""
        self.complete()
        rare = [group for group in self._action_groups if group.title == MORE]
        actions = [action for action in self._actions if not action.option_strings]
        formatter = self._get_formatter()
        formatter.add_usage(None, actions, [])
        formatter.add_text(self.description)
        formatter.add_text(f"Example: fairviz {self.example}" if self.example else None)
        for group in self._action_groups:
            if group not in rare:
                formatter.start_section(group.title)
                formatter.add_arguments(group._group_actions)
                formatter.end_section()
        if rare or self.late_epilog is not None:
            formatter.add_text(f"Everything else: {self.prog} --help {ALL}")
        return formatter.format_help()

    def error(self, message: str) -> NoReturn:
        """Exit with the message and where to read more; argparse would print the whole usage first."""
        self.exit(USAGE_ERROR, f"{self.prog}: {message}\nAll arguments: {self.prog} --help {ALL}\n")


def parser(groups: Mapping[str, Sequence[Command]] | None = None) -> argparse.ArgumentParser:
    """Return the parser of all verbs of these groups, by default of all."""
    groups = all_groups() if groups is None else groups
    commands = [command for group in groups.values() for command in group]
    width = max(len(command.name) for command in commands) + 4
    overview = [_overview(title, group, width) for title, group in groups.items()]
    main_parser = _Parser(
        prog="fairviz",
        add_help=False,
        usage="fairviz VERB ...",
        description="Gender fairness in ranked search results.\n\n" + "\n\n".join(overview),
        epilog="Arguments of a verb: fairviz VERB --help",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    main_parser.add_argument("-h", "--help", action="help", help="show this help message and exit")
    main_parser.add_argument("--version", action="version", version=f"fairviz {__version__}")
    verbs = main_parser.add_subparsers(prog="fairviz", dest="verb", help=argparse.SUPPRESS, parser_class=_Parser)
    for command in commands:
        verb_parser = verbs.add_parser(
            command.name,
            aliases=command.aliases,
            help=command.help,
            description=f"{command.help[0].upper()}{command.help[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            add_help=False,
        )
        verb_parser.add_argument("-h", "--help", nargs="?", metavar=ALL, action=_Help, default=argparse.SUPPRESS,
                                 help=f"show the common options and exit; `--help {ALL}` shows every one")  # fmt: skip
        verb_parser.example = command.example
        verb_parser.late_epilog = command.help_epilog if command.epilog or command.tables else None
        verb_parser.late_arguments = command.add_arguments
    return main_parser


def _overview(title: str, commands: Sequence[Command], width: int) -> str:
    """Return the title of a group and a paragraph for each of its verbs, whose texts begin at this column."""
    lines = [title]
    for command in commands:
        name = f"  {command.name:{width - 2}}"
        lines.append(textwrap.fill(command.help, 79, initial_indent=name, subsequent_indent=" " * width))
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status; without a verb, print the help. Argparse exits for --help and
    for wrong options."""
    words = sys.argv[1:] if arguments is None else arguments
    asked = words[0] if words else ""
    groups = groups_for(asked)
    named = {name: command for group in groups.values() for command in group for name in command.names}
    if asked and not asked.startswith("-") and asked not in named:
        what = f"the verb {asked} is"
        if error := absent(VERBS_GROUP, asked, what) or absent(ANALYSES_GROUP, asked, what):
            say(str(error))
            return USAGE_ERROR
        hint = did_you_mean(asked, [command.name for group in groups.values() for command in group])
        say(f"there is no verb {asked!r}\n{hint}All verbs: fairviz --help")
        return USAGE_ERROR
    try:
        alone = {named[asked].group: (named[asked],)} if asked in named else groups  # a parser of all takes 10 ms
        options = parser(alone).parse_args(words)
    except PackageError as error:  # of a verb's arguments
        say(str(error))
        return USAGE_ERROR
    if options.verb is None:
        emit(parser(groups).format_help())
        return 0
    for name, value in vars(options).items():
        setattr(options, name, _composed(value))
    return _run(named[options.verb], options)


def _composed(value: object) -> object:
    """Return names, ids and measures in Unicode's composed form, in lists too; the path of a file as it is."""
    if isinstance(value, list):
        return list(map(_composed, value))
    if not isinstance(value, str) or value.isascii() or os.path.lexists(value):
        return value
    return normal_form(value)


def _run(command: Command, options: argparse.Namespace) -> int:
    """Run the verb and return its exit status. An error is printed alone, without the verb's notes."""
    drop_notes()
    data_error = getattr(options, "data_error", DATA_ERROR)
    try:
        if getattr(options, "excel", False):
            if options.format != "csv":
                raise UsageError("--excel is a kind of CSV", "Add --format csv, or leave out --excel.")
            options.format = EXCEL
        for file in filter(None, (getattr(options, name, None) for name in WRITTEN)):
            check_output(file)
        status = command.run(options)
        if status != interrupts.STATUS:
            print_kept_notes()
        return status
    except KeyboardInterrupt:
        say(command.stopped)
        return interrupts.STATUS
    except FairvizError as error:
        say(str(error))
        return USAGE_ERROR if isinstance(error, (UsageError, PackageError)) else data_error
    except interrupts.MeantExit:
        return 0
    except SystemExit as error:
        if isinstance(error.code, int) and error.code:
            raise
        say(f"{command.name} was ended by SystemExit before its result")  # never status 0 without a result
        return data_error
    except BrokenPipeError:
        # The interpreter flushes the buffer on exit, which would raise again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
