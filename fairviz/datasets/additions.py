"""Adding runs to a study where it lies, or beside it where it is built in, and taking them away so that they can be
restored."""

import re
import shutil
from dataclasses import replace as changed
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.errors import FairvizError
from fairviz.home import additions_folder
from fairviz.study.loaders.metadata import FILE, Metadata, format_metadata, read_metadata

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.study.study import Study

DELETED = ".deleted-runs"  # beside the folder of runs; what is hidden is no part of a study


def runs_folder(study: "Study") -> Path:
    """Where the study's added runs go: its own folder, or the data folder for a built-in study."""
    if study.read_only:
        return additions_folder(study.name) / "runs"
    if study.folder is None:
        raise FairvizError(f"{study.name} has no folder yet", "Save it first with fairviz.save_study.")
    return study.folder / "runs"


def check_new(study: "Study", systems: tuple[str, ...], *, replace: bool = False) -> None:
    """Raises FairvizError where the study has a run of one of these names, unless it is an added one to replace."""
    from fairviz.rankers.writing import run_files

    folder = runs_folder(study)
    for system in systems:
        if system not in study.systems:
            continue
        if not run_files(folder, system):
            raise FairvizError(f"the run {system} is part of the built-in study {study.name}", "Name another run.")
        if not replace:
            raise FairvizError(f"{study.name} has a run {system} already", "Add --replace to write it anew.")


def save_runs(study: "Study", runs: "pd.DataFrame", *, replace: bool = False) -> list[Path]:
    """Write the runs into the study's folder (for a built-in study: beside it) and return their files.

    New ones are drafts where the study has runs already: its study.toml names them, and beside a built-in study all
    are. Raises FairvizError where a run of that name exists and `replace` is not set; then nothing is written.
    """
    from fairviz.rankers.writing import write_runs

    systems = tuple(runs["system"].cat.categories)
    check_new(study, systems, replace=replace)
    folder = runs_folder(study)
    drafts = tuple(name for name in systems if name not in study.systems)
    if study.read_only or not study.has("runs") or not drafts:
        return write_runs(runs, folder)
    return write_runs(runs, folder, partial(_write_drafts, folder.parent / FILE, drafts))


def added_systems(study: "Study") -> tuple[str, ...]:
    """The systems whose runs lie in the study's folder (for a built-in study: beside it), and can be deleted."""
    from fairviz.rankers.writing import run_files

    folder = runs_folder(study)
    return tuple(name for name in study.systems if run_files(folder, name))


def deleted_systems(study: "Study") -> tuple[str, ...]:
    """The systems that were deleted from the study and can be restored: their names are free."""
    from fairviz.study.loaders.runs import system_name

    folder = runs_folder(study).parent / DELETED
    names = {system_name(path) for path in folder.iterdir()} if folder.is_dir() else set()
    return tuple(sorted(names - set(study.systems)))


def delete_run(study: "Study", system: str) -> None:
    """Takes the run of this system out of the study; `restore_run` brings it back. Raises FairvizError for a run that
    was not added, and where the folder cannot be written; then nothing is changed."""
    folder = runs_folder(study)
    _move_run(study, system, folder, folder.parent / DELETED)


def restore_run(study: "Study", system: str) -> None:
    """Brings back the run of this system. Raises FairvizError where none was deleted, or the study has one by now."""
    if system in study.systems:
        raise FairvizError(f"{study.name} has a run {system!r} already", "Delete that one first.")
    folder = runs_folder(study)
    _move_run(study, system, folder.parent / DELETED, folder)


def _move_run(study: "Study", system: str, source: Path, target: Path) -> None:
    """Moves the run's files from one folder of a study's folder to another, all or none."""
    from fairviz.rankers.writing import run_files
    from fairviz.study.loaders.changes import changing

    if not run_files(source, system):
        raise FairvizError(f"{source} holds no run {system!r} of {study.name}", "Choose another system.")
    try:
        with changing(source.parent, lambda: run_files(source, system)) as filled:
            (filled / target.name).mkdir()
            for path in run_files(source, system):
                shutil.copyfile(path, filled / target.name / path.name)
    except OSError as error:
        raise FairvizError(
            f"could not move the run {system!r} in {source.parent}: {error.strerror or error}",
            "Make it a folder that you can write, with room, and try again.",
        ) from error


def _write_drafts(old: Path, systems: tuple[str, ...], filled: Path) -> None:
    """Write study.toml with these systems among the drafts: a line changed where that is enough, so that comments
    stay."""
    metadata = read_metadata(old, old.parent) if old.exists() else Metadata()
    wanted = changed(metadata, drafts=tuple(dict.fromkeys([*metadata.drafts, *systems])))
    text = old.read_text(encoding="utf-8-sig") if old.exists() else ""
    line = format_metadata(Metadata(drafts=wanted.drafts))
    (filled / FILE).write_text(line + re.sub(r"(?m)^drafts *= *\[[^\]\n]*\] *\n", "", text), encoding="utf-8")
    if not _reads_as(filled / FILE, wanted):
        (filled / FILE).write_text(format_metadata(wanted), encoding="utf-8")


def _reads_as(path: Path, wanted: Metadata) -> bool:
    try:
        return read_metadata(path, path.parent) == wanted
    except FairvizError:
        return False
