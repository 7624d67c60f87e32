"""The files of a study folder: which of them are its parts, what has a part's name and cannot be one, and the rest."""

import errno
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fairviz.errors import FairvizError
from fairviz.study.loaders import suffixes_of
from fairviz.study.loaders.metadata import FILE
from fairviz.study.loaders.packing import packed_names, plain_name
from fairviz.study.loaders.places import TABLES, candidates, taken
from fairviz.study.loaders.published import PARTS as TABLE_PARTS
from fairviz.study.loaders.runs import TREC_PREFIX, begins_as_run
from fairviz.study.loaders.walking import HIDDEN, Entry, Walk, entries

SINGLE = ("queries", "documents", "qrels", "labels")
RUNS_FOLDER = "runs"
QRELS_FOLDER = "qrels"  # BEIR's
A_FILE, A_FOLDER = "a file", "a folder"
NO_RUN = "its first line is none of a run"
_BELOW = "runs are read from the folder runs itself, not from folders in it"
_OPEN_IT = "Check that you may read it."
_OWN = "adjudications.sqlite"  # the decisions, and what SQLite lays beside them
_NUMBER = re.compile(r".*\.[0-9][^.]*", re.DOTALL)  # `bm25-0.9` has no ending
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

    tables: files of rows that hold several parts (`published`). unreadable: what has a part's name and is no file.
    others: the paths of what else is in the folder and below, such as `notes.md` and `runs/old/a.run`, hidden files
    left out; reasons: why one of them is not read, where that is known.
    """

    metadata: Path | None
    parts: dict[str, list[Path]]
    runs: list[Path]
    tables: list[Path] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)

    @property
    def all(self) -> list[Path]:
        single = [path for paths in self.parts.values() for path in paths]
        return [*([self.metadata] if self.metadata else []), *single, *self.tables, *self.runs]


def find_files(folder: Path) -> Files:
    """The files of the folder that are parts of a study. Raises FairvizError where there is no such folder, or it
    cannot be read."""
    _check_folder(folder)
    files, walk = Files(None, {part: [] for part in (*SINGLE, "lexicon")}, []), Walk(folder)
    metadata = None
    names = _names()
    for entry in _listed(folder):
        name = entry.name
        part = _part_of(name, names)
        if name == RUNS_FOLDER:
            _add_runs(folder / RUNS_FOLDER, files, walk)
        elif not part or (name == QRELS_FOLDER and (folder / name).is_dir()):
            _add_other(entry, files, walk)
        elif _is_sound(name, folder, files):
            if part == FILE:
                metadata = folder / name
            else:
                files.parts[part].append(folder / name)
    _add_placed(folder, files)
    return Files(metadata, files.parts, files.runs, files.tables, files.unreadable, sorted(files.others), files.reasons)


def _names() -> dict[str, str]:
    """The names that files of a part may have, in lower case, with the part of each."""
    named = {part + suffix: part for part in SINGLE for suffix in suffixes_of(part)}
    return named | dict.fromkeys(packed_names("qrels"), "qrels")


def _add_other(entry: Entry, files: Files, walk: Walk) -> None:
    """Notes a file that is no part by its name, or those below a folder."""
    if entry.name.startswith((HIDDEN, _OWN)):
        return
    if not entry.is_folder and entry.name != QRELS_FOLDER:
        files.others.append(entry.name)
        return
    called = f"the folder of runs is called {RUNS_FOLDER}" if entry.name.lower() == RUNS_FOLDER else ""
    _add_below(entry.name, files, walk, called, empty=called)


def _add_below(name: str, files: Files, walk: Walk, reason: str = "", *, empty: str = "") -> None:
    """Notes the files below a folder; the folder itself where it holds none and that has a reason to be said."""
    found = list(walk.below(name)) or ([(name, empty)] if empty else [])
    for path, wrong in found:
        files.others.append(path)
        if wrong or reason:
            files.reasons[path] = wrong or reason


def _add_placed(folder: Path, files: Files) -> None:
    """Takes parts that lie elsewhere, where the folder has none under the part's own name, and says of the other files
    in such places what is read instead."""
    read: set[str] = set()
    for place, names in candidates(files.others):
        held = _held(place.part, files, folder)
        chosen = [] if held else taken(place, [name for name in names if name not in read] or names)
        target = files.tables if place.part == TABLES else files.parts.get(place.part, files.runs)
        target += [folder / name for name in chosen if name not in read and _is_sound(name, folder, files)]
        read.update(chosen)
        held = held or chosen[0]
        for name in names:
            files.reasons.setdefault(name, f"the study has its {_told(place.part)} in {held}")
    files.others[:] = [name for name in files.others if name not in read]


def _held(part: str, files: Files, folder: Path) -> str:
    """Where the folder has this part already; nothing where it may be taken from elsewhere."""
    if part == TABLES:
        own = [files.parts[name] for name in TABLE_PARTS]
        return own[0][0].name if all(own) else ""
    return files.parts[part][0].relative_to(folder).as_posix() if files.parts.get(part) else ""


def _told(part: str) -> str:
    return "documents" if part == TABLES else part


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


def _listed(folder: Path) -> list[Entry]:
    """Names, for there may be a hundred thousand that are nothing to us."""
    try:
        return entries(folder)
    except OSError as error:
        raise FairvizError(f"{folder} cannot be read ({error.strerror})", _OPEN_IT) from error


def _part_of(name: str, parts: Mapping[str, str]) -> str:
    """The part whose file has this name, study.toml for that file; nothing for any other name."""
    if name == FILE:
        return FILE
    if name.startswith("lexicon.") and name.removeprefix("lexicon") in suffixes_of("lexicon"):
        return "lexicon"
    return parts.get(name.lower(), "")


def _add_runs(inside: Path, files: Files, walk: Walk) -> None:
    wrong = obstacle(inside, A_FOLDER)
    if wrong is not None:
        files.unreadable.append(Unreadable(RUNS_FOLDER, *wrong))
        return
    for entry in _listed(inside):
        name = f"{RUNS_FOLDER}/{entry.name}"
        if entry.name.startswith(HIDDEN):
            continue
        if _is_run_name(entry.name):
            if _is_sound(name, inside.parent, files):
                files.runs.append(inside / entry.name)
        elif entry.is_folder:
            _add_below(name, files, walk, _BELOW, empty=_BELOW)
        else:
            _add_bare_run(inside / entry.name, name, files)


def _add_bare_run(path: Path, name: str, files: Files) -> None:
    """Takes a file of runs whose name has no ending as a run where it begins as one."""
    if not _may_be_run(path.name):
        files.others.append(name)
    elif obstacle(path) is None and begins_as_run(path):
        files.runs.append(path)
    else:
        files.others.append(name)
        files.reasons[name] = (obstacle(path) or (NO_RUN,))[0]


def is_run_file(path: Path) -> bool:
    """Whether a file of the folder of runs is read as a run."""
    if path.name.startswith(HIDDEN):
        return False
    return _is_run_name(path.name) or (_may_be_run(path.name) and obstacle(path) is None and begins_as_run(path))


def _is_run_name(name: str) -> bool:
    return name.lower().endswith(suffixes_of("runs"))


def _may_be_run(name: str) -> bool:
    """Whether the name has no ending that says what the file is: `bm25`, `bm25.gz`, `bm25-0.9`, `input.bm25.gz`."""
    plain = plain_name(name)
    return "." not in plain or plain.lower().startswith(TREC_PREFIX) or bool(_NUMBER.fullmatch(plain))


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
