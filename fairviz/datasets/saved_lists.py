"""The word list in a study's folder: renamed, deleted and restored. A built-in study takes none."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.errors import FairvizError
from fairviz.home.access import changes_study
from fairviz.study.loaders.changes import changing
from fairviz.study.loaders.finding import find_files
from fairviz.study.loaders.metadata import stored_metadata, write_keys
from fairviz.study.loaders.word_files import SUFFIXES, lexicon_name
from fairviz.study.loaders.writing import write_lexicon
from fairviz.words.counting import Lexicon

if TYPE_CHECKING:
    from fairviz.study.record import Study

DELETED = ".deleted-lists"  # in the study's folder; hidden folders are not part of a study


def saved_lists(study: "Study") -> tuple[str, ...]:
    """Return the name of the word list in the study's folder, if there is one."""
    if study.read_only or study.folder is None or study.lexicon is None:
        return ()
    return (study.lexicon.name,)


def deleted_lists(study: "Study") -> tuple[str, ...]:
    """Return the deleted word lists that can be restored: none while the study has a list."""
    if study.read_only or study.folder is None or study.lexicon is not None:
        return ()
    return tuple(_deleted_files(study.folder))


@changes_study("delete a word list", can_be_private=True)
def delete_list(study: "Study", name: str) -> None:
    """Remove the study's word list; `restore_list` restores it.

    Raises FairvizError for another name and for a folder that cannot be written; then nothing is changed.
    """
    folder, file, lexicon = _list_file(study, name)
    try:
        with changing(folder, lambda: [file]) as draft_folder:
            (draft_folder / DELETED).mkdir()
            write_lexicon(lexicon, draft_folder / DELETED)
            if stored_metadata(folder).lexicon:
                write_keys(folder, draft_folder, lexicon="")
    except OSError as error:
        raise _unchangeable(name, folder, error) from error


@changes_study("restore a word list", can_be_private=True)
def restore_list(study: "Study", name: str) -> None:
    """Restore a deleted word list. Raises FairvizError if there is none by that name, or the study has a list."""
    if name not in deleted_lists(study):
        raise FairvizError(f"no word list {name!r} of {study.name} can be restored", "Delete the study's list first.")
    folder = study.folder or Path()
    file = _deleted_files(folder)[name]
    try:
        with changing(folder, lambda: [file]) as draft_folder:
            shutil.copyfile(file, draft_folder / file.name)
            _write_name(study, folder, draft_folder, file.name)
    except OSError as error:
        raise _unchangeable(name, folder, error) from error


@changes_study("rename a word list", can_be_private=True)
def rename_list(study: "Study", name: str, new_name: str) -> None:
    """Give the study's word list another name.

    Raises FairvizError for a name that is taken or not one of a file, and for a folder that cannot be written; then
    nothing is changed.
    """
    folder, file, lexicon = _list_file(study, name)
    try:
        with changing(folder, lambda: [file]) as draft_folder:
            written_name = write_lexicon(replace(lexicon, name=new_name), draft_folder)
            if new_name in _deleted_files(folder):
                raise _taken(study, new_name)
            _write_name(study, folder, draft_folder, written_name)
    except OSError as error:
        raise _unchangeable(name, folder, error) from error


def _list_file(study: "Study", name: str) -> tuple[Path, Path, Lexicon]:
    """Return the study's folder, the file of its word list, and the list. Raises FairvizError for another name."""
    if study.folder is None or study.lexicon is None or name not in saved_lists(study):
        raise FairvizError(f"{study.name} holds no word list {name!r}", "Choose another list.")
    named_file = stored_metadata(study.folder).lexicon
    file = study.folder / named_file if named_file else find_files(study.folder).parts["lexicon"][0]
    return study.folder, file, study.lexicon


def _deleted_files(folder: Path) -> dict[str, Path]:
    """Return the files of the deleted word lists by name."""
    files = sorted((folder / DELETED).glob("*")) if (folder / DELETED).is_dir() else []
    return {lexicon_name(file): file for file in files if file.name.endswith(SUFFIXES)}


def _write_name(study: "Study", folder: Path, draft_folder: Path, file_name: str) -> None:
    """Name the file of the word list in study.toml; lexicon.csv needs no entry. Raises FairvizError if the folder has
    a file of that name already."""
    if (folder / file_name).exists():
        raise _taken(study, lexicon_name(file_name))
    value = "" if file_name == "lexicon.csv" else file_name
    if value != stored_metadata(folder).lexicon:
        write_keys(folder, draft_folder, lexicon=value)


def _taken(study: "Study", name: str) -> FairvizError:
    return FairvizError(f"{study.name} has a word list {name!r} already", "Choose another name.")


def _unchangeable(name: str, folder: Path, error: OSError) -> FairvizError:
    return FairvizError(
        f"could not change the word list {name!r} in {folder}: {error.strerror or error}",
        "Make it a folder that you can write, with room, and try again.",
    )
