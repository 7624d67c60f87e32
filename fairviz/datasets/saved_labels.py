"""Labels added to a study's folder (for a built-in study: to the data folder), with a record of their annotators:
renamed, deleted and restored by annotator.
"""

from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

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

import errno
import os
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from fairviz.files import make_private_folder
from fairviz.home.access import additions_folder
from fairviz.study.loaders.folder import Content, read_folder
from fairviz.study.loaders.metadata import FILE
from fairviz.study.loaders.writing import check_reads_back_labels

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.study.record import Annotator, Study


DELETED = ".deleted-labels"  # in the study's folder; hidden folders are not part of a study
OTHER_PARTS = ("queries", "documents", "runs", "qrels")


def labels_folder(study: "Study") -> Path:
    """Return the folder for the study's added labels: its own folder, or the data folder for a built-in study."""
    if study.read_only:
        return additions_folder(study.name)
    if study.folder is None:
        raise FairvizError(f"{study.name} has no folder yet", "Save it first with fairviz.save_study.")
    return study.folder


def check_new_annotators(
    study: "Study", names: Collection[str], *, replace: bool = False, own: Collection[str] = ()
) -> None:
    """Raise FairvizError if the study has labels by one of these annotators, unless they were added and are replaced,
    and if no labels can be written.

    own: annotators whose labels the caller wrote earlier; their kind does not matter.
    """
    folder = labels_folder(study)
    existing = set(study.labels["annotator"].unique()) & set(names) - set(own)
    added: set[str] = set()  # the annotators in the additions to a built-in study
    if existing and study.read_only and _label_files(folder):
        added = set(read_folder(folder).tables["labels"]["annotator"].unique())
    for name in sorted(existing):
        if study.read_only and name not in added:
            raise FairvizError(
                f"the labels by {name} are part of the built-in study {study.name}", "Choose another annotator."
            )
        if study.read_only or replace:
            kind = study.annotators[name].kind if name in study.annotators else ""
            if kind not in ("rule", "model"):
                raise FairvizError(
                    f"the labels by {name} in {study.name} are not known to be a rule's or a model's, and are kept",
                    "Rename that annotator in the file of labels first.",
                )
        if not replace:
            raise FairvizError(f"{study.name} has labels by {name} already", "Add --replace to overwrite them.")
    # A folder that cannot be written or created is an error before a model is paid for labels.
    there = next(one for one in (folder, *folder.parents) if os.path.lexists(one))
    if not os.path.isdir(there):
        raise _unwritable_error(folder, NotADirectoryError(errno.ENOTDIR, ""))
    if not os.access(there, os.W_OK | os.X_OK):
        raise _unwritable_error(folder, PermissionError(errno.EACCES, ""))


def _unwritable_error(folder: Path, error: OSError) -> FairvizError:
    reason = os.strerror(error.errno) if error.errno else str(error)
    return FairvizError(
        f"could not write the labels into {folder}: {reason}",
        "Make it a folder that you can write, with room, and run it again.",
    )


@changes_study("add labels", can_be_private=True)
def save_labels(
    study: "Study",
    labels: "pd.DataFrame",
    annotators: "Mapping[str, Annotator]",
    *,
    replace: bool = False,
    own: Collection[str] = (),
) -> Path:
    """Append the labels to the study's folder (for a built-in study: in the data folder), record each annotator in its
    study.toml, and return the file of labels.

    Earlier labels by the same annotators are replaced if `replace` is set. own: annotators, people included, whose
    labels the caller wrote earlier; these labels are replaced. Raises FairvizError if labels may not be replaced or the
    folder cannot be written; then nothing is written.
    """
    check_new_annotators(study, annotators, replace=replace, own=own)
    folder = labels_folder(study)
    entries = {name: (who.kind, who.description) for name, who in annotators.items()}
    try:
        if study.read_only:  # the additions in the data folder
            make_private_folder(folder)
        folder.mkdir(parents=True, exist_ok=True)
        content = read_folder(folder) if find_files(folder).all else Content(Metadata())
        metadata, earlier = content.metadata, content.tables.get("labels")
        if study.read_only:  # the groups to which the labels belong
            metadata = changed(metadata, groups=study.groups, neutral=study.neutral, protected=study.protected)
        if earlier is not None:
            kept = earlier[~earlier["annotator"].isin([*annotators, *own])]
            labels = _filled(pd.concat([kept, labels], ignore_index=True))
        # New annotators are appended to study.toml, which keeps its comments.
        new_entries = {name: entry for name, entry in entries.items() if name not in metadata.annotators}
        more = format_metadata(Metadata(annotators=new_entries)) if new_entries else ""
        target = changed(metadata, annotators={**metadata.annotators, **entries})
        with changing(folder, lambda: find_files(folder).parts["labels"]) as draft_folder:
            write_table(labels, draft_folder, "labels")
            write_edited(folder, draft_folder, target, lambda text: text.rstrip("\n") + "\n" + more)
            file = next(path for path in draft_folder.iterdir() if path.name != FILE)
            check_reads_back_labels(labels, read_labels(file, draft_folder, None))
    except OSError as error:
        raise _unwritable_error(folder, error) from error
    return folder / file.name


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
    target = changed(metadata, annotators=entries, annotator=default)

    def edit(text: str) -> str:
        """Return the text of study.toml with the heading of the annotator's table, and the default one, renamed."""
        old, new = (format_metadata(Metadata(annotators={each: ("", "")})).strip() for each in (annotator, name))
        return with_key(text.replace(old, new), "annotator", default)

    try:
        with changing(folder, lambda: _label_files(folder)) as draft_folder:
            write_table(renamed_labels, draft_folder, "labels")
            if target != metadata:
                write_edited(folder, draft_folder, target, edit)
    except OSError as error:
        raise _unchangeable(annotator, folder, error) from error


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
    """Move an annotator's labels between the study's folder and the folder of deleted ones in it, and the name of the
    default annotator with them; a newer default stays."""
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
                    write_table(_filled(table.reset_index(drop=True)), draft_place, "labels")
            if stored_metadata(source).annotator == annotator:
                defaults = {source: "", target: stored_metadata(target).annotator or annotator}
                for place, value in defaults.items():
                    if stored_metadata(place).annotator != value:
                        write_keys(place, draft_folder / place.relative_to(folder), annotator=value)
    except OSError as error:
        raise _unchangeable(annotator, folder, error) from error


def _filled(labels: pd.DataFrame) -> pd.DataFrame:
    """Return the labels with empty text where another annotator's have a column that these lack."""
    texts = [str(name) for name in labels if isinstance(labels[name].dtype, pd.StringDtype)]
    return labels.assign(**{name: labels[name].fillna("") for name in texts})


def _unchangeable(annotator: str, folder: Path, error: OSError) -> FairvizError:
    return FairvizError(
        f"could not change the labels by {annotator!r} in {folder}: {error.strerror or error}",
        "Make it a folder that you can write, with room, and try again.",
    )
