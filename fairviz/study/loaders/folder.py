"""A study folder as tables: every file that is a part is read, and what is wrong in any of them is said at once."""

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from fairviz.errors import BadLine, DataError, FairvizError
from fairviz.study.loaders import reader_of
from fairviz.study.loaders.finding import RUNS_FOLDER as RUNS_FOLDER
from fairviz.study.loaders.finding import SINGLE, Files, Unreadable, obstacle
from fairviz.study.loaders.finding import find_files as find_files
from fairviz.study.loaders.hashes import Look, file_hash, hearing, look
from fairviz.study.loaders.labels import read_labels
from fairviz.study.loaders.lexicon import read_lexicon
from fairviz.study.loaders.metadata import FILE, Metadata, read_metadata
from fairviz.study.loaders.packaged import read_packaged
from fairviz.study.loaders.published import read_tables
from fairviz.study.loaders.run_cache import is_large, load_runs, runs_key, save_runs
from fairviz.study.loaders.runs import stack_runs, system_name
from fairviz.study.loaders.unread import left_over
from fairviz.words.counting import Lexicon

READINGS = 3  # of a folder whose files change while they are read
CHANGED = "the file changed while the study was read"
HOW_TO_FILL = "Add queries.tsv, documents.tsv, runs/NAME.run, qrels.txt or labels.csv; the README shows each."


@dataclass
class Content:
    """What a folder holds: `tables` by part (only those there are), and what reading them noticed."""

    metadata: Metadata
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    lexicon: Lexicon | None = None
    warnings: list[str] = field(default_factory=list)
    fingerprint: str = ""


@dataclass
class Errors:
    """Bad lines of several files, raised as one."""

    lines: list[BadLine] = field(default_factory=list)
    remedies: list[str] = field(default_factory=list)

    def attempt(self, read: Callable[[], Any]) -> Any:
        """What `read` returns, or None where it raised a DataError, which is kept."""
        try:
            return read()
        except DataError as error:
            self.lines += error.lines
            self.remedies += error.remedy.split("\n")
            return None

    def add(self, file: str, message: str, remedy: str) -> None:
        self.lines.append(BadLine(file, 0, message))
        self.remedies.append(remedy)

    def settle(self) -> None:
        """Raises all of them, if there are any."""
        if self.lines:
            raise DataError(self.lines, self.remedies)


def read_folder(folder: Path) -> Content:
    """Everything the folder holds, with the fingerprint of the bytes that were read.

    Where a file changes meanwhile, all are read again. Raises DataError with the bad lines of all files, or with a
    file that changes each time; FairvizError where there is no study.
    """
    changed = ""
    for _ in range(READINGS):
        reading = Reading(folder)
        failure: FairvizError | None = None
        with hearing() as heard:
            try:
                content = reading.read(heard)
            except FairvizError as error:
                failure = error
        reading.hash_unheard(heard)
        changed = reading.changed(heard)
        if changed:
            continue
        if failure is not None:
            raise failure
        content.fingerprint = fingerprint_of(folder, reading.files, heard)
        return content
    raise DataError([BadLine(changed, 0, CHANGED)], "Open the study again when nothing writes to it.")


class Reading:
    """One reading of a folder: its files as they were seen before any of them was read."""

    def __init__(self, folder: Path) -> None:
        """Finds the files. Raises FairvizError where there is no such folder."""
        self.folder = folder
        self.files = find_files(folder)
        self._found = frozenset(self.files.all)
        self._seen: dict[Path, Look] = {}
        self._before: dict[Path, str] = {}
        for path in self.files.all:
            self._look(path)

    def _look(self, path: Path) -> None:
        with suppress(OSError):  # a file that is gone is missed in `changed`, and reading it says so
            self._seen[path] = look(path)
            if not self._seen[path].settled:
                self._before[path] = file_hash(path)

    def read(self, heard: dict[Path, str]) -> Content:
        """What the files hold; `heard` is told their hashes. Raises DataError with the bad lines of all of them."""
        folder, files, errors = self.folder, self.files, Errors()
        found = errors.attempt(partial(read_metadata, files.metadata, folder)) if files.metadata else Metadata()
        readable = found is not None
        content = Content(found or Metadata())
        if content.metadata.lexicon:
            self._take_lexicon(folder / content.metadata.lexicon)
        for wrong in files.unreadable:
            errors.add(wrong.name, wrong.reason, wrong.remedy)
        parts = files.all[bool(files.metadata) :] or files.unreadable or content.metadata.sources
        if not parts and readable:
            raise FairvizError(
                f"{folder} holds no part of a study", "\n".join([HOW_TO_FILL, *left_over(folder, files)])
            )
        _check_clashes(files, folder, content.metadata, errors)
        _read_parts(files, folder, content, errors, readable)
        _read_runs(files, folder, content, errors, heard)
        errors.settle()
        content.warnings += left_over(folder, files)
        return content

    def _take_lexicon(self, path: Path) -> None:
        """The word list that study.toml names, in place of lexicon.csv."""
        wrong = obstacle(path)
        if wrong is None:
            self.files.parts["lexicon"] = [path]
            self._look(path)
        else:
            self.files.unreadable.append(Unreadable(path.name, *wrong))

    def hash_unheard(self, heard: dict[Path, str]) -> None:
        """Adds the hash of each file whose loader did not tell what it read. What it read was this, where the file
        is the same before and after: `changed` tells."""
        for path in self.files.all:
            with suppress(OSError):
                if path not in heard:
                    heard[path] = self._before.get(path) or file_hash(path)

    def changed(self, heard: Mapping[Path, str]) -> str:
        """The name of a file that is another now than before it was read, that came or that went; empty for none.

        A file that had been changed just before may have changed again within one tick of the clock, which no look at
        it tells: such a file is hashed again, and must be what was heard.
        """
        try:
            now = find_files(self.folder)
        except FairvizError:
            return self.folder.name
        moved = self._found.symmetric_difference(now.all)
        if moved:
            return self._name(min(moved))
        return next((self._name(path) for path in self.files.all if self._is_other(path, heard)), "")

    def _is_other(self, path: Path, heard: Mapping[Path, str]) -> bool:
        before = self._seen.get(path)
        try:
            now = look(path)
            if before is None or now.identity != before.identity:
                return True
            return not before.settled and path in heard and heard[path] != file_hash(path)
        except OSError:
            return before is not None

    def _name(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()


def _check_clashes(files: Files, folder: Path, metadata: Metadata, errors: Errors) -> None:
    for part in (*SINGLE, "lexicon"):
        names = [path.relative_to(folder).as_posix() for path in files.parts[part]]
        if part in metadata.sources:
            names.append(f"{metadata.sources[part]} in {FILE}")
        if len(names) > 1:
            errors.add(
                names[0], f"a study has one file of {part}, and {' and '.join(names[1:])} is another", "Keep one."
            )
    names = [system_name(path) for path in files.runs]
    for place, path in enumerate(files.runs):
        if names[place] in names[:place]:
            other = files.runs[names.index(names[place])].name
            name = path.relative_to(folder).as_posix()
            errors.add(name, f"a second run called {names[place]!r}, after {other}", "Rename one.")


def _read_parts(files: Files, folder: Path, content: Content, errors: Errors, readable: bool) -> None:
    metadata = content.metadata
    groups = None if metadata.labels == "other" or not readable else (metadata.neutral, *metadata.groups)
    if files.tables:
        read = partial(read_tables, files.tables, folder, groups, content.warnings)
        content.tables |= errors.attempt(read) or {}
    for part in SINGLE:
        if part in metadata.sources:
            table = errors.attempt(partial(read_packaged, part, metadata.sources[part], FILE))
        elif not files.parts[part]:
            continue
        elif part == "labels":
            table = errors.attempt(partial(read_labels, files.parts[part][0], folder, groups, content.warnings))
        else:
            table = errors.attempt(partial(reader_of(part, files.parts[part][0]), files.parts[part][0], folder))
        if table is not None:
            content.tables[part] = table
    if files.parts["lexicon"]:
        groups = (metadata.neutral, *metadata.groups) if readable else None
        content.lexicon = errors.attempt(partial(read_lexicon, files.parts["lexicon"][0], folder, groups))


def _read_runs(files: Files, folder: Path, content: Content, errors: Errors, heard: dict[Path, str]) -> None:
    order = {name: place for place, name in enumerate(content.metadata.systems)}
    paths = sorted(files.runs, key=lambda path: order.get(system_name(path), len(order)))
    absent = [name for name in order if name not in {system_name(path) for path in paths}]
    content.warnings += [f"{FILE}: systems names {name!r}, of which there is no run." for name in absent]
    table = _cached_runs(paths, folder, errors, heard)
    if table is not None and not errors.lines:
        content.tables["runs"] = table


def _cached_runs(paths: list[Path], folder: Path, errors: Errors, heard: dict[Path, str]) -> pd.DataFrame | None:
    """The runs of all files one below another, out of the cache where files of this content were read before."""
    hashes = _hashes(paths)
    table = load_runs(runs_key(hashes)) if hashes else None
    if table is not None:
        heard |= hashes
        return table
    read = [errors.attempt(partial(reader_of("runs", path), path, folder)) for path in paths]
    if not read or any(table is None for table in read):
        return None
    table = stack_runs(read)
    if hashes:
        save_runs(runs_key({path: heard[path] for path in paths}), table)  # of what was parsed, not of what lies there
    return table


def _hashes(paths: list[Path]) -> dict[Path, str]:
    """The hash of each file; none where they are too small to cache, or where reading one will say what is wrong."""
    with suppress(OSError):
        if is_large(paths):
            return {path: file_hash(path) for path in paths}
    return {}


def fingerprint_of(folder: Path, files: Files, heard: Mapping[Path, str]) -> str:
    """A hash of the names and bytes of the study's files: equal for equal content, wherever the folder lies.

    heard: the hash of the bytes of each file as it was read.
    """
    total = hashlib.sha256()
    for path in sorted(files.all):
        total.update(f"{path.relative_to(folder).as_posix()}\0{heard[path]}\n".encode())
    return total.hexdigest()


def study_stamp(folder: Path) -> tuple[tuple, ...]:
    """What the parts of the folder are, and what is said of its other files: it changes when any of it does.

    A file that was changed just now has another stamp when it has settled, as it may change again within one tick of
    the clock. Empty where there is no folder.
    """
    try:
        files = find_files(folder)
    except FairvizError:
        return ()
    with suppress(FairvizError):
        lexicon = read_metadata(files.metadata, folder).lexicon if files.metadata else ""
        if lexicon and obstacle(folder / lexicon) is None:
            files.parts["lexicon"] = [folder / lexicon]
    told = [*left_over(folder, files), *(f"{wrong.name}: {wrong.reason}" for wrong in files.unreadable)]
    return (*(_stamp(path) for path in files.all), *((line,) for line in told))


def _stamp(path: Path) -> tuple:
    try:
        return (str(path), *look(path))
    except OSError:
        return (str(path),)
