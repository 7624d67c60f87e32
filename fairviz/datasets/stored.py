"""Studies with a name: built in, fetched and saved, at a glance too; and the word lists of the fetched ones."""

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from fairviz.errors import FairvizError
from fairviz.home import BUILTIN, studies_folder, unreadable
from fairviz.home.permissions import permissions
from fairviz.study.loaders.changes import mend_beside
from fairviz.study.loaders.finding import find_files
from fairviz.study.loaders.metadata import Metadata, read_metadata
from fairviz.study.loaders.word_files import read_lexicon
from fairviz.words.counting import Lexicon

HOLDERS = ("msmarco-qs2", "genderbias-ir")  # data sets with a published word list


def stored_names() -> tuple[str, ...]:
    """Return the names of the fetched and saved studies in alphabetical order: on a server those on which the visitor
    has a role, then the visitor's own.

    Broken links are included: opening them reports the error. Raises FairvizError if the data folder cannot be read.
    """
    names = _names_in(studies_folder())
    if not permissions().is_server:
        return names
    own_names = _names_in(permissions().own_folder("any").parent)
    open_names = [name for name in names if permissions().role(name)]
    return tuple(dict.fromkeys([*open_names, *(name for name in own_names if name not in names)]))


def _names_in(folder: Path) -> tuple[str, ...]:
    mend_beside(folder)
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_dir() or _is_broken_link(entry)]
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise unreadable(folder, error) from error
    return tuple(sorted(name for name in names if not name.startswith(".")))


def _is_broken_link(entry: os.DirEntry[str]) -> bool:
    return entry.is_symlink() and not os.path.exists(entry.path)


def resolve(name: str) -> Path | None:
    """Return the folder of the built-in, fetched or saved study of this name; None for anything else, including paths.

    Raises FairvizError for a name if the data folder cannot be read.
    """
    if name in BUILTIN:
        return BUILTIN[name]
    if Path(name).name != name or name not in stored_names():
        return None
    return studies_folder() / name if permissions().is_of_all(name) else permissions().own_folder(name)


def published_lists() -> dict[str, Lexicon]:
    """Return the word lists of the fetched data sets by name, such as `rekabsaz-326` of the NFaiRR paper.

    A file that cannot be read is skipped; opening its study reports the error.
    """
    lexicons: dict[str, Lexicon] = {}
    for holder in HOLDERS:
        with suppress(FairvizError, OSError):
            for file in sorted((studies_folder() / holder).glob("lexicon-*.csv")):
                lexicon = _read(file, file.stat().st_mtime_ns)
                lexicons[lexicon.name] = lexicon
    return lexicons


@lru_cache(maxsize=8)
def _read(file: Path, modified_ns: int) -> Lexicon:
    """Return the word list of the file; its modification time is part of the cache's key."""
    return read_lexicon(file)


@dataclass(frozen=True)
class Listed:
    """A study in a list. bytes: of its files. changed: seconds since 1970, of the newest file. role: the visitor's.
    is_own: whether only this visitor has it. trouble: the reason why it cannot be read, empty without one."""

    name: str
    title: str
    systems: int
    labelled: bool
    bytes: int
    changed: float
    role: str
    is_own: bool
    trouble: str = ""


def listed(names: Iterable[str]) -> list[Listed]:
    """Return the studies of these names, in their order, read off their files without opening them; names without a
    folder are left out."""
    studies = []
    for name, folder in ((name, resolve(name)) for name in names):
        if folder is None:
            continue
        is_own, role = not permissions().is_of_all(name), permissions().role(name)
        try:
            files = find_files(folder)
            metadata = read_metadata(files.metadata, folder) if files.metadata else Metadata()
            states = [path.stat() for path in files.all]
        except (FairvizError, OSError) as error:
            studies.append(Listed(name, name, 0, False, 0, 0.0, role, is_own, str(error).splitlines()[0]))
            continue
        title, has_labels = metadata.title or name, bool(files.parts["labels"])
        size, newest = sum(state.st_size for state in states), max((state.st_mtime for state in states), default=0.0)
        studies.append(Listed(name, title, len(files.runs), has_labels, size, newest, role, is_own))
    return studies
