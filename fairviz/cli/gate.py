"""gate: whether a candidate run may replace a baseline, for continuous integration."""

import argparse
import os
import textwrap
from functools import partial
from typing import TYPE_CHECKING

from fairviz.cli.evaluate import add_choices, check_choices, settings_of
from fairviz.cli.record import (
    Command,
    add_output,
    add_study,
    between_0_and_1,
    say_notices,
    whole_number,
    write,
)
from fairviz.errors import FairvizError
from fairviz.evaluation.formats import emit, say

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.evaluation.gate import Gate
    from fairviz.study.study import Study

NOT_PASSED, UNDECIDED_STATUS = 3, 1
EPILOG = (
    "A condition is a measure, a sign (<, <=, >, >=) and a number: 'CWEx < -0.02', 'NFaiRR(tau=0)@10 < -0.01', or in "
    "words 'nDCG falls by 0.01', 'RaB rises by 0.5', 'TED worse by 0.02', 'CWEx better by 0.1', where worse and better "
    "go by the direction of the measure. It speaks of the difference, candidate less baseline, query by query on the "
    "queries that both answer; of a measure that is fairest at 0 or 1 it is the difference of the distances from "
    "there, as in `compare`.",
    "A condition is met where the whole interval of the difference at --level lies beyond the number: a difference "
    "beyond it whose interval reaches back is only possible, and passes. Each condition has its own interval; with "
    "many of them a higher --level keeps false alarms rare. A condition that a candidate meets which changes nothing "
    "is refused.",
    "Exit status: 0 passed; 3 a condition is met; 1 undecided, where fewer than two queries have a value in both "
    "(three for GSR), or data to mend; 2 a wrong question, such as a condition that cannot be read.",
)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    run = "a system of the study, or a run file that is read beside it"
    option("--baseline", required=True, metavar="RUN", help=run)
    option("--candidate", required=True, metavar="RUN", help="the same")
    option(
        "--fail-if",
        required=True,
        action="append",
        metavar="CONDITION",
        help="such as 'CWEx < -0.02'; may be given several times, and one that is met is enough",
    )
    option("--level", type=between_0_and_1, default=0.95, metavar="L", help="of intervals (default: %(default)s)")
    option("--resamples", type=whole_number, default=10_000, metavar="N", help="of queries (default: %(default)s)")
    option("--most", type=whole_number, default=5, metavar="N", help="queries that are named, and documents of each "
           "(default: %(default)s)")  # fmt: skip
    option("--all-queries", action="store_true", help="status 1 where one of the two answers a query that the other "
           "does not")  # fmt: skip
    option("--report", metavar="FILE", help="also write one page of HTML that needs nothing else")
    add_choices(parser)
    add_output(parser)


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.datasets import open_study
    from fairviz.evaluation.conditions import read_condition
    from fairviz.evaluation.exports import origin
    from fairviz.evaluation.gate import alone_notes, gate, require_same_queries
    from fairviz.evaluation.gate_page import page

    settings = settings_of(arguments)
    conditions = tuple({text: read_condition(text, settings) for text in arguments.fail_if}.values())
    study = open_study(arguments.study)
    say_notices(study)
    study, baseline = with_run(study, arguments.baseline, "baseline")
    study, candidate = with_run(study, arguments.candidate, "candidate")
    check_choices(study, settings)
    chosen = {"level": arguments.level, "resamples": arguments.resamples, "most": arguments.most}
    found = gate(study, baseline, candidate, conditions, settings, **chosen)
    for line in (*(f"note: {note}" for note in alone_notes(found)), *told(found)):
        say(line)

    asked = ("level", "resamples")
    more = (("baseline", baseline), ("candidate", candidate), *((name, getattr(arguments, name)) for name in asked))
    about = partial(origin, study, settings, tuple(found.table["measure"].unique()), more)
    write(found.table, arguments, about)
    if arguments.report:
        emit(page(found, about()), arguments.report)
        say(f"wrote {arguments.report}")
    if arguments.all_queries:
        require_same_queries(found)
    return {"beyond": NOT_PASSED, "undecided": UNDECIDED_STATUS}.get(found.state, 0)


def with_run(study: "Study", name: str, role: str) -> "tuple[Study, str]":
    """The study with the run that is meant, and the name of its system: one of the study, else that of the file.

    A file whose system has the name of another is called `NAME (baseline)` or `NAME (candidate)`. Raises FairvizError
    where the name is neither, DataError for every bad line of the file.
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
        table, system = _renamed(table, f"{system} ({role})"), f"{system} ({role})"
    return add_runs(study, table), system


def _renamed(table: "pd.DataFrame", system: str) -> "pd.DataFrame":
    return table.assign(system=table["system"].cat.rename_categories([system]))


def told(found: "Gate") -> list[str]:
    """A line for each condition, and below one that is met what moved most."""
    said = []
    for row in found.table.to_dict("records"):
        low, high = (f"{row[name]:+.4f}" if row[name] == row[name] else "–" for name in ("ci_low", "ci_high"))
        counted = f"{row['queries']:,} quer{'y' if row['queries'] == 1 else 'ies'}"
        said.append(
            f"{row['state']}: {row['condition']}: {row['measure']} differs by {row['difference']:+.4f} "
            f"({100 * found.level:g} % interval {low} to {high}, {counted})"
        )
        if row["state"] in ("beyond", "possibly beyond") and row["moved"]:
            said.append(f"  moved most: {row['moved']}")
    return said


def _epilog() -> str:
    return "\n\n".join(textwrap.fill(paragraph, 100) for paragraph in EPILOG)


GATE = Command("gate", "whether a candidate run may replace a baseline: status 3 if not", _add_arguments, _run, _epilog)
