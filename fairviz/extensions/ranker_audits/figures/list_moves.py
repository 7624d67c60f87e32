"""One list before and after a ranker has ordered it: a line a document, from its old to its new rank."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import figure, legend_above, trace
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
    moves = []
    for row in rows.sort_values("before", kind="stable").to_dict("records"):
        name, unplaced, ranks = str(row["doc_id"]), bool(row["unranked"] or row["tied"]), (row["before"], row["after"])
        text, relevant = texts.get(name, name), bool(row["relevant"])
        moves.append(Move(name, text, str(row["group"]), relevant, unplaced, *map(int, ranks)))
    return Moves(tuple(moves), protected)


@figure(TITLE, empty=lambda data: "" if data.moves else NOTHING, height=180)
def draw(figure: go.Figure, moves: Moves, theme: Theme = LIGHT) -> None:
    """Draw the lines: colour and marker by group, solid for relevant documents, dotted for others."""
    groups = sorted(dict.fromkeys(move.group for move in moves.moves), key=lambda name: name != moves.protected)
    figure.update_layout(height=ABOVE + 20 + len(moves.moves) * ROW)
    for group, relevant in product(groups, (True, False)):
        group_moves = [move for move in moves.moves if move.group == group and move.relevant == relevant]
        if group_moves:
            figure.add_trace(_lines(group_moves, group, groups, theme))
    _name_ends(figure, moves, theme)
    legend_above(figure, ABOVE, 1 + TICKS / (len(moves.moves) * ROW))


def _lines(moves: Sequence[Move], group: str, groups: Sequence[str], theme: Theme) -> go.Scatter:
    """Return the lines of one group's relevant, or other, documents as one trace with gaps."""
    ranks = [rank for move in moves for rank in (move.before, move.after, None)]
    others = [name for name in groups if name not in MARKERS]
    symbol = MARKERS.get(group) or MORE_MARKERS[others.index(group) % len(MORE_MARKERS)]
    look = {"symbol": symbol, "width": 2.4, "dash": "solid", "name": f"{safe(group)}, relevant"}
    if not moves[0].relevant:
        look = {"symbol": f"{symbol}-open", "width": 1.4, "dash": "dot", "name": f"{safe(group)}, not relevant"}
    return trace(
        [BEFORE, AFTER, None] * len(moves), ranks, "lines+markers", "<b>%{customdata[0]}</b><br>%{customdata[1]}",
        colour=group_colour(group, groups, theme), size=9, connectgaps=False, cliponaxis=False,
        customdata=[data for move in moves for data in [[shortened(move.text, 60), _hover(move)]] * 3], **look,
    )  # fmt: skip


def _hover(move: Move) -> str:
    rise = move.before - move.after
    direction = f"{abs(rise)} {'higher' if rise > 0 else 'lower'}" if rise else "unmoved"
    note = "; unranked or tied" if move.unplaced else ""
    return f"{safe(move.name)}, rank {move.before} to {move.after}: {direction}{note}"


def _name_ends(figure: go.Figure, moves: Moves, theme: Theme) -> None:
    """Name the document of each rank, before at the left and after at the right."""
    common = {"range": [len(moves.moves) + 0.6, 0.4], "zeroline": False, "showgrid": False, "automargin": True}
    for axis, rank_name in (("yaxis", "before"), ("yaxis2", "after")):
        labels = {getattr(move, rank_name): _label(move) for move in moves.moves}
        ticks = {"tickvals": sorted(labels), "ticktext": [f"{rank}. {labels[rank]}" for rank in sorted(labels)]}
        figure.update_layout({axis: {**common, **ticks, "tickfont": {"size": 11, "color": theme.text}}})
    figure.update_layout(yaxis2={"overlaying": "y", "side": "right", "matches": "y"})
    figure.add_trace(go.Scatter(x=[BEFORE], y=[1], yaxis="y2", mode="none", showlegend=False, hoverinfo="skip"))
    sides = {"tickvals": [BEFORE, AFTER], "ticktext": ["shuffled", "after"], "side": "top"}
    figure.update_xaxes(sides, range=[-0.04, 1.04], zeroline=False)


def _label(move: Move) -> str:
    """Return the beginning of the document's text, in bold if it is relevant."""
    text = shortened(move.text, LABEL_CHARACTERS)
    return f"<b>{text}</b>" if move.relevant else text
