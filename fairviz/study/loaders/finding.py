"""The files of a study folder: which of them are its parts, and what has a part's name and cannot be one."""

import errno
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from heapq import nsmallest
from pathlib import Path

from fairviz.errors import FairvizError
from fairviz.study.loaders import extensions, suffixes_of
from fairviz.study.loaders.lexicon import PREFIX
from fairviz.study.loaders.metadata import FILE

SINGLE = ("queries", "documents", "qrels", "labels")
RUNS_FOLDER = "runs"
LISTED = 20  # of the files that are no part, as many are named
A_FILE, A_FOLDER = "a file", "a folder"
_OPEN_IT = "Check that you may read it."
_NO_DATA = "txt"  # a note as often as a part
_STEMS = {*SINGLE, "lexicon", "runs", "study"}
_KINDS = {
    stat.S_IFREG: A_FILE,
    stat.S_IFDIR: A_FOLDER,
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


@dataclass(frozen=True)
class Unreadable:
    """What has the name of a part and cannot be read as one: its name in the folder, why not, and what to do."""

    name: str
    reason: str
    remedy: str


@dataclass(frozen=True)
class Files:
    """The files of a study folder: of each part, of runs by system, and all that were looked at for the fingerprint.

    unreadable: what has a part's name and is no file. others: names of what else is in the folder and in runs, such as
    `notes.md` and `runs/old`.
    """

    metadata: Path | None
    parts: dict[str, list[Path]]
    runs: list[Path]
    unreadable: list[Unreadable] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    @property
    def all(self) -> list[Path]:
        single = [path for paths in self.parts.values() for path in paths]
        return [*([self.metadata] if self.metadata else []), *single, *self.runs]


def find_files(folder: Path) -> Files:
    """The files of the folder that are parts of a study. Raises FairvizError where there is no such folder, or it
    cannot be read."""
    _check_folder(folder)
    inside = folder / RUNS_FOLDER
    files = Files(None, {part: [] for part in (*SINGLE, "lexicon")}, [])
    metadata = None
    parts = {part + suffix: part for part in SINGLE for suffix in suffixes_of(part)}
    for name in _listed(folder):
        part = _part_of(name, parts)
        if name == RUNS_FOLDER:
            _add_runs(inside, files)
        elif not part:
            files.others.append(name)
        elif _is_sound(name, folder, files):
            if part == FILE:
                metadata = folder / name
            else:
                files.parts[part].append(folder / name)
    return Files(metadata, files.parts, files.runs, files.unreadable, files.others)


def _check_folder(folder: Path) -> None:
    try:
        mode = folder.stat().st_mode
    except (FileNotFoundError, ValueError) as error:
        if folder.is_symlink():
            raise FairvizError(f"{folder} is a link to a folder that is not there", "Mend the link.") from error
        raise FairvizError(f"there is no folder {folder}", "Check the path of the study.") from error
    except OSError as error:
        raise FairvizError(f"{folder} cannot be read ({error.strerror})", _OPEN_IT) from error
    kind = _KINDS.get(stat.S_IFMT(mode), A_FILE)
    if kind != A_FOLDER:
        raise FairvizError(f"{folder} is {kind}, not a study folder", "Give the folder that holds it.")


def _listed(folder: Path) -> list[str]:
    """Names, for there may be a hundred thousand that are nothing to us."""
    try:
        return sorted(os.listdir(folder))
    except OSError as error:
        raise FairvizError(f"{folder} cannot be read ({error.strerror})", _OPEN_IT) from error


def _part_of(name: str, parts: Mapping[str, str]) -> str:
    """The part whose file has this name, study.toml for that file; nothing for any other name."""
    if name in (FILE, "lexicon.csv"):
        return name.removesuffix(".csv")
    return parts.get(name.lower(), "")


def _add_runs(inside: Path, files: Files) -> None:
    wrong = obstacle(inside, A_FOLDER)
    if wrong is not None:
        files.unreadable.append(Unreadable(RUNS_FOLDER, *wrong))
        return
    for name in _listed(inside):
        if not _is_run_name(name):
            files.others.append(f"{RUNS_FOLDER}/{name}")
        elif _is_sound(f"{RUNS_FOLDER}/{name}", inside.parent, files):
            files.runs.append(inside / name)


def is_run_file(path: Path) -> bool:
    return _is_run_name(path.name)


def _is_run_name(name: str) -> bool:
    return name.lower().endswith(suffixes_of("runs")) and not name.startswith(".")


def _is_sound(name: str, folder: Path, files: Files) -> bool:
    wrong = obstacle(folder / name)
    if wrong is not None:
        files.unreadable.append(Unreadable(name, *wrong))
    return wrong is None


def obstacle(path: Path, wanted: str = A_FILE) -> tuple[str, str] | None:
    """Why what is called so is not `a file` or `a folder`, and what to do; None where it is one, or is not there.

    A pipe would keep its reader waiting for ever, and a link may lead nowhere.
    """
    try:
        kind = _KINDS.get(stat.S_IFMT(path.stat().st_mode), "something else")
    except OSError as error:
        return _broken(path, wanted, error)
    if kind == wanted:
        return None
    return f"this is {kind}, not {wanted}", f"Put {wanted} in its place, or give it another name."


def _broken(path: Path, wanted: str, error: OSError) -> tuple[str, str] | None:
    if error.errno == errno.ELOOP:
        return "a link that leads back to itself", f"Point it at {wanted}, or remove it."
    if error.errno not in (errno.ENOENT, errno.ENOTDIR):
        return f"this cannot be read ({error.strerror})", _OPEN_IT
    if not path.is_symlink():
        return None
    return (
        f"a link to {wanted} that is not there",
        f"Put {wanted} where it leads, or remove the link; git-annex fetches it with `git annex get {path.name}`.",
    )


def left_over(folder: Path, files: Files) -> list[str]:
    """A warning for each of the first 20 things that look like data and are no part of a study, and one for the rest.

    A folder in runs is one of them: runs are not looked for there.
    """
    used = {path.relative_to(folder).as_posix() for path in files.all}
    found = [name for name in files.others if name not in used and _looks_like_data(name)]
    lines = []
    for name in nsmallest(LISTED, found):
        lines.append(f"{name} was not read: {_why_not(folder / name)}.")
    rest = len(found) - len(lines)
    if rest:
        lines.append(f"… and {rest:,} more that {'were' if rest > 1 else 'was'} not read.")
    return lines


def _why_not(path: Path) -> str:
    if path.name.lower() == RUNS_FOLDER and path.is_dir():
        return f"the folder of runs is called {RUNS_FOLDER}"
    wrong = obstacle(path)
    return "no part of a study has this name" if wrong is None else wrong[0]


def _looks_like_data(path: str) -> bool:
    inside, _, name = path.rpartition("/")
    if name.startswith((".", PREFIX)):
        return False
    if inside or name.partition(".")[0].lower() in _STEMS:
        return True
    ending = name.rpartition(".")[2].lower()
    return ending != _NO_DATA and ending in extensions()
