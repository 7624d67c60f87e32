"""Attaching document texts to a study from a collection too large to open."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.errors import FairvizError
from fairviz.study.loaders.changes import changing
from fairviz.study.loaders.collection import keep_documents
from fairviz.study.loaders.finding import find_files

if TYPE_CHECKING:
    from fairviz.study.record import Study

FILE = "documents.parquet"


def attach(
    study: "Study", collection: Path, progress: Callable[[int, int], None], *, replace: bool = False
) -> tuple[Path, int, int]:
    """Write the documents named by the study's runs and labels from the collection to the study's folder.

    Returns the file, the number of documents in it and the number that the study names. The complete file replaces an
    existing one atomically. Raises FairvizError if the study cannot take documents or the collection has none of them,
    DataError for its bad lines; then the study is unchanged.
    """
    folder = study.folder
    if study.read_only or folder is None:
        raise FairvizError(f"{study.name} is built in, and stays as it is", "Attach to a study folder of your own.")
    files = find_files(folder).parts["documents"]
    if study.has("documents") and not files:
        raise FairvizError(
            f"the documents of {study.name} come from its study.toml", "Remove the line that names them first."
        )
    if files and not replace:
        raise FairvizError(
            f"{study.name} has documents already ({files[0].name})",
            "Add --replace to put those of the collection in their place.",
        )
    doc_ids = named_documents(study)
    if not doc_ids:
        raise FairvizError(
            f"{study.name} names no document: it has neither runs nor labels", "Add runs/NAME.run or labels.csv first."
        )
    try:
        with changing(folder, lambda: find_files(folder).parts["documents"]) as draft_folder:
            count = keep_documents(collection, doc_ids, draft_folder / FILE, progress)
            if not count:
                raise FairvizError(
                    f"{collection.name} holds none of the {len(doc_ids):,} documents that {study.name} names",
                    f"Check that it is the right collection: the study names {min(doc_ids)!r} and others.",
                )
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise FairvizError(
            f"could not write the documents into {folder}: {reason}",
            "Make it a folder that you can write, with room, and run it again.",
        ) from error
    return folder / FILE, count, len(doc_ids)


def named_documents(study: "Study") -> set[str]:
    """Return the ids of the documents that the study's runs and labels name."""
    return {*study.runs["doc_id"].cat.categories, *study.labels["doc_id"]}
