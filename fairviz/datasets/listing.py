"""The studies that a visitor can open, at a glance: read off their files, without opening them."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fairviz.datasets.stored import resolve
from fairviz.errors import FairvizError
from fairviz.home.access import is_of_all, role
from fairviz.study.loaders.finding import find_files
from fairviz.study.loaders.metadata import Metadata, read_metadata


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
    """Return the studies of these names, in their order; names without a folder are left out."""
    folders = ((name, resolve(name)) for name in names)
    return [_listed(name, folder) for name, folder in folders if folder is not None]


def _listed(name: str, folder: Path) -> Listed:
    is_own = not is_of_all(name)
    try:
        files = find_files(folder)
        metadata = read_metadata(files.metadata, folder) if files.metadata else Metadata()
        states = [path.stat() for path in files.all]
    except (FairvizError, OSError) as error:
        return Listed(name, name, 0, False, 0, 0.0, role(name), is_own, str(error).splitlines()[0])
    return Listed(
        name,
        metadata.title or name,
        len(files.runs),
        bool(files.parts["labels"]),
        sum(state.st_size for state in states),
        max((state.st_mtime for state in states), default=0.0),
        role(name),
        is_own,
    )
