"""Additions to a study's folder (built-in study: to the data folder): runs, labels with their annotators, a word
list and texts of documents; saved, renamed, deleted and restored.
"""

import errno
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace as changed
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from fairviz.errors import FairvizError
from fairviz.files import make_private_folder
from fairviz.home.permissions import changes_study, permissions
from fairviz.study.loaders import system_of
from fairviz.study.loaders.changes import changing
from fairviz.study.loaders.collection import keep_documents
from fairviz.study.loaders.finding import find_files
from fairviz.study.loaders.folder import Content, read_folder
from fairviz.study.loaders.labels import read_labels
from fairviz.study.loaders.metadata import (
    FILE,
    Claim,
    Metadata,
    format_metadata,
    stored_metadata,
    with_key,
    write_claim,
    write_edited,
    write_keys,
)  # fmt: skip
from fairviz.study.loaders.word_files import SUFFIXES, lexicon_name
from fairviz.study.loaders.writing import check_reads_back_labels, replace_runs, run_files, write_lexicon, write_table
from fairviz.study.study import with_tested
from fairviz.study.tables import LABELS, empty
from fairviz.words.counting import Lexicon

if TYPE_CHECKING:
    from fairviz.study.record import Annotator, Study

DELETED = ".deleted-runs"  # next to the folder of runs; hidden folders are not part of a study
DELETED_LABELS, DELETED_LISTS = ".deleted-labels", ".deleted-lists"  # in the study's folder
OTHER_PARTS = ("queries", "documents", "runs", "qrels")
DOCUMENTS = "documents.parquet"


@contextmanager
def _writing(task: str, retry: str = "try") -> Iterator[None]:
    """Raise an OSError of the block as a FairvizError with what could not be done, and where."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error.strerror or str(error)
        raise _write_error(task, reason, retry) from error


def _write_error(task: str, reason: str, retry: str) -> FairvizError:
    remedy = f"Make it a folder that you can write, with room, and {retry} again."
    return FairvizError(f"could not {task}: {reason}", remedy)


def labels_folder(study: "Study") -> Path:
    """Return the folder for what is added to the study: its own folder, or that in the data folder for a built-in
    study."""
    if study.read_only:
        return permissions().additions_folder(study.name)
    if study.folder is None:
        raise FairvizError(f"{study.name} has no folder yet", "Save it first with fairviz.save_study.")
    return study.folder


# Runs.


def runs_folder(study: "Study") -> Path:
    """Return the folder for the study's added runs: in its own folder, or in the data folder for a built-in study."""
    return labels_folder(study) / "runs"


def check_new(study: "Study", systems: tuple[str, ...], *, replace: bool = False) -> None:
    """Raise FairvizError if the study has a run with one of these names, unless an added run is replaced."""
    folder = runs_folder(study)
    for system in systems:
        if system not in study.systems:
            continue
        if not run_files(folder, system):
            raise FairvizError(f"the run {system} is part of the built-in study {study.name}", "Name another run.")
        if not replace:
            raise FairvizError(f"{study.name} has a run {system} already", "Add --replace to overwrite it.")


@changes_study("add runs", can_be_private=True)
def save_runs(study: "Study", runs: "pd.DataFrame", *, replace: bool = False) -> list[Path]:
    """Write the runs to the study's folder (for a built-in study: to the data folder) and return their files.

    New runs are drafts, which move no value of the others: the study.toml lists them, and those of a built-in study
    always are.
    Raises FairvizError if a run of the same name exists and `replace` is not set; then nothing is written.
    """
    systems = tuple(runs["system"].cat.categories)
    check_new(study, systems, replace=replace)
    folder = runs_folder(study)
    drafts = tuple(name for name in systems if name not in study.systems)
    if study.read_only or not drafts:
        return replace_runs(runs, folder)
    return replace_runs(runs, folder, partial(_write_drafts, folder.parent, drafts))


def _write_drafts(folder: Path, systems: tuple[str, ...], draft_folder: Path) -> None:
    """Write the folder's study.toml with these systems among the drafts into the draft folder."""
    drafts = stored_metadata(folder).drafts
    write_keys(folder, draft_folder, drafts=tuple(dict.fromkeys([*drafts, *systems])))


def added_systems(study: "Study") -> tuple[str, ...]:
    """Return the systems whose runs are in the study's folder (built-in study: in the data folder) and can be
    deleted.
    """
    folder = runs_folder(study)
    return tuple(name for name in study.systems if run_files(folder, name))


def deleted_systems(study: "Study") -> tuple[str, ...]:
    """Return the systems that were deleted from the study and can be restored: no other run has their name."""
    folder = labels_folder(study) / DELETED
    names = {system_of(path) for path in folder.iterdir()} if folder.is_dir() else set()
    return tuple(sorted(names - set(study.systems)))


@changes_study("delete a run", can_be_private=True)
def delete_run(study: "Study", system: str) -> None:
    """Remove a system's run from the study; `restore_run` restores it.

    Raises FairvizError for a run that was not added and for a folder that cannot be written; then nothing is changed.
    """
    _copy_run(study, system, runs_folder(study), DELETED)


@changes_study("restore a run", can_be_private=True)
def restore_run(study: "Study", system: str) -> None:
    """Restore a system's deleted run. Raises FairvizError if no such run was deleted or the study has a run of that
    name.
    """
    if system in study.systems:
        raise FairvizError(f"{study.name} has a run {system!r} already", "Delete that one first.")
    _copy_run(study, system, labels_folder(study) / DELETED, "runs")


@changes_study("rename a run", can_be_private=True)
def rename_run(study: "Study", system: str, name: str) -> None:
    """Give a system's added run another name.

    Raises FairvizError for a run that was not added, for a name that is taken or no name of a file, and for a folder
    that cannot be written; then nothing is changed.
    """
    if name in study.systems or name in deleted_systems(study):
        raise FairvizError(f"{study.name} has a run {name!r} already", "Choose another name.")
    if not name or name != Path(name).name or system_of(Path(f"{name}.run")) != name:
        raise FairvizError(f"{name!r} cannot be the name of a run", "Use letters, digits, spaces, commas, - and _.")
    _copy_run(study, system, runs_folder(study), "runs", name)


def _copy_run(study: "Study", system: str, source: Path, target: str, name: str = "") -> None:
    """Move all files of a run, or none, from one folder inside a study's folder to another, or to another name; a new
    name takes its place in the study's lists of drafts and tested systems."""
    if not run_files(source, system):
        raise FairvizError(f"{source} holds no run {system!r} of {study.name}", "Choose another system.")
    stored = stored_metadata(source.parent)
    lists: dict[str, tuple[str, ...]] = {}
    if name and not study.read_only and system in study.drafts:
        lists["drafts"] = tuple(dict.fromkeys([*stored.drafts, name]))
    for key in ("tested", "not_tested") if name else ():
        if system in (names := getattr(stored, key)):
            lists[key] = tuple(name if each == system else each for each in names)
    with (
        _writing(f"move the run {system!r} in {source.parent}"),
        changing(source.parent, lambda: run_files(source, system)) as draft_folder,
    ):
        (draft_folder / target).mkdir()
        for path in run_files(source, system):
            shutil.copyfile(path, draft_folder / target / f"{name or system}{path.name[len(system) :]}")
        if lists:
            write_keys(source.parent, draft_folder, **lists)


@changes_study("choose the tested systems", can_be_private=True)
def save_tested(study: "Study", tested: Collection[str]) -> None:
    """Write to the study's study.toml (for a built-in study: to that of its additions in the data folder) that exactly
    these of its systems are tested by default. Only exceptions are written: references and edited lists that are
    tested, and other systems that are not.

    Raises FairvizError for a folder that cannot be written; then nothing is changed.
    """
    folder, chosen = labels_folder(study), with_tested(study, tested)
    with _writing(f"write {folder / FILE}"):
        if study.read_only:  # the additions in the data folder
            make_private_folder(folder.parent)
        with changing(folder) as draft_folder:
            write_keys(folder, draft_folder, tested=chosen.tested, not_tested=chosen.not_tested)


@changes_study("declare a claim", can_be_private=True)
def save_claim(study: "Study", claim: Claim) -> Path:
    """Write the claim to the study's study.toml (for a built-in study: to that of its additions in the data folder) and
    return this file.

    Raises FairvizError for a study or a folder that cannot be written; then nothing is changed.
    """
    folder = labels_folder(study)
    with _writing(f"write {folder / FILE}"):
        if study.read_only:  # the additions in the data folder
            make_private_folder(folder.parent)
        with changing(folder) as draft_folder:
            write_claim(folder, draft_folder, claim)
    return folder / FILE


# Labels.


def check_new_annotators(
    study: "Study", names: Collection[str], *, replace: bool = False, own: Collection[str] = ()
) -> None:
    """Raise FairvizError if the study has labels by one of these annotators, unless they were added and are replaced,
    and if no labels can be written.

    own: annotators whose labels the caller wrote earlier; their kind does not matter.
    """
    folder = labels_folder(study)
    existing = set(study.labels["annotator"].unique()) & set(names) - set(own)
    added = _added_annotators(folder) if existing and study.read_only else set()
    for name in sorted(existing):
        if study.read_only and name not in added:
            raise FairvizError(
                f"the labels by {name} are part of the built-in study {study.name}", "Choose another annotator."
            )
        if study.read_only or replace:
            kind = study.annotators[name].kind if name in study.annotators else ""
            if kind not in ("rule", "model"):
                raise FairvizError(
                    f"the labels by {name} in {study.name} are not known to be a rule's or a model's, and are kept",
                    "Rename that annotator in the file of labels first.",
                )
        if not replace:
            raise FairvizError(f"{study.name} has labels by {name} already", "Add --replace to overwrite them.")
    _refuse_unwritable(folder)


def _added_annotators(folder: Path) -> set[str]:
    """Return the annotators in a folder of additions to a built-in study."""
    if not _label_files(folder):
        return set()
    return set(read_folder(folder).tables["labels"]["annotator"].unique())


def _refuse_unwritable(folder: Path) -> None:
    """Raise FairvizError if the folder cannot be written or created, before a model is paid for labels."""
    task, retry = f"write the labels into {folder}", "run it"
    existing = next(one for one in (folder, *folder.parents) if os.path.lexists(one))
    if not os.path.isdir(existing):
        raise _write_error(task, os.strerror(errno.ENOTDIR), retry)
    if not os.access(existing, os.W_OK | os.X_OK):
        raise _write_error(task, os.strerror(errno.EACCES), retry)


@changes_study("add labels", can_be_private=True)
def save_labels(
    study: "Study",
    labels: "pd.DataFrame",
    annotators: "Mapping[str, Annotator]",
    *,
    replace: bool = False,
    own: Collection[str] = (),
) -> Path:
    """Append the labels to the study's folder (for a built-in study: in the data folder), record each annotator in its
    study.toml, and return the file of labels.

    Earlier labels by the same annotators are replaced if `replace` is set. own: annotators, people included, whose
    labels the caller wrote earlier; these labels are replaced. Raises FairvizError if labels may not be replaced or the
    folder cannot be written; then nothing is written.
    """
    check_new_annotators(study, annotators, replace=replace, own=own)
    folder = labels_folder(study)
    with _writing(f"write the labels into {folder}", "run it"):
        if study.read_only:  # the additions in the data folder
            make_private_folder(folder)
        folder.mkdir(parents=True, exist_ok=True)
        content = _read_content(study, folder)
        table = _join_labels(content, labels, replaced=[*annotators, *own])
        with changing(folder, lambda: find_files(folder).parts["labels"]) as draft_folder:
            write_table(table, draft_folder, "labels")
            _write_annotators(content.metadata, annotators, folder, draft_folder)
            file = next(path for path in draft_folder.iterdir() if path.name != FILE)
            check_reads_back_labels(table, read_labels(file, draft_folder, None))
    return folder / file.name


def _read_content(study: "Study", folder: Path) -> Content:
    """Return the content of the folder; of a built-in study's additions with the groups to which the labels belong."""
    content = read_folder(folder) if find_files(folder).all else Content(Metadata())
    if not study.read_only:
        return content
    metadata = changed(content.metadata, groups=study.groups, neutral=study.neutral, protected=study.protected)
    return changed(content, metadata=metadata)


def _join_labels(content: Content, labels: "pd.DataFrame", replaced: Collection[str]) -> "pd.DataFrame":
    """Return the folder's labels without those of the replaced annotators, followed by the new ones."""
    earlier = content.tables.get("labels")
    if earlier is None:
        return labels
    kept = earlier[~earlier["annotator"].isin(replaced)]
    return _filled(pd.concat([kept, labels], ignore_index=True))


def _write_annotators(
    metadata: Metadata, annotators: "Mapping[str, Annotator]", folder: Path, draft_folder: Path
) -> None:
    """Write study.toml with the annotators; new ones are appended, which keeps its comments."""
    entries = {name: (who.kind, who.description) for name, who in annotators.items()}
    new_entries = {name: entry for name, entry in entries.items() if name not in metadata.annotators}
    more = format_metadata(Metadata(annotators=new_entries)) if new_entries else ""
    target = changed(metadata, annotators={**metadata.annotators, **entries})
    write_edited(folder, draft_folder, target, lambda text: text.rstrip("\n") + "\n" + more)


def saved_annotators(study: "Study") -> tuple[str, ...]:
    """Return the annotators whose labels are in the study's folder (built-in study: in the data folder)."""
    return tuple(_read_labels(study, labels_folder(study))["annotator"].drop_duplicates())


def deleted_annotators(study: "Study") -> tuple[str, ...]:
    """Return the annotators whose labels were deleted and can be restored: the study has no others by that name."""
    names = _read_labels(study, labels_folder(study) / DELETED_LABELS)["annotator"]
    return tuple(sorted(set(names) - set(study.labels["annotator"])))


@changes_study("delete labels", can_be_private=True)
def delete_labels(study: "Study", annotator: str) -> None:
    """Remove an annotator's labels from the study; `restore_labels` restores them.

    Raises FairvizError for labels that were not added, for the only content of a study, and for a folder that cannot
    be written; then nothing is changed.
    """
    folder = labels_folder(study)
    is_rest = study.read_only or any(study.has(part) for part in OTHER_PARTS)
    if not is_rest and saved_annotators(study) == (annotator,):
        raise FairvizError(f"{study.name} has nothing but the labels by {annotator!r}", "Add another part first.")
    _move_labels(study, annotator, folder, folder / DELETED_LABELS)


@changes_study("restore labels", can_be_private=True)
def restore_labels(study: "Study", annotator: str) -> None:
    """Restore an annotator's deleted labels. Raises FairvizError if there are none, or others by that name."""
    if annotator in set(study.labels["annotator"]):
        raise FairvizError(f"{study.name} has labels by {annotator!r} already", "Delete those first.")
    folder = labels_folder(study)
    _move_labels(study, annotator, folder / DELETED_LABELS, folder)


def _move_labels(study: "Study", annotator: str, source: Path, target: Path) -> None:
    """Move an annotator's labels between the study's folder and the folder of deleted ones in it, and the name of the
    default annotator with them; a newer default stays."""
    labels, other_labels = _labels_with(study, annotator, source), _read_labels(study, target)
    moved = labels["annotator"] == annotator
    joined_labels = pd.concat([other_labels[other_labels["annotator"] != annotator], labels[moved]], ignore_index=True)
    folder = labels_folder(study)
    with (
        _writing(f"change the labels by {annotator!r} in {folder}"),
        changing(folder, lambda: [*_label_files(source), *_label_files(target)]) as draft_folder,
    ):
        for place, table in ((source, labels[~moved]), (target, joined_labels)):
            draft_place = draft_folder / place.relative_to(folder)
            draft_place.mkdir(exist_ok=True)
            if len(table):
                write_table(_filled(table.reset_index(drop=True)), draft_place, "labels")
        if stored_metadata(source).annotator == annotator:
            defaults = {source: "", target: stored_metadata(target).annotator or annotator}
            for place, value in defaults.items():
                if stored_metadata(place).annotator != value:
                    write_keys(place, draft_folder / place.relative_to(folder), annotator=value)


@changes_study("rename labels", can_be_private=True)
def rename_labels(study: "Study", annotator: str, name: str) -> None:
    """Give the annotator of added labels another name, also in study.toml.

    Raises FairvizError for labels that were not added, for a name that is taken or empty, and for a folder that cannot
    be written; then nothing is changed.
    """
    if name in set(study.labels["annotator"]) or name in deleted_annotators(study):
        raise FairvizError(f"{study.name} has labels by {name!r} already", "Choose another name.")
    if not name.strip() or not name.isprintable():
        raise FairvizError(f"{name!r} cannot name an annotator", "Use letters, digits, spaces and signs.")
    folder = labels_folder(study)
    labels = _labels_with(study, annotator, folder)
    renamed_labels = labels.assign(annotator=labels["annotator"].where(labels["annotator"] != annotator, name))
    metadata = stored_metadata(folder)
    entries = {name if key == annotator else key: entry for key, entry in metadata.annotators.items()}
    default = name if metadata.annotator == annotator else metadata.annotator
    target = changed(metadata, annotators=entries, annotator=default)

    def edit(text: str) -> str:
        """Return the text of study.toml with the heading of the annotator's table, and the default one, renamed."""
        old, new = (format_metadata(Metadata(annotators={each: ("", "")})).strip() for each in (annotator, name))
        return with_key(text.replace(old, new), "annotator", default)

    with (
        _writing(f"change the labels by {annotator!r} in {folder}"),
        changing(folder, lambda: _label_files(folder)) as draft_folder,
    ):
        write_table(renamed_labels, draft_folder, "labels")
        if target != metadata:
            write_edited(folder, draft_folder, target, edit)


def _read_labels(study: "Study", folder: Path) -> pd.DataFrame:
    """Return the labels in a folder; none without a file of labels."""
    files = _label_files(folder)
    groups = (study.neutral, *study.groups) if study.label_kind == "gender" else None
    return read_labels(files[0], folder, groups) if files else empty(LABELS)


def _labels_with(study: "Study", annotator: str, folder: Path) -> pd.DataFrame:
    """Return the labels in a folder. Raises FairvizError if there are none by this annotator."""
    labels = _read_labels(study, folder)
    if annotator not in set(labels["annotator"]):
        raise FairvizError(f"{folder} holds no labels by {annotator!r} of {study.name}", "Choose another annotator.")
    return labels


def _label_files(folder: Path) -> list[Path]:
    return find_files(folder).parts["labels"] if folder.is_dir() else []


def _filled(labels: pd.DataFrame) -> pd.DataFrame:
    """Return the labels with empty text where another annotator's have a column that these lack."""
    texts = [str(name) for name in labels if isinstance(labels[name].dtype, pd.StringDtype)]
    return labels.assign(**{name: labels[name].fillna("") for name in texts})


# The word list. A built-in study takes none.


def saved_lists(study: "Study") -> tuple[str, ...]:
    """Return the name of the word list in the study's folder, if there is one."""
    if study.read_only or study.folder is None or study.lexicon is None:
        return ()
    return (study.lexicon.name,)


def deleted_lists(study: "Study") -> tuple[str, ...]:
    """Return the deleted word lists that can be restored: none while the study has a list."""
    if study.read_only or study.folder is None or study.lexicon is not None:
        return ()
    return tuple(_deleted_lists(study.folder))


@changes_study("delete a word list", can_be_private=True)
def delete_list(study: "Study", name: str) -> None:
    """Remove the study's word list; `restore_list` restores it.

    Raises FairvizError for another name and for a folder that cannot be written; then nothing is changed.
    """
    folder, file, lexicon = _list_file(study, name)
    with _changing_list(name, folder, file) as draft_folder:
        (draft_folder / DELETED_LISTS).mkdir()
        write_lexicon(lexicon, draft_folder / DELETED_LISTS)
        if stored_metadata(folder).lexicon:
            write_keys(folder, draft_folder, lexicon="")


@changes_study("restore a word list", can_be_private=True)
def restore_list(study: "Study", name: str) -> None:
    """Restore a deleted word list. Raises FairvizError if there is none by that name, or the study has a list."""
    if name not in deleted_lists(study):
        raise FairvizError(f"no word list {name!r} of {study.name} can be restored", "Delete the study's list first.")
    folder = study.folder or Path()
    file = _deleted_lists(folder)[name]
    with _changing_list(name, folder, file) as draft_folder:
        shutil.copyfile(file, draft_folder / file.name)
        _write_list_name(study, folder, draft_folder, file.name)


@changes_study("rename a word list", can_be_private=True)
def rename_list(study: "Study", name: str, new_name: str) -> None:
    """Give the study's word list another name.

    Raises FairvizError for a name that is taken or not one of a file, and for a folder that cannot be written; then
    nothing is changed.
    """
    folder, file, lexicon = _list_file(study, name)
    with _changing_list(name, folder, file) as draft_folder:
        file_name = write_lexicon(changed(lexicon, name=new_name), draft_folder)
        if new_name in _deleted_lists(folder):
            raise _taken_list(study, new_name)
        _write_list_name(study, folder, draft_folder, file_name)


def _list_file(study: "Study", name: str) -> tuple[Path, Path, Lexicon]:
    """Return the study's folder, the file of its word list, and the list. Raises FairvizError for another name."""
    if study.folder is None or study.lexicon is None or name not in saved_lists(study):
        raise FairvizError(f"{study.name} holds no word list {name!r}", "Choose another list.")
    named_file = stored_metadata(study.folder).lexicon
    file = study.folder / named_file if named_file else find_files(study.folder).parts["lexicon"][0]
    return study.folder, file, study.lexicon


def _deleted_lists(folder: Path) -> dict[str, Path]:
    """Return the files of the deleted word lists by name."""
    files = sorted((folder / DELETED_LISTS).glob("*")) if (folder / DELETED_LISTS).is_dir() else []
    return {lexicon_name(file): file for file in files if file.name.endswith(SUFFIXES)}


@contextmanager
def _changing_list(name: str, folder: Path, file: Path) -> Iterator[Path]:
    """Yield a draft folder, whose files replace the file of the word list. Raises FairvizError where that cannot be
    written."""
    with _writing(f"change the word list {name!r} in {folder}"), changing(folder, lambda: [file]) as draft_folder:
        yield draft_folder


def _write_list_name(study: "Study", folder: Path, draft_folder: Path, file_name: str) -> None:
    """Name the file of the word list in study.toml; lexicon.csv needs no entry. Raises FairvizError if the folder has a
    file of that name already."""
    if (folder / file_name).exists():
        raise _taken_list(study, lexicon_name(file_name))
    value = "" if file_name == "lexicon.csv" else file_name
    if value != stored_metadata(folder).lexicon:
        write_keys(folder, draft_folder, lexicon=value)


def _taken_list(study: "Study", name: str) -> FairvizError:
    return FairvizError(f"{study.name} has a word list {name!r} already", "Choose another name.")


# Texts of documents.


def attach(
    study: "Study", collection: Path, progress: Callable[[int, int], None], *, replace: bool = False
) -> tuple[Path, int, int]:
    """Write the documents named by the study's runs and labels from the collection, which may be too large to open, to
    the study's folder.

    Returns the file, the number of documents in it and the number that the study names. The complete file replaces an
    existing one atomically. Raises FairvizError if the study cannot take documents or the collection has none of them,
    DataError for its bad lines; then the study is unchanged.
    """
    folder = _target_folder(study, replace)
    doc_ids = {*study.retrieved, *study.labels["doc_id"]}
    if not doc_ids:
        raise FairvizError(
            f"{study.name} names no document: it has neither runs nor labels", "Add runs/NAME.run or labels.csv first."
        )
    with (
        _writing(f"write the documents into {folder}", "run it"),
        changing(folder, lambda: find_files(folder).parts["documents"]) as draft_folder,
    ):
        count = keep_documents(collection, doc_ids, draft_folder / DOCUMENTS, progress)
        if not count:
            raise FairvizError(
                f"{collection.name} holds none of the {len(doc_ids):,} documents that {study.name} names",
                f"Check that it is the right collection: the study names {min(doc_ids)!r} and others.",
            )
    return folder / DOCUMENTS, count, len(doc_ids)


def _target_folder(study: "Study", replace: bool) -> Path:
    """Return the study's folder. Raises FairvizError if the study cannot take documents."""
    if study.read_only or study.folder is None:
        raise FairvizError(f"{study.name} is built in, and stays as it is", "Attach to a study folder of your own.")
    files = find_files(study.folder).parts["documents"]
    if study.has("documents") and not files:
        raise FairvizError(
            f"the documents of {study.name} come from its study.toml", "Remove the line that names them first."
        )
    if files and not replace:
        raise FairvizError(
            f"{study.name} has documents already ({files[0].name})",
            "Add --replace to put those of the collection in their place.",
        )
    return study.folder
