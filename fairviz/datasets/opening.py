"""Opening a study by name or by path, with what a person added to a built-in one."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.datasets.home import BUILTIN, additions_folder, resolve, stored_names
from fairviz.errors import UsageError

if TYPE_CHECKING:
    from fairviz.study import Study


def open_study(name_or_path: str | Path) -> "Study":
    """The study of this name (built in, fetched or saved), or else in this folder.

    A name goes before a folder of the same name: write ./football for the folder. Raises UsageError for neither,
    DataError for a folder that cannot be read as a study.
    """
    from fairviz.study import add_labels, add_runs, open_study_folder

    name = str(name_or_path)
    folder = resolve(name) if isinstance(name_or_path, str) else None
    if folder is None:
        if not Path(name_or_path).exists():
            raise UsageError(f"there is no study and no folder called {name!r}", _known(name))
        return open_study_folder(Path(name_or_path))
    study = open_study_folder(folder)
    if name not in BUILTIN:
        return study
    if _holds_additions(additions_folder(name)):
        added = open_study_folder(additions_folder(name))
        study = add_runs(study, added.runs) if added.has("runs") else study
        study = add_labels(study, added.labels) if added.has("labels") else study
        study = replace(study, warnings=(*study.warnings, *added.warnings))
    return replace(study, name=name, read_only=True)


def _holds_additions(folder: Path) -> bool:
    """Whether a run or labels lie there; a run that is being written has a hidden name until it is whole."""
    files = [*folder.glob("runs/*"), *folder.glob("labels.*")]
    return any(path.is_file() and not path.name.startswith(".") for path in files)


def _known(name: str) -> str:
    from fairviz.datasets import DATASETS

    if name in DATASETS:
        return f"{name} is a data set that can be fetched: python -m fairviz fetch {name}"
    stored = ", ".join(stored_names()) or "none"
    fetchable = ", ".join(DATASETS)
    return (
        f"Built in: {', '.join(BUILTIN)}. Fetched or saved: {stored}. "
        f"To fetch one ({fetchable}): python -m fairviz fetch NAME"
    )
