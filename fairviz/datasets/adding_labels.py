"""Adding labels to a study where it lies, or beside it where it is built in, and saying what their annotators are."""

import errno
import os
from collections.abc import Collection, Mapping
from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.errors import FairvizError
from fairviz.home import additions_folder
from fairviz.private import make_private_folder
from fairviz.study.loaders.changes import changing
from fairviz.study.loaders.folder import Content, find_files, read_folder
from fairviz.study.loaders.labels import read_labels
from fairviz.study.loaders.metadata import FILE, Metadata, format_metadata, read_metadata
from fairviz.study.loaders.writing import check_reads_back_labels, write_table

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.study.study import Annotator, Study


def labels_folder(study: "Study") -> Path:
    """Where the study's added labels go: its own folder, or the data folder for a built-in study."""
    if study.read_only:
        return additions_folder(study.name)
    if study.folder is None:
        raise FairvizError(f"{study.name} has no folder yet", "Save it first with fairviz.save_study.")
    return study.folder


def check_new_annotators(
    study: "Study", names: Collection[str], *, replace: bool = False, own: Collection[str] = ()
) -> None:
    """Raises FairvizError where the study has labels by one of these, unless they were added and are to be replaced,
    and where no label could be written.

    own: annotators whose labels whoever writes these wrote before; what they are does not matter."""
    folder = labels_folder(study)
    taken = set(study.labels["annotator"].unique()) & set(names) - set(own)
    for name in sorted(taken):
        if study.read_only and name not in _added(folder):
            raise FairvizError(
                f"the labels by {name} are part of the built-in study {study.name}", "Choose another annotator."
            )
        if study.read_only or replace:
            kind = study.annotators[name].kind if name in study.annotators else ""
            if kind not in ("rule", "model"):
                raise FairvizError(
                    f"the labels by {name} in {study.name} are not known to be a rule's or a model's, and stay",
                    "Rename that annotator in the file of labels first.",
                )
        if not replace:
            raise FairvizError(f"{study.name} has labels by {name} already", "Add --replace to write them anew.")
    _refuse_unwritable(folder)


def _refuse_unwritable(folder: Path) -> None:
    """Raises FairvizError where the folder cannot be written, or made: who asks a model first would pay for nothing."""
    there = next(one for one in (folder, *folder.parents) if os.path.lexists(one))
    if not os.path.isdir(there):
        raise _unwritten(folder, NotADirectoryError(errno.ENOTDIR, ""))
    if not os.access(there, os.W_OK | os.X_OK):
        raise _unwritten(folder, PermissionError(errno.EACCES, ""))


def _unwritten(folder: Path, error: OSError) -> FairvizError:
    reason = os.strerror(error.errno) if error.errno else str(error)
    return FairvizError(
        f"could not write the labels into {folder}: {reason}",
        "Make it a folder that you can write, with room, and run it again.",
    )


def save_labels(
    study: "Study",
    labels: "pd.DataFrame",
    annotators: "Mapping[str, Annotator]",
    *,
    replace: bool = False,
    own: Collection[str] = (),
) -> Path:
    """Writes the labels into the study's folder (for a built-in study: beside it), behind those that are there, and
    into its study.toml what each annotator is; returns the file of labels.

    Earlier labels by the same annotators are replaced where `replace` says so. own: annotators whose labels whoever
    calls this wrote before, people's among them, and which are taken out for these. Raises FairvizError where labels
    may not be replaced, and where the folder cannot be written; then nothing is.
    """
    check_new_annotators(study, annotators, replace=replace, own=own)
    folder = labels_folder(study)
    try:
        if study.read_only:  # among the additions, in the data folder
            make_private_folder(folder)
        folder.mkdir(parents=True, exist_ok=True)
        content = _content(folder, study)
        table = _joined(content, labels, {*annotators, *own})
        with changing(folder, lambda: find_files(folder).parts["labels"]) as filled:
            write_table(table, filled, "labels")
            _write_metadata(content.metadata, annotators, folder / FILE, filled / FILE)
            file = next(path for path in filled.iterdir() if path.name != FILE)
            check_reads_back_labels(table, read_labels(file, filled, None))
    except OSError as error:
        raise _unwritten(folder, error) from error
    return folder / file.name


def _added(folder: Path) -> set[str]:
    """The annotators of a folder of additions."""
    if not folder.is_dir() or not find_files(folder).parts["labels"]:
        return set()
    content = read_folder(folder)
    return set(content.tables["labels"]["annotator"].unique())


def _content(folder: Path, study: "Study") -> Content:
    """What the folder holds; beside a built-in study with that study's groups, which the labels are of."""
    content = read_folder(folder) if find_files(folder).all else Content(Metadata())
    if study.read_only:
        content.metadata = changed(
            content.metadata, groups=study.groups, neutral=study.neutral, protected=study.protected
        )
    return content


def _joined(content: Content, labels: "pd.DataFrame", annotators: Collection[str]) -> "pd.DataFrame":
    """The labels of the folder without those that are replaced, and the new ones behind them."""
    import pandas as pd

    before = content.tables.get("labels")
    if before is None:
        return labels
    kept = before[~before["annotator"].isin(list(annotators))]
    table = pd.concat([kept, labels], ignore_index=True)
    texts = [str(name) for name in table if isinstance(table[name].dtype, pd.StringDtype)]
    return table.assign(**{name: table[name].fillna("") for name in texts})


def _write_metadata(metadata: Metadata, annotators: "Mapping[str, Annotator]", old: Path, new: Path) -> None:
    """study.toml with what the annotators are: behind what is written there where that says it, so that its comments
    stay, else written anew."""
    entries = {name: (who.kind, who.description) for name, who in annotators.items()}
    wanted = changed(metadata, annotators={**metadata.annotators, **entries})
    fresh = {name: entry for name, entry in entries.items() if name not in metadata.annotators}
    if old.exists() and all(metadata.annotators.get(name, entry) == entry for name, entry in entries.items()):
        tables = format_metadata(Metadata(annotators=fresh)) if fresh else ""
        text = old.read_text(encoding="utf-8-sig").rstrip("\n")
        new.write_text(f"{text}\n{tables}", encoding="utf-8")
        if _reads_as(new, wanted):
            return
    new.write_text(format_metadata(wanted), encoding="utf-8")


def _reads_as(path: Path, wanted: Metadata) -> bool:
    try:
        return read_metadata(path, path.parent) == wanted
    except FairvizError:
        return False
