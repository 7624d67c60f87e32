"""The names in a folder and below it: bounded, without hidden files, links not followed."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MOST_WALKED = 10_000  # files and folders below a study's folder that are listed
HIDDEN = "."


class Entry(NamedTuple):
    """A name in a folder, and whether it is a folder itself (a link to one is not)."""

    name: str
    is_folder: bool


def entries(folder: Path) -> list[Entry]:
    """Return the entries of the folder by name, without opening any of up to a hundred thousand. Raises OSError."""
    with os.scandir(folder) as scan:
        return sorted(Entry(entry.name, entry.is_dir(follow_symlinks=False)) for entry in scan)


class Walk:
    """The files below folders, up to the limit for files other than a study's parts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._left = MOST_WALKED

    def below(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield each file below the folder of this name by its path from the study's folder, and the defect of an
        unreadable folder (empty for a file).
        """
        try:
            folder_entries = entries(self.folder / name)
        except OSError as error:
            yield name, f"this cannot be read ({error.strerror})"
            return
        for entry in folder_entries:
            if entry.name.startswith(HIDDEN):
                continue
            if not self._left:
                yield name, f"it holds more than {MOST_WALKED:,} files, which were not all looked at"
                return
            self._left -= 1
            path = f"{name}/{entry.name}"
            if entry.is_folder:
                yield from self.below(path)
            else:
                yield path, ""
