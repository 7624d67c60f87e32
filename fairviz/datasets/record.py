"""What a public data set is: where its files are published, what they must hash to, and how they become a study."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class RemoteFile:
    """One published file: its name, its size in bytes, and the SHA-256 of its content in hexadecimal."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Dataset:
    """A data set that can be fetched.

    address: where its files lie, ending in a slash. folders: folders below the address, tried in order where a file
    is not found. build(raw, study) writes the study folder `study` from the published files in `raw` and returns
    sentences that say what it changed.
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

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(file.size for file in self.files)
