"""Charts on a page: the theme of the browser, a figure with its alternative text, and its table one click away."""

from collections.abc import Callable, Mapping
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from fairviz.figures.style import DARK, LIGHT, SystemStyle, Theme, system_styles
from fairviz.study.study import Study
from fairviz.ui.kit.boundary import guarded

CONFIG = {"displaylogo": False, "modeBarButtons": [["toImage"]], "responsive": True}


def theme() -> Theme:
    """Light or dark, as the browser shows the page."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def styles(study: Study) -> Mapping[str, SystemStyle]:
    """The look of each system of the study, hidden ones included."""
    return system_styles(study.systems, theme())


def chart(figure: go.Figure, alt: str, key: str, on_point: Callable[[str], None] | None = None) -> None:
    """The figure; a click on a point calls `on_point` with the system that the point carries as its custom data."""
    if on_point is None:
        st.plotly_chart(figure, theme=None, key=key, config=CONFIG, alt=alt)
        return
    figure.update_layout(clickmode="event+select")
    st.plotly_chart(
        figure,
        theme=None,
        key=key,
        config=CONFIG,
        alt=alt,
        on_select=guarded(partial(_selected, key, on_point)),
        selection_mode="points",
    )


def table(frame: pd.DataFrame, alt: str, key: str) -> None:
    """The figure's numbers, one click away."""
    with st.popover("Table", key=f"{key}_popover"):
        st.dataframe(frame, hide_index=True, key=f"{key}_table", height=320, alt=alt)


def _selected(key: str, on_point: Callable[[str], None]) -> None:
    points = st.session_state[key]["selection"]["points"]
    if points and (carried := points[0].get("customdata")):
        on_point(str(carried[0] if isinstance(carried, list) else carried))


def select_system(name: str) -> None:
    """Names the system for other pages. For callbacks, which run before the widgets are drawn."""
    st.session_state["system"] = name


def select_row(key: str, systems: tuple[str, ...]) -> None:
    """Names the system of the selected row of the table `key`."""
    rows = st.session_state[key]["selection"]["rows"]
    if rows and rows[0] < len(systems):
        select_system(systems[rows[0]])
