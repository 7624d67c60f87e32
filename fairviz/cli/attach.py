"""attach: document texts for a study, from a large collection."""

import argparse
from pathlib import Path

from fairviz.cli.record import Command, add_study
from fairviz.evaluation.formats import ProgressLine, say


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    parser.add_argument(
        "--collection",
        required=True,
        metavar="FILE",
        help="doc_id, a tab and the text on each line, as MS MARCO's collection.tsv; may be compressed (.gz)",
    )
    parser.add_argument("--replace", action="store_true", help="in place of the documents that the study has")


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.datasets import attach
    from fairviz.evaluation.opening import open_study

    study = open_study(arguments.study)
    progress = ProgressLine("reading bytes")
    try:
        file, count, count_named = attach(study, Path(arguments.collection), progress, replace=arguments.replace)
    finally:
        progress.close()
    say(f"wrote {file}: {count:,} of the {count_named:,} documents that {study.name} names")
    if count < count_named:
        say(f"{count_named - count:,} are not in {Path(arguments.collection).name}; they stay without text.")
    return 0


ATTACH = Command("attach", "give a study the text of its documents from a large collection", _add_arguments, _run)
