"""Adding labels to a study's folder (for a built-in study: to the data folder), with a record of their annotators."""

import errno
import os
from collections.abc import Collection, Mapping
from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from fairviz.errors import FairvizError
from fairviz.files import make_private_folder
from fairviz.home.access import additions_folder, changes_study
from fairviz.study.loaders.changes import changing
from fairviz.study.loaders.finding import find_files
from fairviz.study.loaders.folder import Content, read_folder
from fairviz.study.loaders.labels import read_labels
from fairviz.study.loaders.metadata import FILE, Metadata, format_metadata, write_edited
from fairviz.study.loaders.writing import check_reads_back_labels, write_table

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.study.record import Annotator, Study


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
    for name in sorted(existing):
        if study.read_only and name not in _added_annotators(folder):
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
    _refuse_unwritable(folder)


def _refuse_unwritable(folder: Path) -> None:
    """Raise FairvizError if the folder cannot be written or created, before a model is paid for labels."""
    existing = next(one for one in (folder, *folder.parents) if os.path.lexists(one))
    if not os.path.isdir(existing):
        raise _unwritable_error(folder, NotADirectoryError(errno.ENOTDIR, ""))
    if not os.access(existing, os.W_OK | os.X_OK):
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
    try:
        if study.read_only:  # the additions in the data folder
            make_private_folder(folder)
        folder.mkdir(parents=True, exist_ok=True)
        content = _read_content(folder, study)
        table = _join_labels(content, labels, {*annotators, *own})
        with changing(folder, lambda: find_files(folder).parts["labels"]) as draft_folder:
            write_table(table, draft_folder, "labels")
            _write_metadata(content.metadata, annotators, folder, draft_folder)
            file = next(path for path in draft_folder.iterdir() if path.name != FILE)
            check_reads_back_labels(table, read_labels(file, draft_folder, None))
    except OSError as error:
        raise _unwritable_error(folder, error) from error
    return folder / file.name


def _added_annotators(folder: Path) -> set[str]:
    """Return the annotators in a folder of additions."""
    if not folder.is_dir() or not find_files(folder).parts["labels"]:
        return set()
    content = read_folder(folder)
    return set(content.tables["labels"]["annotator"].unique())


def _read_content(folder: Path, study: "Study") -> Content:
    """Return the content of the folder; for a built-in study with the groups of the study, to which the labels
    belong.
    """
    content = read_folder(folder) if find_files(folder).all else Content(Metadata())
    if study.read_only:
        content.metadata = changed(
            content.metadata, groups=study.groups, neutral=study.neutral, protected=study.protected
        )
    return content


def _join_labels(content: Content, labels: "pd.DataFrame", annotators: Collection[str]) -> "pd.DataFrame":
    """Return the folder's labels without the replaced ones, followed by the new ones."""
    old_labels = content.tables.get("labels")
    if old_labels is None:
        return labels
    remaining_labels = old_labels[~old_labels["annotator"].isin(list(annotators))]
    table = pd.concat([remaining_labels, labels], ignore_index=True)
    texts = [str(name) for name in table if isinstance(table[name].dtype, pd.StringDtype)]
    return table.assign(**{name: table[name].fillna("") for name in texts})


def _write_metadata(
    metadata: Metadata, annotators: "Mapping[str, Annotator]", folder: Path, draft_folder: Path
) -> None:
    """Write study.toml with the annotators' entries: appended, which keeps its comments, unless entries conflict."""
    entries = {name: (who.kind, who.description) for name, who in annotators.items()}
    new_entries = {name: entry for name, entry in entries.items() if name not in metadata.annotators}
    tables = format_metadata(Metadata(annotators=new_entries)) if new_entries else ""
    target = changed(metadata, annotators={**metadata.annotators, **entries})
    write_edited(folder, draft_folder, target, lambda text: text.rstrip("\n") + "\n" + tables)
