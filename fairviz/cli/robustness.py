"""robustness: sensitivity analysis of two systems over every combination of choices."""

import argparse
import textwrap
from typing import TYPE_CHECKING

from fairviz import interrupts
from fairviz.cli.evaluate import check_choices
from fairviz.cli.options import add_choices, settings_of, systems_in
from fairviz.cli.record import Command, add_excel, add_study, lexicon_text, print_notices, whole_number, write
from fairviz.errors import UsageError
from fairviz.evaluation.formats import FORMATS, ProgressLine, emit, say

if TYPE_CHECKING:
    from fairviz.analyses.sensitivity.result import Robustness
    from fairviz.study.record import Study


EPILOG = (
    "Prints who is fairer under how many combinations, in how many the difference is significant, and each choice's "
    "share of the variance; --output writes every combination as CSV.",
    "A choice that is ticked without levels (--choice tau) has its usual ones. The present level, which the options "
    "above set, is always among them. A choice that a measure does not read does not multiply its combinations. "
    "Without --choice, the usual choices are varied. Levels of the word list are study, gsr or a file; of the "
    "annotator, default, a name, majority or dawid-skene.",
    "Ctrl-C stops it: finished combinations are printed and written.",
)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    option("--systems", dest="pair", required=True, metavar="A,B", help="the two systems")
    option("--measure", action="append", default=[], metavar="MEASURE", help="such as CWEx; may be given several "
           "times, and is then a choice too (default: CWEx)")  # fmt: skip
    option("--choice", action="append", default=[], metavar="NAME[=LEVEL,…]", help="what is varied, such as tau=0,1; "
           "may be given several times")  # fmt: skip
    option("--most", type=whole_number, default=100_000, metavar="N", help="compute at most N combinations "
           "(default: %(default)s)")  # fmt: skip
    add_choices(parser)
    option("--output", metavar="FILE", help="write every combination to this file, as CSV")
    add_excel(parser)
    option(
        "--provenance",
        action=argparse.BooleanOptionalAction,
        help="write into the file how it was made, in last columns (default: yes)",
    )
    parser.set_defaults(format="csv")


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.analyses.sensitivity.levels import read_levels

    levels = read_levels(arguments.choice, lexicon_text)
    settings = settings_of(arguments)
    from fairviz.analyses.sensitivity.mapping import USUAL, robustness
    from fairviz.evaluation.opening import open_study

    study = open_study(arguments.study)
    check_choices(study, settings)
    print_notices(study)
    progress = ProgressLine("combinations")
    try:
        result = robustness(
            study, systems_of(study, arguments.pair), arguments.measure or ["CWEx"],
            levels or dict.fromkeys(USUAL), settings, most=arguments.most, told=progress,
        )  # fmt: skip
    finally:
        progress.close()
    return _write(result, arguments)


def _write(result: "Robustness", arguments: argparse.Namespace) -> int:
    """Print the sentence and the shares, write the file, and return the status: nonzero if the analysis was stopped."""
    from fairviz.analyses.sensitivity.result import lines
    from fairviz.evaluation.exports import origin

    lines_of_text = [*textwrap.wrap(result.sentence, 100), *(f"  {line}" for line in lines(result))]
    emit("\n".join([*lines_of_text, "", FORMATS["table"](result.share_table)]))
    grid, counts = result.grid, result.counts
    if arguments.output is not None:
        measures = tuple(result.table["measure"].unique())
        parameters = (("systems", ", ".join(grid.pair)), ("varied", ", ".join(grid.choices)))
        write(result.table, arguments, lambda: origin(grid.study, grid.settings, measures, parameters))
        say(f"wrote {arguments.output}: {counts.done:,} combinations")
    if counts.done == counts.all:
        return 0
    say(f"stopped: {counts.done:,} of {counts.all:,} combinations are computed, and the figures are of these.")
    return interrupts.STATUS


def systems_of(study: "Study", text: str, option: str = "--systems") -> list[str]:
    """Return the two names in `A,B`; names may contain commas. Raises UsageError that names the option."""
    names = systems_in(study, text)
    if len(names) != 2:
        raise UsageError(f"{option} is {text[:80]!r}", "Write two names with a comma between them, as bm25,tfidf.")
    return names


def _epilog() -> str:
    from fairviz.analyses.sensitivity.levels import CHOICES

    paragraphs = [textwrap.fill(paragraph, 100) for paragraph in EPILOG]
    rows = ["Choices:", *(f"  {name}: {levels.question}" for name, levels in CHOICES.items())]
    return "\n\n".join([*paragraphs, "\n".join(rows)])


ROBUSTNESS = Command(
    "robustness", "compare two systems under every combination of choices", _add_arguments, _run, _epilog,
    example="robustness newswire --systems bm25,w2v_add --measure NFaiRR --choice tau=0,1",
)  # fmt: skip
