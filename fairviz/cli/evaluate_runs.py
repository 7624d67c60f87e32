"""evaluate --runs: thousands of runs against one study, in batches."""

import argparse
import os
from contextlib import closing
from dataclasses import replace

import pandas as pd

from fairviz.cli.execution import executor_of
from fairviz.cli.options import computable, settings_of
from fairviz.cli.record import print_notices, write_result
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation import run_batches
from fairviz.evaluation.formats import ProgressLine
from fairviz.evaluation.opening import open_study
from fairviz.output.wide import wide
from fairviz.study.record import Study
from fairviz.study.tables import RUNS, conform


def evaluate_runs(arguments: argparse.Namespace) -> int:
    """Write one table of the runs that match --runs. Raises FairvizError after writing with a line for each file that
    cannot be read; UsageError for a table of all runs together."""
    if arguments.tie_range or arguments.chance or (arguments.wide and arguments.format == "latex"):
        raise UsageError(
            "--tie-range, --chance and --wide in latex are of a study's own runs", "Leave them or --runs out."
        )
    settings, study = settings_of(arguments), open_study(arguments.study)
    print_notices(study)
    measures = computable(_with_a_run(study), settings, arguments.measures)
    name = os.path.abspath(arguments.study) if study.folder and os.path.isdir(arguments.study) else arguments.study
    evaluation = run_batches.Evaluation(name, tuple(measures), settings, arguments.per_query)
    with closing(ProgressLine("runs")) as progress:
        files = run_batches.run_files(arguments.runs)
        table, broken = run_batches.evaluate_runs(evaluation, files, executor_of(arguments), progress)
    if not table.empty:
        names = table["measure"].unique()
        table = wide(table) if arguments.wide else table
        write_result(table, arguments, study, [("runs", arguments.runs)], settings=settings, measures=names)
    if broken:
        raise FairvizError("\n".join(broken), "Correct these files; the others are in the table.")
    return 0


def _with_a_run(study: Study) -> Study:
    """Return the study with one list in place of its runs: whether it feeds a measure does not depend on these."""
    query = study.query_ids[0] if study.query_ids else "1"
    row = {"system": ["run"], "query_id": [query], "doc_id": ["1"], "rank": [1], "score": [1.0]}
    return replace(study, runs=conform(pd.DataFrame(row), RUNS), drafts=(), fingerprint="")
