"""gate: a test for continuous integration of whether a candidate run may replace a baseline."""

import argparse
import os
from functools import partial
from typing import TYPE_CHECKING

from fairviz.cli.evaluate import check_choices, correction_note, with_machine
from fairviz.cli.options import add_choices, settings_of
from fairviz.cli.record import (
    Command,
    add_output,
    add_study,
    between_0_and_1,
    print_notices,
    whole_number,
    write,
)
from fairviz.errors import FairvizError
from fairviz.evaluation.formats import emit, say
from fairviz.words.sentences import counted, decimal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fairviz.comparison.conditions import Condition
    from fairviz.comparison.gate import Gate
    from fairviz.study.record import Study

NOT_PASSED, UNDECIDED_STATUS = 3, 1
CAUSES = (
    "fewer than ten queries in common, or fewer than half of all; a difference that is undefined, as a ratio of a mean "
    "of 0; 'never shown GROUP' on fewer than ten queries with relevant documents of the group; a measure undefined for "
    "more than --undefined of the queries in the candidate alone; a query that one of the two lacks, with "
    "--all-queries; a run file or study with errors, or without what a measure needs; a file that cannot be written"
)
EPILOG = (
    "A condition is a measure, words and a number. Of the difference, candidate minus baseline, query by query on the "
    "queries that both answer: 'CWEx falls by 0.02', 'RaB rises by 0.5', 'TED worse by 0.02', 'CWEx better by 0.1', "
    "where worse and better go by the direction of the measure; of a measure that is fairest at 0 or 1 it is the "
    "difference of the distances from there, as in `compare`. Of the candidate's value: 'CWEx below -0.2', 'TED above "
    "0.3'. DPFR is the distance from the achievable front: 'DPFR rises by 0.05', 'DPFR(P@5,NFaiRR) above 0.4'.",
    "'never shown GROUP' is the share of the relevant documents of a group that no list shows within k, over the "
    "queries that both answer: 'never shown female rises by 0.05', 'never shown female above 0.3'.",
    "A condition is met where the whole interval at --level is beyond the number: a number beyond it whose interval "
    "reaches back is only possible, and passes. 'falls by 0' means: falls significantly. p and interval are those of "
    "`compare` for the two systems alone; with many conditions a higher --level keeps false alarms rare.",
    "The background of NFaiRR is the collection, or without text what the baseline retrieves, so that it does not "
    "change with the candidate; `compare --background collection` gives the same numbers. --background names another.",
    "Exit status: 0 passed; 3 a condition is met; 1 no decision, for the causes that --strict lists; 2 a wrong "
    "argument, such as a condition that cannot be read.",
)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    run = "a system of the study, or a run file that is read beside it"
    option("--baseline", required=True, metavar="RUN", help=run)
    option("--candidate", required=True, metavar="RUN", help=run)
    option(
        "--fail-if",
        required=True,
        action="append",
        metavar="CONDITION",
        help="such as 'CWEx falls by 0.02'; may be given several times, and one that is met is enough",
    )
    option("--level", type=between_0_and_1, default=0.95, metavar="L", help="of intervals (default: %(default)s)")
    option("--draws", type=whole_number, default=10_000, metavar="N", help="of random signs, at least 100 a difference "
           "of the family (default: %(default)s)")  # fmt: skip
    option("--undefined", type=percent, default=0.05, metavar="P", help="queries for which a measure may be undefined "
           "in the candidate alone (default: 5%%)")  # fmt: skip
    option("--most", type=whole_number, default=5, metavar="N", help="queries that are named, and documents of each "
           "(default: %(default)s)")  # fmt: skip
    option("--all-queries", action="store_true", help="status 1 where one of the two answers a query that the other "
           "does not")  # fmt: skip
    option("--strict", dest="data_error", action="store_const", const=NOT_PASSED, default=UNDECIDED_STATUS,
           help=f"status {NOT_PASSED} in place of {UNDECIDED_STATUS}, which all causes of no decision have: {CAUSES}",
           )  # fmt: skip
    option("--report", metavar="FILE", help="also write one page of HTML that needs nothing else")
    add_choices(parser)
    parser.set_defaults(background="")
    add_output(parser)


def percent(text: str) -> float:
    """Return a share written as 5% or 0.05, from 0 to 1."""
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a share: write 5% or 0.05")
    return share


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.comparison.conditions import read_condition
    from fairviz.comparison.gate import (
        alone_notes,
        gate,
        gate_background,
        lost_notes,
        require_defined,
        require_same_queries,
    )
    from fairviz.evaluation.exports import origin
    from fairviz.evaluation.opening import open_study
    from fairviz.output.gate_page import page

    background = arguments.background
    arguments.background = background or "candidates"
    settings = settings_of(arguments)
    for text in arguments.fail_if:
        read_condition(text, settings)
    study = open_study(arguments.study)
    print_notices(study)
    study, baseline = with_run(study, arguments.baseline, "baseline")
    study, candidate = with_run(study, arguments.candidate, "candidate")
    settings = settings.changed(background=gate_background(study, baseline, background))
    check_choices(study, settings)
    settings = with_machine(study, settings)
    conditions = tuple({text: read_condition(text, settings) for text in arguments.fail_if}.values())
    parameters = {"level": arguments.level, "draws": arguments.draws, "most": arguments.most}
    result = gate(study, baseline, candidate, conditions, settings, **parameters)
    notes = (
        *filter(None, [correction_note(study, settings)]),
        *background_notes(settings.background, conditions),
        *result.front_notes,
        *alone_notes(result),
        *lost_notes(result),
    )
    for line in (*(f"note: {note}" for note in notes), *condition_lines(result)):
        say(line)

    recorded = {name: getattr(arguments, name) for name in ("level", "draws", "undefined")}
    provenance = tuple({"baseline": baseline, "candidate": candidate, **recorded}.items())
    about = partial(origin, study, settings, tuple(result.table["measure"].unique()), provenance)
    write(result.table, arguments, about)
    if arguments.report:
        emit(page(result, about()), arguments.report)
        say(f"wrote {arguments.report}")
    require_defined(result, arguments.undefined)
    if arguments.all_queries:
        require_same_queries(result)
    return {"beyond": NOT_PASSED, "undecided": arguments.data_error}.get(result.state, 0)


def with_run(study: "Study", name: str, role: str) -> "tuple[Study, str]":
    """Return the study with the named run, and the name of its system: a system of the study, else that of a run file.

    A file whose system has the name of another is renamed `NAME (baseline)` or `NAME (candidate)`. Raises FairvizError
    if the name is neither a system nor a file, DataError for every bad line of the file.
    """
    from fairviz.study.loaders.runs import read_run
    from fairviz.study.study import add_runs

    if name in study.systems:
        return study, name
    if not os.path.isfile(name):
        raise FairvizError(
            f"the {role} {name!r} is neither a system of {study.name} nor a run file",
            f"Its systems are {', '.join(study.systems) or 'none'}; or name a file such as runs/new.run.",
        )
    table = read_run(name)
    system = str(table["system"].iloc[0]) if len(table) else ""
    if system in study.systems:
        system = f"{system} ({role})"
        table = table.assign(system=table["system"].cat.rename_categories([system]))
    return add_runs(study, table), system


def background_notes(background: str, conditions: "Sequence[Condition]") -> list[str]:
    """Return a note if the background of a measure differs from the default of the pages."""
    names = [each.question.name for each in conditions if each.question.parameters.get("background") == background]
    if not names or background == "candidates":
        return []
    return [
        f"the background of {names[0]} is {background} here, and candidates on the pages; "
        f"`compare --background {background}` gives these numbers."
    ]


def condition_lines(result: "Gate") -> list[str]:
    """Return a line for each condition; below a violated one, the queries that changed most."""
    lines = []
    for row in result.table.to_dict("records"):
        lines.append(f"{row['state']}: {row['condition']}: {_describe_measurement(row, result.level)}")
        if row["state"] in ("beyond", "possibly beyond") and row["moved"]:
            lines.append(f"  moved most: {row['moved']}")
    return lines


def _describe_measurement(row: dict, level: float) -> str:
    """Return the measured value of a condition, or the reason why there is none."""
    query_count = counted(row["queries"], "common query")
    number = row["difference"] if row["of"] == "difference" else row["value"]
    if number != number:
        return f"{row['measure']} has no value to compare ({row['warning'] or query_count})"
    verb, sign = ("differs by", "+") if row["of"] == "difference" else ("is", "")

    def rounded(value: float) -> str:
        return decimal(value, 4, sign).replace("−", "-") if value == value else "–"

    span = f"{100 * level:g} % interval {rounded(row['ci_low'])} to {rounded(row['ci_high'])}"
    basis = "; ".join(filter(None, (query_count, row["warning"])))
    return f"{row['measure']} {verb} {rounded(number)} ({span}, {basis})"


GATE = Command(
    "gate",
    "decide whether a run may replace a baseline: status 3 if not",
    _add_arguments,
    _run,
    EPILOG,
    example="gate newswire --baseline bm25 --candidate w2v_add --fail-if 'nDCG falls by 0.5'",
)
