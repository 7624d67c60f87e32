"""The files of a study folder: its parts, unreadable entries with a part's name, and other files."""

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from fairviz.errors import FairvizError
from fairviz.files import is_utf8, readable_name
from fairviz.normal_form import normal_form
from fairviz.study.collection_counts import FOLDER as COUNTS_FOLDER
from fairviz.study.loaders import loaders, suffixes_of, system_of
from fairviz.study.loaders.archive import packed_names, plain_name
from fairviz.study.loaders.labels import PUBLISHED_PARTS
from fairviz.study.loaders.metadata import FILE
from fairviz.study.loaders.mteb import OF_LISTS, OTHER_TASK, is_predictions, other_task
from fairviz.study.loaders.mteb import SUFFIXES as MTEB_SUFFIXES
from fairviz.study.loaders.rows import SUFFIXES as ROW_SUFFIXES
from fairviz.study.loaders.runs import CHECKED, TREC_PREFIX, begins_as_run
from fairviz.study.tables import is_draw_file

SINGLE = ("queries", "documents", "qrels", "labels")
RUNS_FOLDER = "runs"
QRELS_FOLDER = "qrels"  # BEIR's
A_FILE, A_FOLDER = "a file", "a folder"
MOST_UNLIKE = 100  # tables and JSON in the folder of runs that are none, after which no more are looked at
NO_RUN = "its first line is not a line of a run"
_BELOW = (
    "runs are read from the folder runs itself, and from a folder in it those called seed1.run, seed2.run, … "
    "or fold1.run, fold2.run, …\n"
    "Move it into the folder runs itself."
)
IN_ITS_PLACE = "To read this one instead, put it in the place of that one."
NOT_UTF8 = ("its name is not UTF-8", "Rename it in letters that UTF-8 has.")
_OPEN_IT = "Check that you may read it."
_OWN = "adjudications.sqlite"  # the decisions, and SQLite's files next to them
_NUMBER = re.compile(r".*\.[0-9][^.]*", re.DOTALL)  # `bm25-0.9` has no ending
_KINDS = {
    stat.S_IFREG: A_FILE,
    stat.S_IFDIR: A_FOLDER,
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
MOST_WALKED = 10_000  # files and folders below a study's folder that are listed
HIDDEN = "."
_PIECES = r"[^/]*\.parquet"
_PIECE_NUMBER = re.compile(r"[0-9]+(?:-of-[0-9]+)?(?=\.parquet$)")
TABLES = "tables"  # of Grep-BiasIR, with documents, labels and relevance in the same rows


# --- Other paths of a study's parts: the names of published data sets. A file at one of them is read only if the
# study's folder has no file of that part under its own name; runs are read in addition to those in `runs`. To add a
# layout, write a line in `places`.


@dataclass(frozen=True)
class Place:
    """Files of a part by their path in the study's folder; `part` is one of a study's, or TABLES.

    each: whether all these files of a folder are read, as for runs, or only the first; across: of all folders. Of a
    single part they are its pieces: those called as the first but for their number.
    """

    part: str
    pattern: str
    each: bool = False
    across: bool = False


def places() -> tuple[Place, ...]:
    """Return the places by BEIR's and TREC's names, then those of single publications; a part's first match is used."""
    queries, documents, qrels, labels, runs = map(_ending, ("queries", "documents", "qrels", "labels", "runs"))
    return (
        Place("documents", f"(?i:corpus{documents})"),
        Place("queries", rf"(?i:topics(?:\.[^/]+)?{queries})"),
        Place("queries", rf"(?i:queries\.[^/]+{queries})"),
        Place("qrels", rf"(?i:qrels\.[^/]+{qrels})"),
        Place("qrels", f"(?i:qrels/test{qrels})"),
        Place("qrels", f"(?i:qrels/[^/]*{qrels})"),
        Place("documents", rf"(?i:(?:[^/]+-)?corpus/(?:[^/]+/)?{_PIECES})", each=True),
        Place("queries", rf"(?i:(?:[^/]+-)?queries/(?:[^/]+/)?{_PIECES})", each=True),
        Place("qrels", rf"(?i:(?:default|(?:[^/]+-)?qrels)/(?:test/|test\b){_PIECES})", each=True),
        Place("qrels", rf"(?i:(?:default|(?:[^/]+-)?qrels)/(?:[^/]+/)?{_PIECES})", each=True),
        Place(TABLES, r"(csv_formatted/)?queries-documents_[^/]+\.csv", each=True),
        Place("queries", r"csv_formatted/queries\.csv"),
        Place("labels", rf"(?i:memberships{labels})"),
        Place("labels", r"MSMGenderBias\.csv"),
        Place("queries", r"(.+/)?msmarco_passage\.dev\.fair\.tsv"),
        Place("lexicon", r"(.+/)?wordlist_gender_representative\.txt"),
        Place("runs", rf".+/sample_trec_runs/msmarco_passage/[^/]+{runs}", each=True),
        Place("runs", rf"(.+/)?[^/]+(?i:{'|'.join(map(re.escape, MTEB_SUFFIXES))})", each=True, across=True),
        *(
            Place(one.part, rf"{re.escape(one.folder)}/[^/]+(?i:{'|'.join(map(re.escape, one.suffixes))})", each=True)
            for one in loaders()
            if one.folder
        ),
    )


def _ending(part: str) -> str:
    """Return a pattern of the endings of a part's files."""
    return f"(?:{'|'.join(map(re.escape, suffixes_of(part)))})"


def match_places(names: Iterable[str]) -> list[tuple[Place, list[str]]]:
    """Return the places with files among these names, each with its files."""
    all_places = places()
    any_place = re.compile("|".join(f"(?:{place.pattern})" for place in all_places))
    matching_names = sorted(name for name in names if any_place.fullmatch(name))
    names_by_place = [
        (place, [name for name in matching_names if re.fullmatch(place.pattern, name)]) for place in all_places
    ]
    return [(place, place_names) for place, place_names in names_by_place if place_names]


def select_files(place: Place, names: Sequence[str]) -> list[str]:
    """Return the files of a place that are read: the first, or all of its folder, or of all folders."""
    if not place.each:
        return [*names[:1]]
    if place.across:
        return [*names]
    return [name for name in names if _series(name) == _series(names[0])]


def _series(name: str) -> str:
    """Return what the pieces of a part, or the runs of a folder, have in common."""
    return _PIECE_NUMBER.sub("", name) if name.endswith(".parquet") else name.rpartition("/")[0]


def missing_pieces(names: Sequence[str]) -> int:
    """Return how many pieces lack of those that the names announce, as `-00000-of-00003.parquet`."""
    announced = re.search(r"-of-([0-9]+)\.parquet$", names[0]) if names else None
    return int(announced[1]) - len(names) if announced else 0


# --- The names in a folder and below it: bounded, without hidden files, links not followed.


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


@dataclass(frozen=True)
class Unreadable:
    """An entry with the name of a part that cannot be read: its name in the folder, the reason, and the remedy."""

    name: str
    reason: str
    remedy: str


@dataclass(frozen=True)
class Files:
    """The files of a study folder: by part, runs, and all files of the fingerprint.

    draws: the runs in folders of `runs`, rankings of one stochastic system: `runs/NAME/seed1.run` is `NAME/seed1`; and
    folds, as `runs/NAME/fold1.run`.
    tables: files of rows with several parts (Grep-BiasIR's). unreadable: entries with a part's name that are not files.
    others: the paths of other files in the folder and below, such as `notes.md` and `runs/old/a.run`, without hidden
    files; reasons: why one of them is not read, if known, with the remedy in a second line. pieces: the parts whose
    files are pieces of one table.
    """

    metadata: Path | None
    parts: dict[str, list[Path]]
    runs: list[Path]
    tables: list[Path] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)
    draws: dict[Path, str] = field(default_factory=dict)
    pieces: set[str] = field(default_factory=set)

    def run_of(self, path: Path) -> str:
        """Return the name of the run in one of the files: of a draw with its folder, else of its system."""
        return self.draws.get(path) or system_of(path)

    @property
    def all(self) -> list[Path]:
        single = [path for paths in self.parts.values() for path in paths]
        return [*([self.metadata] if self.metadata else []), *single, *self.tables, *self.runs]


def _check_folder(folder: Path) -> None:
    try:
        mode = folder.stat().st_mode
    except (FileNotFoundError, ValueError) as error:
        if folder.is_symlink():
            raise FairvizError(f"{folder} is a link to a folder that is not there", "Repair the link.") from error
        raise FairvizError(f"there is no folder {folder}", "Check the path of the study.") from error
    except OSError as error:
        raise FairvizError(f"{folder} cannot be read ({error.strerror})", _OPEN_IT) from error
    kind = _KINDS.get(stat.S_IFMT(mode), A_FILE)
    if kind != A_FOLDER:
        raise FairvizError(f"{folder} is {kind}, not a study folder", "Give the folder that holds it.")


def find_files(folder: Path) -> Files:
    """Return the files of the folder that are parts of a study. Raises FairvizError for a missing or unreadable
    folder."""
    _check_folder(folder)
    files, walk = Files(None, {part: [] for part in (*SINGLE, "lexicon", "annotators")}, []), Walk(folder)
    metadata = None
    parts_by_name = _parts_by_name()
    for entry in _list_entries(folder):
        name = entry.name
        part = _part_of(name, parts_by_name)
        if name == RUNS_FOLDER:
            _add_runs(folder / RUNS_FOLDER, files, walk)
        elif name == COUNTS_FOLDER and entry.is_folder:
            continue  # read by its manifest
        elif name == FILE:
            metadata = folder / name if _is_sound(name, folder, files) else None
        elif not part or (name == QRELS_FOLDER and (folder / name).is_dir()):
            _add_other(entry, files, walk)
        elif _is_sound(name, folder, files):
            files.parts[part].append(folder / name)
    _add_placed(folder, files)
    for path in [path for path in files.runs if is_predictions(path) and other_task(path)]:
        files.runs.remove(path)
        name = path.relative_to(folder).as_posix()
        files.others.append(name)
        files.reasons[name] = f"these are {OTHER_TASK}\n{OF_LISTS}"
    return replace(files, metadata=metadata, others=sorted(files.others))


def _parts_by_name() -> dict[str, str]:
    """Return the possible names of a part's file, in lower case, with the part of each; lexicons excepted."""
    parts_by_name = {part + suffix: part for part in SINGLE for suffix in suffixes_of(part)}
    parts_by_name |= {"annotators" + suffix: "annotators" for suffix in ROW_SUFFIXES}
    return parts_by_name | dict.fromkeys(packed_names("qrels"), "qrels")


def _part_of(name: str, parts_by_name: Mapping[str, str]) -> str:
    """Return the part of a file of this name, empty for any other name."""
    if name.startswith("lexicon.") and name.removeprefix("lexicon") in suffixes_of("lexicon"):
        return "lexicon"
    return parts_by_name.get(name.lower(), "")


def _list_entries(folder: Path) -> list[Entry]:
    """Return the names in the folder. Raises FairvizError. Entries are not opened: there may be a hundred thousand."""
    try:
        return entries(folder)
    except OSError as error:
        raise FairvizError(f"{folder} cannot be read ({error.strerror})", _OPEN_IT) from error


def _add_other(entry: Entry, files: Files, walk: Walk) -> None:
    """Record a file whose name is not a part's, or the files below a folder: the folder itself if it has none but a
    reason."""
    if entry.name.startswith((HIDDEN, _OWN)):
        return
    if not entry.is_folder and entry.name != QRELS_FOLDER:
        files.others.append(entry.name)
        return
    is_runs = entry.name.lower() == RUNS_FOLDER
    reason = f"the folder of runs is called {RUNS_FOLDER}\nRename the folder." if is_runs else ""
    for path, obstacle_text in list(walk.below(entry.name)) or ([(entry.name, reason)] if reason else []):
        files.others.append(path)
        if obstacle_text or reason:
            files.reasons[path] = obstacle_text or reason


def _add_runs(runs_folder: Path, files: Files, walk: Walk) -> None:
    """Add the runs in the folder of runs and in those of draws, and record the other files."""
    reason = find_obstacle(runs_folder, A_FOLDER)
    if reason is not None:
        files.unreadable.append(Unreadable(RUNS_FOLDER, *reason))
        return
    for entry in _list_entries(runs_folder):
        name = f"{RUNS_FOLDER}/{entry.name}"
        if entry.name.startswith(HIDDEN):
            continue
        if _is_surely_run(entry.name):
            if _is_sound(name, runs_folder.parent, files):
                files.runs.append(runs_folder / entry.name)
        elif entry.is_folder:
            _add_draws(name, files, walk)
        else:
            _add_doubtful_run(runs_folder / entry.name, name, files)


def _add_draws(folder_name: str, files: Files, walk: Walk) -> None:
    """Add the draws in a folder of `runs`, in the order of their numbers, and record the other files below it."""
    draws: list[str] = []
    others: list[tuple[str, str]] = []
    for name, obstacle_text in walk.below(folder_name):
        parent, _, file = name.rpartition("/")
        if parent == folder_name and is_draw_file(file) and _is_run_name(file) and not obstacle_text:
            draws.append(name)
        else:
            others.append((name, obstacle_text or _BELOW))
    if not draws and not others:
        others.append((folder_name, _BELOW))
    for name in sorted(draws, key=lambda draw: (len(draw), draw)):
        if _is_sound(name, walk.folder, files):
            path = walk.folder / name
            files.runs.append(path)
            files.draws[path] = normal_form(f"{path.parent.name}/{system_of(path)}")
    files.others.extend(name for name, _ in others)
    files.reasons.update(others)


def _add_doubtful_run(path: Path, name: str, files: Files) -> None:
    """Add a file of `runs` whose name has no ending, or one of other files too, if its first line is one of a run."""
    if not _is_doubtful(path.name):
        files.others.append(name)
    elif _is_checked(path.name) and len(files.reasons) >= MOST_UNLIKE:
        files.others.append(name)
        files.reasons[name] = f"{MOST_UNLIKE} files before it in {RUNS_FOLDER} are no runs, and it was not looked at"
    elif find_obstacle(path) is None and begins_as_run(path):
        if _is_sound(name, path.parent.parent, files):
            files.runs.append(path)
    else:
        files.others.append(name)
        files.reasons[name] = (find_obstacle(path) or (NO_RUN,))[0]


def _add_placed(folder: Path, files: Files) -> None:
    """Add parts at other places that the folder lacks, and record what is read instead of the other files there."""
    used_names: set[str] = set()
    for place, names in match_places(files.others):
        part = "documents" if place.part == TABLES else place.part
        own_file = _own_file(place.part, files, folder)
        selected = [] if own_file else select_files(place, [name for name in names if name not in used_names] or names)
        target = files.tables if place.part == TABLES else files.parts.get(part, files.runs)
        target += [folder / name for name in selected if name not in used_names and _is_sound(name, folder, files)]
        used_names.update(selected)
        if place.each and place.part in SINGLE and selected:
            files.pieces.add(place.part)
        own_file = own_file or selected[0]
        for name in names:
            files.reasons.setdefault(name, f"the study has its {part} in {own_file}\n{IN_ITS_PLACE}")
    files.others[:] = [name for name in files.others if name not in used_names]


def _own_file(part: str, files: Files, folder: Path) -> str:
    """Return the folder's own file of this part, empty for none; of TABLES the first, if the folder has all parts."""
    if part == TABLES:
        own = [files.parts[name] for name in PUBLISHED_PARTS]
        return own[0][0].name if all(own) else ""
    if not files.parts.get(part):
        return ""
    return files.parts[part][0].relative_to(folder).as_posix()


def is_run_file(path: Path) -> bool:
    """Return whether a file of `runs` is read as a run."""
    if path.name.startswith(HIDDEN):
        return False
    if _is_surely_run(path.name):
        return True
    return _is_doubtful(path.name) and find_obstacle(path) is None and begins_as_run(path)


def _is_run_name(name: str) -> bool:
    return name.lower().endswith(suffixes_of("runs"))


def _is_surely_run(name: str) -> bool:
    return _is_run_name(name) and not _is_checked(name)


def _is_checked(name: str) -> bool:
    """Return whether files of other content have the ending of the name, too."""
    return name.lower().endswith(CHECKED) and not is_predictions(name)


def _has_no_ending(name: str) -> bool:
    """Return whether the name has no ending of a format: `bm25`, `bm25.gz`, `bm25-0.9`, `input.bm25.gz`."""
    plain = plain_name(name)
    return "." not in plain or plain.lower().startswith(TREC_PREFIX) or bool(_NUMBER.fullmatch(plain))


def _is_doubtful(name: str) -> bool:
    """Return whether a file of this name in `runs` is a run only if its first line is one of a run."""
    return _has_no_ending(name) or _is_checked(name)


def _is_sound(name: str, folder: Path, files: Files) -> bool:
    reason = find_obstacle(folder / name) if is_utf8(name) else NOT_UTF8
    if reason is not None:
        files.unreadable.append(Unreadable(readable_name(name), *reason))
    return reason is None


def find_obstacle(path: Path, wanted: str = A_FILE) -> tuple[str, str] | None:
    """Return why the path is not `a file` or `a folder`, and the remedy; None if it is one, or is missing.

    A pipe would block its reader for ever, and a link may be broken.
    """
    try:
        kind = _KINDS.get(stat.S_IFMT(path.stat().st_mode), "something else")
    except OSError as error:
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
    if kind == wanted:
        return None
    return f"this is {kind}, not {wanted}", f"Put {wanted} in its place, or give it another name."
