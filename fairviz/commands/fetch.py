"""fetch: a public data set as a study in the data folder."""

import argparse

from fairviz.commands.record import Command
from fairviz.errors import UsageError
from fairviz.output import ProgressLine, emit, say


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="the data set, see --list")
    parser.add_argument("--list", action="store_true", help="list the data sets that can be fetched, and stop")
    parser.add_argument(
        "--from", dest="source", metavar="DIR", help="take the files from a local copy instead of the network"
    )
    parser.add_argument("--replace", action="store_true", help="fetch again what is there; runs added to it are kept")


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.datasets import DATASETS, fetch, resolve

    if arguments.list:
        for dataset in DATASETS.values():
            place = resolve(dataset.name)
            state = f"fetched: {place}" if place else "not fetched"
            emit(f"{dataset.name}: {dataset.title}\n")
            emit(f"  {dataset.size / 1000:,.0f} kB, {dataset.licence}, {dataset.homepage}, {state}\n")
        return 0
    if not arguments.name:
        raise UsageError("fetch needs the name of a data set", f"Use one of {', '.join(DATASETS)}, or --list.")
    progress = ProgressLine(f"fetching {arguments.name}")
    try:
        folder = fetch(arguments.name, arguments.source, progress, report=say, replace=arguments.replace)
    finally:
        progress.close()
    say(f"The study {arguments.name} is in {folder}")
    say(f"Now: python -m fairviz rank {arguments.name} --with bm25,tfidf")
    return 0


FETCH = Command("fetch", "download a public data set as a study", _add_arguments, _run)
