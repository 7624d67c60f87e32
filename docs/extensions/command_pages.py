"""The page of the command line, from its parsers."""

import argparse
import os
from unittest import mock

from markdown import block, plain

from fairviz.cli import GROUPS, Command
from fairviz.cli.main import parser

INTRODUCTION = """# Command line

Every verb with all of its options, as ``fairviz VERB --help all`` prints them. Results go to standard output, messages
to standard error. The exit status is 0 for success, 1 for an error in the data, 2 for a wrong command, 3 for a gate
that is not passed.

"""
WIDTH = "96"  # of the help, in characters


def pages() -> dict[str, str]:
    """Return the page by its file."""
    verbs = next(action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)).choices
    with mock.patch.dict(os.environ, COLUMNS=WIDTH):
        groups = (
            f"## {group}\n\n" + "".join(_verb(command, verbs[command.name]) for command in commands)
            for group, commands in GROUPS.items()
        )
        return {"command-line.md": INTRODUCTION + "".join(groups)}


def _verb(command: Command, verb_parser: argparse.ArgumentParser) -> str:
    sentence = plain(f"{command.help[0].upper()}{command.help[1:]}.")
    text = verb_parser.format_help().replace(os.path.expanduser("~"), "~")
    return f"(verb-{command.name})=\n### {command.name}\n\n{sentence}\n\n{block(text)}\n"
