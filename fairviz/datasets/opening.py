"""Opening a study by name or by path, including additions to a built-in one."""

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairviz.datasets.registry import DATASETS
from fairviz.datasets.stored import resolve, stored_names
from fairviz.errors import FairvizError, UsageError, did_you_mean, expect, same_but_for_case
from fairviz.home import BUILTIN, home_trouble, unreadable
from fairviz.home.permissions import OWNER, VIEWER, permissions, shared_additions_folder
from fairviz.study.collection_counts import FOLDER as COUNTS_FOLDER
from fairviz.study.loaders.changes import mend
from fairviz.study.loaders.finding import find_files
from fairviz.study.loaders.metadata import stored_metadata
from fairviz.study.loaders.packaged import read_ir_dataset
from fairviz.study.study import add_labels, add_runs, make_study, open_study_folder, with_tested
from fairviz.study.validation import drop_empty_categories

if TYPE_CHECKING:
    from fairviz.study.record import Study


IR_DATASETS = "ir_datasets:"


def open_undecided(name_or_path: str | Path) -> "Study":
    """Return the study of this name (built in, fetched or saved), of ir_datasets:NAME, or else in this folder.

    The decisions of its readers are not included; `fairviz.evaluation.opening.open_study` adds them. A name takes
    precedence over a folder of the same name: write ./football for the folder. Raises UsageError if there is neither,
    DataError for a folder that cannot be read as a study.
    """
    expect("name_or_path", name_or_path, (str, Path), "Give the name of a study, or the path of its folder.")
    name = str(name_or_path)
    permissions().require(name, VIEWER, "look")
    if name.startswith(IR_DATASETS):
        permissions().require_server_owner("open data sets of ir_datasets")
        return _with_additions(_ir_dataset(name), name)
    if isinstance(name_or_path, str) and not os.path.lexists(name):
        name = same_but_for_case(name, BUILTIN)
    folder = resolve(name) if isinstance(name_or_path, str) else None
    if folder is None:
        is_missing = not os.path.lexists(name_or_path)  # also for a path that is too long or contains a zero byte
        if is_missing or permissions().is_server:
            raise unknown_study(name)
        return open_study_folder(Path(name_or_path))
    study = open_study_folder(folder)
    return _with_additions(study, name) if name in BUILTIN or not permissions().allows(name, OWNER) else study


def studies_in(name_or_path: str) -> list[Path]:
    """Return the study folders in a folder, by name; none for a study, and for what is no folder."""
    folder = Path(name_or_path)
    if resolve(name_or_path) is not None or not os.path.isdir(folder) or _holds_study(folder):
        return []
    return [path for path in sorted(folder.iterdir()) if path.is_dir() and path.name[0] != "." and _holds_study(path)]


def _holds_study(folder: Path) -> bool:
    return bool(find_files(folder).all) or (folder / COUNTS_FOLDER).is_dir()


def _ir_dataset(name: str) -> "Study":
    """Return the queries, documents and relevance of a data set of the package ir_datasets."""
    title = name.removeprefix(IR_DATASETS)
    tables: dict[str, Any] = {**read_ir_dataset(title)}
    return make_study(
        name,
        title=title,
        description=f"The data set {title} of the package ir_datasets, without runs of its own.",
        citation=f"See https://ir-datasets.com/{title.split('/')[0]}.html",
        **tables,
    )


def _with_additions(study: "Study", name: str) -> "Study":
    """Return the read-only study with the additions in the data folder: those for everybody, then the visitor's own.

    If the data folder cannot be read, the study has a warning and no additions.
    """
    study = replace(study, name=name, read_only=True)
    trouble = home_trouble()
    if trouble is not None:
        warning = f"{trouble.message}: what was added to {name} is not in it. {trouble.remedy}"
        return replace(study, warnings=(*study.warnings, warning))
    shared = [] if permissions().is_served(name) else [shared_additions_folder(name)]
    for folder in dict.fromkeys([*shared, permissions().additions_folder(name)]):
        study = _with_folder(study, folder)
    return study


def _with_folder(study: "Study", folder: Path) -> "Study":
    """Return the study with the runs and labels in a folder of additions, and the choice of tested systems and the
    declared claim there, if there are any. Those whose name the study has got since are left out, with a warning."""
    mend(folder)
    if _holds_additions(folder):
        additions = _without_taken(open_study_folder(folder), study)
        if additions.has("runs"):
            study = add_runs(study, additions.runs)
        if additions.has("labels"):
            study = add_labels(study, additions.labels)
            described = {name: who for name, who in additions.annotators.items() if who.kind}
            study = replace(study, annotators={**study.annotators, **described})
        study = replace(study, warnings=(*study.warnings, *additions.warnings))
    chosen = stored_metadata(folder)  # also beside no runs and labels
    study = replace(study, claim=chosen.claim or study.claim)
    return with_tested(study, {*study.contenders, *chosen.tested} - {*chosen.not_tested})


def _holds_additions(folder: Path) -> bool:
    """Return whether the folder has files that may be runs or labels.

    A run has a hidden name until it is completely written. A broken link counts: opening the folder reports it.
    """
    names, runs = _names(folder), folder / "runs"
    if any(name.startswith("labels.") for name in names):
        return True
    if "runs" not in names:
        return False
    return not runs.is_dir() or any(not name.startswith(".") for name in _names(runs))


def _without_taken(additions: "Study", study: "Study") -> "Study":
    """Return the additions without the systems and annotators that the study has."""
    runs, labels = additions.runs, additions.labels
    systems = runs["system"].isin(study.systems)
    annotators = labels["annotator"].isin(list(study.labels["annotator"].unique()))
    taken = dict.fromkeys([*runs["system"][systems].astype("str"), *labels["annotator"][annotators].astype("str")])
    if not taken:
        return additions
    warnings = (f"{name}: the study has one of that name now; your own is left out." for name in taken)
    return replace(
        additions,
        runs=drop_empty_categories(runs[~systems].reset_index(drop=True)),
        labels=labels[~annotators].reset_index(drop=True),
        warnings=(*additions.warnings, *warnings),
    )


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise unreadable(folder, error) from error


def unknown_study(name: str) -> UsageError:
    """Return the error for a name that is neither a study nor a folder."""
    message = f"there is no study and no folder called {name!r}"
    fetchable = [dataset.name for dataset in DATASETS.values() if dataset.kind == "study"]
    downloaded = [name for name in fetchable if not DATASETS[name].local]
    if name in fetchable:
        return UsageError(message, f"{name} is a data set that can be fetched: fairviz fetch {name}")
    stored: tuple[str, ...] = ()
    try:
        stored = stored_names()
        stored_text = ", ".join(stored) or "none"
    except FairvizError as error:
        stored_text = error.message
    return UsageError(
        message,
        f"{did_you_mean(name, [*BUILTIN, *stored, *fetchable])}Built in: {', '.join(BUILTIN)}. Fetched or saved: "
        f"{stored_text}. To fetch one ({', '.join(downloaded)}): fairviz fetch NAME",
    )
