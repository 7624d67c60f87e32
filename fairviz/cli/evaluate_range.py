"""evaluate --range: the worst and the best value that a reordering of the candidates allows."""

import argparse
from typing import TYPE_CHECKING

from fairviz.cli.record import write_result
from fairviz.errors import UsageError

if TYPE_CHECKING:
    from fairviz.evaluation.settings import Settings
    from fairviz.study.record import Study

SOURCES = ("study", "run", "judged")  # those of fairviz.orders.candidates, which loads numpy
OTHERS = ("wide", "tie_range", "runs")


def add_range(parser: argparse.ArgumentParser) -> None:
    """Add the option --range."""
    parser.add_argument(
        "--range",
        nargs="?",
        const="study",
        choices=SOURCES,
        help="the worst and the best value over all orders of the candidates, whether these ends are exact, a bound or "
        "searched, and the value's place from worst (0) to best (1); candidates: study (what any system retrieved for "
        "the query; the default), run (the system's own list) or judged",
    )


def check_range(arguments: argparse.Namespace) -> None:
    """Raise UsageError for options that --range excludes."""
    for option in OTHERS if arguments.range else ():
        if getattr(arguments, option):
            name = option.replace("_", "-")
            raise UsageError(f"--range and --{name} ask for different tables", "Give one of them.")


def write_ranges(study: "Study", settings: "Settings", arguments: argparse.Namespace) -> None:
    """Write the table of ranges. Raises: see `fairviz.ranges`."""
    from fairviz.orders.ranges import ranges

    table = ranges(study, arguments.measures, settings, candidates=arguments.range, per_query=arguments.per_query)
    about = [("candidates", arguments.range)]
    write_result(table, arguments, study, about, settings=settings, measures=table["measure"].unique())
