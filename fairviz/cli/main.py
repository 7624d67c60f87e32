"""The command line: reads the arguments, runs the verb, and turns what went wrong into a message and a status.

Results go to standard output, messages and progress to standard error. Status 0: done; 1: data or surroundings that
the person must mend; 2: a question asked wrongly; 3: a gate that is not passed; 141: the reader of the output went
away; 130: stopped by Ctrl-C.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from fairviz import __version__, interrupts
from fairviz.cli import COMMANDS
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.formats import say

DATA_ERROR, USAGE_ERROR, CLOSED_PIPE = 1, 2, 141


class _Parser(argparse.ArgumentParser):
    """A parser whose closing text is made only when help is asked for."""

    late_epilog: Callable[[], str] | None = None

    def format_help(self) -> str:
        if self.late_epilog is not None:
            self.epilog = self.late_epilog()
        return super().format_help()


def parser() -> argparse.ArgumentParser:
    """The parser of all verbs."""
    whole = _Parser(prog="fairviz", description="Gender fairness in ranked search results.")
    whole.add_argument("--version", action="version", version=f"fairviz {__version__}")
    verbs = whole.add_subparsers(dest="verb", metavar="VERB", required=True, parser_class=_Parser)
    for command in COMMANDS.values():
        one = verbs.add_parser(
            command.name,
            help=command.help,
            description=f"{command.help[0].upper()}{command.help[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        one.late_epilog = command.epilog
        command.add_arguments(one)
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit status. Argparse itself exits for --help and for wrong options."""
    given = parser().parse_args(arguments)
    command = COMMANDS[given.verb]
    try:
        return command.run(given)
    except KeyboardInterrupt:
        say(command.stopped)
        return interrupts.STATUS
    except FairvizError as error:
        say(str(error))
        return USAGE_ERROR if isinstance(error, UsageError) else DATA_ERROR
    except BrokenPipeError:
        # What is still in the buffer would raise again when the interpreter flushes it on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
