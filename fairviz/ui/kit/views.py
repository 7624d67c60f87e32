"""How a page draws the views of a result."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from functools import partial
from itertools import groupby
from typing import Any

import streamlit as st

from fairviz.analyses.views import FigureView, Fold, TableView, TextView, View
from fairviz.output.recipes import Recipe
from fairviz.ui.kit import charts, grids, html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import going
from fairviz.words.sentences import Span

Code = Callable[..., Recipe]  # from the recipe of a view to the Python of its numbers, such as `partial(recipe, call)`


def draw_views(views: Iterable[View], code: Code) -> None:
    """Draw the views below one another, those of a fold together."""
    for fold, members in groupby(views, key=lambda view: view.fold):
        with _unfolded(fold) if fold is not None else nullcontext():
            for view in members:
                draw_view(view, code)


def _unfolded(fold: Fold) -> Any:
    return st.expander(fold.title, fold.is_open, key=fold.key or None, type="compact")


def draw_view(view: View, code: Code, pick: Callable[[Any], object] | None = None) -> None:
    """Draw a view. pick: draws what a reader chooses of a figure with texts beside it, into the place left of its
    export."""
    if isinstance(view, TextView):
        _draw_text(view)
    elif isinstance(view, TableView):
        _draw_table(view, code(**view.recipe))
    else:
        _draw_figure(view, code(**view.recipe), pick)


def _draw_text(view: TextView) -> None:
    if view.kind in ("finding", "small", "named"):
        parts = [text.partition(":") if view.kind == "named" else ("", "", text) for text in view.texts]
        sentences = [
            (Span(name + colon, bool(colon)), Span(rest)) if name else (Span(rest),) for name, colon, rest in parts
        ]
        html.findings(*sentences, small=view.kind != "finding")
    elif view.kind == "quiet":
        html.quiet(" ".join(view.texts))
    elif view.texts:
        html.message("info" if view.kind == "note" else view.kind, "\n".join(view.texts), view.remedy)


def _draw_figure(view: FigureView, code: Recipe, pick: Callable[[Any], object] | None) -> None:
    """Draw the figure with its export: behind its title or its small print, else above it at the right; with texts
    beside it above these."""
    export = partial(charts.table, view.table, view.alt, view.key, code)
    card = st.container(border=True, gap="xsmall", key=view.card or f"{view.key}_card")
    with card if view.fold is None else nullcontext():
        place: Any = nullcontext()
        if view.title:
            charts.headed(view.title, view.table, view.alt, view.key, code)
        elif view.text:
            grids.head(view.text, view.table, view.alt, view.key, code, figure=True)
        elif view.beside or pick is not None:
            place, right = st.columns([7, 4], gap="medium")
            with right:
                left, more = st.columns([8, 5], vertical_alignment="bottom")
                if pick is not None:
                    pick(left)
                with more:
                    export()
                for text in view.beside:
                    _draw_text(text)
        else:
            with st.columns([8, 2], vertical_alignment="center")[1]:
                export()
        with place:
            charts.chart(view.figure(charts.theme()), view.alt, f"{view.key}_chart")
        draw_views(view.below, lambda: code)


def _draw_table(view: TableView, code: Recipe) -> None:
    """Draw its small print with the export, if it has any, and the first of its rows."""
    shown, text = view.shown, view.text
    if len(shown) > charts.AT_ONCE:
        text += f" First {charts.AT_ONCE:,} of {len(shown):,} rows; Export has all."
        shown = shown.head(charts.AT_ONCE)
    options: dict[str, Any] = {"most": view.most, "row_height": view.row_height, "columns": view.columns}
    if view.opens:
        doc_ids = tuple(view.table["doc_id"].head(charts.AT_ONCE))
        callback = guarded(partial(_open_document, f"{view.key}_grid", doc_ids))
        options |= {"on_select": callback, "selection_mode": "single-row"}
    with st.container(border=True, gap="xsmall", key=f"{view.key}_card") if view.on_card else nullcontext():
        if text:
            grids.head("", view.table, view.alt, view.key, code, notes=(text,))
        grids.grid(shown, view.alt, f"{view.key}_grid", **options)
        draw_views(view.below, lambda: code)


def _open_document(key: str, doc_ids: Sequence[str]) -> None:
    """Open the document of the ticked row of the table `key` on the page Read. For callbacks."""
    if rows := st.session_state[key]["selection"]["rows"]:
        going.to_document(doc_ids[rows[0]])
