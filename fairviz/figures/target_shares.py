"""The genders' shares in sets of documents, and in the exposure of each system: a bar each."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import dotted_line, figure, legend_above, name_rows
from fairviz.figures.style import LIGHT, Theme, group_colour, safe, shortened
from fairviz.words.sentences import counted

TITLE = "Genders' shares in documents and in exposure"
NOTHING = "No document has a gender."
SETS = {"collection": "in the collection", "candidates": "of candidates", "relevant": "of relevant documents"}
NAME_CHARACTERS = 30
ROW, ABOVE = 30, 80  # pixels


@dataclass(frozen=True)
class Shares:
    """rows: the names of the bars from the top, sets first. shares: by group, of each row, NaN where undefined. sets:
    how many rows are sets of documents."""

    rows: tuple[str, ...]
    groups: tuple[str, ...]
    shares: tuple[tuple[float, ...], ...]
    sets: int

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        if not self.rows:
            return f"{TITLE}: {NOTHING}"
        own = zip(self.rows[: self.sets], self.shares[0][: self.sets], strict=True)
        sets = ", ".join(f"{share:.0%} {name}" for name, share in own)
        exposures = self.shares[0][self.sets :]
        ends = f", {min(exposures):.0%} to {max(exposures):.0%} of exposure" if exposures else ""
        systems = f" by {counted(len(self.rows) - self.sets, 'system')}" if exposures else ""
        return f"{TITLE}: {self.groups[0]} {sets}{ends}{systems}."


def info(table: pd.DataFrame, groups: Sequence[str]) -> Shares:
    """Return the bars from a table with a row for each bar and group: of, kind (`set` or `system`), group, share."""
    wide = table.pivot_table(index=["kind", "of"], columns="group", values="share", sort=False, dropna=False)
    rows = [(str(kind), str(of)) for kind, of in dict.fromkeys(zip(table["kind"], table["of"], strict=True))]
    names = tuple(SETS[of] if kind == "set" else of for kind, of in rows)
    shares = tuple(tuple(float(wide.at[row, group]) for row in rows) for group in groups)  # type: ignore[arg-type]
    return Shares(names, tuple(groups), shares, sum(kind == "set" for kind, _ in rows))


@figure(TITLE, lambda data: "" if data.rows else NOTHING)
def draw(figure: go.Figure, data: Shares, theme: Theme = LIGHT) -> None:
    """Draw stacked bars, the sets of documents above a line, with the percentages in them."""
    places = list(range(len(data.rows)))
    for group, shares in zip(data.groups, data.shares, strict=True):
        figure.add_bar(
            x=list(shares), y=places, orientation="h", name=safe(group),
            marker={"color": group_colour(group, data.groups, theme), "line": {"width": 1, "color": theme.surface}},
            text=[f"{share:.0%}" if share >= 0.04 else "" for share in shares], textposition="inside",
            insidetextanchor="middle",
            hovertemplate=f"%{{customdata}}: {safe(group)} %{{x:.1%}}<extra></extra>",
            customdata=[safe(name) for name in data.rows],
        )  # fmt: skip
    if 0 < data.sets < len(data.rows):
        figure.add_hline(data.sets - 0.5, line=dotted_line(theme))
    figure.update_layout(barmode="stack", bargap=0.25, height=ABOVE + 50 + ROW * len(data.rows))
    figure.update_xaxes(title_text="share of gendered documents, or of their exposure", range=[0, 1], tickformat=".0%")
    figure.update_yaxes(name_rows([safe(shortened(name, NAME_CHARACTERS)) for name in data.rows]), showgrid=False)
    legend_above(figure, ABOVE)
    figure.update_layout(legend_traceorder="normal")
