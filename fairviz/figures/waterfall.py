"""What a value is made of: a bar for each part, each beginning where the one before it ends, and the value itself."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.style import LIGHT, Theme, empty_figure, layout, safe, shortened

MOST_BARS = 30  # more are drawn as one
NAME_CHARACTERS = 14
RISING = {False: "#0067a5", True: "#5aa9e6"}
FALLING = {False: "#c0392b", True: "#f2786b"}


@dataclass(frozen=True)
class Waterfall:
    """values: what each part adds, in the order drawn; names: what stands below each; said: what its hover says, as
    a sentence or a formula. total: their sum, NaN where the value is undefined, and then `why` says why. merged: how
    many small parts the last bar holds, 0 for none."""

    title: str
    names: tuple[str, ...]
    values: tuple[float, ...]
    said: tuple[str, ...]
    total: float
    merged: int = 0
    why: str = ""

    @property
    def alt(self) -> str:
        """The figure in a sentence, for those who do not see it."""
        if not self.values:
            return f"{self.title}: {self.why or 'no part'}."
        largest = max(range(len(self.values)), key=lambda place: abs(self.values[place]))
        return (
            f"{self.title}: {len(self.values):,} parts sum to {_signed(self.total, plus='')}; the largest is "
            f"{self.names[largest]}, {_signed(self.values[largest])}."
        )


def info(table: pd.DataFrame, column: str, title: str) -> Waterfall:
    """From a table of contributions, whose column sums to the value; the words of one document are one bar.

    Rows come in the table's order. Of more than 30 those that add or take most are drawn, and the rest as one.
    """
    rows = _by_document(table, column) if "word" in table else table.assign(said=_said(table))
    kept = rows[rows[column].notna()]
    whole = len(kept) == len(rows) or "query_id" in rows  # a query that is undefined takes no part, a rank does
    if not len(kept) or not whole:
        why = str(rows["said"].iloc[0]) if len(rows) else ""
        return Waterfall(title, (), (), (), float("nan"), why=why)
    names, values, said = _names(kept), kept[column].to_numpy(dtype=np.float64), kept["said"].tolist()
    most = len(values) if len(values) <= MOST_BARS else MOST_BARS - 1
    drawn = np.sort(np.argsort(-np.abs(values), kind="stable")[:most]).tolist()
    bars = [(names[place], float(values[place]), said[place]) for place in drawn]
    merged = len(values) - len(drawn)
    if merged:
        bars.append((f"{merged:,} others", float(values.sum() - values[drawn].sum()), "the rest, together"))
    shown, adds, hovers = zip(*bars, strict=True)
    return Waterfall(title, shown, adds, hovers, float(values.sum()), merged)


def _said(table: pd.DataFrame) -> list[str]:
    """What the hover says of each row."""
    if "formula" in table:
        return table["formula"].tolist()
    other = [name for name in ("doc_id_against", "value_against") if name in table]
    pairs = zip(table["value"].tolist(), *(table[name].tolist() for name in other), strict=True)
    if "doc_id_against" in table:
        return [
            f"{value:.4f} against {against:.4f} of {name if isinstance(name, str) else 'no document'}"
            for value, name, against in pairs
        ]
    return [f"{pair[0]:.4f}" + (f" against {pair[1]:.4f}" if other else "") for pair in pairs]


def _by_document(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """One row a document of a table of words: its sum, and the words that add or take most."""
    rows = []
    for rank, words in table.assign(rank=table["rank"].fillna(0)).groupby("rank", sort=True):
        most = words.iloc[np.argsort(-words[column].abs().to_numpy(), kind="stable")[:3]]
        named = [f"{w} {_signed(v)}" for w, v in zip(most["word"], most[column], strict=True) if isinstance(w, str)]
        said = ", ".join(named) or str(words["formula"].iloc[0])
        rows.append((rank or None, words["doc_id"].iloc[0], words[column].sum(skipna=False), said))
    return pd.DataFrame(rows, columns=["rank", "doc_id", column, "said"]).astype({"rank": "Int64"})


def _names(rows: pd.DataFrame) -> list[str]:
    """`rank 2 d7`, the query's id, or what no document holds."""
    if "query_id" in rows:
        return [str(name) for name in rows["query_id"]]
    pairs = zip(rows["rank"], rows["doc_id"], strict=True)
    return ["constant" if pd.isna(rank) else f"{rank} {name if isinstance(name, str) else '–'}" for rank, name in pairs]


def _signed(value: float, plus: str = "+") -> str:
    return f"{value:{plus}.3f}".replace("-", "−")


def draw(waterfall: Waterfall, theme: Theme = LIGHT, height: int = 340) -> go.Figure:
    """The figure of `waterfall`; rising and falling bars differ by colour and by the sign written on them."""
    if not waterfall.values:
        return empty_figure(safe(waterfall.title), waterfall.why or "There is nothing to take apart.", theme, height)
    figure = go.Figure(layout=layout(safe(waterfall.title), theme, height))
    places = list(range(len(waterfall.values) + 1))
    parts = zip(waterfall.names, waterfall.said, waterfall.values, strict=True)
    hovers = [f"{safe(name)}<br>{safe(said)}<br><b>{_signed(value)}</b>" for name, said, value in parts]
    written = len(waterfall.values) <= MOST_BARS // 2
    figure.add_trace(
        go.Waterfall(
            x=places,
            y=[*waterfall.values, waterfall.total],
            measure=[*["relative"] * len(waterfall.values), "total"],
            text=[*map(_signed, waterfall.values), _signed(waterfall.total, plus="")] if written else None,
            textposition="outside",
            textfont={"color": theme.text, "size": 11},
            customdata=[
                *zip(waterfall.names, hovers, strict=True),
                ("", f"<b>{_signed(waterfall.total, plus='')}</b>"),
            ],
            hovertemplate="%{customdata[1]}<extra></extra>",
            increasing={"marker": {"color": RISING[theme.dark]}},
            decreasing={"marker": {"color": FALLING[theme.dark]}},
            totals={"marker": {"color": theme.muted}},
            connector={"line": {"color": theme.muted, "width": 1, "dash": "dot"}},
            cliponaxis=False,
            showlegend=False,
        )
    )
    names = [shortened(name, NAME_CHARACTERS) for name in waterfall.names]
    figure.update_xaxes(tickvals=places, ticktext=[*names, "<b>value</b>"], showgrid=False, zeroline=False)
    figure.update_yaxes(title="sum so far", zeroline=True)
    return figure
