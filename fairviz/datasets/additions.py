"""Adding runs to a study where it lies, or beside it where it is built in."""

from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.errors import FairvizError
from fairviz.home import additions_folder

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.study.study import Study


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
    """Writes the runs into the study's folder (for a built-in study: beside it) and returns their files.

    Raises FairvizError where a run of that name exists and `replace` is not set; then nothing is written.
    """
    from fairviz.rankers.writing import write_runs

    check_new(study, tuple(runs["system"].cat.categories), replace=replace)
    return write_runs(runs, runs_folder(study))
