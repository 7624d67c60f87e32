"""One list before and after a ranker has ordered it: a line a document, from where it stood to where it stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.style import LIGHT, Theme, empty_figure, group_colour, layout, safe, shortened

TITLE = "The list before and after"
MARKERS = {"female": "circle", "male": "square", "neutral": "diamond"}
MORE_MARKERS = ("triangle-up", "cross", "star", "hexagram")
LABEL_CHARACTERS = 34
ROW, ABOVE, TICKS = 21, 96, 24  # pixels a document, above the first, and of the names of the two sides
BEFORE, AFTER = 0.0, 1.0


@dataclass(frozen=True)
class Move:
    """One document: its name and text, group, whether it is relevant, whether the ranker gave it no place of its own,
    and its ranks."""

    name: str
    text: str
    group: str
    relevant: bool
    unplaced: bool
    before: int
    after: int


@dataclass(frozen=True)
class Moves:
    """The documents of a list as they stood at first. protected: the group that is protected."""

    moves: tuple[Move, ...]
    protected: str

    @property
    def alt(self) -> str:
        """The figure in a sentence, for those who do not see it."""
        if not self.moves:
            return f"{TITLE}: there is no document in it."
        ours = [one for one in self.moves if one.group == self.protected]
        told = ", ".join(f"{one.before} to {one.after}" for one in ours[:12])
        more = " …" if len(ours) > 12 else ""
        return f"{TITLE}: {len(self.moves):,} documents; {self.protected} ones move from rank {told}{more}."


def info(rows: pd.DataFrame, protected: str, texts: Mapping[str, str]) -> Moves:
    """From rows (doc_id, group, relevant, before, after, unranked, tied) of one list, and what to call documents."""
    ordered = rows.sort_values("before", kind="stable")
    return Moves(
        tuple(
            Move(
                str(row["doc_id"]),
                texts.get(str(row["doc_id"]), str(row["doc_id"])),
                str(row["group"]),
                bool(row["relevant"]),
                bool(row["unranked"] or row["tied"]),
                int(row["before"]),
                int(row["after"]),
            )
            for row in ordered.to_dict("records")
        ),
        protected,
    )


def draw(drawn: Moves, theme: Theme = LIGHT) -> go.Figure:
    """The figure: colour and mark by group, solid lines for relevant documents, dotted ones for others."""
    if not drawn.moves:
        return empty_figure(TITLE, "The list holds no document.", theme, 180)
    groups = sorted(dict.fromkeys(one.group for one in drawn.moves), key=lambda name: name != drawn.protected)
    figure = go.Figure(layout=layout(TITLE, theme, ABOVE + 20 + len(drawn.moves) * ROW))
    for group in groups:
        for relevant in (True, False):
            held = [one for one in drawn.moves if one.group == group and one.relevant == relevant]
            if held:
                figure.add_trace(_lines(held, group, groups, theme))
    _name_ends(figure, drawn, theme)
    above = 1 + TICKS / (len(drawn.moves) * ROW)
    figure.update_layout(
        margin={"t": ABOVE}, legend={"orientation": "h", "x": 0, "xanchor": "left", "y": above, "yanchor": "bottom"}
    )
    return figure


def _lines(held: Sequence[Move], group: str, groups: Sequence[str], theme: Theme) -> go.Scatter:
    """The lines of the documents of one group that are relevant, or are not; a gap between each two."""
    relevant = held[0].relevant
    across: list[float | None] = []
    ranks: list[int | None] = []
    told: list[list[str]] = []
    for one in held:
        across += [BEFORE, AFTER, None]
        ranks += [one.before, one.after, None]
        told += [_told(one)] * 3
    colour = group_colour(group, groups, theme)
    others = [name for name in groups if name not in MARKERS]
    symbol = MARKERS.get(group) or MORE_MARKERS[others.index(group) % len(MORE_MARKERS)]
    return go.Scatter(
        x=across,
        y=ranks,
        mode="lines+markers",
        name=f"{safe(group)}, {'relevant' if relevant else 'not relevant'}",
        line={"color": colour, "width": 2.4 if relevant else 1.4, "dash": "solid" if relevant else "dot"},
        marker={"symbol": symbol if relevant else f"{symbol}-open", "size": 9, "color": colour},
        connectgaps=False,
        cliponaxis=False,
        customdata=told,
        hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[1]}<extra></extra>",
    )


def _told(one: Move) -> list[str]:
    moved = one.before - one.after
    way = f"{abs(moved)} {'higher' if moved > 0 else 'lower'}" if moved else "unmoved"
    more = "; its place was not told apart" if one.unplaced else ""
    return [shortened(one.text, 60), f"{safe(one.name)}, rank {one.before} to {one.after}: {way}{more}"]


def _name_ends(figure: go.Figure, drawn: Moves, theme: Theme) -> None:
    """Each rank with its document, before at the left and after at the right."""
    size = len(drawn.moves)
    common = {"range": [size + 0.6, 0.4], "zeroline": False, "showgrid": False, "automargin": True}
    font = {"size": 11, "color": theme.text}
    left = {one.before: one for one in drawn.moves}
    right = {one.after: one for one in drawn.moves}
    for axis, held in (("yaxis", left), ("yaxis2", right)):
        labels = [f"{rank}. {_label(held[rank])}" for rank in sorted(held)]
        figure.update_layout({axis: {**common, "tickvals": sorted(held), "ticktext": labels, "tickfont": font}})
    figure.update_layout(yaxis2={"overlaying": "y", "side": "right", "matches": "y"})
    figure.add_trace(go.Scatter(x=[BEFORE], y=[1], yaxis="y2", mode="none", showlegend=False, hoverinfo="skip"))
    figure.update_xaxes(
        range=[-0.04, 1.04], tickvals=[BEFORE, AFTER], ticktext=["shuffled", "after"], side="top", zeroline=False
    )


def _label(one: Move) -> str:
    """The beginning of its text, bold where it is relevant."""
    text = shortened(one.text, LABEL_CHARACTERS)
    return f"<b>{text}</b>" if one.relevant else text
