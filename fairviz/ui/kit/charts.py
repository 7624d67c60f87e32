"""Charts on a page: the theme of the browser, a figure with its alt text, and one click away its export: the files of a
panel, its numbers, its Python and its command.

*Export* opens a sheet as wide as the page, at its foot or its top, whichever leaves the figure in sight (`style.css`
places containers with a key `…_sheet`). SVG and PNG are of the figure in the same card as the button, and are made in
the browser. Plotly writes both through the button of its own bar; the page's colour is set as their background, as
figures have none.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.evaluation.formats import FORMATS
from fairviz.figures.style import DARK, LIGHT, SystemStyle, Theme, system_styles, under_one_legend
from fairviz.output.recipes import Recipe, joined, place_of
from fairviz.study.record import Study
from fairviz.study.tables import system_of_run
from fairviz.ui.kit import html, marks
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.components import component
from fairviz.ui.kit.glossary import column_help
from fairviz.ui.state import going, library

CONFIG = {"displaylogo": False, "modeBarButtons": [["toImage"]], "responsive": True}
CLICKS = "event+select"  # a click on a point selects it and calls on_select
AT_ONCE = 4_000  # rows of a table that is sent before it is asked for
ROWS, ROW_HEIGHT = 6, 35  # of a table before it scrolls
NOTHING = Recipe()  # of numbers that only the page makes
HEADS = {
    "ci_low": "95 % from",
    "ci_high": "95 % to",
    "query_id": "query",
    "left_out": "left out",
    "ranker_se": "SE from draws",
    "both_low": "queries and draws, from",
    "both_high": "to",
    "draw_low": "one more draw, from",
    "draw_high": "to ",
}
PROGRAMS = "panel_programs"  # the Python of each panel of this run, by its key
FILES = {
    "csv": ("CSV", "csv", "text/csv"), "excel": ("CSV for spreadsheets", "csv", "text/csv"),
    "latex": ("LaTeX", "tex", "application/x-tex"), "markdown": ("Markdown", "md", "text/markdown"),
}  # fmt: skip
EXPORT_HTML = '<button type="button" data-format="svg">SVG</button><button type="button" data-format="png">PNG</button>'
EXPORT_SCRIPT = Path(__file__).with_name("export.js")
COPY_SCRIPT = Path(__file__).with_name("copy_sentence.js")
UNSAVED = "These numbers need what was uploaded in this session."
SAVE_FIRST = "Save the study: a command opens the saved one."


def theme() -> Theme:
    """Return the light or the dark theme, whichever the browser shows."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def styles(study: Study) -> Mapping[str, SystemStyle]:
    """Return the style of each system of the study, hidden ones included; a draw has its system's."""
    styles = system_styles(study.systems, theme())
    return styles | {run: styles[system_of_run(run)] for run in study.run_names}


def chart(
    figure: go.Figure,
    alt: str,
    key: str,
    on_point: Callable[..., None] | None = None,
    *,
    hidden: int | None = None,
    carried: int = 1,
) -> None:
    """Draw the figure. A click on a point calls `on_point` with the point's customdata, whose first entry is the
    system.

    carried: the number of entries that `on_point` takes. hidden: on a page with one legend for all figures, the number
    of systems it hides; None for a figure with its own legend.
    """
    if hidden is not None:
        under_one_legend(figure, theme(), hidden)
    options: dict[str, Any] = {}
    if on_point is not None:
        if figure.layout.clickmode != CLICKS:  # a cached figure has it, and is not changed
            figure.update_layout(clickmode=CLICKS)
        options = {"on_select": guarded(partial(_selected, key, on_point, carried)), "selection_mode": "points"}
    st.plotly_chart(figure, theme=None, key=key, config=CONFIG, alt=alt, **options)


def table(
    frame: pd.DataFrame,
    alt: str,
    key: str,
    recipe: Recipe = NOTHING,
    on_row: Callable[[int], None] | None = None,
    *,
    figure: bool = True,
    printed: Callable[[str], str] | None = None,
    notes: Iterable[str] = (),
) -> None:
    """Draw the button *Export* of a table or figure: its files, its numbers as a sortable table, and the command and
    the Python that compute them. Before it stands the mark of what checks found about these measures.

    on_row: called with the position of a ticked row in the frame. figure: whether the same card contains a figure of
    these numbers. printed: LaTeX or Markdown as a paper prints the table, by the name of the form; by default of the
    frame. notes: what is to be known of how the figure is made, behind a tooltip. A frame of more than AT_ONCE rows is
    sent when the sheet is opened.
    """
    name, is_long = f"{key}_export", len(frame) > AT_ONCE
    with marks.marked(frame, key, notes):
        look: dict[str, Any] = {"key": name, "help": html.tooltip(alt)} | ({"on_change": "rerun"} if is_long else {})
        drawer = st.popover("Export", **look)
    if is_long and not drawer.open:
        return
    options: dict[str, Any] = {"hide_index": True, "key": f"{key}_table", "alt": alt}
    heads = {
        name: st.column_config.Column(HEADS.get(name), help=column_help(name))
        for name in map(str, frame.columns)
        if name in HEADS or column_help(name)
    }
    options |= {"height": min(len(frame), ROWS) * ROW_HEIGHT + 40, "column_config": heads}
    if on_row:
        callback = guarded(partial(_ticked, options["key"], on_row))
        options |= {"on_select": callback, "selection_mode": "single-row"}
    with drawer, st.container(key=f"{key}_sheet", gap="xsmall"):
        with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
            for form, (label, suffix, kind) in FILES.items():
                text = partial(FORMATS[form], frame)
                if printed is not None and suffix != "csv":
                    text = partial(printed, form)
                st.download_button(label, text, f"{key}.{suffix}", kind, key=f"{key}_{form}", on_click="ignore")
            component("take", EXPORT_SCRIPT, EXPORT_HTML, EXPORT_SCRIPT.with_suffix(".css"))(
                key=f"{key}_figure", data={"panel": key, "figure": figure}, width="content"
            )
        with _tabs(key, recipe):
            st.dataframe(frame, **options)


def _tabs(key: str, recipe: Recipe) -> DeltaGenerator:
    """Draw the command and the Python of a panel in tabs, and return the tab before them, for its numbers."""
    names = ["Numbers", *(["Command"] if recipe.command else []), *(["Python"] if recipe.python else [])]
    numbers, *others = st.tabs(names)
    places = dict(zip(names[1:], others, strict=True))
    if recipe.command:
        with places["Command"]:
            study = recipe.study
            if study is not None and (library.is_own(study) or place_of(study) is None):
                html.message("info", UNSAVED, SAVE_FIRST)
                st.button("Save it", key=f"{key}_save", on_click=guarded(going.to_saving))
            else:
                st.code(recipe.command, language="bash", wrap_lines=True)
    if recipe.python:
        st.session_state.setdefault(PROGRAMS, {})[key] = recipe.python
        with places["Python"]:
            st.code(recipe.python, language="python", height=190)
    return numbers


def forget_programs() -> None:
    """Forget the programs of the last run. Once at the start of a run of the whole page."""
    st.session_state[PROGRAMS] = {}


def programs() -> str:
    """Return one program for all panels that this run has drawn so far; empty without any."""
    return joined(st.session_state.get(PROGRAMS, {}))


def copy_sentences() -> None:
    """Draw the script behind *Copy sentence*. Once a page."""
    component("copy_sentences", COPY_SCRIPT)(key="copy_sentences", width="content")


def headed(
    title: str, frame: pd.DataFrame, alt: str, key: str, recipe: Recipe = NOTHING, *, figure: bool = True,
    notes: Iterable[str] = (),
) -> None:  # fmt: skip
    """Draw the first row of a card: its title in bold, and at its right the button of `table`."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        html.strong(title)
        table(frame, alt, key, recipe, figure=figure, notes=notes)


def _selected(key: str, on_point: Callable[..., None], carried: int) -> None:
    points = st.session_state[key]["selection"]["points"]
    if points and (customdata := points[0].get("customdata")):
        parts = customdata if isinstance(customdata, (list, tuple)) else [customdata]
        on_point(*(str(part) for part in parts[:carried]))


def _ticked(key: str, on_row: Callable[[int], None]) -> None:
    if rows := st.session_state[key]["selection"]["rows"]:
        on_row(int(rows[0]))


def select_system(name: str) -> None:
    """Select the system on every page. For callbacks, which run before the widgets are drawn."""
    st.session_state["system"] = name


def open_row(key: str, systems: tuple[str, ...]) -> None:
    """Open the page Query with the system of the ticked row of the table `key`; deselect the system if the tick was
    removed."""
    rows = st.session_state[key]["selection"]["rows"]
    if rows and rows[0] < len(systems):
        going.to_query(systems=(systems[rows[0]],))
    else:
        select_system("")


def open_queries(frame: pd.DataFrame, measures: Mapping[str, str], position: int) -> None:
    """Open the page Query with the query_id, and the system, baseline and measure if there are any, of a row of a
    table.

    measures: the names of measures by their texts. For callbacks.
    """
    row = frame.iloc[position]
    systems = tuple(str(row[name]) for name in ("system", "baseline") if name in frame)
    going.to_query(str(row["query_id"]), systems, measures.get(str(row.get("measure", "")), ""))


def tick_row(key: str, systems: tuple[str, ...], system: str | None = None) -> None:
    """Tick the row of the selected system in the table `key`, which is drawn next; no row if no system is selected.

    system: the selected system, if it is not that of the settings.
    """
    name = st.session_state.get("system", "") if system is None else system
    rows = [systems.index(name)] if name in systems else []
    if list(st.session_state.get(key, {}).get("selection", {}).get("rows", [])) != rows:
        st.session_state[key] = {"selection": {"rows": rows, "columns": [], "cells": []}}
