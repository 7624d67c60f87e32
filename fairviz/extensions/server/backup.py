"""A copy of the data folder, and of a folder of studies, that is made while servers write to them.

Each database is copied by SQLite, as it is at one moment. Other files are written whole by this program, so that a
copied one is whole too; a study whose files changed meanwhile is copied again. Caches are left out, and what belongs to
the running servers alone.
"""

import os
import re
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from fairviz.errors import FairvizError
from fairviz.extensions.server.access import CHANGES, PEOPLE
from fairviz.files import ENDINGS
from fairviz.home import (
    ADDITIONS,
    LOCK,
    STUDIES,
    UNFINISHED,
    data_home,
    home_trouble,
    identity,
    new_folder,
)

DATA = "data"  # in a backup: the copy of the data folder, next to that of the studies
CACHES = ("cache", "encodings", "downloads")  # of the data folder: computed or downloaded again
OF_SERVERS = ("running", "server")  # of the data folder: addresses, secrets and sockets of running servers
_CONTAINER = re.compile(rf"\.|{STUDIES}|{ADDITIONS}|{PEOPLE}(/[^/]+(/({STUDIES}|{ADDITIONS}))?)?")
_INCOMPLETE = re.compile(rf"{re.escape(UNFINISHED)}.*|\..+-new-[0-9a-f]{{8}}|.*{re.escape(LOCK)}")
_HEADER = b"SQLite format 3\0"
_TRIES = 100  # of copying a folder that changes meanwhile
_PATIENCE = 60.0  # seconds to wait for a writer of a database
Listing = dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Counts:
    """The content of a backup."""

    databases: int = 0
    files: int = 0
    size: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.databases + other.databases, self.files + other.files, self.size + other.size)


def back_up(target: Path, studies: Path | None = None, *, with_caches: bool = False) -> Counts:
    """Copy the data folder to TARGET/data, and the folder of studies to TARGET/studies; whole, or not at all.

    Raises FairvizError if the target exists or is inside a copied folder, or if a folder cannot be read or written.
    """
    sources = {DATA: data_home(), **({STUDIES: studies} if studies is not None else {})}
    left_out = OF_SERVERS if with_caches else (*CACHES, *OF_SERVERS)
    counts = Counts()
    try:
        _check(target, sources)
        with new_folder(target.parent, f"{UNFINISHED}{target.name}-") as unfinished:
            content = unfinished / target.name
            content.mkdir(mode=0o700)
            for name, source in sources.items():
                copy = _Copy(source, content / name, left_out if name == DATA else ())
                counts += copy.folder(PurePosixPath())
            content.rename(target)
    except (OSError, sqlite3.Error) as error:
        raise FairvizError(
            f"the backup {target} could not be made ({error})", "Make room there, or name a folder that you can write."
        ) from error
    return counts


def _check(target: Path, sources: dict[str, Path]) -> None:
    if trouble := home_trouble():
        raise trouble
    if target.exists() or target.is_symlink():
        raise FairvizError(f"{target} is there already", "Name a new folder for each backup.")
    for source in sources.values():
        if not source.is_dir():
            raise FairvizError(f"there is no folder {source}", "Name the folder of studies that the server serves.")
        if target.resolve().is_relative_to(source.resolve()):
            raise FairvizError(f"{target} is inside {source}, which it would copy", "Name a folder outside.")


@dataclass(frozen=True)
class _Copy:
    """The copying of one source. left_out: names at its top."""

    source: Path
    target: Path
    left_out: tuple[str, ...]

    def folder(self, place: PurePosixPath) -> Counts:
        """Copy the folder at this place: again, if its files change meanwhile. Raises OSError if they never rest."""
        if _CONTAINER.fullmatch(str(place)):
            return self._content(place)
        for _ in range(_TRIES):
            with suppress(FileNotFoundError):
                before = _listing(self.source / place)
                counts = self._content(place)
                if _listing(self.source / place) == before:
                    return counts
            shutil.rmtree(self.target / place, ignore_errors=True)
            if not (self.source / place).exists():
                return Counts()
        raise OSError(f"the files in {self.source / place} keep changing")

    def _content(self, place: PurePosixPath) -> Counts:
        """Copy the folder's databases, files and folders once."""
        counts, (source, target) = Counts(), (self.source / place, self.target / place)
        target.mkdir()
        for entry in _entries(source):
            if not place.parts and entry.name in self.left_out:
                continue
            if entry.is_dir():
                counts += self.folder(place / entry.name)
            else:
                counts += _copy_file(Path(entry), target / entry.name)
        if not place.parts:
            _drop_half_line(target / CHANGES)
        shutil.copystat(source, target)
        return counts


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield the folders and regular files to copy: complete ones, without the files that SQLite keeps next to a
    database."""
    with os.scandir(folder) as scanned:
        entries = {entry.name: entry for entry in scanned}
    for name, entry in sorted(entries.items()):
        if _INCOMPLETE.fullmatch(name) or _is_beside_database(folder, name, entries):
            continue
        if entry.is_dir() or entry.is_file():
            yield entry


def _is_beside_database(folder: Path, name: str, entries: dict[str, os.DirEntry[str]]) -> bool:
    """Return whether SQLite keeps the file next to a database of the folder, such as its write-ahead log."""
    for end in filter(None, ENDINGS):
        database = name.removesuffix(end)
        if name.endswith(end) and database in entries and _is_database(folder / database):
            return True
    return False


def _listing(folder: Path) -> Listing:
    """Return the identity of each file in the folder and below, except databases, which are copied at one moment."""
    listing: Listing = {}
    for entry in _entries(folder):
        path = Path(entry)
        if entry.is_dir():
            listing[entry.name] = (entry.inode(),)
            listing |= {f"{entry.name}/{name}": value for name, value in _listing(path).items()}
        elif not _is_database(path):
            listing[entry.name] = identity(path.stat())
    return listing


def _is_database(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(_HEADER)) == _HEADER


def _copy_file(source: Path, target: Path) -> Counts:
    if not _is_database(source):
        shutil.copy2(source, target)
        return Counts(files=1, size=target.stat().st_size)
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    address = f"{source.resolve().as_uri()}?mode=rw"
    with (
        closing(sqlite3.connect(address, uri=True, timeout=_PATIENCE)) as database,
        closing(sqlite3.connect(target)) as copy,
    ):
        database.backup(copy)
    target.chmod(stat.S_IMODE(source.stat().st_mode))
    return Counts(databases=1, size=target.stat().st_size)


def _drop_half_line(log: Path) -> None:
    """Remove what follows the last line end of the log: a line that was being written."""
    if log.is_file():
        with log.open("rb+") as stream:
            content = stream.read()
            stream.truncate(content.rfind(b"\n") + 1)
