"""fetch and attach: a public data set in the data folder; the text of a study's documents from a collection."""

import argparse
import textwrap
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.cli.record import Command, add_study
from fairviz.errors import UsageError
from fairviz.evaluation.formats import ProgressLine, emit, say

if TYPE_CHECKING:
    from fairviz.datasets import Dataset


def _add_fetch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="the data set, see --list")
    parser.add_argument("--list", action="store_true", help="list the data sets that can be fetched, and stop")
    parser.add_argument(
        "--from",
        dest="source",
        metavar="DIR",
        help="take the files from a local copy instead of the network: a folder that holds them or clones of their "
        "repositories, or a zip of it; each is checked by its SHA-256",
    )
    parser.add_argument("--replace", action="store_true", help="fetch files again; additions are kept")


def _fetch(arguments: argparse.Namespace) -> int:
    from fairviz.datasets import DATASETS, fetch

    if arguments.list:
        for dataset in DATASETS.values():
            emit(_describe(dataset))
        return 0
    if not arguments.name:
        raise UsageError("fetch needs the name of a data set", f"Use one of {', '.join(DATASETS)}, or --list.")
    with closing(ProgressLine(f"fetching {arguments.name}")) as progress:
        folder = fetch(arguments.name, arguments.source, progress, report=say, replace=arguments.replace)
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


def _add_attach(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    parser.add_argument(
        "--collection",
        required=True,
        metavar="FILE",
        help="doc_id, a tab and the text on each line, as MS MARCO's collection.tsv; may be compressed (.gz)",
    )
    parser.add_argument("--replace", action="store_true", help="in place of the documents that the study has")


def _attach(arguments: argparse.Namespace) -> int:
    from fairviz.datasets import attach
    from fairviz.evaluation.opening import open_study

    study = open_study(arguments.study)
    with closing(ProgressLine("reading bytes")) as progress:
        file, count, count_named = attach(study, Path(arguments.collection), progress, replace=arguments.replace)
    say(f"wrote {file}: {count:,} of the {count_named:,} documents that {study.name} names")
    if count < count_named:
        say(f"{count_named - count:,} are not in {Path(arguments.collection).name}; they stay without text.")
    return 0


FETCH = Command(
    "fetch", "download a public data set: a study, or word vectors", _add_fetch, _fetch,
    stopped="stopped: whole files are kept; run the same command to resume",
    example="fetch --list",
)  # fmt: skip
ATTACH = Command(
    "attach",
    "give a study the text of its documents from a large collection",
    _add_attach,
    _attach,
    example="attach my-study --collection collection.tsv",
)
