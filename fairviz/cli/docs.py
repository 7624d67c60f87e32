"""docs: the manual of this installation in the browser, without a network."""

import argparse
import webbrowser
from pathlib import Path

from fairviz.cli.record import Command
from fairviz.errors import FairvizError
from fairviz.evaluation.formats import emit, say
from fairviz.home import manual_folder

BUILD = "Run `make docs` in a checkout of fairviz; a wheel built there afterwards contains the manual."
EPILOG = (
    "The manual is a folder of pages that load nothing from the network. With --path its first page is printed and not "
    "opened, as on a machine without a browser.",
)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--path", action="store_true", help="print the path of the first page, and do not open it")


def first_page() -> Path:
    """Return the manual's first page. Raises FairvizError, with the command that builds it, if it is missing."""
    folder = manual_folder()
    if folder is None:
        raise FairvizError("this installation has no manual", BUILD)
    return folder / "index.html"


def _run(arguments: argparse.Namespace) -> int:
    page = first_page()
    if arguments.path:
        emit(f"{page}\n")
        return 0
    if not webbrowser.open(page.as_uri()):
        say(f"no browser could be started; the manual is {page}")
    return 0


DOCS = Command("docs", "open the manual in the browser", _add_arguments, _run, EPILOG, example="docs")
