"""capsule and replay: numbers exported with everything they depend on, and computed again."""

import argparse

from fairviz.cli.evaluate import opened
from fairviz.cli.options import add_choices
from fairviz.cli.record import Command, add_excel, add_study, print_notes, share_called
from fairviz.errors import UsageError
from fairviz.evaluation.formats import FORMATS, emit, one_line, say
from fairviz.files import write_output

DIFFERENT = 3
MESSAGES = (
    "Exit status of replay: 0 no number differs; 3 some differ; 1 the capsule or the study must be repaired, such as "
    "a capsule that was changed; 2 a wrong argument. A file that has changed without changing any number is reported; "
    "the status stays 0.",
    "Without --study the numbers are made from the study of the capsule's name, where it is built in, fetched or "
    "saved.",
)


def add_export_arguments(parser: argparse.ArgumentParser, output: str, measures: str) -> None:
    """Add the arguments of an export: study, measures, choices and file."""
    add_study(parser)
    parser.add_argument(
        "measures",
        metavar="MEASURE",
        nargs="*",
        help=f"default: {measures} that the study supports, at the cutoff --k",
    )
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help=f"such as {output}")
    add_choices(parser)


def _add_capsule(parser: argparse.ArgumentParser) -> None:
    add_export_arguments(parser, "capsule.zip", "all")
    parser.add_argument("--no-figures", action="store_true", help="leave the figures out, which take most of the room")


def _capsule(arguments: argparse.Namespace) -> int:
    from fairviz.output.capsule import capsule

    study, settings = opened(arguments)
    content = capsule(study, arguments.measures, settings, figures=not arguments.no_figures)
    write_file(content, arguments.output)
    return 0


def write_file(content: bytes, name: str) -> None:
    """Write the whole file and print its name. Raises FairvizError."""
    write_output(name, content)
    say(f"wrote {name} ({len(content):,} bytes)")


def _add_replay(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    option("capsule", metavar="CAPSULE", help="a file of `fairviz capsule`, or of the Data page")
    option("--study", metavar="STUDY", help="the folder or name of the study (default: the one of the capsule's name)")
    option("--tolerance", type=share_called("number"), default=0.0, metavar="T",
           help="by what share of the larger one two numbers may "
           "differ and still be the same (default: 0, to the last digit)")  # fmt: skip
    option("--format", choices=("table", "csv", "json", "latex", "markdown"), default="table", help="default: table")
    add_excel(parser)
    option("--output", metavar="FILE", help="write what differs to this file instead of standard output")


def _replay(arguments: argparse.Namespace) -> int:
    from fairviz.evaluation.opening import open_study
    from fairviz.output.capsule import read_capsule, replay

    exported = read_capsule(arguments.capsule)
    study = open_study(arguments.study or _known_study(exported.study))
    differences = replay(exported, study, arguments.tolerance)
    print_notes(map(one_line, differences.others))
    for line in differences.inputs:
        say(f"changed: {one_line(line)}")
    if differences.same:
        if arguments.output:  # a table without rows, in place of one of an earlier run
            emit(FORMATS[arguments.format](differences.table), arguments.output)
        say(f"equal: {differences.values:,} values and their means, {_tolerance_text(arguments.tolerance)}")
        return 0
    emit(FORMATS[arguments.format](differences.table), arguments.output)
    say(
        f"differ: {differences.differ:,} of {differences.values:,} values, and {differences.means_differ:,} of "
        f"{differences.means:,} means or their intervals, {_tolerance_text(arguments.tolerance)}"
    )
    return DIFFERENT


def _tolerance_text(tolerance: float) -> str:
    return f"within {tolerance:g} of the larger one" if tolerance else "compared to the last digit"


def _known_study(name: str) -> str:
    """Return the name of a known study; a path in a capsule is never opened."""
    from fairviz.datasets.stored import resolve

    if resolve(name) is None:
        raise UsageError(
            f"the capsule was made of {name!r}, and no study of that name is here", "Name its folder: --study FOLDER."
        )
    return name


CAPSULE = Command(
    "capsule",
    "pack scores, settings and fingerprints into one zip",
    _add_capsule,
    _capsule,
    example="capsule football --output football.zip",
)
REPLAY = Command(
    "replay",
    "compute a capsule's numbers again: status 3 if they differ",
    _add_replay,
    _replay,
    MESSAGES,
    example="replay football.zip",
)
