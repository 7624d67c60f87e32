"""Each query's CRBO against the RBO of a placebo: below the diagonal, the gender swap changes the list more."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import figure, floats, legend_above
from fairviz.figures.style import LIGHT, Theme, marker_class, ring, safe, shortened
from fairviz.statistics.contrasts import is_equal

SIDES = ("gender moves it more", "the placebo moves it more", "alike")
COLOURS = (("#0067a5", "#5aa9e6"), ("#8a6d00", "#d9b93b"), ("#7c848f", "#a9b1bc"))
SYMBOLS = ("circle", "diamond", "x")
LONGEST = 80
NOTHING = "No query has a list before or after."


@dataclass(frozen=True)
class QueryOverlaps:
    """Points (N,): queries with texts, crbo, and the placebo's RBO, mean over its seeds. selected: a query."""

    system: str
    placebo: str
    queries: tuple[str, ...]
    texts: tuple[str, ...]
    crbo: tuple[float, ...]
    against: tuple[float, ...]
    selected: str = ""

    @property
    def sides(self) -> tuple[int, ...]:
        """For each query 0 if the gender swap changes its list more, 1 if the placebo does, 2 if both are equal."""
        differences = np.array(self.crbo) - np.array(self.against)
        return tuple(np.where(is_equal(differences), 2, np.where(differences < 0, 0, 1)).tolist())

    @property
    def title(self) -> str:
        """Title of the figure."""
        return f"Each query's lists by {shortened(self.system)}"

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        counts = [self.sides.count(side) for side in range(3)]
        count_texts = ", ".join(f"{name} on {count:,}" for name, count in zip(SIDES, counts, strict=True))
        return f"CRBO of {self.system} against the {self.placebo}, {len(self.queries):,} queries: {count_texts}."


def info(table: pd.DataFrame, system: str, column: str, placebo: str, selected: str = "") -> QueryOverlaps:
    """Return a system's queries with both values, from `Counterfactual.queries`."""
    rows = table[(table["system"] == system) & table["crbo"].notna() & table[column].notna()]
    queries, texts = (tuple(rows[name].astype("str")) for name in ("query_id", "text"))
    crbo, against = floats(rows, "crbo", column)
    return QueryOverlaps(system, placebo, queries, texts, crbo, against, selected)


@figure(lambda data: data.title, lambda data: "" if data.queries else NOTHING)
def draw(figure: go.Figure, overlaps: QueryOverlaps, theme: Theme = LIGHT, height: int = 300) -> None:
    """Draw a marker a query, its shape and colour by the edit that changes its list more; the selected one ringed."""
    least = min(*overlaps.crbo, *overlaps.against)
    ends = [least - 0.02 * (1 - least) - 0.005, 1.005]
    figure.add_shape(type="line", x0=ends[0], y0=ends[0], x1=1, y1=1, line={"dash": "dot", "color": theme.muted})
    for side, name in enumerate(SIDES):
        places = [place for place, query_side in enumerate(overlaps.sides) if query_side == side]
        if places:
            figure.add_trace(_marks(overlaps, places, side, f"{name}: {len(places):,}", theme))
    figure.update_xaxes(title_text=f"RBO, {safe(overlaps.placebo)}", range=ends, zeroline=False)
    figure.update_yaxes(title_text="CRBO, genders swapped", range=ends, zeroline=False)
    legend_above(figure, 72)


def _marks(overlaps: QueryOverlaps, places: list[int], side: int, name: str, theme: Theme) -> go.Scatter | go.Scattergl:
    queries = [overlaps.queries[place] for place in places]
    look = {"color": COLOURS[side][theme.dark], "symbol": SYMBOLS[side]}
    look |= ring(queries, overlaps.selected, theme, 8)
    texts = [f"<b>{safe(overlaps.queries[at])}</b> {shortened(overlaps.texts[at], LONGEST)}" for at in places]
    return marker_class(len(overlaps.queries))(
        x=[overlaps.against[place] for place in places],
        y=[overlaps.crbo[place] for place in places],
        mode="markers",
        name=name,
        marker=look,
        text=texts,
        customdata=[[query] for query in queries],
        hovertemplate="%{text}<br>CRBO %{y:.3f}, placebo %{x:.3f}<extra></extra>",
    )
