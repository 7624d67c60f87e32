"""The table of a server's studies; a tick opens one."""

from datetime import datetime
from functools import partial

import pandas as pd
import streamlit as st

from fairviz.datasets.stored import Listed, listed
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import going, library, session

KEY = "studies_table"
OVERVIEW = "pages/overview.py"


def draw() -> None:
    """Draw the studies that this visitor can open, with what the visitor may do to each."""
    studies = listed(library.names())
    frame = pd.DataFrame(
        {
            "study": [study.name for study in studies],
            "title": [study.title for study in studies],
            "systems": [study.systems for study in studies],
            "labels": ["yes" if study.labelled else "none" for study in studies],
            "size": [_size(study.bytes) for study in studies],
            "changed": [_day(study) for study in studies],
            "you are": [f"{study.role}, alone" if study.is_own else study.role for study in studies],
        }
    )
    st.dataframe(
        frame,
        key=KEY,
        hide_index=True,
        on_select=guarded(partial(_open, tuple(frame["study"]))),
        selection_mode="single-row",
        alt="Studies with title, size, last change and your role.",
    )
    for study in studies:
        if study.trouble:
            html.message("warning", f"{study.name}: {study.trouble}")


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 1e6 else f"{count / 1e3:,.0f} kB"


def _day(study: Listed) -> str:
    return f"{datetime.fromtimestamp(study.changed):%Y-%m-%d}" if study.changed else ""


def _open(names: tuple[str, ...]) -> None:
    rows = st.session_state[KEY]["selection"]["rows"]
    if rows and rows[0] < len(names):
        session.open_named(names[rows[0]])
        going.to_page(OVERVIEW)
