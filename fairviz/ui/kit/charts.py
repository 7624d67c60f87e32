"""Charts on a page: the theme of the browser, a figure with its alternative text, and its table one click away.

The table opens as a drawer as wide as the page, at its foot (`style.css` places what bears the key `…_drawer`).
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from fairviz.evaluation.formats import to_csv
from fairviz.figures.style import DARK, LIGHT, SystemStyle, Theme, system_styles, under_one_legend
from fairviz.study.study import Study
from fairviz.ui.kit import html, numbers, take
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import going

CONFIG = {"displaylogo": False, "modeBarButtons": [["toImage"]], "responsive": True}
CLICKS = "event+select"  # a click on a point selects it, and the page hears of it
ROWS, ROW_HEIGHT = 12, 35  # of a table before it scrolls


def theme() -> Theme:
    """Light or dark, as the browser shows the page."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def styles(study: Study) -> Mapping[str, SystemStyle]:
    """The look of each system of the study, hidden ones included."""
    return system_styles(study.systems, theme())


def chart(
    figure: go.Figure,
    alt: str,
    key: str,
    on_point: Callable[..., None] | None = None,
    *,
    hidden: int | None = None,
    carried: int = 1,
) -> None:
    """The figure; a click on a point calls `on_point` with what the point carries as its custom data, first the system.

    carried: how many of these `on_point` takes. hidden: on a page with one legend for all figures, how many systems it
    hides; None where the figure has its own.
    """
    if hidden is not None:
        under_one_legend(figure, theme(), hidden)
    if on_point is None:
        st.plotly_chart(figure, theme=None, key=key, config=CONFIG, alt=alt)
        return
    if figure.layout.clickmode != CLICKS:  # a kept figure has it, and is not touched
        figure.update_layout(clickmode=CLICKS)
    st.plotly_chart(
        figure,
        theme=None,
        key=key,
        config=CONFIG,
        alt=alt,
        on_select=guarded(partial(_selected, key, on_point, carried)),
        selection_mode="points",
    )


def table(
    frame: pd.DataFrame,
    alt: str,
    key: str,
    code: str = "",
    on_row: Callable[[int], None] | None = None,
    *,
    figure: bool = True,
) -> None:
    """The figure's numbers, one click away: every row, sorted by a click on a head, and what can be taken along: the
    figure as SVG and PNG, the rows as a CSV file, and the Python that makes them.

    code: that Python. on_row: what a tick beside a row calls, with its place in the frame. figure: whether a figure of
    these numbers stands in the same card.
    """
    with st.popover("Table", key=f"{key}_popover"), st.container(key=f"{key}_drawer", gap="xsmall"):
        words, drawn, file = st.columns([8, 2.2, 1.3], gap="small", vertical_alignment="center")
        with words:
            html.quiet(alt)
        if figure:
            with drawn:
                take.figure_files(key)
        file.download_button(
            "Download CSV",
            partial(to_csv, frame),
            file_name=f"{key}.csv",
            mime="text/csv",
            key=f"{key}_file",
            on_click="ignore",
        )
        place: dict[str, Any] = {"hide_index": True, "key": f"{key}_table", "alt": alt}
        place |= {"height": min(len(frame), ROWS) * ROW_HEIGHT + 40, "column_config": numbers.heads(frame)}
        if on_row:
            called = guarded(partial(_ticked, place["key"], on_row))
            place |= {"on_select": called, "selection_mode": "single-row"}
        st.dataframe(frame, **place)
        take.program(code, key)


def _selected(key: str, on_point: Callable[..., None], count: int) -> None:
    points = st.session_state[key]["selection"]["points"]
    if points and (held := points[0].get("customdata")):
        parts = held if isinstance(held, (list, tuple)) else [held]
        on_point(*(str(part) for part in parts[:count]))


def _ticked(key: str, on_row: Callable[[int], None]) -> None:
    if rows := st.session_state[key]["selection"]["rows"]:
        on_row(int(rows[0]))


def select_system(name: str) -> None:
    """Names the system for other pages. For callbacks, which run before the widgets are drawn."""
    st.session_state["system"] = name


def open_row(key: str, systems: tuple[str, ...]) -> None:
    """Opens the page Query with the system of the ticked row of the table `key`; none is selected where the reader
    takes the tick away."""
    rows = st.session_state[key]["selection"]["rows"]
    if rows and rows[0] < len(systems):
        going.to_query(systems=(systems[rows[0]],))
    else:
        select_system("")


def open_queries(frame: pd.DataFrame, measures: Mapping[str, str], place: int) -> None:
    """Opens the page Query with what a row of a table says: query_id, system, baseline, measure, those that it has.

    measures: the names of measures by their texts. For callbacks.
    """
    row = frame.iloc[place]
    systems = tuple(str(row[name]) for name in ("system", "baseline") if name in frame)
    going.to_query(str(row["query_id"]), systems, measures.get(str(row.get("measure", "")), ""))


def tick_row(key: str, systems: tuple[str, ...], system: str | None = None) -> None:
    """Ticks the row of the selected system in the table `key`, which is drawn next; without one, no row.

    system: the selected one where it is not that of the settings.
    """
    name = st.session_state.get("system", "") if system is None else system
    rows = [systems.index(name)] if name in systems else []
    if list(st.session_state.get(key, {}).get("selection", {}).get("rows", [])) != rows:
        st.session_state[key] = {"selection": {"rows": rows, "columns": [], "cells": []}}
