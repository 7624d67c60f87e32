"""bench: the effect of every mitigation on fairness and effectiveness, on held-out queries."""

import argparse
from contextlib import closing
from typing import TYPE_CHECKING

from fairviz.cli.evaluate import open_under_settings
from fairviz.cli.options import add_choices
from fairviz.cli.record import (
    CODES_KEPT,
    Command,
    above_0_to,
    add_output,
    add_study,
    format_epilog,
    print_notes,
    random_seed,
    whole_number,
    write_result,
)
from fairviz.evaluation.formats import ProgressLines, say

if TYPE_CHECKING:
    from fairviz.analyses.mitigations.bench import Bench

TABLES = {
    "tests": "each mitigation against its baseline, measure by measure, with a paired test (the default)",
    "means": "the mean of each system over the held-out queries with its interval: the points of the plane",
}
EPILOG = (
    "A mitigation is written as a ranker: {examples}. It is compared with the same ranker without it, or with the run "
    "that it reorders; what the study lacks is ranked. Without --mitigations one of each kind is tried that the study "
    "can have.",
    "A warning appears where one measure gets better and another worse: in tests of both, or, marked as such, in the "
    "means alone.  All pairs of the systems tried are one family in each measure, by single-step maxT; "
    "--tests declares another method. Verdicts are those of `compare`; under ten queries there is none.",
)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    option("measures", metavar="MEASURE", nargs="*", help="of fairness, or DPFR; nothing for the usual ones. "
           "Effectiveness is always among them")  # fmt: skip
    option("--mitigations", default="", metavar="RANKERS", help="see below (default: one of each kind)")
    option("--held-out", type=above_0_to(1), default=0.5, metavar="SHARE", help="of the queries that count; 1 for all "
           "(default: %(default)s)")  # fmt: skip
    option("--seed", type=random_seed, default=0, metavar="N", help="of the draw of queries (default: %(default)s)")
    option("--depth", type=whole_number, default=100, metavar="N", help="longest list (default: %(default)s)")
    option("--table", choices=tuple(TABLES), default="tests", help="see below (default: %(default)s)")
    add_choices(parser)
    add_output(parser)


def _run(arguments: argparse.Namespace) -> int:
    study, settings = open_under_settings(arguments)
    from fairviz.analyses.mitigations.bench import mitigation_bench

    parameters = {name: getattr(arguments, name) for name in ("held_out", "seed", "depth")}
    with closing(ProgressLines()) as progress:
        bench = mitigation_bench(
            study, arguments.mitigations, arguments.measures, settings, progress=progress, **parameters
        )
    _print_findings(bench)
    provenance = [("mitigations", ", ".join(one.system for one in bench.mitigations)), *parameters.items()]
    measures = [question.text for question in bench.questions]
    table = bench.table if arguments.table == "tests" else bench.means
    write_result(table, arguments, study, provenance, settings=settings, measures=measures)
    return 0


def _print_findings(bench: "Bench") -> None:
    print_notes((*bench.notes, f"Tests in each measure: {bench.family}."))
    warned_systems = {warning.partition(":")[0] for warning in bench.warnings}
    for line in bench.outcomes:
        if line.partition(":")[0] not in warned_systems:
            say(line)
    for line in (*bench.warnings, *bench.leanings):
        say(f"warning: {line}")


def _epilog() -> str:
    from fairviz.analyses.mitigations.mitigation import examples

    return format_epilog((EPILOG[0].format(examples=examples()), *EPILOG[1:]), TABLES)


BENCH = Command(
    "bench", "compare mitigations by fairness and effectiveness", _add_arguments, _run, _epilog, CODES_KEPT,
    example="bench newswire --mitigations 'neutral(run=bm25)'",
)  # fmt: skip
