"""Giving a study the text of its documents, out of a collection that is too large to open."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.errors import FairvizError
from fairviz.study.loaders.changes import changing
from fairviz.study.loaders.collection import keep_documents
from fairviz.study.loaders.folder import find_files

if TYPE_CHECKING:
    from fairviz.study.study import Study

FILE = "documents.parquet"


def attach(
    study: "Study", collection: Path, progress: Callable[[int, int], None], *, replace: bool = False
) -> tuple[Path, int, int]:
    """Writes the documents that the study's runs and labels name, out of the collection, into the study's folder.

    Returns the file, how many documents it holds and how many the study names. The file is there when it is whole, and
    any that it replaces is gone at the same moment. Raises FairvizError where the study cannot take them or the
    collection holds none, DataError for its bad lines; then the study is as it was.
    """
    folder = _place(study, replace)
    wanted = named_documents(study)
    if not wanted:
        raise FairvizError(
            f"{study.name} names no document: it has neither runs nor labels", "Add runs/NAME.run or labels.csv first."
        )
    try:
        with changing(folder, lambda: find_files(folder).parts["documents"]) as filled:
            found = _write(study, collection, wanted, filled / FILE, progress)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise FairvizError(
            f"could not write the documents into {folder}: {reason}",
            "Make it a folder that you can write, with room, and run it again.",
        ) from error
    return folder / FILE, found, len(wanted)


def _write(study: "Study", collection: Path, wanted: set[str], file: Path, progress: Callable[[int, int], None]) -> int:
    """Writes the wanted documents into the file; returns how many there are."""
    found = keep_documents(collection, wanted, file, progress)
    if not found:
        raise FairvizError(
            f"{collection.name} holds none of the {len(wanted):,} documents that {study.name} names",
            f"Check that it is the right collection: the study names {min(wanted)!r} and others.",
        )
    return found


def named_documents(study: "Study") -> set[str]:
    """Ids of the documents that the study's runs and labels name."""
    return {*study.runs["doc_id"].cat.categories, *study.labels["doc_id"]}


def _place(study: "Study", replace: bool) -> Path:
    """The folder of a study that can take documents. Raises FairvizError."""
    if study.read_only or study.folder is None:
        raise FairvizError(f"{study.name} is built in, and stays as it is", "Attach to a study folder of your own.")
    files = find_files(study.folder).parts["documents"]
    if study.has("documents") and not files:
        raise FairvizError(
            f"the documents of {study.name} come from its study.toml", "Remove the line that names them first."
        )
    if files and not replace:
        raise FairvizError(
            f"{study.name} has documents already ({files[0].name})",
            "Add --replace to put those of the collection in their place.",
        )
    return study.folder
