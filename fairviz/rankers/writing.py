"""Runs as TREC files, whole or not at all."""

import gzip
import os
import tempfile
from pathlib import Path

import pandas as pd

from fairviz.errors import FairvizError

SUFFIXES = tuple(f".{kind}{packed}" for kind in ("run", "txt", "trec", "tsv") for packed in ("", ".gz"))


def run_files(folder: Path, system: str) -> list[Path]:
    """The files in `folder` that hold the run of this system."""
    return [path for suffix in SUFFIXES if (path := folder / f"{system}{suffix}").is_file()]


def write_runs(runs: pd.DataFrame, folder: Path) -> list[Path]:
    """Writes the run of each system to `folder`/NAME.run.gz in place of any it had; returns the files.

    Each file gets its name when it is whole. Raises FairvizError for a name that no file can have, for an id with
    white space, which a TREC run cannot hold, and where the folder cannot be written.
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
        return [_write(run, folder, str(system)) for system, run in runs.groupby("system", observed=True, sort=False)]
    except OSError as error:
        raise FairvizError(
            f"could not write a run in {folder}: {error.strerror or error}",
            "Make it a folder that you can write, with room, and run it again.",
        ) from error


def _write(run: pd.DataFrame, folder: Path, system: str) -> Path:
    columns = (run[name].tolist() for name in ("query_id", "doc_id", "rank", "score"))
    tag = "_".join(system.split())
    lines = (
        f"{query} Q0 {document} {rank} {score:.9g} {tag}\n"
        for query, document, rank, score in zip(*columns, strict=True)
    )
    target = folder / f"{system}.run.gz"
    handle, temporary = tempfile.mkstemp(prefix=f".{system}-", dir=folder)
    try:
        with os.fdopen(handle, "wb") as stream, gzip.GzipFile("", "wb", fileobj=stream, mtime=0) as packed:
            packed.writelines(line.encode() for line in lines)
        for old in run_files(folder, system):
            if old != target:
                old.unlink()
        Path(temporary).chmod(0o644)
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return target
