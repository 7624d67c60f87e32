"""trec-fair: the files of the TREC Fair Ranking track as a study, with the track's scores next to ours."""

import argparse
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.cli.record import Command, add_output, print_notes, print_notices, whole_number, write_result
from fairviz.errors import UsageError
from fairviz.evaluation.formats import ProgressLine, say

if TYPE_CHECKING:
    from fairviz.study.record import Study

TABLES = {
    "means": "the mean over topics of each run with its interval (the default)",
    "queries": "each topic of each run",
    "targets": "the target of each topic",
}
EPILOG = (
    "With --topics, --runs and --attributes the study is made of these files and written into FOLDER; without them "
    "FOLDER is opened. Files may be compressed (.gz, .bz2, .xz, .zst).",
    "AWRF here is the track's: 1 less the Jensen-Shannon divergence in natural units, 1 is fair; the first two ranks "
    "have the same attention. The measure AWRF beside it is a distance, 0 is fair, with logarithms to base 2, the "
    "discount of the settings and articles of one known gender alone. The track of 2021 judged the first 20 of each "
    "list against a best list of 1,000: --k 20 --ideal 1000 --unknown out.",
)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    option("folder", metavar="FOLDER", help="the study folder to write, or to open")
    option("--topics", nargs="+", default=[], metavar="FILE", help="JSON lines with id, title, keywords, rel_docs")
    option("--runs", nargs="+", default=[], metavar="FILE", help="tab-separated id, page_id or id, seq_no, page_id")
    option("--attributes", metavar="FILE", help="JSON lines with page_id and gender")
    option("--unknown", choices=("group", "out"), default="group", help="articles of unknown gender: a group of their "
           "own, as in 2022, or left out, as in 2021 (default: %(default)s)")  # fmt: skip
    option("--targets", default="mixed", metavar="TARGETS", help="mixed (half the relevant articles, half the study's "
           "targets), uniform, or shares as female=0.5,male=0.49,… (default: %(default)s)")  # fmt: skip
    option("--several", choices=("split", "whole"), default="split", help="an article of several genders is split "
           "between them, or counts whole for each (default: %(default)s)")  # fmt: skip
    option("--k", type=whole_number, default=500, metavar="K", help="how deep lists are read (default: %(default)s)")
    option("--ideal", type=whole_number, metavar="N", help="relevant articles in the best list of nDCG (default: K)")
    option("--table", choices=tuple(TABLES), default="means", help="see below (default: %(default)s)")
    add_output(parser)


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.comparison.track import track_scores
    from fairviz.evaluation.settings import Settings

    targets = _parse_targets(arguments.targets)
    study = _study(arguments)
    print_notices(study)
    parameters = {name: getattr(arguments, name) for name in ("unknown", "several", "k", "ideal")}
    result = track_scores(study, targets=targets, **parameters)
    print_notes(result.notes)
    tables = {"means": result.table, "queries": result.queries, "targets": result.targets}
    provenance = [
        ("targets", arguments.targets),
        *((name, value) for name, value in parameters.items() if value is not None),
    ]
    settings, measures = Settings(cutoff=arguments.k), result.table["measure"].unique()
    write_result(tables[arguments.table], arguments, study, provenance, settings=settings, measures=measures)
    return 0


def _study(arguments: argparse.Namespace) -> "Study":
    """Return the study built from the files and written to the folder, or the study in the folder."""
    from fairviz.evaluation.opening import open_study

    file_options = [name for name in ("topics", "runs", "attributes") if getattr(arguments, name)]
    if not file_options:
        return open_study(arguments.folder)
    if len(file_options) < 3:
        raise UsageError("--topics, --runs and --attributes belong together", "Name files of all three, or of none.")
    from fairviz.datasets.trec_fair import read_trec_fair
    from fairviz.study.study import save_study

    with closing(ProgressLine("reading bytes")) as progress:
        study = read_trec_fair(
            arguments.topics, arguments.runs, arguments.attributes, name=Path(arguments.folder).name, progress=progress
        )
    say(f"wrote {save_study(study, arguments.folder)}")
    return study


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
    "trec-fair", "compute AWRF of the TREC Fair Ranking track from its files", _add_arguments, _run,
    EPILOG, tables=TABLES,
    example="trec-fair fair-2022 --k 20",
)  # fmt: skip
