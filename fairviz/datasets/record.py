"""The record of a public data set: the addresses of its files, their hashes, and the function that builds a study."""

import csv
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from fairviz.home import data_home, studies_folder, unreadable, vectors_folder
from fairviz.words.counting import entry_text

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class RemoteFile:
    """A published file: its name (or path, with slashes), its size in bytes, and the SHA-256 of its content; empty if
    this project has not seen its bytes: then `size` is an estimate, and what is checked is its length and what `build`
    reads.

    origin: the folder of a local copy, for a data set made of several publications. addresses: published addresses,
    tried in order while the file is not found; empty for the data set's own address.
    """

    name: str
    size: int
    sha256: str = ""
    origin: str = ""
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Dataset:
    """A data set that can be fetched.

    address: the address of its files, ending in a slash. folders: folders below the address, tried in order while a
    file is not found. build(raw, folder) fills the folder of the study (or of the word vectors) from the published
    files in `raw` and returns sentences on what it changed. then: the suggested next command line. download(data set,
    raw, progress, address): the replacement of the download over the web. local: whether nothing is downloaded, as no
    licence allows it: the files are those of a copy.
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
    local: bool = False

    @property
    def size(self) -> int:
        """Total size of the files in bytes."""
        return sum(file.size for file in self.files)

    @property
    def folder(self) -> Path:
        """Folder of the data set once it is fetched."""
        return (studies_folder() if self.kind == "study" else vectors_folder()) / self.name

    def addresses(self, file: RemoteFile, address: str | None = None) -> list[str]:
        """Return the addresses of one of the files, tried in order. address: in place of the published one."""
        if file.addresses and address is None:
            return [*file.addresses]
        base = self.address if address is None else address
        return [f"{base}{quote(place + file.name)}" for place in self.folders]

    @property
    def is_fetched(self) -> bool:
        """True if the folder exists. Raises FairvizError if the data folder cannot be read."""
        try:
            return stat.S_ISDIR(os.stat(self.folder).st_mode)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise unreadable(data_home(), error) from error


def github(repository: str, commit: str, *paths: str) -> tuple[str, ...]:
    """Return the addresses of these paths in a GitHub repository at a commit."""
    return tuple(f"https://raw.githubusercontent.com/{repository}/{commit}/{path}" for path in paths)


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a CSV file with this header."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def copy_lexicon(source: Path, folder: Path, name: str) -> tuple[str, int]:
    """Write a published word list (`word,m` or `word,f` a line) as lexicon-NAME.csv.

    Returns the file's name and the number of words that were changed to lower case.
    """
    pairs = [line.split(",") for line in source.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    groups = {"f": "female", "m": "male"}
    rows = {entry_text(word.strip()): groups[group.strip()] for word, group in pairs}
    file = f"lexicon-{name}.csv"
    write_csv(folder / file, ("word", "group"), list(rows.items()))
    return file, sum(word != entry_text(word) for word, _ in pairs)
