"""Read the files of NTCIR's FairWeb tasks as a study, and compute the GFR of its runs."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.cli.record import Command, add_output, print_notices, whole_number, write_result
from fairviz.errors import UsageError
from fairviz.evaluation.formats import say

if TYPE_CHECKING:
    from fairviz.study.record import Study

EPILOG = (
    "With --memberships, --qrels and --runs the study is made of these files and written into FOLDER; without them "
    "FOLDER is opened. Files may be compressed (.gz, .bz2, .xz, .zst).",
    "One study holds the topics of one type, as NTCIREVAL evaluates them: name the sets of that type. The first is the "
    "groups of the study, the others are its attribute sets. Sets without a gold distribution have equal targets.",
)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    option("folder", metavar="FOLDER", help="the study folder to write, or to open")
    option("--memberships", nargs="+", default=[], metavar="FILE", help="SET.gmemb of each attribute set: topic, "
           "document, shares of groups")  # fmt: skip
    option("--gold", nargs="+", default=[], metavar="FILE", help="SET.golddistr: the target of each group, one a line")
    option("--qrels", metavar="FILE", help="topic, document, L0 to L2; of all topics of the task")
    option("--runs", nargs="+", default=[], metavar="FILE", help="TREC runs, perhaps with a line <SYSDESC>")
    option("--topics", metavar="FILE", help="queries as a study folder has them (default: topics without text)")
    option("--ordinal", metavar="SETS", help="sets whose groups have an order, with commas between them (default: "
           "HINDEX, RATINGS, FOLLOWERS and SUBSCS)")  # fmt: skip
    option("--k", type=whole_number, default=20, metavar="K", help="how deep lists are read (default: %(default)s)")
    add_output(parser)


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.datasets.fairweb import task_measures
    from fairviz.evaluation.scores import evaluate, summarise
    from fairviz.evaluation.settings import Settings

    study = _study(arguments)
    print_notices(study)
    settings = Settings(cutoff=arguments.k)
    table = summarise(evaluate(study, list(task_measures(study)), settings))
    write_result(table, arguments, study, [], settings=settings, measures=table["measure"].unique())
    return 0


def _study(arguments: argparse.Namespace) -> "Study":
    """Return the study built from the files and written to the folder, or the study in the folder."""
    from fairviz.evaluation.opening import open_study

    needed = ("memberships", "qrels", "runs")
    if not any(getattr(arguments, name) for name in (*needed, "gold", "topics", "ordinal")):
        return open_study(arguments.folder)
    if not all(getattr(arguments, name) for name in needed):
        raise UsageError("--memberships, --qrels and --runs belong together", "Name files of all three, or of none.")
    from fairviz.datasets.fairweb import read_fairweb
    from fairviz.study.study import save_study

    study = read_fairweb(
        arguments.memberships,
        arguments.qrels,
        arguments.runs,
        gold=arguments.gold,
        topics=arguments.topics,
        ordinal=arguments.ordinal.split(",") if arguments.ordinal else None,
        name=Path(arguments.folder).name,
    )
    say(f"wrote {save_study(study, arguments.folder)}")
    return study


FAIRWEB = Command(
    "fairweb", "compute GFR of NTCIR's FairWeb tasks from their files", _add_arguments, _run, EPILOG,
    example="fairweb researchers --k 20",
)  # fmt: skip
