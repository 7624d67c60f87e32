"""A study folder as tables: every part is read, and the defects of all files are reported together; its fingerprint,
and a stamp that changes with any of its files.
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from fairviz.errors import BadLine, DataError, FairvizError, PackageError, cap_lines, notice, noticing, raise_bad
from fairviz.installed import faults
from fairviz.study.attributes import CELL_REMEDY, Attribute, cell_defects
from fairviz.study.collection_counts import FOLDER, MANIFEST, CollectionCounts, counts_folder, read_collection_counts
from fairviz.study.loaders import GROUP, loader_of, reader_of, system_of
from fairviz.study.loaders.finding import SINGLE, Files, Unreadable, find_files, find_obstacle, missing_pieces
from fairviz.study.loaders.hashes import Look, file_hash, known_hash, look, record_hashes, remember_hash
from fairviz.study.loaders.labels import read_published
from fairviz.study.loaders.lines import Layout
from fairviz.study.loaders.metadata import FILE, KIND_NAMES, KINDS, Metadata, current_kind, read_metadata
from fairviz.study.loaders.mteb import card_of, is_predictions
from fairviz.study.loaders.packaged import read_packaged
from fairviz.study.loaders.rows import SUFFIXES, Rows, read_rows, repeated_ids
from fairviz.study.loaders.runs import RunColumns, as_table, read_columns, read_run, stack_runs
from fairviz.study.loaders.source import read_raw
from fairviz.study.loaders.stored_runs import StoredRun, StoredRuns, as_columns, is_large
from fairviz.study.loaders.texts import DOCUMENT_LAYOUT
from fairviz.study.loaders.unread import LEAVE, data_files, unread_warnings
from fairviz.study.loaders.word_files import read_lexicon
from fairviz.study.tables import (
    FOLD,
    SCHEMAS,
    conform,
    empty,
    runs_by_system,
    settled,
    system_of_run,
    with_composed_ids,
)
from fairviz.words.counting import Lexicon
from fairviz.words.sentences import counted, first_listed

MOST_NAMED = 3  # annotators in a warning
READINGS = 3  # of a folder whose files change during reading
MEMORY_OF_READER = 3 << 30  # bytes for each file of runs that is read at a time; one of 7 million lines takes a third
AT_ONCE = 0.3  # seconds after which it is told that a file of runs is read
READING: ContextVar[Callable[[int, int, str], None]] = ContextVar("reading", default=lambda done, total, name: None)
CHANGED = "the file changed while the study was read"
HOW_TO_FILL = "Add queries.tsv, documents.tsv, runs/NAME.run, qrels.txt or labels.csv; the README shows each."
LAYOUT = Layout("annotators", ("annotator",), ids=("annotator",))


@dataclass
class Content:
    """The content of a folder: `tables` by part (only existing ones), and warnings from reading. stored_runs: in place
    of the table of runs, for large ones."""

    metadata: Metadata
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    lexicon: Lexicon | None = None
    word_counts: CollectionCounts | None = None
    warnings: list[str] = field(default_factory=list)
    stored_runs: StoredRuns | None = None
    fingerprint: str = ""

    def table(self, part: str) -> pd.DataFrame:
        """Return the table of a part, an empty one for a part that is not there."""
        if part == "runs" and self.stored_runs is not None:
            return self.stored_runs.table()
        return self.tables[part] if part in self.tables else empty(SCHEMAS[part])


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
            self.record(error)
            return None

    def record(self, error: DataError) -> None:
        self.lines += error.lines
        self.remedies += error.remedy.split("\n")

    def add(self, file: str, message: str, remedy: str) -> None:
        self.lines.append(BadLine(file, 0, message))
        self.remedies.append(remedy)

    def raise_collected(self) -> None:
        """Raise all recorded errors, if there are any."""
        if self.lines:
            raise DataError(self.lines, self.remedies)


@contextmanager
def telling(report: Callable[[int, int, str], None]) -> Iterator[None]:
    """Call `report` for each large file of runs that is read in the block, with the number of those before it, of all
    and its name."""
    token = READING.set(report)
    try:
        yield
    finally:
        READING.reset(token)


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
        for entry in files.unreadable:
            errors.add(entry.name, entry.reason, entry.remedy)
        content.word_counts = _read_counts(folder, content.metadata, errors)
        parts = files.all[bool(files.metadata) :] or files.unreadable or content.metadata.sources
        if not parts and readable:
            unread = unread_warnings(folder, files)
            recognised = any(not line.endswith(LEAVE) for line in unread)
            raise FairvizError(
                f"{folder} holds no part of a study", "\n".join([*([] if recognised else [HOW_TO_FILL]), *unread])
            )
        _check_clashes(files, folder, content.metadata, errors)
        with noticing(content.warnings):
            _read_parts(files, folder, content, errors, readable)
            _read_annotators_file(files, folder, content, errors)
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
            found = find_files(self.folder)
        except FairvizError:
            return self.folder.name
        moved = self._paths.symmetric_difference(found.all)
        if moved:
            return self._name(min(moved))
        for path in self.files.all:
            if self._is_changed(path, hashes):
                return self._name(path)
        return ""

    def _is_changed(self, path: Path, hashes: Mapping[Path, str]) -> bool:
        """Return whether the file is another one than before the reading."""
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


def _read_counts(folder: Path, metadata: Metadata, errors: Errors) -> CollectionCounts | None:
    """Return the study's word counts, in its folder or in the one that study.toml names; None without any."""
    if not metadata.word_counts and not (folder / FOLDER).is_dir():
        return None
    try:
        return read_collection_counts(counts_folder(folder, metadata.word_counts))
    except FairvizError as error:
        errors.add(FILE if metadata.word_counts else FOLDER, error.message, error.remedy)
        return None


def _check_clashes(files: Files, folder: Path, metadata: Metadata, errors: Errors) -> None:
    for part in (*SINGLE, "lexicon", "annotators"):
        names = [path.relative_to(folder).as_posix() for path in files.parts[part]]
        if part in metadata.sources:
            names.append(f"{metadata.sources[part]} in {FILE}")
        if len(names) > 1 and (part in metadata.sources or part in ("lexicon", "annotators")):
            errors.add(names[0], _two_files(part, names), "Keep one.")
    names = [files.run_of(path) for path in files.runs]
    singles = {name: path for name, path in zip(names, files.runs, strict=True) if system_of_run(name) == name}
    for name, path in zip(names, files.runs, strict=True):
        system = system_of_run(name)
        if system != name and system in singles:
            what = f"a second run called {system!r}, after {singles[system].name}"
            errors.add(path.relative_to(folder).as_posix(), what, "Rename one.")


def _two_files(part: str, names: Sequence[str]) -> str:
    return f"a study has one file of {part}, and {' and '.join(names[1:])} is another"


def _read_parts(files: Files, folder: Path, content: Content, errors: Errors, readable: bool) -> None:
    """Read the parts of one file, and the lexicon."""
    metadata = content.metadata
    groups = None if metadata.labels == "other" or not readable else (metadata.neutral, *metadata.groups)
    if files.tables:
        read_all = partial(read_published, files.tables, folder, groups)
        content.tables |= errors.attempt(read_all) or {}
    for part in SINGLE:
        if part in metadata.sources:
            table = errors.attempt(partial(read_packaged, part, metadata.sources[part], FILE))
        elif not files.parts[part]:
            continue
        else:
            more = (groups,) if part == "labels" else ()
            paths = files.parts[part]
            tables = [errors.attempt(partial(reader_of(part, path), path, folder, *more)) for path in paths]
            table = _in_one(part, tables, paths, errors, pieces=part in files.pieces)
        if table is not None:
            content.tables[part] = table
    table, path = content.tables.get("documents"), next(iter(files.parts["documents"]), None)
    if table is not None or path is None:
        errors.attempt(partial(check_attribute_cells, table, metadata.attributes, path, folder))
    if files.parts["lexicon"]:
        groups = (metadata.neutral, *metadata.groups) if readable else None
        content.lexicon = errors.attempt(partial(read_lexicon, files.parts["lexicon"][0], folder, groups))


def _read_annotators_file(files: Files, folder: Path, content: Content, errors: Errors) -> None:
    """Add the annotators that a file declares to those of study.toml, whose kinds take precedence."""
    if not files.parts["annotators"]:
        return
    path = files.parts["annotators"][0]
    declared = errors.attempt(partial(read_annotators, path, folder)) or {}
    known = content.metadata.annotators
    for name in declared.keys() & known.keys():
        if known[name][0] and declared[name][0] not in (None, known[name][0]):
            message = f"{name!r} has another kind than in {FILE}"
            errors.add(path.name, message, "Declare it in one of the two files.")
    new = {name: (kind or "", about) for name, (kind, about, _) in declared.items() if not known.get(name, ("",))[0]}
    columns = {name: columns for name, (*_, columns) in declared.items() if columns}
    columns |= content.metadata.annotator_columns
    content.metadata = replace(content.metadata, annotators={**known, **new}, annotator_columns=columns)
    labels = content.tables.get("labels")
    absent = [] if labels is None else [name for name in declared if name not in set(labels["annotator"])]
    if absent and len(declared) > len(absent):
        names = first_listed(absent, MOST_NAMED)
        content.warnings.append(f"{path.name}: {names} gave no label; a name must be written as in labels.csv.")


def _read_runs(files: Files, folder: Path, content: Content, errors: Errors, hashes: dict[Path, str]) -> None:
    """Read the runs, in the order of the systems in study.toml, and the cards of those of MTEB."""
    order = {name: place for place, name in enumerate(content.metadata.systems)}
    systems = {path: system_of_run(files.run_of(path)) for path in files.runs}
    paths = sorted(files.runs, key=lambda path: order.get(systems[path], len(order)))
    cards = {system_of(path): card_of(path) for path in paths if is_predictions(path)}
    content.metadata = replace(content.metadata, cards={**cards, **content.metadata.cards})
    names = {path: files.run_of(path) for path in paths}
    kept = _without_repeats(_read_all(names, folder, errors, hashes), names, folder, errors)
    if kept and not errors.lines and not files.draws and all(isinstance(one, StoredRun) for one in kept.values()):
        runs = {names[path]: one for path, one in kept.items() if isinstance(one, StoredRun)}
        if all(run.is_plain for run in runs.values()):  # nothing that follows here changes them
            content.stored_runs = StoredRuns(runs)
    table = None
    if kept and not errors.lines and content.stored_runs is None:
        table = stack_runs([_table_of(one, names[path]) for path, one in kept.items()])
    own = list(content.stored_runs.names if content.stored_runs is not None else ())
    own = own if table is None else list(table["system"].cat.categories)
    systems_read = [system_of_run(run) for run in own]
    absent = [name for name in order if name not in {*systems_read, *systems.values()}]
    content.warnings += [f"{FILE}: systems names {name!r}, of which there is no run." for name in absent]
    if table is None or errors.lines:
        return
    table = _with_joined_folds(table)
    ordered = sorted(systems_read, key=lambda name: order.get(name, len(order)))
    if systems_read != ordered and not files.draws:  # as the systems of an archive may be
        apart = [table[table["system"] == name].reset_index(drop=True) for name in ordered]
        table = stack_runs([run.assign(system=run["system"].cat.remove_unused_categories()) for run in apart])
    content.tables["runs"] = with_composed_ids(table)


def _with_joined_folds(table: pd.DataFrame) -> pd.DataFrame:
    """Return the runs with the folds of a system, `NAME/fold1`, `NAME/fold2`, …, as one run NAME if each query is in
    one of them; else they stay draws. A notice says which."""
    names = list(table["system"].cat.categories)
    joined = dict(zip(names, names, strict=True))
    for system, runs in runs_by_system(names).items():
        if runs == (system,) or not all(run[len(system) + 1 :].startswith(FOLD) for run in runs):
            continue
        pairs = table.loc[table["system"].isin(runs), ["system", "query_id"]].drop_duplicates()
        queries, repeated = pairs["query_id"].nunique(), int((pairs["query_id"].value_counts() > 1).sum())
        if repeated:
            notice(
                f"runs/{system}: {counted(repeated, 'query', 'queries')} of {queries:,} in several folds, so that its "
                f"{counted(len(runs), 'file')} are draws of one system."
            )
        else:
            notice(
                f"runs/{system}: {counted(len(runs), 'fold')} with {counted(queries, 'query', 'queries')}, each in one "
                "of them, are one system."
            )
            joined |= dict.fromkeys(runs, system)
    categories = list(dict.fromkeys(joined.values()))
    if categories == names:
        return table
    codes = pd.Index(categories).get_indexer([joined[name] for name in names])[table["system"].cat.codes]
    return table.assign(system=pd.Categorical.from_codes(codes, pd.Index(categories, dtype="str")))


def _in_one(
    part: str, tables: list[pd.DataFrame | None], paths: list[Path], errors: Errors, *, pieces: bool
) -> pd.DataFrame | None:
    """Return the files of a part as one table: its pieces, or one of several that hold the same; None for errors."""
    read, names = [table for table in tables if table is not None], [path.name for path in paths]
    if len(read) < len(tables):
        return None
    if len(read) == 1 and not missing_pieces(names):
        return read[0]
    if not pieces:
        if any(not _are_same(read[0], other, SCHEMAS[part].column_names) for other in read[1:]):
            errors.add(names[0], _two_files(part, names), "Keep one.")
            return None
        notice(f"{' and '.join(names[1:])} was left out: it holds the same {part} as {names[0]}.")
        return read[0]
    if missing := missing_pieces(names):
        notice(f"{part}: {counted(missing, 'piece')} of those that {names[0]} announces are missing.")
    frame = pd.concat(read, ignore_index=True)
    repeated = frame.duplicated(list(SCHEMAS[part].key))
    if repeated.any():
        errors.add(names[0], f"{int(repeated.sum()):,} rows of its other pieces repeat ids", "Keep each id once.")
        return None
    return conform(frame, SCHEMAS[part])


def _are_same(first: pd.DataFrame, second: pd.DataFrame, columns: Sequence[str]) -> bool:
    """Return whether two tables have the same rows in these columns, in any order."""
    tables = [table[[*columns]].astype("object").sort_values([*columns]) for table in (first, second)]
    return len(first) == len(second) and bool((tables[0].to_numpy() == tables[1].to_numpy()).all())


def _read_all(
    names: dict[Path, str], folder: Path, errors: Errors, hashes: dict[Path, str]
) -> dict[Path, StoredRun | pd.DataFrame]:
    """Return the runs in each of these files, large ones out of the cache, where those that are read now are put; the
    bad lines of the others are recorded. names: of the run in each file."""
    is_cached, report = False, READING.get()
    with suppress(OSError):
        is_cached = is_large([*names])
    found: dict[Path, StoredRun | pd.DataFrame] = {}
    work = partial(_read_one, folder=folder, is_cached=is_cached, hashes=hashes)
    with ThreadPoolExecutor(_readers() if is_cached else 1) as pool:
        try:
            pending = {
                path: pool.submit(copy_context().run, _attempted, partial(work, path, run))
                for path, run in names.items()
            }
            for number, (path, future) in enumerate(pending.items()):
                wait([future], AT_ONCE)
                if not future.done():
                    report(number, len(pending), path.name)
                result, notices, failed = future.result()
                for line in notices:
                    notice(line)
                if failed is not None:
                    errors.record(failed)
                elif result is not None:
                    found[path] = result
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return found


def _readers() -> int:
    """Return how many files are read at a time: as many as there are cores, and memory for."""
    if not hasattr(os, "sysconf"):
        return 2
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(os.cpu_count() or 1, memory // MEMORY_OF_READER))


def _content_of(path: Path, folder: Path, *, keep: bool) -> tuple[str, bytes]:
    """Return the hash of a file, and with `keep` what was read of it for that, which is nothing where it is known."""
    if (known := known_hash(path)) is not None:
        return known, b""
    if not keep:
        return file_hash(path), b""
    data = read_raw(path, folder)
    return hashlib.sha256(data).hexdigest(), data


def _attempted(read: Callable[[], Any]) -> tuple[Any, list[str], DataError | None]:
    """Return the result of `read`, what was noticed, and the error of a file that cannot be read."""
    notices: list[str] = []
    with noticing(notices):
        try:
            return read(), notices, None
        except DataError as error:
            return None, notices, error


def _read_one(
    path: Path, run: str, *, folder: Path, is_cached: bool, hashes: dict[Path, str]
) -> StoredRun | pd.DataFrame:
    """Return the run in a file: stored, or as a table where it is small, one of several or nothing can be written."""
    loader = loader_of("runs", path)
    if not is_cached or loader.several:
        table = loader.read(path, folder)
        return table if loader.several else _named(table, run)
    try:
        state = look(path)
        content, data = _content_of(path, folder, keep=loader.read is read_run)
    except OSError:  # which the reader tells
        return _named(loader.read(path, folder), run)

    def read() -> RunColumns | pd.DataFrame:
        return read_columns(path, folder, data) if loader.read is read_run else loader.read(path, folder)

    def read_again() -> RunColumns:
        columns = as_columns(read())
        if columns is None or file_hash(path) != content:
            raise FairvizError(f"{path} changed since the study was opened", "Open the study again.")
        return columns

    stored = StoredRun(("run", content, run, "".join(path.suffixes)), read_again)
    if stored.is_there:
        hashes[path], data = content, b""  # a later reading takes the file
        for line in stored.notices:
            notice(line)
        return stored
    notices: list[str] = []
    with noticing(notices):
        columns = as_columns(found := read())
    for line in notices:
        notice(line)
    if hashes.setdefault(path, content) != content:  # it changed meanwhile, which the caller finds
        return as_table(found)
    if columns is not None:
        stored.save(columns, notices)
        with suppress(OSError):
            remember_hash(path, state, content)
    data = b""
    return stored if stored.is_there else _named(as_table(found), run)


def _named(table: pd.DataFrame, run: str) -> pd.DataFrame:
    """Return a run's table with the run's name, which its reader takes from the file alone."""
    if list(table["system"].cat.categories) == [run]:
        return table
    return table.assign(system=table["system"].cat.rename_categories([run]))


def _without_repeats(
    found: dict[Path, StoredRun | pd.DataFrame], names: dict[Path, str], folder: Path, errors: Errors
) -> dict[Path, StoredRun | pd.DataFrame]:
    """Return the runs of these files but those that repeat one; record a run of a name that holds another."""
    kept: dict[Path, StoredRun | pd.DataFrame] = {}
    first: dict[str, Path] = {}  # the file of each run
    for path, one in found.items():
        runs = [names[path]] if isinstance(one, StoredRun) else list(one["system"].cat.categories)
        again = [run for run in runs if first.setdefault(run, path) != path]
        if not again:
            kept[path] = one
            continue
        name, earlier = path.relative_to(folder).as_posix(), first[again[0]]
        its, other = (_table_of(found[file], names[file]) for file in (earlier, path))
        if len(runs) == 1 and _are_same(its, other, ("query_id", "doc_id", "score")):
            notice(f"{name} was left out: it holds the same run as {earlier.name}.")
        else:
            remedy = "Keep the predictions of one task." if is_predictions(path) else "Rename one."
            errors.add(name, f"a second run called {again[0]!r}, after {earlier.name}", remedy)
    return kept


def _table_of(one: StoredRun | pd.DataFrame, run: str) -> pd.DataFrame:
    return one.columns(run).table() if isinstance(one, StoredRun) else one


# --- The fingerprint of a study folder's content, and a stamp that changes with any of its files.


def fingerprint_of(folder: Path, files: Files, hashes: Mapping[Path, str]) -> str:
    """Return a hash of the names and bytes of the study's files: equal for equal content in any folder.

    hashes: the hash of the bytes of each file as read.
    """
    digest = hashlib.sha256()
    for path in sorted(files.all):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{hashes[path]}\n".encode())
    return digest.hexdigest()


def study_stamp(folder: Path) -> tuple[tuple, ...]:
    """Return the states of the folder's parts and the warnings about its other files, which change with any of them.

    A recently changed file gets another stamp when it has settled, as it may change again within one tick of the clock.
    Empty for a missing folder.
    """
    try:
        files = find_files(folder)
    except FairvizError:
        return ()
    counts: list[Path] = []
    with suppress(FairvizError):
        metadata = read_metadata(files.metadata, folder) if files.metadata else Metadata()
        counts = [path for path in [counts_folder(folder, metadata.word_counts) / MANIFEST] if path.exists()]
        if metadata.lexicon and find_obstacle(folder / metadata.lexicon) is None:
            files.parts["lexicon"] = [folder / metadata.lexicon]
    stamps = [_file_stamp(path) for path in [*files.all, *counts]]
    warnings = [*unread_warnings(folder, files), *(f"{entry.name}: {entry.reason}" for entry in files.unreadable)]
    return (*stamps, *((line,) for line in warnings))


def _file_stamp(path: Path) -> tuple:
    """Return the path and the state of a file; the path alone for a missing one."""
    try:
        return (str(path), *look(path))
    except OSError:
        return (str(path),)


# --- annotators.csv: `annotator`, and any columns, of which `kind` says what an annotator is.


def read_annotators(
    path: str | Path, root: str | Path | None = None
) -> dict[str, tuple[str | None, str, tuple[tuple[str, str], ...]]]:
    """Return the kind of each annotator, of KINDS, empty for an unknown one, None in a file without kinds; its
    description; and its other columns with a value.

    description: the column of that name, then the other columns as `age: 31`. Raises DataError that names every bad
    line: another kind, an annotator twice.
    """
    rows = read_rows(path, LAYOUT, root)
    has_kinds = "kind" in rows.frame
    table = (rows.frame if has_kinds else rows.frame.assign(kind="")).fillna("").astype("str")
    kinds = table["kind"].map(current_kind)
    remedy = f"Use one of {', '.join(KIND_NAMES.values())}; leave it empty where it is unknown."
    if has_kinds:
        rows.check(~kinds.isin(["", *KINDS]), "this is no kind of annotator", "kind", remedy)
    raise_bad(repeated_ids(rows, "annotator"), "Keep one line for each annotator.")
    columns = [str(name) for name in table if name not in ("annotator", "kind", "description")]
    entries = {}
    for kind, row in zip(kinds, table.to_dict("records"), strict=True):
        cells = tuple((name, row[name].strip()) for name in columns if row[name].strip())
        about = "; ".join(filter(None, [row.get("description", ""), *(f"{name}: {value}" for name, value in cells)]))
        entries[row["annotator"]] = (kind if has_kinds else None, about, cells)
    return entries


# --- Cells of attribute sets in a file of documents, checked with their lines.


def check_attribute_cells(
    documents: pd.DataFrame | None, attributes: Mapping[str, Attribute], path: Path | None, folder: Path
) -> None:
    """Raise DataError with every set that has no column of the documents, and every invalid cell of one.

    path: the file of the documents; None for another source, whose lines have no numbers.
    """
    missing = [name for name in attributes if documents is None or name not in documents]
    if missing or documents is None:
        lines = [BadLine(FILE, 0, f"attributes.{name}: the documents have no column {name!r}") for name in missing]
        raise_bad(lines, "Add the column to the documents, or remove the table [attributes.NAME].")
        return
    bad_lines: list[BadLine] = []
    rows: Rows | None = None  # of the file with their lines, if it is a table of one row a document
    for name, attribute in attributes.items():
        defects = cell_defects(documents[name], attribute.levels)
        if defects and rows is None and path is not None and path.name.lower().endswith(SUFFIXES):
            rows = read_rows(path, DOCUMENT_LAYOUT, folder)
        messages = [(row, f"the column {name!r}: {reason}") for row, reason in defects]
        if rows is not None and len(rows.frame) == len(documents):
            bad_lines += rows.bad(messages, name)
            continue
        for row, message in messages:
            value, document = str(documents[name].iloc[row]), documents["doc_id"].iloc[row]
            bad_lines.append(BadLine("documents", 0, f"document {document!r} in {message}", value))
    raise_bad(cap_lines(bad_lines), CELL_REMEDY)
