"""Runs as TREC files, whole or not at all."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from fairviz.errors import FairvizError
from fairviz.study.loaders import system_of
from fairviz.study.loaders.changes import changing
from fairviz.study.loaders.finding import is_run_file
from fairviz.study.loaders.writing import check_columns, run_lines
from fairviz.study.tables import RUNS


def run_files(folder: Path, system: str) -> list[Path]:
    """Return the files in `folder` with the run of this system."""
    if not folder.is_dir():
        return []
    return [
        path for path in sorted(folder.iterdir()) if system_of(path) == system and path.is_file() and is_run_file(path)
    ]


def write_runs(runs: pd.DataFrame, folder: Path, beside: Callable[[Path], None] | None = None) -> list[Path]:
    """Write the run of each system to `folder`/NAME.run.gz, in a study's folder of runs, in place of earlier ones;
    return the files. beside: writes other files of the same change into the folder that replaces the study's.

    Either all files are replaced or none. Raises FairvizError for an invalid file name, for an id with white space,
    which a TREC run cannot contain, and where the folder cannot be written.
    """
    check_columns(runs, RUNS)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        systems = runs["system"].cat.categories
        with changing(
            folder.parent, lambda: [path for name in systems for path in run_files(folder, name)]
        ) as new_folder:
            (new_folder / folder.name).mkdir()
            for system, run in runs.groupby("system", observed=True, sort=False):
                _write(run, new_folder / folder.name / _file(str(system)), str(system))
            if beside is not None:
                beside(new_folder)
    except OSError as error:
        raise FairvizError(
            f"could not write a run in {folder}: {error.strerror or error}",
            "Make it a folder that you can write, with room, and run it again.",
        ) from error
    return [folder / _file(str(system)) for system in runs["system"].drop_duplicates()]


def _file(system: str) -> str:
    return f"{system}.run.gz"


def _write(run: pd.DataFrame, path: Path, system: str) -> None:
    with path.open("wb") as stream, gzip.GzipFile("", "wb", fileobj=stream, mtime=0) as packed:
        packed.writelines(line.encode() for line in run_lines(run, system, "{:.9g}".format))
