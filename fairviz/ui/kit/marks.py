"""The mark of a figure whose measures a check is about, or on whose page a check's finding is seen.

`know` states what checks found; `mark` draws beside the export of a figure. No page marks its own figures.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

import pandas as pd
import streamlit as st

from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import going
from fairviz.ui.state.streamlit_internals import page_name

KNOWN, FIRST = "marks_known", "marks_first"  # what checks found; the first figure of the page, by its key
SIGNS: Mapping[Literal["issue", "tip"], str] = {"issue": ":material/error:", "tip": ":material/lightbulb:"}
OTHER_SETTINGS = "Found under other settings. "
_NAME = re.compile(r"\w+")


class Known(NamedTuple):
    """What a check found. measures: the names of those that it is about; empty for what is seen on a page alone."""

    state: str
    sentence: str
    measures: tuple[str, ...]
    page: str


def know(found: Iterable[Any], note: str = "") -> None:
    """Mark figures from here on by these outcomes (`fairviz.checks.running.Outcome`). note: said before a sentence."""
    st.session_state.pop(FIRST, None)
    st.session_state[KNOWN] = [
        Known(one.state, note + one.finding.sentence, tuple(one.finding.measures), one.finding.link.page)
        for one in found
        if one.state in SIGNS
    ]


def measures_of(table: pd.DataFrame) -> set[str]:
    """Return the names of measures that a figure's table may have, as rows or as columns."""
    texts = [*table["measure"].unique()] if "measure" in table else []
    return {match.group() for text in map(str, [*texts, *table.columns]) if (match := _NAME.match(text))}


def concerning(table: pd.DataFrame, key: str) -> list[Known]:
    """Return what is known about the figure of this key with this table.

    A finding about measures is of every figure that has one of them. Any other is of the first figure on the page where
    it is seen.
    """
    names, page = measures_of(table), page_name()
    of_page = [one for one in st.session_state.get(KNOWN, ()) if not one.measures and one.page == page]
    if of_page:
        is_first = st.session_state.setdefault(FIRST, key) == key
        of_page = of_page if is_first else []
    return [one for one in st.session_state.get(KNOWN, ()) if one in of_page or names & set(one.measures)]


@contextmanager
def marked(table: pd.DataFrame, key: str, notes: Iterable[str] = ()) -> Iterator[None]:
    """Draw what is within, the export of a figure, behind the figure's mark and a “?” with its notes, if it has any."""
    found, text = concerning(table, key), html.tooltip(*notes)
    if not found and not text:
        yield
        return
    with st.container(
        key=f"{key}_mark", horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="xsmall",
        wrap=False,
    ):  # fmt: skip
        if found:
            sign = SIGNS["issue" if any(one.state == "issue" for one in found) else "tip"]
            said = html.tooltip(*(one.sentence for one in found))
            st.button(sign, key=f"{key}_marks", type="tertiary", help=said, on_click=guarded(to_checks))
        if text:
            st.markdown("", help=text, width="content")
        yield


def to_checks() -> None:
    """Open the card Checks. For callbacks."""
    going.to_page("pages/overview.py")
