"""report: one page of HTML for a paper's appendix or a class."""

import argparse

from fairviz.cli.capsule import add_made, write_file
from fairviz.cli.evaluate import opened
from fairviz.cli.record import Command


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_made(parser, "report.html", "those of the Overview page")


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.report import report

    study, settings = opened(arguments)
    write_file(report(study, arguments.measures, settings).encode(), arguments.output)
    return 0


REPORT = Command("report", "one page of HTML with findings, choices and methods, to hand on", _add_arguments, _run)
