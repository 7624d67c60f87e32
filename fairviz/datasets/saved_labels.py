"""Labels added to a study's folder (built-in study: to the data folder): renamed, deleted and restored by annotator."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from fairviz.datasets.adding_labels import labels_folder
from fairviz.errors import FairvizError
from fairviz.home.access import changes_study
from fairviz.study.loaders.changes import changing
from fairviz.study.loaders.finding import find_files
from fairviz.study.loaders.labels import read_labels
from fairviz.study.loaders.metadata import (
    Metadata,
    format_metadata,
    stored_metadata,
    with_key,
    write_edited,
    write_keys,
)
from fairviz.study.loaders.writing import write_table
from fairviz.study.tables import LABELS, empty

if TYPE_CHECKING:
    from fairviz.study.record import Study

DELETED = ".deleted-labels"  # in the study's folder; hidden folders are not part of a study
OTHER_PARTS = ("queries", "documents", "runs", "qrels")


def saved_annotators(study: "Study") -> tuple[str, ...]:
    """Return the annotators whose labels are in the study's folder (built-in study: in the data folder)."""
    return _annotators(study, labels_folder(study))


def deleted_annotators(study: "Study") -> tuple[str, ...]:
    """Return the annotators whose labels were deleted and can be restored: the study has no others by that name."""
    names = _annotators(study, labels_folder(study) / DELETED)
    return tuple(sorted(set(names) - set(study.labels["annotator"])))


@changes_study("delete labels", can_be_private=True)
def delete_labels(study: "Study", annotator: str) -> None:
    """Remove an annotator's labels from the study; `restore_labels` restores them.

    Raises FairvizError for labels that were not added, for the only content of a study, and for a folder that cannot
    be written; then nothing is changed.
    """
    folder = labels_folder(study)
    is_rest = study.read_only or any(study.has(part) for part in OTHER_PARTS)
    if not is_rest and _annotators(study, folder) == (annotator,):
        raise FairvizError(f"{study.name} has nothing but the labels by {annotator!r}", "Add another part first.")
    _move_labels(study, annotator, folder, folder / DELETED)


@changes_study("restore labels", can_be_private=True)
def restore_labels(study: "Study", annotator: str) -> None:
    """Restore an annotator's deleted labels. Raises FairvizError if there are none, or others by that name."""
    if annotator in set(study.labels["annotator"]):
        raise FairvizError(f"{study.name} has labels by {annotator!r} already", "Delete those first.")
    folder = labels_folder(study)
    _move_labels(study, annotator, folder / DELETED, folder)


@changes_study("rename labels", can_be_private=True)
def rename_labels(study: "Study", annotator: str, name: str) -> None:
    """Give the annotator of added labels another name, also in study.toml.

    Raises FairvizError for labels that were not added, for a name that is taken or empty, and for a folder that cannot
    be written; then nothing is changed.
    """
    if name in set(study.labels["annotator"]) or name in deleted_annotators(study):
        raise FairvizError(f"{study.name} has labels by {name!r} already", "Choose another name.")
    if not name.strip() or not name.isprintable():
        raise FairvizError(f"{name!r} cannot name an annotator", "Use letters, digits, spaces and signs.")
    folder = labels_folder(study)
    labels = _read_labels(study, folder)
    _check_present(study, annotator, labels, folder)
    renamed_labels = labels.assign(annotator=labels["annotator"].where(labels["annotator"] != annotator, name))
    metadata = stored_metadata(folder)
    entries = {name if key == annotator else key: entry for key, entry in metadata.annotators.items()}
    default = name if metadata.annotator == annotator else metadata.annotator
    target = replace(metadata, annotators=entries, annotator=default)
    try:
        with changing(folder, lambda: _label_files(folder)) as draft_folder:
            write_table(renamed_labels, draft_folder, "labels")
            if target != metadata:
                write_edited(folder, draft_folder, target, partial(_with_name, annotator, name, default))
    except OSError as error:
        raise _unchangeable(annotator, folder, error) from error


def _with_name(annotator: str, name: str, default: str, text: str) -> str:
    """Return the text of a study.toml with the heading of an annotator's table, and the default annotator, renamed."""
    old_head, new_head = (format_metadata(Metadata(annotators={each: ("", "")})).strip() for each in (annotator, name))
    return with_key(text.replace(old_head, new_head), "annotator", default)


def _annotators(study: "Study", folder: Path) -> tuple[str, ...]:
    return tuple(_read_labels(study, folder)["annotator"].drop_duplicates())


def _read_labels(study: "Study", folder: Path) -> pd.DataFrame:
    """Return the labels in a folder; none without a file of labels."""
    files = _label_files(folder)
    groups = (study.neutral, *study.groups) if study.label_kind == "gender" else None
    return read_labels(files[0], folder, groups) if files else empty(LABELS)


def _label_files(folder: Path) -> list[Path]:
    return find_files(folder).parts["labels"] if folder.is_dir() else []


def _check_present(study: "Study", annotator: str, labels: pd.DataFrame, folder: Path) -> None:
    if annotator not in set(labels["annotator"]):
        raise FairvizError(f"{folder} holds no labels by {annotator!r} of {study.name}", "Choose another annotator.")


def _move_labels(study: "Study", annotator: str, source: Path, target: Path) -> None:
    """Move an annotator's labels between the study's folder and the folder of deleted ones in it."""
    labels, other_labels = _read_labels(study, source), _read_labels(study, target)
    _check_present(study, annotator, labels, source)
    moved = labels["annotator"] == annotator
    joined_labels = pd.concat([other_labels[other_labels["annotator"] != annotator], labels[moved]], ignore_index=True)
    folder = labels_folder(study)
    try:
        with changing(folder, lambda: [*_label_files(source), *_label_files(target)]) as draft_folder:
            for place, table in ((source, labels[~moved]), (target, joined_labels)):
                draft_place = draft_folder / place.relative_to(folder)
                draft_place.mkdir(exist_ok=True)
                if len(table):
                    write_table(_filled(table), draft_place, "labels")
            _move_default(annotator, source, target, draft_folder)
    except OSError as error:
        raise _unchangeable(annotator, folder, error) from error


def _move_default(annotator: str, source: Path, target: Path, draft_folder: Path) -> None:
    """Move the name of the default annotator with the labels; a newer default stays."""
    if stored_metadata(source).annotator != annotator:
        return
    root = min(source, target, key=lambda folder: len(folder.parts))
    for folder, value in ((source, ""), (target, stored_metadata(target).annotator or annotator)):
        if stored_metadata(folder).annotator != value:
            write_keys(folder, draft_folder / folder.relative_to(root), annotator=value)


def _filled(labels: pd.DataFrame) -> pd.DataFrame:
    """Return the labels with empty text where another annotator's have a column that these lack."""
    labels = labels.reset_index(drop=True)
    texts = [str(name) for name in labels if isinstance(labels[name].dtype, pd.StringDtype)]
    return labels.assign(**{name: labels[name].fillna("") for name in texts})


def _unchangeable(annotator: str, folder: Path, error: OSError) -> FairvizError:
    return FairvizError(
        f"could not change the labels by {annotator!r} in {folder}: {error.strerror or error}",
        "Make it a folder that you can write, with room, and try again.",
    )
