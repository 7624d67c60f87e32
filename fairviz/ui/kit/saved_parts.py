"""Systems, labels and word lists saved here: each can be renamed or deleted, and a deleted one restored."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import pandas as pd
import streamlit as st

from fairviz.analyses.what_if.experiment import without_run
from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.forms.forms import rename_annotator
from fairviz.datasets import additions
from fairviz.datasets.offers import Offer, decline, offer, offers, take
from fairviz.errors import FairvizError
from fairviz.home import is_shared
from fairviz.home.permissions import OWNER, permissions
from fairviz.study.record import EDITED, Annotator, Study, with_fingerprint
from fairviz.study.study import add_labels, add_runs
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import going, library
from fairviz.words.sentences import with_article

OUTCOME = "laboratory_outcome"  # message on the last save, deletion or restoration: kind, text and remedy
DELETED = "laboratory_deleted"  # parts deleted from studies of this session, by study, kind of part and name
LABORATORY = "laboratory"
LONGEST_NAME = 60  # characters
Names = Callable[[Study], tuple[str, ...]]
Change = Callable[[Study, str], None]


@dataclass(frozen=True)
class Part:
    """A kind of part that is saved by name.

    key: part of its widgets' keys. names, rows, add, remove: of a study of this session, the present names, the content
    under a name, and the study with that content under a name or without it. table: of the study, if the part can be
    handed in. The others change a study's folder.
    """

    key: str
    noun: str
    title: str
    names: Names
    rows: Callable[[Study, str], Any]
    add: Callable[[Study, Any, str], Study]
    remove: Callable[[Study, str], Study]
    saved: Names
    deleted: Names
    delete: Change
    restore: Change
    rename: Callable[[Study, str, str], None]
    table: str = ""

    def names_of(self, study: Study) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the names that can be renamed or deleted, and those that can be restored."""
        if library.is_own(study):
            names = self.names(_own(study))
            return names, tuple(name for name in self.removed(study) if name not in names)
        if study.read_only or study.folder is not None:
            return self.saved(study), self.deleted(study)
        return (), ()

    def removed(self, study: Study) -> dict[str, Any]:
        """Return what was deleted from this study of the session, by name."""
        removed_parts = st.session_state.setdefault(DELETED, {}).setdefault(study.name, {})
        return removed_parts.setdefault(self.key, {})


def panel(study: Study, page: str) -> None:
    """Draw the parts that can be renamed, deleted or restored, if there are any; on the What-if page the edited lists
    alone. page: begins the keys of the widgets.

    If the page is open to others, only an owner or the person who saved them changes parts in the data folder.
    """
    is_known = permissions().is_server and permissions().may_add(study.name)
    if is_shared() and not is_known and not library.is_own(study):
        return
    if page != LABORATORY and (message := st.session_state.pop(OUTCOME, None)):
        html.message(*message)
    cards = []
    for part in PARTS if page != LABORATORY else (SYSTEMS,):
        saved, deleted = part.names_of(study)
        saved = tuple(name for name in saved if page != LABORATORY or EDITED in name)
        if saved or deleted:
            cards.append((part, saved, deleted))
    if cards:
        for column, (part, saved, deleted) in zip(st.columns(len(cards)), cards, strict=True):
            with column, st.popover(part.title, width="stretch", key=f"{page}{part.key}_saved"):
                _draw_rows(study, part, page, saved, deleted)


def _draw_rows(study: Study, part: Part, page: str, saved: tuple[str, ...], deleted: tuple[str, ...]) -> None:
    """Draw a row for each verb: a name, for a new name a field, and the button."""
    verbs: list[tuple[str, tuple[str, ...], Callable]] = [("Delete", saved, _delete), ("Restore", deleted, _restore)]
    if page != LABORATORY:
        can_be_offered = part.table and permissions().has_overlay(study.name)
        offered = [("Hand in", saved, _hand_in)] if can_be_offered else []
        verbs = [("Rename", saved, _rename), *offered, *verbs]
    for verb, names, change in verbs:
        if not names:
            continue
        key, arguments = f"{page}{part.key}_{verb.lower()}", list[str]()
        pick, *text, button = st.columns([4, 3, 3] if verb == "Rename" else [7, 3], vertical_alignment="bottom")
        arguments.append(pick.selectbox(f"{verb} {with_article(part.noun)}", names, key=f"{key}_name"))
        if text:
            arguments.append(text[0].text_input("New name", key=f"{key}_text", max_chars=LONGEST_NAME).strip())
        button.button(
            verb, key=key, on_click=guarded(change), args=(study, part, *arguments), disabled=not arguments[-1],
            width="stretch", help=f"A deleted {part.noun} leaves every page. Restore brings it back.",
        )  # fmt: skip
    if page == LABORATORY:
        st.button("Manage on Data", key="laboratory_to_data", on_click=guarded(going.to_page), args=("pages/data.py",))


def _own(study: Study) -> Study:
    """Return the study as uploaded in this session, without adjudications."""
    return library.own_studies()[study.name]


def _report(text: str) -> None:
    st.session_state[OUTCOME] = ("good", text, "")


def _delete(study: Study, part: Part, name: str) -> None:
    if library.is_own(study):
        own_study = _own(study)
        remaining_study = part.remove(own_study, name)
        part.removed(study)[name] = part.rows(own_study, name)
        library.keep(remaining_study)
    else:
        part.delete(study, name)
    _report(f"{name}: deleted. {part.title} restores it.")


def _restore(study: Study, part: Part, name: str) -> None:
    if library.is_own(study):
        library.keep(part.add(_own(study), part.removed(study)[name], name))
        del part.removed(study)[name]
    else:
        part.restore(study, name)
    _report(f"{name}: restored. Every page shows it again.")


def _rename(study: Study, part: Part, name: str, new_name: str) -> None:
    if library.is_own(study):
        own_study = _own(study)
        if new_name in part.names(own_study):
            taken = f"{study.name} has {with_article(part.noun)} {new_name!r} already"
            raise FairvizError(taken, "Choose another name.")
        library.keep(part.remove(part.add(own_study, part.rows(own_study, name), new_name), name))
    else:
        part.rename(study, name, new_name)
    _report(f"{name} is now {new_name}. Rename it again to undo.")


def _hand_in(study: Study, part: Part, name: str) -> None:
    offer(study, part.table, name)
    _report(f"{name}: handed to the owner of {study.name}. You keep it.")


def handed_in(study: Study) -> None:
    """Draw what people handed in, with buttons to take or decline it: for an owner of a study on a server."""
    if not permissions().is_server or not permissions().allows(study.name, OWNER) or library.is_own(study):
        return
    waiting = offers(study)
    if waiting:
        html.strong("Handed in")
    for one in waiting:
        text, take_column, decline_column = st.columns([7, 1.5, 1.5], vertical_alignment="center")
        with text:
            name = f"{'Run' if one.part == 'runs' else 'Labels'} {one.name}"
            html.definitions([(name, f"{one.person}, {datetime.fromtimestamp(one.time):%Y-%m-%d %H:%M}")])
        key = f"handed_in_{one.folder.name}"
        take_column.button("Take", key=f"{key}_take", width="stretch", on_click=guarded(_take), args=(study, one))
        decline_column.button(
            "Decline", key=f"{key}_decline", width="stretch", on_click=guarded(_decline), args=(study, one)
        )


def _take(study: Study, one: Offer) -> None:
    take(study, one)
    _report(f"{one.name} is in {study.name}, for everybody.")


def _decline(study: Study, one: Offer) -> None:
    decline(study, one)
    _report(f"{one.name}: declined. {one.person} keeps it.")


def _label_rows(study: Study, name: str) -> tuple[pd.DataFrame, Annotator, bool]:
    """Return an annotator's labels and record, and whether it is the study's default annotator."""
    rows = study.labels[study.labels["annotator"] == name].reset_index(drop=True)
    return rows, study.annotators.get(name, Annotator(name)), study.annotator == name


def _with_labels(study: Study, content: tuple[pd.DataFrame, Annotator, bool], name: str) -> Study:
    rows, annotator, is_default = content
    labelled_study = add_labels(study, rows.assign(annotator=pd.Series([name] * len(rows), dtype="str")))
    annotators = {**labelled_study.annotators, name: replace(annotator, name=name)}
    default = name if is_default else study.annotator
    return with_fingerprint(replace(labelled_study, annotators=annotators, annotator=default))


def _without_labels(study: Study, name: str) -> Study:
    labels = study.labels[study.labels["annotator"] != name].reset_index(drop=True)
    annotators = {key: annotator for key, annotator in study.annotators.items() if key != name}
    default = "" if study.annotator == name else study.annotator
    return with_fingerprint(replace(study, labels=labels, annotators=annotators, annotator=default))


def _own_annotators(names: Iterable[str]) -> tuple[str, ...]:
    """Return the annotators without readers' decisions."""
    return tuple(name for name in names if name != ADJUDICATED)


def _rename_labels(study: Study, name: str, new_name: str) -> None:
    additions.rename_labels(study, name, new_name)
    rename_annotator(study, name, new_name)


def _list_names(study: Study) -> tuple[str, ...]:
    return (study.lexicon.name,) if study.lexicon else ()


SYSTEMS = Part(
    "", "system", "Saved systems", lambda study: study.systems,
    rows=lambda study, name: study.runs[study.runs["system"] == name],
    add=lambda study, rows, name: add_runs(study, rows.assign(system=pd.Categorical([name] * len(rows)))),
    remove=without_run, saved=additions.added_systems, deleted=additions.deleted_systems, delete=additions.delete_run,
    restore=additions.restore_run, rename=additions.rename_run, table="runs",
)  # fmt: skip
LABELS = Part(
    "_labels", "set of labels", "Saved labels", lambda study: _own_annotators(study.labels["annotator"].unique()),
    rows=_label_rows, add=_with_labels, remove=_without_labels,
    saved=lambda study: _own_annotators(additions.saved_annotators(study)), deleted=additions.deleted_annotators,
    delete=additions.delete_labels, restore=additions.restore_labels, rename=_rename_labels, table="labels",
)  # fmt: skip
WORD_LISTS = Part(
    "_lists", "word list", "Saved word lists", _list_names, rows=lambda study, name: study.lexicon,
    add=lambda study, lexicon, name: with_fingerprint(replace(study, lexicon=replace(lexicon, name=name))),
    remove=lambda study, name: (
        with_fingerprint(replace(study, lexicon=None)) if _list_names(study) == (name,) else study
    ),
    saved=additions.saved_lists, deleted=additions.deleted_lists, delete=additions.delete_list,
    restore=additions.restore_list, rename=additions.rename_list,
)  # fmt: skip
PARTS = (SYSTEMS, LABELS, WORD_LISTS)
