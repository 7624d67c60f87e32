"""Systems, labels and word lists saved here: each can be renamed or deleted, and a deleted one restored."""

from collections.abc import Callable
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
from fairviz.home.access import allows, has_overlay, may_add
from fairviz.home.server_config import OWNER, server_config
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

    def saved_names(self, study: Study) -> tuple[str, ...]:
        """Return the names that can be renamed or deleted."""
        if library.is_own(study):
            return self.names(_own(study))
        return self.saved(study) if _is_saved(study) else ()

    def deleted_names(self, study: Study) -> tuple[str, ...]:
        """Return the names that can be restored."""
        if library.is_own(study):
            return tuple(name for name in self.removed(study) if name not in self.names(_own(study)))
        return self.deleted(study) if _is_saved(study) else ()

    def removed(self, study: Study) -> dict[str, Any]:
        """Return what was deleted from this study of the session, by name."""
        removed_parts = st.session_state.setdefault(DELETED, {}).setdefault(study.name, {})
        return removed_parts.setdefault(self.key, {})


def panel(study: Study, page: str) -> None:
    """Draw the parts that can be renamed, deleted or restored, if there are any; on the What-if page the edited lists
    alone. page: begins the keys of the widgets.

    If the page is open to others, only an owner or the person who saved them changes parts in the data folder.
    """
    is_known = server_config() is not None and may_add(study.name)
    if is_shared() and not is_known and not library.is_own(study):
        return
    if page != LABORATORY and (message := st.session_state.pop(OUTCOME, None)):
        html.message(*message)
    parts = [part for part in PARTS if page != LABORATORY or part is SYSTEMS]
    names = {}
    for part in parts:
        saved_names = (name for name in part.saved_names(study) if page != LABORATORY or EDITED in name)
        names[part.key] = tuple(saved_names), part.deleted_names(study)
    parts = [part for part in parts if any(names[part.key])]
    if not parts:
        return
    for column, part in zip(st.columns(len(parts)), parts, strict=True):
        with column:
            _card(study, part, page, *names[part.key])


def _card(study: Study, part: Part, page: str, saved_names: tuple[str, ...], deleted_names: tuple[str, ...]) -> None:
    """Draw the rows of one kind of part in a popover."""
    with st.popover(part.title, width="stretch", key=f"{page}{part.key}_saved"):
        if page != LABORATORY:
            _rename_row(study, part, saved_names, page)
        if has_overlay(study.name) and part.table and page != LABORATORY:
            _row(study, part, saved_names, "Hand in", _hand_in, page)
        _row(study, part, saved_names, "Delete", _delete, page)
        _row(study, part, deleted_names, "Restore", _restore, page)
        html.quiet(f"A deleted {part.noun} leaves every page. Restore brings it back.")
        if page == LABORATORY:
            st.button(
                "Manage on Data", key="laboratory_to_data", on_click=guarded(going.to_page), args=("pages/data.py",)
            )


def _row(study: Study, part: Part, names: tuple[str, ...], verb: str, change: Callable, page: str) -> None:
    if not names:
        return
    pick, button = st.columns([7, 3], vertical_alignment="bottom")
    key = f"{page}{part.key}_{verb.lower()}"
    name = pick.selectbox(f"{verb} {with_article(part.noun)}", names, key=f"{key}_name")
    button.button(verb, key=key, on_click=guarded(change), args=(study, part, name), width="stretch")


def _rename_row(study: Study, part: Part, names: tuple[str, ...], page: str) -> None:
    if not names:
        return
    pick, text, button = st.columns([4, 3, 3], vertical_alignment="bottom")
    key = f"{page}{part.key}_rename"
    name = pick.selectbox(f"Rename {with_article(part.noun)}", names, key=f"{key}_name")
    new_name = text.text_input("New name", key=f"{key}_text", max_chars=LONGEST_NAME).strip()
    button.button("Rename", key=key, on_click=guarded(_rename), args=(study, part, name, new_name),
                  disabled=not new_name, width="stretch")  # fmt: skip


def _is_saved(study: Study) -> bool:
    return study.read_only or study.folder is not None


def _own(study: Study) -> Study:
    """Return the study as uploaded in this session, without adjudications."""
    return library.own_studies()[study.name]


def _delete(study: Study, part: Part, name: str) -> None:
    if library.is_own(study):
        own_study = _own(study)
        remaining_study = part.remove(own_study, name)
        part.removed(study)[name] = part.rows(own_study, name)
        library.keep(remaining_study)
    else:
        part.delete(study, name)
    st.session_state[OUTCOME] = ("good", f"{name}: deleted. {part.title} restores it.", "")


def _hand_in(study: Study, part: Part, name: str) -> None:
    offer(study, part.table, name)
    st.session_state[OUTCOME] = ("good", f"{name}: handed to the owner of {study.name}. You keep it.", "")


def handed_in(study: Study) -> None:
    """Draw what people handed in, with buttons to take or decline it: for an owner of a study on a server."""
    if server_config() is None or not allows(study.name, OWNER) or library.is_own(study):
        return
    waiting = offers(study)
    if waiting:
        html.strong("Handed in")
    for one in waiting:
        text, take_column, decline_column = st.columns([7, 1.5, 1.5], vertical_alignment="center")
        with text:
            noun = "Run" if one.part == "runs" else "Labels"
            html.definitions(
                [(f"{noun} {one.name}", f"{one.person}, {datetime.fromtimestamp(one.time):%Y-%m-%d %H:%M}")]
            )
        key = f"handed_in_{one.folder.name}"
        take_column.button("Take", key=f"{key}_take", width="stretch", on_click=guarded(_take), args=(study, one))
        decline_column.button(
            "Decline", key=f"{key}_decline", width="stretch", on_click=guarded(_decline), args=(study, one)
        )


def _take(study: Study, one: Offer) -> None:
    take(study, one)
    st.session_state[OUTCOME] = ("good", f"{one.name} is in {study.name}, for everybody.", "")


def _decline(study: Study, one: Offer) -> None:
    decline(study, one)
    st.session_state[OUTCOME] = ("good", f"{one.name}: declined. {one.person} keeps it.", "")


def _rename(study: Study, part: Part, name: str, new_name: str) -> None:
    if library.is_own(study):
        own_study = _own(study)
        if new_name in part.names(own_study):
            raise FairvizError(
                f"{study.name} has {with_article(part.noun)} {new_name!r} already", "Choose another name."
            )
        library.keep(part.remove(part.add(own_study, part.rows(own_study, name), new_name), name))
    else:
        part.rename(study, name, new_name)
    st.session_state[OUTCOME] = ("good", f"{name} is now {new_name}. Rename it again to undo.", "")


def _restore(study: Study, part: Part, name: str) -> None:
    if library.is_own(study):
        library.keep(part.add(_own(study), part.removed(study)[name], name))
        del part.removed(study)[name]
    else:
        part.restore(study, name)
    st.session_state[OUTCOME] = ("good", f"{name}: restored. Every page shows it again.", "")


def _run_rows(study: Study, name: str) -> pd.DataFrame:
    return study.runs[study.runs["system"] == name]


def _with_run(study: Study, rows: pd.DataFrame, name: str) -> Study:
    return add_runs(study, rows.assign(system=pd.Categorical([name] * len(rows))))


def _annotators(study: Study) -> tuple[str, ...]:
    return tuple(name for name in study.labels["annotator"].unique() if name != ADJUDICATED)


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


def _saved_annotators(study: Study) -> tuple[str, ...]:
    return tuple(name for name in additions.saved_annotators(study) if name != ADJUDICATED)


def _rename_labels(study: Study, name: str, new_name: str) -> None:
    additions.rename_labels(study, name, new_name)
    rename_annotator(study, name, new_name)


def _list_names(study: Study) -> tuple[str, ...]:
    return (study.lexicon.name,) if study.lexicon else ()


def _with_list(study: Study, lexicon: Any, name: str) -> Study:
    return with_fingerprint(replace(study, lexicon=replace(lexicon, name=name)))


def _without_list(study: Study, name: str) -> Study:
    return with_fingerprint(replace(study, lexicon=None)) if _list_names(study) == (name,) else study


SYSTEMS = Part(
    "", "system", "Saved systems", lambda study: study.systems, _run_rows, _with_run, without_run,
    additions.added_systems, additions.deleted_systems, additions.delete_run, additions.restore_run,
    additions.rename_run, "runs",
)  # fmt: skip
LABELS = Part(
    "_labels", "set of labels", "Saved labels", _annotators, _label_rows, _with_labels, _without_labels,
    _saved_annotators, additions.deleted_annotators, additions.delete_labels, additions.restore_labels,
    _rename_labels, "labels",
)  # fmt: skip
WORD_LISTS = Part(
    "_lists", "word list", "Saved word lists", _list_names, lambda study, name: study.lexicon, _with_list,
    _without_list, additions.saved_lists, additions.deleted_lists, additions.delete_list,
    additions.restore_list, additions.rename_list,
)  # fmt: skip
PARTS = (SYSTEMS, LABELS, WORD_LISTS)
