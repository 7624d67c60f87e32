"""What lies in a folder and below it, by name: bounded, hidden files left out, links not followed."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MOST_WALKED = 10_000  # files and folders below a study's folder that are looked at
HIDDEN = "."


class Entry(NamedTuple):
    """A name in a folder, and whether it is a folder itself (a link to one is none)."""

    name: str
    is_folder: bool


def entries(folder: Path) -> list[Entry]:
    """What is in the folder, by name: there may be a hundred thousand, and none is looked at. Raises OSError."""
    with os.scandir(folder) as found:
        return sorted(Entry(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found)


class Walk:
    """The files below folders, as long as they are not more than a study may hold beside its parts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._left = MOST_WALKED

    def below(self, name: str) -> Iterator[tuple[str, str]]:
        """Each file below the folder of this name, with its path from the study's folder, and what is wrong where a
        folder cannot be looked through (nothing for a file)."""
        try:
            found = entries(self.folder / name)
        except OSError as error:
            yield name, f"this cannot be read ({error.strerror})"
            return
        for entry in found:
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
