"""evaluate over a folder of studies: one table, opened one study at a time."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from fairviz.cli.options import named_systems, settings_of
from fairviz.cli.record import includes_origin, print_notes
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.exports import COMMENTS, Origin, headed, origin, with_columns
from fairviz.evaluation.formats import FORMATS, emit
from fairviz.evaluation.opening import open_study

if TYPE_CHECKING:
    from fairviz.evaluation.settings import Settings
    from fairviz.study.record import Study

Evaluation = Callable[["Study", "Settings"], pd.DataFrame]


def evaluate_folder(folders: Sequence[Path], arguments: argparse.Namespace, evaluation: Evaluation) -> int:
    """Write one table of the studies in these folders, with the column `study` first.

    evaluation: from a study and settings to its table. Raises FairvizError after writing with a line for each study
    that could not be evaluated; UsageError for a table of one study alone.
    """
    if arguments.wide and arguments.format == "latex":
        raise UsageError("--wide in latex is a table of one study", "Name one study, or another --format.")
    settings = settings_of(arguments)
    tables, origins, failures = [], [], []
    for folder in folders:
        try:
            study, table = _evaluated(folder, settings, evaluation)
        except FairvizError as error:
            failures.append(f"{folder.name}: {error.message}")
            continue
        about = origin(study, settings, tuple(table["measure"].unique()) if "measure" in table else ())
        is_commented = arguments.format in COMMENTS or not includes_origin(arguments)
        tables.append(table if is_commented else with_columns(table, about).drop(columns="study"))
        tables[-1].insert(0, "study", study.name)
        origins.append(about)
    if tables:
        emit(_text(tables, origins, arguments), arguments.output)
    if failures:
        remedy = f"Check each study by itself: fairviz check {folders[0].parent}/NAME"
        raise FairvizError("\n".join(failures), remedy)
    return 0


def _evaluated(folder: Path, settings: "Settings", evaluation: Evaluation) -> "tuple[Study, pd.DataFrame]":
    study = open_study(folder)
    table = evaluation(study, named_systems(study, settings))
    print_notes(f"{study.name}: {line}" for line in (*study.notices, *study.warnings))
    return study, table


def _text(tables: Sequence[pd.DataFrame], origins: Sequence[Origin], arguments: argparse.Namespace) -> str:
    text = FORMATS[arguments.format](pd.concat(tables, ignore_index=True))
    if arguments.format in COMMENTS and includes_origin(arguments):
        for about in reversed(origins):
            text = headed(text, about, arguments.format)
    return text
