"""Runs added to a study's folder (built-in study: to the data folder): saved, renamed, deleted and restored."""

import shutil
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.errors import FairvizError
from fairviz.files import make_private_folder
from fairviz.home.access import additions_folder, changes_study
from fairviz.study.loaders import system_of
from fairviz.study.loaders.changes import changing
from fairviz.study.loaders.metadata import FILE, stored_metadata, write_keys
from fairviz.study.loaders.writing import replace_runs, run_files
from fairviz.study.study import with_tested

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.study.record import Study

DELETED = ".deleted-runs"  # next to the folder of runs; hidden folders are not part of a study


def runs_folder(study: "Study") -> Path:
    """Return the folder for the study's added runs: in its own folder, or in the data folder for a built-in study."""
    if study.read_only:
        return additions_folder(study.name) / "runs"
    if study.folder is None:
        raise FairvizError(f"{study.name} has no folder yet", "Save it first with fairviz.save_study.")
    return study.folder / "runs"


def check_new(study: "Study", systems: tuple[str, ...], *, replace: bool = False) -> None:
    """Raise FairvizError if the study has a run with one of these names, unless an added run is replaced."""
    folder = runs_folder(study)
    for system in systems:
        if system not in study.systems:
            continue
        if not run_files(folder, system):
            raise FairvizError(f"the run {system} is part of the built-in study {study.name}", "Name another run.")
        if not replace:
            raise FairvizError(f"{study.name} has a run {system} already", "Add --replace to overwrite it.")


@changes_study("add runs", can_be_private=True)
def save_runs(study: "Study", runs: "pd.DataFrame", *, replace: bool = False) -> list[Path]:
    """Write the runs to the study's folder (for a built-in study: to the data folder) and return their files.

    New runs are drafts, which move no value of the others: the study.toml lists them, and those of a built-in study
    always are.
    Raises FairvizError if a run of the same name exists and `replace` is not set; then nothing is written.
    """
    systems = tuple(runs["system"].cat.categories)
    check_new(study, systems, replace=replace)
    folder = runs_folder(study)
    new = tuple(name for name in systems if name not in study.systems)
    if study.read_only or not new:
        return replace_runs(runs, folder)

    def write_drafts(draft_folder: Path) -> None:
        drafts = stored_metadata(folder.parent).drafts
        write_keys(folder.parent, draft_folder, drafts=tuple(dict.fromkeys([*drafts, *new])))

    return replace_runs(runs, folder, write_drafts)


def added_systems(study: "Study") -> tuple[str, ...]:
    """Return the systems whose runs are in the study's folder (built-in study: in the data folder) and can be
    deleted.
    """
    folder = runs_folder(study)
    return tuple(name for name in study.systems if run_files(folder, name))


def deleted_systems(study: "Study") -> tuple[str, ...]:
    """Return the systems that were deleted from the study and can be restored: no other run has their name."""
    folder = runs_folder(study).parent / DELETED
    names = {system_of(path) for path in folder.iterdir()} if folder.is_dir() else set()
    return tuple(sorted(names - set(study.systems)))


@changes_study("delete a run", can_be_private=True)
def delete_run(study: "Study", system: str) -> None:
    """Remove a system's run from the study; `restore_run` restores it.

    Raises FairvizError for a run that was not added and for a folder that cannot be written; then nothing is changed.
    """
    folder = runs_folder(study)
    _move_run(study, system, folder, folder.parent / DELETED)


@changes_study("restore a run", can_be_private=True)
def restore_run(study: "Study", system: str) -> None:
    """Restore a system's deleted run. Raises FairvizError if no such run was deleted or the study has a run of that
    name.
    """
    if system in study.systems:
        raise FairvizError(f"{study.name} has a run {system!r} already", "Delete that one first.")
    folder = runs_folder(study)
    _move_run(study, system, folder.parent / DELETED, folder)


@changes_study("rename a run", can_be_private=True)
def rename_run(study: "Study", system: str, name: str) -> None:
    """Give a system's added run another name.

    Raises FairvizError for a run that was not added, for a name that is taken or no name of a file, and for a folder
    that cannot be written; then nothing is changed.
    """
    if name in study.systems or name in deleted_systems(study):
        raise FairvizError(f"{study.name} has a run {name!r} already", "Choose another name.")
    if not name or name != Path(name).name or system_of(Path(f"{name}.run")) != name:
        raise FairvizError(f"{name!r} cannot be the name of a run", "Use letters, digits, spaces, commas, - and _.")
    folder = runs_folder(study)
    if not run_files(folder, system):
        raise FairvizError(f"{folder} holds no run {system!r} of {study.name}", "Choose another system.")
    is_draft, stored = not study.read_only and system in study.drafts, stored_metadata(folder.parent)
    lists: dict[str, tuple[str, ...]] = {"drafts": tuple(dict.fromkeys([*stored.drafts, name]))} if is_draft else {}
    for key in ("tested", "not_tested"):
        if system in (names := getattr(stored, key)):
            lists[key] = tuple(name if each == system else each for each in names)
    try:
        with changing(folder.parent, lambda: run_files(folder, system)) as draft_folder:
            (draft_folder / folder.name).mkdir()
            for path in run_files(folder, system):
                shutil.copyfile(path, draft_folder / folder.name / f"{name}{path.name[len(system) :]}")
            if lists:
                write_keys(folder.parent, draft_folder, **lists)
    except OSError as error:
        raise _unmovable(system, folder, error) from error


@changes_study("choose the tested systems", can_be_private=True)
def save_tested(study: "Study", tested: Collection[str]) -> None:
    """Write to the study's study.toml (for a built-in study: to that of its additions in the data folder) that exactly
    these of its systems are tested by default. Only exceptions are written: references and edited lists that are
    tested, and other systems that are not.

    Raises FairvizError for a folder that cannot be written; then nothing is changed.
    """
    folder, chosen = runs_folder(study).parent, with_tested(study, tested)
    try:
        if study.read_only:  # the additions in the data folder
            make_private_folder(folder.parent)
        with changing(folder) as draft_folder:
            write_keys(folder, draft_folder, tested=chosen.tested, not_tested=chosen.not_tested)
    except OSError as error:
        raise FairvizError(
            f"could not write {folder / FILE}: {error.strerror or error}",
            "Make it a folder that you can write, with room, and try again.",
        ) from error


def _move_run(study: "Study", system: str, source: Path, target: Path) -> None:
    """Move all files of a run from one folder inside a study's folder to another, or none."""
    if not run_files(source, system):
        raise FairvizError(f"{source} holds no run {system!r} of {study.name}", "Choose another system.")
    try:
        with changing(source.parent, lambda: run_files(source, system)) as draft_folder:
            (draft_folder / target.name).mkdir()
            for path in run_files(source, system):
                shutil.copyfile(path, draft_folder / target.name / path.name)
    except OSError as error:
        raise _unmovable(system, source, error) from error


def _unmovable(system: str, folder: Path, error: OSError) -> FairvizError:
    return FairvizError(
        f"could not move the run {system!r} in {folder.parent}: {error.strerror or error}",
        "Make it a folder that you can write, with room, and try again.",
    )
