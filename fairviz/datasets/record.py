"""What a public data set is: where its files are published, what they must hash to, and how they become a study."""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fairviz.home import data_home, studies_folder, unreadable, vectors_folder

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class RemoteFile:
    """One published file: its name (or path, with slashes), its size in bytes, and the SHA-256 of its content.

    origin: the folder of a local copy, where files of several publications make one data set. addresses: where it is
    published, tried in order where a file is not found; empty for the data set's own address.
    """

    name: str
    size: int
    sha256: str
    origin: str = ""
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Dataset:
    """A data set that can be fetched.

    address: where its files lie, ending in a slash. folders: folders below the address, tried in order where a file
    is not found. build(raw, folder) fills the folder of the study (or of the word vectors) from the published files
    in `raw` and returns sentences that say what it changed. then: the command line that a person may want next.
    download(data set, raw, progress, address): where files come otherwise than over the web.
    """

    name: str
    title: str
    licence: str
    citation: str
    homepage: str
    address: str
    files: tuple[RemoteFile, ...]
    build: Callable[[Path, Path], tuple[str, ...]]
    folders: tuple[str, ...] = ("",)
    kind: Literal["study", "vectors"] = "study"
    then: str = ""
    download: "Callable[[Dataset, Path, Progress, str | None], None] | None" = None

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(file.size for file in self.files)

    @property
    def folder(self) -> Path:
        """Where it lies once it is fetched."""
        return (studies_folder() if self.kind == "study" else vectors_folder()) / self.name

    @property
    def is_fetched(self) -> bool:
        """Whether it is there. Raises FairvizError where the data folder cannot be read."""
        try:
            return stat.S_ISDIR(os.stat(self.folder).st_mode)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise unreadable(data_home(), error) from error


def github(repository: str, commit: str, *paths: str) -> tuple[str, ...]:
    """The addresses of these paths in a repository on GitHub at a commit."""
    return tuple(f"https://raw.githubusercontent.com/{repository}/{commit}/{path}" for path in paths)
