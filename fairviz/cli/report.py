"""report: one page of HTML for a paper's appendix or a class."""

import argparse
from contextlib import closing
from typing import TYPE_CHECKING

from fairviz.cli.capsule import add_export_arguments, write_file
from fairviz.cli.evaluate import opened
from fairviz.cli.record import Command, lexicon_text
from fairviz.cli.robustness import systems_of
from fairviz.errors import UsageError
from fairviz.evaluation.formats import ProgressLine

if TYPE_CHECKING:
    from fairviz.evaluation.settings import Settings
    from fairviz.output.report import Section
    from fairviz.study.record import Study


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_export_arguments(parser, "report.html", "those of the Overview page")
    option = parser.add_argument
    option("--map", metavar="A,B", help="add the sensitivity analysis of two systems, as fairviz robustness makes it")
    option("--map-measure", action="append", default=[], metavar="MEASURE", help="of the map (default: CWEx)")
    option("--map-choice", action="append", default=[], metavar="NAME[=LEVEL,…]", help="what the map varies, such as "
           "tau=0,1 (default: the usual choices)")  # fmt: skip


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.output.report import report

    if arguments.map is None and (arguments.map_measure or arguments.map_choice):
        raise UsageError("--map-measure and --map-choice are options of --map", "Name its systems: --map A,B.")
    study, settings = opened(arguments)
    sections = [] if arguments.map is None else [_map_section(study, settings, arguments)]
    write_file(report(study, arguments.measures, settings, sections=sections).encode(), arguments.output)
    return 0


def _map_section(study: "Study", settings: "Settings", arguments: argparse.Namespace) -> "Section":
    from fairviz.analyses.sensitivity.levels import read_levels
    from fairviz.analyses.sensitivity.mapping import USUAL, robustness
    from fairviz.output.sensitivity_report import section

    levels = read_levels(arguments.map_choice, lexicon_text) or dict.fromkeys(USUAL)
    with closing(ProgressLine("combinations")) as progress:
        pair = systems_of(study, arguments.map, "--map")
        return section(robustness(study, pair, arguments.map_measure or ["CWEx"], levels, settings, told=progress))


REPORT = Command(
    "report",
    "write findings, choices and methods to one page of HTML",
    _add_arguments,
    _run,
    example="report football --output report.html",
)
