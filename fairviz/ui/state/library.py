"""The studies that the picker offers: built in, fetched, saved, and those of this session."""

import os
import uuid
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import streamlit as st

from fairviz.annotation.adjudications import origin
from fairviz.datasets import BUILTIN, additions_folder, resolve, stored_names, studies_folder
from fairviz.datasets.additions import save_claim, save_tested
from fairviz.errors import FairvizError
from fairviz.home import home_trouble
from fairviz.home.permissions import OWNER, VIEWER, permissions, shared_additions_folder, visitor
from fairviz.study.loaders.folder import study_stamp
from fairviz.study.loaders.metadata import Claim
from fairviz.study.loaders.writing import check_name
from fairviz.study.record import Study
from fairviz.study.study import with_tested
from fairviz.words.vectors import added_names

OWN, SESSION = "own_studies", "owner"


def own_studies() -> dict[str, Study]:
    """Return the studies uploaded in this session, by name; no other session has access to them."""
    return st.session_state.setdefault(OWN, {})


def is_own(study: Study) -> bool:
    """Return whether this study, with or without adjudications, was uploaded in this session."""
    own_study = own_studies().get(study.name)
    return own_study is not None and (own_study is study or origin(own_study) == origin(study))


def owner(study: Study) -> str:
    """Return a text that only this session has, for a study uploaded in it; the visitor's name for a study to which the
    visitor adds privately; empty for a study of all sessions."""
    if is_own(study):
        return str(st.session_state.setdefault(SESSION, uuid.uuid4().hex))
    person = visitor() if permissions().has_overlay(study.name) else None
    return person.name if person is not None else ""


def keep(study: Study) -> None:
    """Store the study for this session; it replaces a study of the same name."""
    own_studies()[study.name] = study


def keep_tested(study: Study, tested: Collection[str]) -> None:
    """Store with the study, of this session or in its folder, that exactly these of its systems are tested by
    default."""
    if is_own(study):
        keep(with_tested(own_studies()[study.name], tested))
    else:
        save_tested(study, tested)


def may_keep(study: Study) -> bool:
    """Return whether the visitor may store a choice with the study, of this session, privately or for all."""
    allowed = is_own(study) or permissions().has_overlay(study.name) or permissions().allows(study.name, OWNER)
    return allowed and not permissions().is_demo()


def keep_claim(study: Study, claim: Claim) -> None:
    """Store the declared claim with the study, of this session or in its folder."""
    if is_own(study):
        keep(replace(own_studies()[study.name], claim=claim))
    else:
        save_claim(study, claim)


def forget(name: str) -> None:
    """Drop the uploads of this session to a study."""
    own_studies().pop(name, None)


def startup_study() -> str:
    """Return the study that the app was started with (`fairviz app --study`); empty for none."""
    return os.environ.get("FAIRVIZ_STUDY", "")


def stored() -> tuple[str, ...]:
    """Return the names of the fetched and saved studies; none if the data folder cannot be read (see `trouble`)."""
    try:
        return stored_names()
    except FairvizError:
        return ()


def trouble() -> FairvizError | None:
    """Return the error in reading the data folder, for the page to show; None without one. Built-in studies open
    anyway."""
    home_error = home_trouble()
    if home_error is not None:
        return home_error
    try:
        stored_names()
        added_names()
    except FairvizError as error:
        return error
    return None


def names() -> tuple[str, ...]:
    """Return the names for the picker: built-in, in the data folder, given at the start of the app, and uploaded."""
    builtin = [name for name in BUILTIN if permissions().role(name)]
    if permissions().is_server:
        return tuple(dict.fromkeys([*stored(), *builtin, *own_studies()]))
    started_with = [startup_study()] if startup_study() else []
    every_name = [*builtin, *stored()]
    return tuple(dict.fromkeys([*every_name, *started_with, *own_studies()]))


def saved_folder(name: str) -> Path:
    """Return the folder in which *Save as study* stores a study. Raises: FairvizError for an unusable folder name."""
    check_name(name, "study")
    if name in BUILTIN:
        raise FairvizError(f"{name!r} is a built-in study", "Choose another name.")
    if permissions().is_server and permissions().is_of_all(name) and not permissions().is_server_owner():
        raise FairvizError(f"this server has a study {name!r}", "Choose another name.")
    return permissions().folder_to_save(name)


def stamp(name: str) -> tuple[tuple, ...]:
    """Return the stamp of the study's files, which changes with them: see fairviz.study.loaders.folder.study_stamp.

    On a server it differs for those who may not change the study, as they open it with additions of their own. A stamp
    taken before the study is opened is never newer than its content. Adjudications have a stamp of their own,
    fairviz.annotation.database.store_stamp.
    """
    permissions().require(name, VIEWER, "look")
    folders = [resolve(name) or Path(name)]
    if home_trouble() is None:
        folders += [shared_additions_folder(name), additions_folder(name)]
    facts = tuple(fact for folder in dict.fromkeys(folders) for fact in study_stamp(folder))
    return (*facts, ("read-only",)) if not permissions().allows(name, OWNER) else facts


def place_of(name: str) -> str:
    """Return the folder in which a study of this name would be saved; the folder of all studies for an unusable
    name."""
    try:
        return str(saved_folder(name))
    except FairvizError:
        return str(studies_folder())
