"""Sizes: how many rows does each part of a study have?"""

import argparse

from fairviz.cli.record import Command
from fairviz.evaluation.formats import emit


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("study", metavar="STUDY", help="a built-in study, a downloaded one, or a folder")


def _run(arguments: argparse.Namespace) -> int:
    import fairviz  # slow to import, so only when the verb runs

    study = fairviz.open_study(arguments.study)
    for part in ("runs", "queries", "documents", "labels"):
        if study.has(part):
            emit(f"{part} {len(getattr(study, part)):,}\n")
    return 0


SIZES = Command("sizes", "count the rows of each part of a study", _add_arguments, _run, example="sizes football")
