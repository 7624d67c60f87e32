"""The verbs `trec-fair` and `fairweb`: the files of two evaluation tracks, and their scores."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.cli.record import (
    Command,
    add_output,
    add_parameters,
    print_notes,
    print_notices,
    reader,
    write_result,
)
from fairviz.errors import UsageError
from fairviz.evaluation.formats import ProgressLine, say
from fairviz.extensions.tracks.declared import TRACK
from fairviz.words.sentences import listed

if TYPE_CHECKING:
    from fairviz.study.record import Study

TREC_FAIR_TABLES = {
    "means": "the mean over topics of each run with its interval (the default)",
    "queries": "each topic of each run",
    "targets": "the target of each topic",
}
TREC_FAIR_EPILOG = (
    "With --topics, --runs and --attributes the study is made of these files and written into FOLDER; without them "
    "FOLDER is opened. Files may be compressed (.gz, .bz2, .xz, .zst).",
    "AWRF here is the track's: 1 less the Jensen-Shannon divergence in natural units, 1 is fair; the first two ranks "
    "have the same attention. The measure AWRF beside it is a distance, 0 is fair, with logarithms to base 2, the "
    "discount of the settings and articles of one known gender alone. The track of 2021 judged the first 20 of each "
    "list against a best list of 1,000: --k 20 --ideal 1000 --unknown out.",
)
FAIRWEB_EPILOG = (
    "With --memberships, --qrels and --runs the study is made of these files and written into FOLDER; without them "
    "FOLDER is opened. Files may be compressed (.gz, .bz2, .xz, .zst).",
    "One study holds the topics of one type, as NTCIREVAL evaluates them: name the sets of that type. The first is the "
    "groups of the study, the others are its attribute sets. Sets without a gold distribution have equal targets.",
)


def _study_of_files(
    arguments: argparse.Namespace,
    needed: Sequence[str],
    others: Sequence[str],
    read: "Callable[[argparse.Namespace, str], Study]",
) -> "Study":
    """Return the study made of a campaign's files and written into FOLDER, or without files the study in FOLDER, and
    print its notices.

    needed, others: the options that name files. read: makes the study, from its name. Raises UsageError where one of
    `needed` is missing.
    """
    from fairviz.evaluation.opening import open_study
    from fairviz.study.study import save_study

    if not any(getattr(arguments, name) for name in (*needed, *others)):
        study = open_study(arguments.folder)
    elif not all(getattr(arguments, name) for name in needed):
        options = [f"--{name}" for name in needed]
        raise UsageError(f"{listed(options)} belong together", "Name files of all three, or of none.")
    else:
        study = read(arguments, Path(arguments.folder).name)
        say(f"wrote {save_study(study, arguments.folder)}")
    print_notices(study)
    return study


def _add_trec_fair(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    option("folder", metavar="FOLDER", help="the study folder to write, or to open")
    option("--topics", nargs="+", default=[], metavar="FILE", help="JSON lines with id, title, keywords, rel_docs")
    option("--runs", nargs="+", default=[], metavar="FILE", help="tab-separated id, page_id or id, seq_no, page_id")
    option("--attributes", metavar="FILE", help="JSON lines with page_id and gender")
    add_parameters(parser, TRACK, "unknown")
    option("--targets", default="mixed", metavar="TARGETS", help="mixed (half the relevant articles, half the study's "
           "targets), uniform, or shares as female=0.5,male=0.49,… (default: %(default)s)")  # fmt: skip
    add_parameters(parser, TRACK, "several", "k", "ideal")
    option("--table", choices=tuple(TREC_FAIR_TABLES), default="means", help="see below (default: %(default)s)")
    add_output(parser)


def _run_trec_fair(arguments: argparse.Namespace) -> int:
    from fairviz.evaluation.settings import Settings
    from fairviz.extensions.tracks.track import track_scores

    targets = _parse_targets(arguments.targets)
    study = _study_of_files(arguments, ("topics", "runs", "attributes"), (), _read_trec_fair)
    parameters = {name: getattr(arguments, name) for name in ("unknown", "several", "k", "ideal")}
    result = track_scores(study, targets=targets, **parameters)
    print_notes(result.notes)
    tables = {"means": result.table, "queries": result.queries, "targets": result.targets}
    recorded = [(name, value) for name, value in parameters.items() if value is not None]
    settings, measures = Settings(cutoff=arguments.k), result.table["measure"].unique()
    provenance = [("targets", arguments.targets), *recorded]
    write_result(tables[arguments.table], arguments, study, provenance, settings=settings, measures=measures)
    return 0


def _read_trec_fair(arguments: argparse.Namespace, name: str) -> "Study":
    from fairviz.extensions.tracks.trec_fair import read_trec_fair

    with closing(ProgressLine("reading bytes")) as progress:
        return read_trec_fair(arguments.topics, arguments.runs, arguments.attributes, name=name, progress=progress)


def _parse_targets(text: str) -> str | Mapping[str, float]:
    """Return the name `mixed` or `uniform` unchanged, or the shares of `female=0.5,male=0.5`. Raises UsageError."""
    if "=" not in text:
        return text
    shares = {}
    for pair in text.split(","):
        group, _, share = pair.partition("=")
        try:
            shares[group.strip()] = float(share)
        except ValueError as error:
            raise UsageError(f"{pair!r} is not a share of a group", "Write shares as female=0.5,male=0.5.") from error
    return shares


TREC_FAIR = Command(
    "trec-fair", "compute AWRF of the TREC Fair Ranking track from its files", _add_trec_fair, _run_trec_fair,
    TREC_FAIR_EPILOG, tables=TREC_FAIR_TABLES, example="trec-fair fair-2022 --k 20", group="Data",
)  # fmt: skip


def _add_fairweb(parser: argparse.ArgumentParser) -> None:
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
    option("--k", type=reader(TRACK["k"]), default=20, metavar="K", help="how deep lists are read (default: "
           "%(default)s)")  # fmt: skip
    add_output(parser)


def _run_fairweb(arguments: argparse.Namespace) -> int:
    from fairviz.evaluation.scores import evaluate, summarise
    from fairviz.evaluation.settings import Settings
    from fairviz.extensions.tracks.fairweb import task_measures

    study = _study_of_files(arguments, ("memberships", "qrels", "runs"), ("gold", "topics", "ordinal"), _read_fairweb)
    settings = Settings(cutoff=arguments.k)
    table = summarise(evaluate(study, list(task_measures(study)), settings))
    write_result(table, arguments, study, [], settings=settings, measures=table["measure"].unique())
    return 0


def _read_fairweb(arguments: argparse.Namespace, name: str) -> "Study":
    from fairviz.extensions.tracks.fairweb import read_fairweb

    ordinal = arguments.ordinal.split(",") if arguments.ordinal else None
    return read_fairweb(
        arguments.memberships, arguments.qrels, arguments.runs,
        gold=arguments.gold, topics=arguments.topics, ordinal=ordinal, name=name,
    )  # fmt: skip


FAIRWEB = Command(
    "fairweb", "compute GFR of NTCIR's FairWeb tasks from their files", _add_fairweb, _run_fairweb, FAIRWEB_EPILOG,
    example="fairweb researchers --k 20", group="Data",
)  # fmt: skip
