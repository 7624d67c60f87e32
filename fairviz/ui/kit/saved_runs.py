"""Systems saved here: each can be renamed or deleted, and a deleted one restored."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from fairviz.analyses.what_if.saving import without_run
from fairviz.datasets.additions import added_systems, delete_run, deleted_systems, rename_run, restore_run
from fairviz.home import is_shared
from fairviz.study.record import EDITED, Study
from fairviz.study.study import add_runs
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import going, library

OUTCOME = "laboratory_outcome"  # message on the last save, deletion or restoration: kind, text and remedy
DELETED = "laboratory_deleted"  # runs deleted from studies of this session, by study and system
LABORATORY = "laboratory"
LONGEST_NAME = 60  # characters
Change = Callable[[Study, str], None]


def panel(study: Study, page: str) -> None:
    """Draw the systems that can be renamed, deleted or restored, if there are any; on the What-if page the edited
    lists alone. page: begins the keys of the widgets.

    If the page is open to others, runs in the data folder cannot be changed.
    """
    if is_shared() and not library.is_own(study):
        return
    if page != LABORATORY and (message := st.session_state.pop(OUTCOME, None)):
        html.message(*message)
    saved_names, deleted_names = _saved_names(study), _deleted_names(study)
    if page == LABORATORY:
        saved_names = tuple(name for name in saved_names if EDITED in name)
    if not saved_names and not deleted_names:
        return
    with st.popover("Saved systems", width="stretch", key=f"{page}_saved"):
        if page != LABORATORY:
            _rename_row(study, saved_names, page)
        _row(study, saved_names, "Delete", _delete, page)
        _row(study, deleted_names, "Restore", _restore, page)
        html.quiet("A deleted system leaves every page. Restore brings it back.")
        if page == LABORATORY:
            st.button(
                "Manage on Data", key="laboratory_to_data", on_click=guarded(going.to_page), args=("pages/data.py",)
            )


def _row(study: Study, names: tuple[str, ...], verb: str, change: Change, page: str) -> None:
    if not names:
        return
    pick, button = st.columns([7, 3], vertical_alignment="bottom")
    key = f"{page}_{verb.lower()}"
    name = pick.selectbox(f"{verb} a system", names, key=f"{key}_name")
    button.button(verb, key=key, on_click=guarded(change), args=(study, name), width="stretch")


def _rename_row(study: Study, names: tuple[str, ...], page: str) -> None:
    if not names:
        return
    pick, text, button = st.columns([4, 3, 3], vertical_alignment="bottom")
    name = pick.selectbox("Rename a system", names, key=f"{page}_rename_name")
    new_name = text.text_input("New name", key=f"{page}_rename_text", max_chars=LONGEST_NAME)
    button.button("Rename", key=f"{page}_rename", on_click=guarded(_rename), args=(study, name, new_name.strip()),
                  disabled=not new_name.strip(), width="stretch")  # fmt: skip


def _saved_names(study: Study) -> tuple[str, ...]:
    return study.systems if library.is_own(study) else added_systems(study) if _is_saved(study) else ()


def _deleted_names(study: Study) -> tuple[str, ...]:
    if library.is_own(study):
        return tuple(name for name in _runs(study) if name not in study.systems)
    return deleted_systems(study) if _is_saved(study) else ()


def _is_saved(study: Study) -> bool:
    return study.read_only or study.folder is not None


def _runs(study: Study) -> dict[str, pd.DataFrame]:
    """Return the runs deleted from this study of the session, by system."""
    return st.session_state.setdefault(DELETED, {}).setdefault(study.name, {})


def _delete(study: Study, name: str) -> None:
    if library.is_own(study):
        remaining_study = without_run(study, name)
        rows = study.runs[study.runs["system"] == name]
        _runs(study)[name] = rows.assign(system=rows["system"].cat.remove_unused_categories())
        library.keep(remaining_study)
    else:
        delete_run(study, name)
    st.session_state[OUTCOME] = ("good", f"{name}: deleted. Saved systems restores it.", "")


def _rename(study: Study, name: str, new_name: str) -> None:
    if library.is_own(study):
        rows = study.runs[study.runs["system"] == name]
        renamed_rows = rows.assign(system=pd.Categorical([new_name] * len(rows)))
        library.keep(add_runs(without_run(study, name), renamed_rows))
    else:
        rename_run(study, name, new_name)
    st.session_state[OUTCOME] = ("good", f"{name} is now {new_name}. Rename it again to undo.", "")


def _restore(study: Study, name: str) -> None:
    if library.is_own(study):
        library.keep(add_runs(study, _runs(study)[name]))
        del _runs(study)[name]
    else:
        restore_run(study, name)
    st.session_state[OUTCOME] = ("good", f"{name}: restored. Every page shows it again.", "")
