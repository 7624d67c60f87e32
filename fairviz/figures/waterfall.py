"""The parts of a value as a waterfall: a bar a part, each beginning at the end of the one before, and the value."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import figure
from fairviz.figures.style import LIGHT, Theme, safe, shortened
from fairviz.statistics.orders import largest_first
from fairviz.words.sentences import decimal

MOST_BARS = 30  # more are drawn as one
NAME_CHARACTERS = 14
NOTHING = "There is nothing to take apart."
RISING = {False: "#0067a5", True: "#5aa9e6"}
FALLING = {False: "#c0392b", True: "#f2786b"}


@dataclass(frozen=True)
class Waterfall:
    """Data of the figure. values: the contribution of each part, in order; names: the texts below; hovers: the texts in
    the hover, sentences or formulas. total: the sum, NaN for an undefined value, with its `reason`. merged: the number
    of small parts in the last bar, 0 for none."""

    title: str
    names: tuple[str, ...]
    values: tuple[float, ...]
    hovers: tuple[str, ...]
    total: float
    merged: int = 0
    reason: str = ""

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        if not self.values:
            return f"{self.title}: {self.reason or 'no part'}."
        largest = max(range(len(self.values)), key=lambda place: abs(self.values[place]))
        return (
            f"{self.title}: {len(self.values):,} parts sum to {decimal(self.total)}; the largest is "
            f"{self.names[largest]}, {decimal(self.values[largest], sign='+')}."
        )


def info(table: pd.DataFrame, column: str, title: str) -> Waterfall:
    """Return the bars of a table of contributions, whose column sums to the value; the words of a document are one bar.

    Bars are in the table's order. Of more than 30 the largest in size are drawn, and the rest as one.
    """
    rows = _by_document(table, column) if "word" in table else table.assign(hover=_hovers(table))
    defined = rows[rows[column].notna()]
    # An undefined query is left out; an undefined rank makes the value undefined.
    is_complete = len(defined) == len(rows) or "query_id" in rows
    if not len(defined) or not is_complete:
        reason = str(rows["hover"].iloc[0]) if len(rows) else ""
        return Waterfall(title, (), (), (), float("nan"), reason=reason)
    names, values, hovers = _names(defined), defined[column].to_numpy(dtype=np.float64), defined["hover"].tolist()
    count = len(values) if len(values) <= MOST_BARS else MOST_BARS - 1
    places = np.sort(largest_first(np.abs(values))[:count]).tolist()
    bars = [(names[place], float(values[place]), hovers[place]) for place in places]
    merged = len(values) - len(places)
    if merged:
        bars.append((f"{merged:,} others", float(values.sum() - values[places].sum()), "the rest, together"))
    bar_names, bar_values, bar_hovers = zip(*bars, strict=True)
    return Waterfall(title, bar_names, bar_values, bar_hovers, float(values.sum()), merged)


def _hovers(table: pd.DataFrame) -> list[str]:
    if "formula" in table:
        return table["formula"].tolist()
    texts = [f"{value:.4f}" for value in table["value"]]
    if "value_against" in table:
        texts = [f"{text} against {value:.4f}" for text, value in zip(texts, table["value_against"], strict=True)]
    if "doc_id_against" in table:
        names = [name if isinstance(name, str) else "no document" for name in table["doc_id_against"]]
        texts = [f"{text} of {name}" for text, name in zip(texts, names, strict=True)]
    return texts


def _names(rows: pd.DataFrame) -> list[str]:
    """Return the name of each bar: its query, its rank and document (`2 d7`), or `constant`."""
    if "query_id" in rows:
        return [str(name) for name in rows["query_id"]]
    pairs = zip(rows["rank"], rows["doc_id"], strict=True)
    return ["constant" if pd.isna(rank) else f"{rank} {name if isinstance(name, str) else '–'}" for rank, name in pairs]


def _by_document(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return one row a document from a table of words: its sum, and the words of the largest contributions."""
    rows = []
    for rank, words in table.assign(rank=table["rank"].fillna(0)).groupby("rank", sort=True):
        largest = words.iloc[largest_first(words[column].abs().to_numpy())[:3]]
        parts = zip(largest["word"], largest[column], strict=True)
        texts = [f"{word} {decimal(value, sign='+')}" for word, value in parts if isinstance(word, str)]
        hover = ", ".join(texts) or str(words["formula"].iloc[0])
        rows.append((rank or None, words["doc_id"].iloc[0], words[column].sum(skipna=False), hover))
    return pd.DataFrame(rows, columns=["rank", "doc_id", column, "hover"]).astype({"rank": "Int64"})


@figure(lambda data: safe(data.title), lambda data: "" if data.values else data.reason or NOTHING)
def draw(figure: go.Figure, waterfall: Waterfall, theme: Theme = LIGHT, height: int = 340) -> None:
    """Draw the bars; rising and falling ones differ by colour and by the sign of their label."""
    places = list(range(len(waterfall.values) + 1))
    parts = zip(waterfall.names, waterfall.hovers, waterfall.values, strict=True)
    hovers = [f"{safe(name)}<br>{safe(hover)}<br><b>{decimal(value, sign='+')}</b>" for name, hover, value in parts]
    has_labels = len(waterfall.values) <= MOST_BARS // 2
    total = decimal(waterfall.total)
    colours = {"increasing": RISING[theme.dark], "decreasing": FALLING[theme.dark], "totals": theme.muted}
    figure.add_trace(
        go.Waterfall(
            x=places, y=[*waterfall.values, waterfall.total],
            measure=[*["relative"] * len(waterfall.values), "total"],
            text=[*(decimal(value, sign="+") for value in waterfall.values), total] if has_labels else None,
            textposition="outside",
            textfont={"color": theme.text, "size": 11},
            customdata=[*zip(waterfall.names, hovers, strict=True), ("", f"<b>{total}</b>")],
            hovertemplate="%{customdata[1]}<extra></extra>", cliponaxis=False, showlegend=False,
            connector={"line": {"color": theme.muted, "width": 1, "dash": "dot"}},
            **{kind: {"marker": {"color": colour}} for kind, colour in colours.items()},
        )
    )  # fmt: skip
    names = [shortened(name, NAME_CHARACTERS) for name in waterfall.names]
    figure.update_xaxes(tickvals=places, ticktext=[*names, "<b>value</b>"], showgrid=False, zeroline=False)
    figure.update_yaxes(title="sum so far", zeroline=True)
