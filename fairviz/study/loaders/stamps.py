"""The fingerprint of a study folder's content, and a stamp that changes with any of its files."""

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from fairviz.errors import FairvizError
from fairviz.study.collection_counts import MANIFEST, counts_folder
from fairviz.study.loaders.finding import Files, find_files, find_obstacle
from fairviz.study.loaders.hashes import look
from fairviz.study.loaders.metadata import Metadata, read_metadata
from fairviz.study.loaders.unread import unread_warnings


def fingerprint_of(folder: Path, files: Files, hashes: Mapping[Path, str]) -> str:
    """Return a hash of the names and bytes of the study's files: equal for equal content in any folder.

    hashes: the hash of the bytes of each file as read.
    """
    digest = hashlib.sha256()
    for path in sorted(files.all):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{hashes[path]}\n".encode())
    return digest.hexdigest()


def study_stamp(folder: Path) -> tuple[tuple, ...]:
    """Return the states of the folder's parts and the warnings about its other files, which change with any of them.

    A recently changed file gets another stamp when it has settled, as it may change again within one tick of the clock.
    Empty for a missing folder.
    """
    try:
        files = find_files(folder)
    except FairvizError:
        return ()
    counts: list[Path] = []
    with suppress(FairvizError):
        metadata = read_metadata(files.metadata, folder) if files.metadata else Metadata()
        counts = [path for path in [counts_folder(folder, metadata.word_counts) / MANIFEST] if path.exists()]
        if metadata.lexicon and find_obstacle(folder / metadata.lexicon) is None:
            files.parts["lexicon"] = [folder / metadata.lexicon]
    warnings = [
        *unread_warnings(folder, files),
        *(f"{unreadable_entry.name}: {unreadable_entry.reason}" for unreadable_entry in files.unreadable),
    ]
    return (*(_file_stamp(path) for path in [*files.all, *counts]), *((line,) for line in warnings))


def _file_stamp(path: Path) -> tuple:
    try:
        return (str(path), *look(path))
    except OSError:
        return (str(path),)
