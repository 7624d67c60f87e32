"""A study folder as tables: every part is read, and the defects of all files are reported together."""

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from fairviz.errors import BadLine, DataError, FairvizError, PackageError
from fairviz.installed import faults
from fairviz.study.collection_counts import FOLDER, CollectionCounts, counts_folder, read_collection_counts
from fairviz.study.draws import system_of_run
from fairviz.study.ids import settled, with_composed_ids
from fairviz.study.loaders import GROUP, reader_of, system_of
from fairviz.study.loaders.annotators import read_annotators
from fairviz.study.loaders.attribute_cells import check_attribute_cells
from fairviz.study.loaders.finding import SINGLE, Files, Unreadable, find_files, find_obstacle
from fairviz.study.loaders.hashes import Look, file_hash, look, record_hashes
from fairviz.study.loaders.labels import read_labels
from fairviz.study.loaders.metadata import FILE, Metadata, read_metadata
from fairviz.study.loaders.mteb import card_of, is_predictions
from fairviz.study.loaders.packaged import read_packaged
from fairviz.study.loaders.published import read_tables
from fairviz.study.loaders.run_cache import is_large, load_runs, runs_key, save_runs
from fairviz.study.loaders.runs import stack_runs
from fairviz.study.loaders.stamps import fingerprint_of
from fairviz.study.loaders.unread import data_files, unread_warnings
from fairviz.study.loaders.word_files import read_lexicon
from fairviz.words.counting import Lexicon

READINGS = 3  # of a folder whose files change during reading
CHANGED = "the file changed while the study was read"
HOW_TO_FILL = "Add queries.tsv, documents.tsv, runs/NAME.run, qrels.txt or labels.csv; the README shows each."


@dataclass
class Content:
    """The content of a folder: `tables` by part (only existing ones), and warnings from reading."""

    metadata: Metadata
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    lexicon: Lexicon | None = None
    word_counts: CollectionCounts | None = None
    warnings: list[str] = field(default_factory=list)
    fingerprint: str = ""


@dataclass
class Errors:
    """Bad lines of several files, raised together."""

    lines: list[BadLine] = field(default_factory=list)
    remedies: list[str] = field(default_factory=list)

    def attempt(self, read: Callable[[], Any]) -> Any:
        """Return the result of `read`, or None for a DataError, which is recorded."""
        try:
            return read()
        except DataError as error:
            self.lines += error.lines
            self.remedies += error.remedy.split("\n")
            return None

    def add(self, file: str, message: str, remedy: str) -> None:
        self.lines.append(BadLine(file, 0, message))
        self.remedies.append(remedy)

    def raise_collected(self) -> None:
        """Raise all recorded errors, if there are any."""
        if self.lines:
            raise DataError(self.lines, self.remedies)


def read_folder(folder: Path) -> Content:
    """Return the content of the folder, with the fingerprint of the bytes that were read.

    If a file changes during reading, all are read again. Raises DataError with the bad lines of all files, or with a
    file that changes each time; FairvizError for a folder without a study.
    """
    changed = ""
    for _ in range(READINGS):
        reading = Reading(folder)
        failure: FairvizError | None = None
        with record_hashes() as hashes:
            try:
                content = reading.read(hashes)
            except FairvizError as error:
                failure = error
        reading.hash_remaining(hashes)
        changed = reading.changed(hashes)
        if changed:
            continue
        if failure is not None:
            raise failure
        content.fingerprint = fingerprint_of(folder, reading.files, hashes)
        if content.word_counts:
            both = content.fingerprint + content.word_counts.fingerprint
            content.fingerprint = hashlib.sha256(both.encode()).hexdigest()
        return content
    raise DataError([BadLine(changed, 0, CHANGED)], "Open the study again when nothing writes to it.")


class Reading:
    """One reading of a folder, with the states of its files before it."""

    def __init__(self, folder: Path) -> None:
        """Find the files. Raises FairvizError for a missing folder."""
        self.folder = folder
        self.files = find_files(folder)
        self._paths = frozenset(self.files.all)
        self._states: dict[Path, Look] = {}
        self._early_hashes: dict[Path, str] = {}
        for path in self.files.all:
            self._record_state(path)

    def _record_state(self, path: Path) -> None:
        with suppress(OSError):  # `changed` and the reader report a missing file
            self._states[path] = look(path)
            if not self._states[path].settled:
                self._early_hashes[path] = file_hash(path)

    def read(self, hashes: dict[Path, str]) -> Content:
        """Return the content of the files, and add their hashes to `hashes`. Raises DataError with the bad lines of
        all.
        """
        folder, files, errors = self.folder, self.files, Errors()
        metadata = errors.attempt(partial(read_metadata, files.metadata, folder)) if files.metadata else Metadata()
        readable = metadata is not None
        content = Content(metadata or Metadata())
        if content.metadata.lexicon:
            self._use_lexicon(folder / content.metadata.lexicon)
        for unreadable_entry in files.unreadable:
            errors.add(unreadable_entry.name, unreadable_entry.reason, unreadable_entry.remedy)
        content.word_counts = _read_counts(folder, content.metadata, errors)
        parts = files.all[bool(files.metadata) :] or files.unreadable or content.metadata.sources
        if not parts and readable:
            raise FairvizError(
                f"{folder} holds no part of a study", "\n".join([HOW_TO_FILL, *unread_warnings(folder, files)])
            )
        _check_clashes(files, folder, content.metadata, errors)
        _read_parts(files, folder, content, errors, readable)
        _read_annotators(files, folder, content, errors)
        _read_runs(files, folder, content, errors, hashes)
        errors.raise_collected()
        names = {part: paths[0].name for part, paths in files.parts.items() if paths}
        content.tables, notices = settled(content.tables, files=names)
        content.warnings += [*notices, *unread_warnings(folder, files)]
        if (left_out := faults(GROUP)) and (unread := data_files(folder, files)):
            raise PackageError(
                f"{unread[0]} was not read, and a loader is left out. {left_out[0]}",
                "Correct or uninstall its package, or move the file out of the folder.",
            )
        return content

    def _use_lexicon(self, path: Path) -> None:
        """Use the word list that study.toml names instead of lexicon.csv."""
        reason = find_obstacle(path)
        if reason is None:
            self.files.parts["lexicon"] = [path]
            self._record_state(path)
        else:
            self.files.unreadable.append(Unreadable(path.name, *reason))

    def hash_remaining(self, hashes: dict[Path, str]) -> None:
        """Add the hash of each file whose loader recorded none. It is that of the content read if the file did not
        change in between: see `changed`.
        """
        for path in self.files.all:
            with suppress(OSError):
                if path not in hashes:
                    hashes[path] = self._early_hashes.get(path) or file_hash(path)

    def changed(self, hashes: Mapping[Path, str]) -> str:
        """Return the name of a file that changed, appeared or disappeared since before the reading; empty for none.

        A file that changed just before may have changed again within one tick of the clock, invisibly: it is hashed
        again and compared.
        """
        try:
            now = find_files(self.folder)
        except FairvizError:
            return self.folder.name
        moved = self._paths.symmetric_difference(now.all)
        if moved:
            return self._name(min(moved))
        return next((self._name(path) for path in self.files.all if self._is_changed(path, hashes)), "")

    def _is_changed(self, path: Path, hashes: Mapping[Path, str]) -> bool:
        before = self._states.get(path)
        try:
            now = look(path)
            if before is None or now.identity != before.identity:
                return True
            return not before.settled and path in hashes and hashes[path] != file_hash(path)
        except OSError:
            return before is not None

    def _name(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()


def _check_clashes(files: Files, folder: Path, metadata: Metadata, errors: Errors) -> None:
    for part in (*SINGLE, "lexicon", "annotators"):
        names = [path.relative_to(folder).as_posix() for path in files.parts[part]]
        if part in metadata.sources:
            names.append(f"{metadata.sources[part]} in {FILE}")
        if len(names) > 1:
            errors.add(
                names[0], f"a study has one file of {part}, and {' and '.join(names[1:])} is another", "Keep one."
            )
    names = [files.run_of(path) for path in files.runs]
    singles = {name for name in names if system_of_run(name) == name}
    for place, path in enumerate(files.runs):
        system = system_of_run(names[place])
        if names[place] in names[:place] or (system != names[place] and system in singles):
            same = names[place] if names[place] in names[:place] else system
            other = files.runs[names.index(same)].name
            name = path.relative_to(folder).as_posix()
            remedy = "Keep the predictions of one task." if is_predictions(path) else "Rename one."
            errors.add(name, f"a second run called {same!r}, after {other}", remedy)


def _read_counts(folder: Path, metadata: Metadata, errors: Errors) -> CollectionCounts | None:
    if not metadata.word_counts and not (folder / FOLDER).is_dir():
        return None
    try:
        return read_collection_counts(counts_folder(folder, metadata.word_counts))
    except FairvizError as error:
        errors.add(FILE if metadata.word_counts else FOLDER, error.message, error.remedy)
        return None


def _read_parts(files: Files, folder: Path, content: Content, errors: Errors, readable: bool) -> None:
    metadata = content.metadata
    groups = None if metadata.labels == "other" or not readable else (metadata.neutral, *metadata.groups)
    if files.tables:
        read_all = partial(read_tables, files.tables, folder, groups, content.warnings)
        content.tables |= errors.attempt(read_all) or {}
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
    table, path = content.tables.get("documents"), next(iter(files.parts["documents"]), None)
    if table is not None or path is None:
        errors.attempt(partial(check_attribute_cells, table, metadata.attributes, path, folder))
    if files.parts["lexicon"]:
        groups = (metadata.neutral, *metadata.groups) if readable else None
        content.lexicon = errors.attempt(partial(read_lexicon, files.parts["lexicon"][0], folder, groups))


def _read_annotators(files: Files, folder: Path, content: Content, errors: Errors) -> None:
    """Add the annotators that a file declares to those of study.toml."""
    for path in files.parts["annotators"][:1]:
        declared = errors.attempt(partial(read_annotators, path, folder)) or {}
        others = content.metadata.annotators
        for name in declared.keys() & others.keys():
            if others[name][0] and declared[name][0] != others[name][0]:
                message = f"{name!r} has another kind than in {FILE}"
                errors.add(path.name, message, "Declare it in one of the two files.")
        entries = {**others, **{name: entry for name, entry in declared.items() if not others.get(name, ("",))[0]}}
        content.metadata = replace(content.metadata, annotators=entries)


def _read_runs(files: Files, folder: Path, content: Content, errors: Errors, hashes: dict[Path, str]) -> None:
    order = {name: place for place, name in enumerate(content.metadata.systems)}
    systems = {path: system_of_run(files.run_of(path)) for path in files.runs}
    paths = sorted(files.runs, key=lambda path: order.get(systems[path], len(order)))
    absent = [name for name in order if name not in set(systems.values())]
    content.warnings += [f"{FILE}: systems names {name!r}, of which there is no run." for name in absent]
    cards = {system_of(path): card_of(path) for path in paths if is_predictions(path)}
    content.metadata = replace(content.metadata, cards={**cards, **content.metadata.cards})
    table = _cached_runs({path: files.run_of(path) for path in paths}, folder, errors, hashes)
    if table is not None and not errors.lines:
        content.tables["runs"] = with_composed_ids(table)


def _cached_runs(
    names: dict[Path, str], folder: Path, errors: Errors, hashes_by_file: dict[Path, str]
) -> pd.DataFrame | None:
    """Return the runs of all files in sequence, from the cache if these contents were read before. names: of the run
    in each file."""
    hashes = _hashes([*names])
    table = load_runs(runs_key(hashes, names)) if hashes else None
    if table is not None:
        hashes_by_file |= hashes
        return table
    tables = [errors.attempt(partial(reader_of("runs", path), path, folder)) for path in names]
    if not tables or any(table is None for table in tables):
        return None
    table = stack_runs([_named(table, name) for table, name in zip(tables, names.values(), strict=True)])
    if hashes:
        save_runs(
            runs_key({path: hashes_by_file[path] for path in names}, names), table
        )  # of the parsed content, not of the present files
    return table


def _named(table: pd.DataFrame, run: str) -> pd.DataFrame:
    """Return a run's table with the run's name, which its reader takes from the file alone."""
    if list(table["system"].cat.categories) == [run]:
        return table
    return table.assign(system=table["system"].cat.rename_categories([run]))


def _hashes(paths: list[Path]) -> dict[Path, str]:
    """Return the hash of each file; none for files too small to cache, or unreadable ones, which the reader reports."""
    with suppress(OSError):
        if is_large(paths):
            return {path: file_hash(path) for path in paths}
    return {}
