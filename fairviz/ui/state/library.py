"""The studies that the picker offers: built in, fetched, saved, and those of this session."""

import os
from pathlib import Path

import streamlit as st

from fairviz.annotation.adjudications import origin
from fairviz.datasets import BUILTIN, additions_folder, resolve, stored_names, studies_folder
from fairviz.errors import FairvizError
from fairviz.home import home_trouble
from fairviz.study.loaders.folder import study_stamp
from fairviz.study.loaders.writing import check_name
from fairviz.study.study import Study
from fairviz.words.added_vectors import added_names

OWN = "own_studies"


def own_studies() -> dict[str, Study]:
    """Studies that this session's uploads made, by name; no other session sees them."""
    return st.session_state.setdefault(OWN, {})


def is_own(study: Study) -> bool:
    """Whether this very study, with or without decisions, came from an upload of this session."""
    own = own_studies().get(study.name)
    return own is not None and (own is study or origin(own) == origin(study))


def keep(study: Study) -> None:
    """Makes the study this session's own, in place of the one of the same name."""
    own_studies()[study.name] = study


def forget(name: str) -> None:
    """Drops what this session uploaded to a study."""
    own_studies().pop(name, None)


def given() -> str:
    """The study that the app was started with (`fairviz app --study`), or nothing."""
    return os.environ.get("FAIRVIZ_STUDY", "")


def stored() -> tuple[str, ...]:
    """Names of the fetched and saved studies; none where the data folder cannot be read, which `trouble` says."""
    try:
        return stored_names()
    except FairvizError:
        return ()


def trouble() -> FairvizError | None:
    """What keeps the data folder from being read, for the page to say; built-in studies open all the same."""
    found = home_trouble()
    if found is not None:
        return found
    try:
        stored_names()
        added_names()
    except FairvizError as error:
        return error
    return None


def names() -> tuple[str, ...]:
    """Names for the picker: built-in ones, those in the data folder, the one the app was started with, own ones."""
    return tuple(dict.fromkeys([*BUILTIN, *stored(), *([given()] if given() else []), *own_studies()]))


def saved_folder(name: str) -> Path:
    """Where *Save as study* puts a study of this name. Raises FairvizError for a name that is no plain folder name."""
    check_name(name, "study")
    if name in BUILTIN:
        raise FairvizError(f"{name!r} is a built-in study", "Choose another name.")
    return studies_folder() / name


def stamp(name: str) -> tuple[tuple, ...]:
    """What the study's files are, which changes when the study does: see fairviz.study.loaders.folder.study_stamp.

    Taken before the study is opened, it is that of older content or of the same. Decisions have a stamp of their own,
    fairviz.annotation.adjudications.store_stamp.
    """
    folders = [resolve(name) or Path(name)]
    if home_trouble() is None:
        folders.append(additions_folder(name))
    return tuple(fact for folder in folders for fact in study_stamp(folder))


def place_of(name: str) -> str:
    """Where a study of this name would be saved, as text; the folder alone where the name is no good."""
    try:
        return str(saved_folder(name))
    except FairvizError:
        return str(studies_folder())
