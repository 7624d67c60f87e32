"""What a result looks like: figures, tables and texts as records, which pages draw and a report prints.

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

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from fairviz.evaluation.columns import Column
    from fairviz.figures.style import Theme


class Fold(NamedTuple):
    """What is shown after a click on its title. Views of one fold that follow each other share it."""

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
