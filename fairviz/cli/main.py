"""The command line: parses the arguments, runs the verb, and maps errors to a message and a status.

Results are written to standard output, messages and progress to standard error. Status 0: success; 1: an error in the
data or the environment; 2: wrong arguments; 3: a gate that is not passed; 141: the output was closed; 130: stopped by
Ctrl-C.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from fairviz import interrupts
from fairviz.cli import COMMANDS
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.formats import say
from fairviz.home import __version__

DATA_ERROR, USAGE_ERROR, CLOSED_PIPE = 1, 2, 141


class _Parser(argparse.ArgumentParser):
    """A parser that adds its arguments when it is used, and whose epilog is computed only for --help."""

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


def parser() -> argparse.ArgumentParser:
    """Return the parser of all verbs."""
    main_parser = _Parser(prog="fairviz", description="Gender fairness in ranked search results.")
    main_parser.add_argument("--version", action="version", version=f"fairviz {__version__}")
    verbs = main_parser.add_subparsers(dest="verb", metavar="VERB", required=True, parser_class=_Parser)
    for command in COMMANDS.values():
        verb_parser = verbs.add_parser(
            command.name,
            help=command.help,
            description=f"{command.help[0].upper()}{command.help[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        verb_parser.late_epilog = command.help_epilog
        verb_parser.late_arguments = command.add_arguments
    return main_parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status. Argparse exits for --help and for wrong options."""
    options = parser().parse_args(arguments)
    command = COMMANDS[options.verb]
    try:
        return command.run(options)
    except KeyboardInterrupt:
        say(command.stopped)
        return interrupts.STATUS
    except FairvizError as error:
        say(str(error))
        return USAGE_ERROR if isinstance(error, UsageError) else DATA_ERROR
    except BrokenPipeError:
        # The interpreter flushes the buffer on exit, which would raise again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
