"""compare: systems against one of them, query by query."""

import argparse
from typing import TYPE_CHECKING

from fairviz.cli.evaluate import add_choices, answered
from fairviz.cli.record import Command, add_measures, add_output, add_study, write
from fairviz.evaluation.formats import say

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
    from fairviz.evaluation.exports import origin

    study, settings, scores = answered(arguments)
    found = comparison(scores, arguments.baseline, test=arguments.test, correction=arguments.correction)
    say(f"note: {family_note(found)}")
    measures = tuple(found.table["measure"].unique())
    more = (("test", found.test), ("correction", found.correction), ("family", found.family))
    write(found.table, arguments, lambda: origin(study, settings, measures, more))
    return 0


def family_note(found: "Comparison") -> str:
    """How many tests the correction is for."""
    tests = f"{found.family} paired test{'' if found.family == 1 else 's'}"
    return f"{tests}, correction: {found.correction}; perfect and random are references, in no family."


COMPARE = Command("compare", "systems against one of them, query by query", _add_arguments, _run)
