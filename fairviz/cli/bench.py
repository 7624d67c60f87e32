"""bench: the effect of every mitigation on fairness and effectiveness, on held-out queries."""

import argparse
from typing import TYPE_CHECKING

from fairviz.cli.evaluate import check_choices
from fairviz.cli.options import add_choices, settings_of
from fairviz.cli.record import (
    CODES_KEPT,
    Command,
    add_output,
    add_study,
    format_epilog,
    print_notices,
    whole_number,
    write,
)
from fairviz.evaluation.formats import ProgressLine, say

if TYPE_CHECKING:
    from fairviz.analyses.mitigations.bench import Bench

TABLES = {
    "tests": "each mitigation against what it mends, measure by measure, with a paired test (the default)",
    "means": "the mean of each system over the held-out queries with its interval: the points of the plane",
}
EPILOG = (
    "A mitigation is written as a ranker: {examples}. It is compared with the same ranker without it, or with the run "
    "that it reorders; what the study lacks is ranked. Without --mitigations one of each kind is tried that the study "
    "can have.",
    "A warning says where one measure gets better and another worse: where tests support both; or, and it says so, "
    "where the means alone part. All pairs of the systems tried are one family in each measure, by single-step maxT; "
    "--tests declares another method. Verdicts are those of `compare`; under ten queries there is none.",
)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    option("measures", metavar="MEASURE", nargs="*", help="of fairness; nothing for the usual ones. Effectiveness is "
           "always among them")  # fmt: skip
    option("--mitigations", default="", metavar="RANKERS", help="see below (default: one of each kind)")
    option("--held-out", type=_share, default=0.5, metavar="SHARE", help="of the queries that count; 1 for all "
           "(default: %(default)s)")  # fmt: skip
    option("--seed", type=_seed, default=0, metavar="N", help="of the draw of queries (default: %(default)s)")
    option("--depth", type=whole_number, default=100, metavar="N", help="longest list (default: %(default)s)")
    option("--table", choices=tuple(TABLES), default="tests", help="see below (default: %(default)s)")
    add_choices(parser)
    add_output(parser)


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no number above 0, and 1 at the most")
    return value


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no whole number from 0 to 999,999,999")
    return int(text)


def _run(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments)
    from fairviz.analyses.mitigations.bench import mitigation_bench
    from fairviz.evaluation.exports import origin
    from fairviz.evaluation.opening import open_study

    study = open_study(arguments.study)
    check_choices(study, settings)
    print_notices(study)
    parameters = {name: getattr(arguments, name) for name in ("held_out", "seed", "depth")}
    lines: dict[str, ProgressLine] = {}

    def progress(task: str, count: int, total: int) -> None:
        lines.setdefault(task, ProgressLine(task))(count, total)

    try:
        bench = mitigation_bench(
            study, arguments.mitigations, arguments.measures, settings, progress=progress, **parameters
        )
    finally:
        for line in lines.values():
            line.close()
    _print_findings(bench)
    provenance = [("mitigations", ", ".join(one.system for one in bench.mitigations)), *parameters.items()]
    measures = [question.text for question in bench.questions]
    table = bench.table if arguments.table == "tests" else bench.means
    write(table, arguments, lambda: origin(study, settings, measures, provenance))
    return 0


def _print_findings(bench: "Bench") -> None:
    for line in (*bench.notes, f"Tests in each measure: {bench.family}."):
        say(f"note: {line}")
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
    "bench", "what every mitigation does to fairness and effectiveness", _add_arguments, _run, _epilog, CODES_KEPT
)  # fmt: skip
