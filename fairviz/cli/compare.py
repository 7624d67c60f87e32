"""compare: systems against one of them, query by query."""

import argparse
from typing import TYPE_CHECKING

from fairviz.cli.evaluate import add_choices, scores_of
from fairviz.cli.record import Command, add_measures, add_output, add_study
from fairviz.evaluation.formats import FORMATS, emit, say

if TYPE_CHECKING:
    from fairviz.evaluation.compare import Comparison

TESTS = ("t", "randomisation", "wilcoxon")
CORRECTIONS = ("holm", "bonferroni", "bh", "none")


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    add_measures(parser)
    option = parser.add_argument
    option(
        "--baseline", default="", metavar="NAME", help="the system to compare with (default: the best of each measure)"
    )
    option("--test", choices=TESTS, default="t", help="the paired test (default: %(default)s)")
    option("--correction", choices=CORRECTIONS, default="holm", help="for the number of tests (default: %(default)s)")
    add_choices(parser)
    add_output(parser)


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.evaluation.compare import comparison

    scores = scores_of(arguments)
    found = comparison(scores, arguments.baseline, test=arguments.test, correction=arguments.correction)
    say(f"note: {family_note(found)}")
    emit(FORMATS[arguments.format](found.table), arguments.output)
    return 0


def family_note(found: "Comparison") -> str:
    """How many tests the correction is for."""
    tests = f"{found.family} paired test{'' if found.family == 1 else 's'}"
    return f"{tests}, correction: {found.correction}; perfect and random are references, in no family."


COMPARE = Command("compare", "systems against one of them, query by query", _add_arguments, _run)
