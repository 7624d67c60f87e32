"""A study folder as tables: every file that is a part is read, and what is wrong in any of them is said at once."""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from fairviz.errors import BadLine, DataError, FairvizError
from fairviz.loaders import LOADERS
from fairviz.loaders.hashes import file_hash
from fairviz.loaders.labels import read_labels
from fairviz.loaders.lexicon import PREFIX, read_lexicon
from fairviz.loaders.metadata import FILE, Metadata, read_metadata
from fairviz.loaders.packaged import read_packaged
from fairviz.loaders.run_cache import load_runs, runs_key, save_runs
from fairviz.loaders.runs import read_run, stack_runs, system_name
from fairviz.text import Lexicon

SINGLE = ("queries", "documents", "qrels", "labels")
RUNS_FOLDER = "runs"
_DATA_SUFFIXES = {".tsv", ".csv", ".jsonl", ".parquet", ".run", ".trec", ".qrels", ".gz"}
HOW_TO_FILL = "Add queries.tsv, documents.tsv, runs/NAME.run, qrels.txt or labels.csv; the README shows each."


@dataclass(frozen=True)
class Files:
    """The files of a study folder: of each part, of runs by system, and all that were looked at for the fingerprint."""

    metadata: Path | None
    parts: dict[str, list[Path]]
    runs: list[Path]

    @property
    def all(self) -> list[Path]:
        single = [path for paths in self.parts.values() for path in paths]
        return [*([self.metadata] if self.metadata else []), *single, *self.runs]


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


def find_files(folder: Path) -> Files:
    """The files of the folder that are parts of a study. Raises FairvizError where there is no such folder."""
    if not folder.exists():
        raise FairvizError(f"there is no folder {folder}", "Check the path of the study.")
    if not folder.is_dir():
        raise FairvizError(f"{folder} is a file, not a study folder", "Give the folder that holds it.")
    try:
        entries = sorted(path for path in folder.iterdir() if path.is_file())
        inside = folder / RUNS_FOLDER
        runs = sorted(path for path in inside.iterdir() if path.is_file()) if inside.is_dir() else []
    except OSError as error:
        raise FairvizError(f"{folder} cannot be read ({error.strerror})", "Check that you may read it.") from error
    parts = {
        part: [path for path in entries if path.name.lower() in {part + suffix for suffix in LOADERS[part].suffixes}]
        for part in SINGLE
    }
    parts["lexicon"] = [path for path in entries if path.name == "lexicon.csv"]
    metadata = folder / FILE
    return Files(metadata if metadata.is_file() else None, parts, [path for path in runs if is_run_file(path)])


def is_run_file(path: Path) -> bool:
    return path.name.lower().endswith(LOADERS["runs"].suffixes) and not path.name.startswith(".")


def read_folder(folder: Path) -> Content:
    """Everything the folder holds. Raises DataError with the bad lines of all its files, FairvizError without any."""
    files = find_files(folder)
    errors = Errors()
    metadata = errors.attempt(partial(read_metadata, files.metadata, folder)) if files.metadata else Metadata()
    readable = metadata is not None
    content = Content(metadata or Metadata())
    if readable and content.metadata.lexicon:
        files.parts["lexicon"] = [folder / content.metadata.lexicon]
    if not files.all[bool(files.metadata) :] and not content.metadata.sources and readable:
        raise FairvizError(f"{folder} holds no part of a study", HOW_TO_FILL)
    _check_clashes(files, content.metadata, errors)
    _read_parts(files, folder, content, errors, readable)
    _read_runs(files, folder, content, errors)
    errors.settle()
    content.warnings += _left_over(folder, files)
    content.fingerprint = fingerprint_of(folder, files)
    return content


def _check_clashes(files: Files, metadata: Metadata, errors: Errors) -> None:
    for part in SINGLE:
        names = [path.name for path in files.parts[part]]
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
            errors.add(
                f"{RUNS_FOLDER}/{path.name}", f"a second run called {names[place]!r}, after {other}", "Rename one."
            )


def _read_parts(files: Files, folder: Path, content: Content, errors: Errors, readable: bool) -> None:
    metadata = content.metadata
    groups = None if metadata.labels == "other" or not readable else (metadata.neutral, *metadata.groups)
    for part in SINGLE:
        if part in metadata.sources:
            table = errors.attempt(partial(read_packaged, part, metadata.sources[part], FILE))
        elif not files.parts[part]:
            continue
        elif part == "labels":
            table = errors.attempt(partial(read_labels, files.parts[part][0], folder, groups, content.warnings))
        else:
            table = errors.attempt(partial(LOADERS[part].read, files.parts[part][0], folder))
        if table is not None:
            content.tables[part] = table
    if files.parts["lexicon"]:
        groups = (metadata.neutral, *metadata.groups) if readable else None
        content.lexicon = errors.attempt(partial(read_lexicon, files.parts["lexicon"][0], folder, groups))


def _read_runs(files: Files, folder: Path, content: Content, errors: Errors) -> None:
    order = {name: place for place, name in enumerate(content.metadata.systems)}
    paths = sorted(files.runs, key=lambda path: order.get(system_name(path), len(order)))
    absent = [name for name in order if name not in {system_name(path) for path in paths}]
    content.warnings += [f"{FILE}: systems names {name!r}, of which there is no run." for name in absent]
    table = _cached_runs(paths, folder, errors)
    if table is not None and not errors.lines:
        content.tables["runs"] = table


def _cached_runs(paths: list[Path], folder: Path, errors: Errors) -> pd.DataFrame | None:
    """The runs of all files one below another, out of the cache where the same files were read before."""
    try:
        key = runs_key(paths)
    except OSError:
        key = ""  # reading the file says what is wrong with it
    table = load_runs(key)
    if table is not None:
        return table
    read = [errors.attempt(partial(read_run, path, folder)) for path in paths]
    if not read or any(table is None for table in read):
        return None
    table = stack_runs(read)
    with suppress(OSError):
        if key == runs_key(paths):  # nobody wrote to a file while it was read
            save_runs(key, table)
    return table


def _left_over(folder: Path, files: Files) -> list[str]:
    """A warning for each file that looks like data and is no part of a study."""
    used = set(files.all)
    inside = folder / RUNS_FOLDER
    found = [*folder.iterdir(), *(inside.iterdir() if inside.is_dir() else [])]
    names = sorted(
        path.relative_to(folder).as_posix()
        for path in found
        if path.is_file() and path not in used and not path.name.startswith((".", PREFIX))
        if path.suffix.lower() in _DATA_SUFFIXES or path.parent == inside
    )
    return [f"{name} was not read: no part of a study has this name." for name in names]


def fingerprint_of(folder: Path, files: Files) -> str:
    """A hash of the names and bytes of the study's files: equal for equal content, wherever the folder lies."""
    total = hashlib.sha256()
    for path in sorted(files.all):
        total.update(f"{path.relative_to(folder).as_posix()}\0{file_hash(path)}\n".encode())
    return total.hexdigest()
