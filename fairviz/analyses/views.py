"""Views of a result: figures, tables and texts as records, which pages draw and a report prints.

    def views(found, chosen):
        return [
            TextView(found.sentences, "finding"),
            FigureView("gaps", found.table, partial(gap.draw, info), info.alt, {"table": "found.table"}, title="Gaps"),
            TableView("tests", found.table, "Tests, a row a system.", TESTS, {"table": "found.table"}, "In SDs."),
        ]

`Analysis.views` makes them. `fairviz/ui/kit/views.py` draws them on a page, `fairviz/output/report.py` prints
them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from fairviz.errors import FairvizError

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from fairviz.evaluation.columns import Column
    from fairviz.figures.style import Theme


class Fold(NamedTuple):
    """Fold, whose views are shown after a click on its title. Views of one fold that follow each other share it."""

    title: str
    key: str = ""
    is_open: bool = False


@dataclass(frozen=True)
class TextView:
    """Sentences. kind: `finding`; `small`, findings in small print; `named`, small ones whose name before the colon is
    strong; `quiet`, a paragraph of small print; `warning` and `note`, a box with a line each, and with the remedy."""

    texts: Sequence[str]
    kind: Literal["finding", "small", "named", "quiet", "warning", "note"] = "quiet"
    remedy: str = ""
    fold: Fold | None = None


@dataclass(frozen=True)
class FigureView:
    """A figure on a card.

    key: of its widgets. table: its numbers. figure: from the theme. alt: the figure in words. recipe: what
    `fairviz.output.recipes.recipe` takes beside the call, to make the numbers again. title: above the figure, in bold;
    text: there in small print. beside, below: texts at its right and under it. card: the key of its card, by default
    made of `key`.
    """

    key: str
    table: "pd.DataFrame"
    figure: Callable[["Theme"], "go.Figure"]
    alt: str
    recipe: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    text: str = ""
    beside: Sequence[TextView] = ()
    below: Sequence[TextView] = ()
    card: str = ""
    fold: Fold | None = None


@dataclass(frozen=True)
class TableView:
    """A table.

    key: of its widgets. table: its numbers. alt: the table in words. columns: of its cells; the numbers as they are if
    empty. recipe: see `FigureView`. text: above it in small print, beside the export; without it the cells are alone.
    cells: those, where they are not those of `columns` and `table`. opens: `document` if a ticked row opens its doc_id
    on the page Read. most: rows before it scrolls. row_height: in pixels. on_card: whether it has a card of its own.
    below: texts under it.
    """

    key: str
    table: "pd.DataFrame"
    alt: str
    columns: Sequence["Column"] = ()
    recipe: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    cells: "pd.DataFrame | None" = None
    opens: Literal["", "document"] = ""
    most: int = 12
    row_height: int = 35
    on_card: bool = False
    below: Sequence[TextView] = ()
    fold: Fold | None = None

    @property
    def shown(self) -> "pd.DataFrame":
        """The cells."""
        from fairviz.evaluation.columns import cells

        if self.cells is not None:
            return self.cells
        return cells(self.table, self.columns) if self.columns else self.table


View = FigureView | TableView | TextView


def default_views(analysis: Any, result: Any) -> list[View]:
    """Return the views of a result of an analysis without its own: sentences, figures, tables and notes."""
    figures = [_figure_view(analysis, result, place, title) for place, title in enumerate(analysis.figures)]
    tables = [_table_view(analysis, result, name) for name in analysis.tables]
    return [
        TextView(analysis.sentences(result), "finding"), *figures, *tables, TextView(analysis.notes(result), "note"),
    ]  # fmt: skip


def _figure_view(analysis: Any, result: Any, place: int, title: str) -> FigureView:
    from fairviz.figures.style import LIGHT

    first, draw = next(iter(analysis.tables)), analysis.figures[title]
    drawing = draw(result, LIGHT)
    return FigureView(
        f"analysis_{analysis.name}_figure_{place}", analysis.tables[first].rows(result),
        lambda theme: drawing.figure if theme is LIGHT else draw(result, theme).figure, drawing.alt,
        {"table": f"found.table({first!r})"}, title,
    )  # fmt: skip


def _table_view(analysis: Any, result: Any, name: str) -> View:
    """Return the view of a table, or the reason why there is none."""
    about, opens = analysis.tables[name].help, analysis.tables[name].opens
    try:
        table = analysis.tables[name].rows(result)
    except FairvizError as error:  # of a table that not every study has
        return TextView([error.message], "note", remedy=error.remedy)
    text = f"{about[:1].upper()}{about[1:]}.{' Tick a row to read the document.' if opens else ''}"
    return TableView(
        f"analysis_{analysis.name}_{name}", table, about, recipe={"table": f"found.table({name!r})"}, text=text,
        opens=opens, most=14, on_card=True,
    )  # fmt: skip
