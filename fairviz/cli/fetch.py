"""fetch: download of a public data set, a study or word vectors, to the data folder."""

import argparse
import textwrap
from typing import TYPE_CHECKING

from fairviz.cli.record import Command
from fairviz.errors import UsageError
from fairviz.evaluation.formats import ProgressLine, emit, say

if TYPE_CHECKING:
    from fairviz.datasets import Dataset


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="the data set, see --list")
    parser.add_argument("--list", action="store_true", help="list the data sets that can be fetched, and stop")
    parser.add_argument(
        "--from",
        dest="source",
        metavar="DIR",
        help="take the files from a local copy instead of the network: a folder that holds them or clones of their "
        "repositories, or a zip of it; each is checked by its SHA-256",
    )
    parser.add_argument("--replace", action="store_true", help="fetch again what is there; what was added is kept")


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.datasets import DATASETS, fetch

    if arguments.list:
        for dataset in DATASETS.values():
            emit(_describe(dataset))
        return 0
    if not arguments.name:
        raise UsageError("fetch needs the name of a data set", f"Use one of {', '.join(DATASETS)}, or --list.")
    progress = ProgressLine(f"fetching {arguments.name}")
    try:
        folder = fetch(arguments.name, arguments.source, progress, report=say, replace=arguments.replace)
    finally:
        progress.close()
    dataset = DATASETS[arguments.name]
    say(f"{'The study' if dataset.kind == 'study' else 'The word vectors'} {dataset.name}: {folder}")
    say(f"Now: fairviz {dataset.then}")
    return 0


def _describe(dataset: "Dataset") -> str:
    """Return name, title, size, licence, homepage, state and citation in lines."""
    state = f"fetched: {dataset.folder}" if dataset.is_fetched else "not fetched"
    lines = [
        f"{dataset.name}: {dataset.title}",
        f"  {dataset.size / 1000:,.0f} kB, {dataset.licence}, {dataset.homepage}, {state}",
        *textwrap.wrap(f"Cite: {dataset.citation}", 116, initial_indent="  ", subsequent_indent="    "),
    ]
    return "\n".join(lines) + "\n"


FETCH = Command(
    "fetch", "download a public data set: a study, or word vectors", _add_arguments, _run,
    stopped="stopped: whole files are kept; run the same command to resume",
)  # fmt: skip
