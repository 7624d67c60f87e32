"""Runs as TREC files, whole or not at all."""

import gzip
from pathlib import Path

import pandas as pd

from fairviz.errors import FairvizError
from fairviz.study.loaders.changes import changing
from fairviz.study.loaders.finding import is_run_file
from fairviz.study.loaders.runs import system_name


def run_files(folder: Path, system: str) -> list[Path]:
    """The files in `folder` that hold the run of this system."""
    if not folder.is_dir():
        return []
    files = (path for path in sorted(folder.iterdir()) if path.is_file() and is_run_file(path))
    return [path for path in files if system_name(path) == system]


def write_runs(runs: pd.DataFrame, folder: Path) -> list[Path]:
    """Writes the run of each system to `folder`/NAME.run.gz, `folder` being the runs of a study, in place of any that
    it had; returns the files.

    All of them appear, and those that they replace are gone, or none. Raises FairvizError for a name that no file can
    have, for an id with white space, which a TREC run cannot hold, and where the folder cannot be written.
    """
    for system in runs["system"].cat.categories:
        if set(system) & set("/\\") or system.startswith(".") or not system.strip():
            raise FairvizError(f"{system!r} cannot name a run file", "Use letters, digits, hyphens and underscores.")
    for column in ("query_id", "doc_id"):
        for name in runs[column].cat.categories:
            if not name or name.split() != [name]:
                raise FairvizError(f"the {column} {name!r} cannot stand in a TREC run", "Use ids without white space.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        systems = runs["system"].cat.categories
        with changing(folder.parent, lambda: [path for name in systems for path in run_files(folder, name)]) as filled:
            (filled / folder.name).mkdir()
            for system, run in runs.groupby("system", observed=True, sort=False):
                _write(run, filled / folder.name / _file(str(system)), str(system))
    except OSError as error:
        raise FairvizError(
            f"could not write a run in {folder}: {error.strerror or error}",
            "Make it a folder that you can write, with room, and run it again.",
        ) from error
    return [folder / _file(str(system)) for system in runs["system"].drop_duplicates()]


def _file(system: str) -> str:
    return f"{system}.run.gz"


def _write(run: pd.DataFrame, path: Path, system: str) -> None:
    columns = (run[name].tolist() for name in ("query_id", "doc_id", "rank", "score"))
    tag = "_".join(system.split())
    lines = (
        f"{query} Q0 {document} {rank} {score:.9g} {tag}\n"
        for query, document, rank, score in zip(*columns, strict=True)
    )
    with path.open("wb") as stream, gzip.GzipFile("", "wb", fileobj=stream, mtime=0) as packed:
        packed.writelines(line.encode() for line in lines)
