"""check: what is in a study, and what does not fit together."""

import argparse

from fairviz.cli.record import Command, add_output, add_study
from fairviz.evaluation.formats import FORMATS, emit, say


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    add_output(parser)


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.datasets import open_study
    from fairviz.study.checks import check

    study = open_study(arguments.study)
    for notice in study.notices:
        say(f"note: {notice}")
    emit(FORMATS[arguments.format](check(study)), arguments.output)
    return 0


CHECK = Command("check", "what is in a study, and what does not fit together", _add_arguments, _run)
