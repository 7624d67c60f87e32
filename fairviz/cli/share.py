"""Verbs that hand on: report, capsule, replay and docs."""

import argparse
import webbrowser
from contextlib import closing
from typing import TYPE_CHECKING

from fairviz import declared
from fairviz.cli.analysis import systems_of
from fairviz.cli.options import add_choices, opened
from fairviz.cli.record import Command, add_excel, add_parameters, add_study, lexicon_text, print_notes
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.formats import FORMATS, ProgressLine, emit, one_line, say
from fairviz.files import write_output
from fairviz.home import manual_folder

if TYPE_CHECKING:
    from fairviz.evaluation.settings import Settings
    from fairviz.output.html import Section
    from fairviz.study.record import Study

DIFFERENT = 3
REPLAY_EPILOG = (
    "Exit status of replay: 0 no number differs; 3 some differ; 1 the capsule or the study must be repaired, such as "
    "a capsule that was changed; 2 a wrong argument. A file that has changed without changing any number is reported; "
    "the status stays 0.",
    "Without --study the numbers are made from the study of the capsule's name, where it is built in, fetched or "
    "saved.",
)
BUILD_MANUAL = "Run `make docs` in a checkout of fairviz; a wheel built there afterwards contains the manual."
DOCS_EPILOG = (
    "The manual is a folder of pages that load nothing from the network. With --path its first page is printed and not "
    "opened, as on a machine without a browser.",
)


def _add_export_arguments(parser: argparse.ArgumentParser, output: str, measures: str) -> None:
    """Add the arguments of an export: study, measures, choices and file."""
    add_study(parser)
    parser.add_argument(
        "measures", metavar="MEASURE", nargs="*", help=f"default: {measures} that the study supports, at the cutoff --k"
    )
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help=f"such as {output}")
    add_choices(parser)


def _write_file(content: bytes, name: str) -> None:
    """Write the whole file and print its name. Raises FairvizError."""
    write_output(name, content)
    say(f"wrote {name} ({len(content):,} bytes)")


def _add_report(parser: argparse.ArgumentParser) -> None:
    _add_export_arguments(parser, "report.html", "those of the Overview page")
    option = parser.add_argument
    option("--map", metavar="A,B", help="add the sensitivity analysis of two systems, as fairviz sensitivity makes it")
    option("--map-measure", action="append", default=[], metavar="MEASURE", help="of the map (default: CWEx)")
    option("--map-choice", action="append", default=[], metavar="NAME[=LEVEL,…]", help="what the map varies, such as "
           "tau=0,1 (default: the usual choices)")  # fmt: skip


def _run_report(arguments: argparse.Namespace) -> int:
    from fairviz.output.report import report

    if arguments.map is None and (arguments.map_measure or arguments.map_choice):
        raise UsageError("--map-measure and --map-choice are options of --map", "Name its systems: --map A,B.")
    study, settings = opened(arguments)
    sections = [] if arguments.map is None else [_map_section(study, settings, arguments)]
    _write_file(report(study, arguments.measures, settings, sections=sections).encode(), arguments.output)
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
    "report", "write findings, choices and methods to one page of HTML", _add_report, _run_report,
    example="report football --output report.html",
)  # fmt: skip


def _add_capsule(parser: argparse.ArgumentParser) -> None:
    _add_export_arguments(parser, "capsule.zip", "all")
    parser.add_argument("--no-figures", action="store_true", help="leave the figures out, which take most of the room")


def _run_capsule(arguments: argparse.Namespace) -> int:
    from fairviz.output.capsule import capsule

    study, settings = opened(arguments)
    content = capsule(study, arguments.measures, settings, figures=not arguments.no_figures)
    _write_file(content, arguments.output)
    return 0


def _add_replay(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    option("capsule", metavar="CAPSULE", help="a file of `fairviz capsule`, or of the Data page")
    option("--study", metavar="STUDY", help="the folder or name of the study (default: the one of the capsule's name)")
    add_parameters(parser, declared.REPLAY)
    option("--format", choices=("table", "csv", "json", "latex", "markdown"), default="table", help="default: table")
    add_excel(parser)
    option("--output", metavar="FILE", help="write what differs to this file instead of standard output")


def _run_replay(arguments: argparse.Namespace) -> int:
    from fairviz.datasets.stored import resolve
    from fairviz.evaluation.opening import open_study
    from fairviz.output.capsule import read_capsule, replay

    exported = read_capsule(arguments.capsule)
    if not arguments.study and resolve(exported.study) is None:  # a path in a capsule is never opened
        raise UsageError(
            f"the capsule was made of {exported.study!r}, and no study of that name is here",
            "Name its folder: --study FOLDER.",
        )
    study = open_study(arguments.study or exported.study)
    tolerance = arguments.tolerance
    precision = f"within {tolerance:g} of the larger one" if tolerance else "compared to the last digit"
    differences = replay(exported, study, tolerance)
    print_notes(map(one_line, differences.others))
    for line in differences.inputs:
        say(f"changed: {one_line(line)}")
    if differences.same:
        if arguments.output:  # a table without rows, in place of one of an earlier run
            emit(FORMATS[arguments.format](differences.table), arguments.output)
        say(f"equal: {differences.values:,} values and their means, {precision}")
        return 0
    emit(FORMATS[arguments.format](differences.table), arguments.output)
    say(
        f"differ: {differences.differ:,} of {differences.values:,} values, and {differences.means_differ:,} of "
        f"{differences.means:,} means or their intervals, {precision}"
    )
    return DIFFERENT


CAPSULE = Command(
    "capsule", "pack scores, settings and fingerprints into one zip", _add_capsule, _run_capsule,
    example="capsule football --output football.zip",
)  # fmt: skip
REPLAY = Command(
    "replay", "compute a capsule's numbers again: status 3 if they differ", _add_replay, _run_replay, REPLAY_EPILOG,
    example="replay football.zip",
)  # fmt: skip


def _add_docs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--path", action="store_true", help="print the path of the first page, and do not open it")


def _run_docs(arguments: argparse.Namespace) -> int:
    folder = manual_folder()
    if folder is None:
        raise FairvizError("this installation has no manual", BUILD_MANUAL)
    page = folder / "index.html"
    if arguments.path:
        emit(f"{page}\n")
        return 0
    if not webbrowser.open(page.as_uri()):
        say(f"no browser could be started; the manual is {page}")
    return 0


DOCS = Command("docs", "open the manual in the browser", _add_docs, _run_docs, DOCS_EPILOG, example="docs")
