"""One list before and after a ranker has ordered it: a line a document, from its old to its new rank."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import figure, legend_above
from fairviz.figures.style import LIGHT, Theme, first_texts, group_colour, safe, shortened

TITLE = "The list before and after"
MARKERS = {"female": "circle", "male": "square", "neutral": "diamond"}
MORE_MARKERS = ("triangle-up", "cross", "star", "hexagram")
LABEL_CHARACTERS = 34
NOTHING = "The list holds no document."
ROW, ABOVE, TICKS = 21, 96, 24  # pixels a document, above the first, and of the names of the two sides
BEFORE, AFTER = 0.0, 1.0


@dataclass(frozen=True)
class Move:
    """One document: its name, text and group, whether it is relevant, whether it is unranked or tied, and its ranks."""

    name: str
    text: str
    group: str
    relevant: bool
    unplaced: bool
    before: int
    after: int


@dataclass(frozen=True)
class Moves:
    """The documents of a list in their first order, and the protected group."""

    moves: tuple[Move, ...]
    protected: str

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        if not self.moves:
            return f"{TITLE}: there is no document in it."
        protected_moves = [move for move in self.moves if move.group == self.protected]
        ranks = first_texts([f"{move.before} to {move.after}" for move in protected_moves], 12, ", ")
        return f"{TITLE}: {len(self.moves):,} documents; {self.protected} ones move from rank {ranks}."


def info(rows: pd.DataFrame, protected: str, texts: Mapping[str, str]) -> Moves:
    """Return the moves from rows (doc_id, group, relevant, before, after, unranked, tied). texts: texts by doc_id."""
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
            for row in rows.sort_values("before", kind="stable").to_dict("records")
        ),
        protected,
    )


@figure(TITLE, empty=lambda data: "" if data.moves else NOTHING, height=180)
def draw(figure: go.Figure, moves: Moves, theme: Theme = LIGHT) -> None:
    """Draw the lines: colour and marker by group, solid for relevant documents, dotted for others."""
    groups = sorted(dict.fromkeys(move.group for move in moves.moves), key=lambda name: name != moves.protected)
    figure.update_layout(height=ABOVE + 20 + len(moves.moves) * ROW)
    for group in groups:
        for relevant in (True, False):
            group_moves = [move for move in moves.moves if move.group == group and move.relevant == relevant]
            if group_moves:
                figure.add_trace(_lines(group_moves, group, groups, theme))
    _name_ends(figure, moves, theme)
    legend_above(figure, ABOVE, 1 + TICKS / (len(moves.moves) * ROW))


def _lines(moves: Sequence[Move], group: str, groups: Sequence[str], theme: Theme) -> go.Scatter:
    """Return the lines of one group's relevant, or other, documents as one trace with gaps."""
    relevant = moves[0].relevant
    across: list[float | None] = []
    ranks: list[int | None] = []
    customdata: list[list[str]] = []
    for move in moves:
        across += [BEFORE, AFTER, None]
        ranks += [move.before, move.after, None]
        customdata += [[shortened(move.text, 60), _hover(move)]] * 3
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
        customdata=customdata,
        hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[1]}<extra></extra>",
    )


def _hover(move: Move) -> str:
    rise = move.before - move.after
    direction = f"{abs(rise)} {'higher' if rise > 0 else 'lower'}" if rise else "unmoved"
    note = "; unranked or tied" if move.unplaced else ""
    return f"{safe(move.name)}, rank {move.before} to {move.after}: {direction}{note}"


def _name_ends(figure: go.Figure, moves: Moves, theme: Theme) -> None:
    """Name the document of each rank, before at the left and after at the right."""
    common = {"range": [len(moves.moves) + 0.6, 0.4], "zeroline": False, "showgrid": False, "automargin": True}
    font = {"size": 11, "color": theme.text}
    for axis, rank_name in (("yaxis", "before"), ("yaxis2", "after")):
        labels = {getattr(move, rank_name): _label(move) for move in moves.moves}
        texts = [f"{rank}. {labels[rank]}" for rank in sorted(labels)]
        figure.update_layout({axis: {**common, "tickvals": sorted(labels), "ticktext": texts, "tickfont": font}})
    figure.update_layout(yaxis2={"overlaying": "y", "side": "right", "matches": "y"})
    figure.add_trace(go.Scatter(x=[BEFORE], y=[1], yaxis="y2", mode="none", showlegend=False, hoverinfo="skip"))
    figure.update_xaxes(
        range=[-0.04, 1.04], tickvals=[BEFORE, AFTER], ticktext=["shuffled", "after"], side="top", zeroline=False
    )


def _label(move: Move) -> str:
    """Return the beginning of the document's text, in bold if it is relevant."""
    text = shortened(move.text, LABEL_CHARACTERS)
    return f"<b>{text}</b>" if move.relevant else text
