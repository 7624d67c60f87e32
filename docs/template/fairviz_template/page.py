"""Labelled ranks: a page whose figure follows the slider of the cutoff while it is dragged."""

from collections.abc import Sequence

import plotly.graph_objects as go

from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slider_settings import stops
from fairviz.figures.style import layout
from fairviz.study.record import Study
from fairviz.ui.kit import charts, pick
from fairviz.ui.shell import frame
from fairviz.ui.shell.live import component, sliders
from fairviz.ui.shell.live.frames import Frame, Moving, mark_looks
from fairviz.ui.state.registry import Page, PageChoice

KEY, ORDER = "labelled_chart", "labelled_order"


def shares(study: Study, systems: Sequence[str], cutoff: int) -> list[float]:
    """Return for each system the share of its ranks down to the cutoff whose document has a label."""
    top = study.runs[study.runs["rank"] <= cutoff]
    is_labelled = top["doc_id"].isin(study.labels["doc_id"])
    return is_labelled.groupby(top["system"].astype(str)).mean().reindex(list(systems)).tolist()


def draw() -> None:
    """Draw the page: one control, one figure with its table, and the figure at each stop of the slider."""
    study, settings = frame.current()
    systems = sorted(study.systems, reverse=pick.toggle(ORDER, "From Z to A"))
    present = shares(study, systems, settings.cutoff)
    drawn = go.Figure(layout=layout("Share of ranks with a label", charts.theme(), 320))
    drawn.add_scatter(x=present, y=list(range(len(systems))), mode="markers")
    drawn.update_xaxes(range=[0, 1.05], title="share of ranks down to the cutoff")
    drawn.update_yaxes(range=[-0.5, len(systems) - 0.5], tickvals=list(range(len(systems))), ticktext=systems)
    alt = ", ".join(f"{name} {share:.2f}" for name, share in zip(systems, present, strict=True))
    charts.chart(drawn, f"Share of labelled ranks: {alt}.", KEY)

    def moving(slider: str) -> list[Moving]:
        return [along(study, systems, stops(study, settings, slider))]

    followed = sliders.sidebar(study, settings, "labelled", moving, {}, only=("cutoff",))
    component.follow(component.Page("labelled", (KEY,), followed))


def along(study: Study, systems: Sequence[str], settings: Sequence[Settings]) -> Moving:
    """Return the marks of the figure at each stop of a slider."""
    looks = mark_looks(systems, charts.styles(study), charts.theme(), "")

    def at(stop: int) -> Frame:
        numbers = {"points x": shares(study, systems, settings[stop].cutoff), "points y": list(range(len(systems)))}
        return Frame(numbers | {"range xaxis": [0, 1.05], "range yaxis": [-0.5, len(systems) - 0.5]})

    return Moving(KEY, "plot", {"layers": [{"draw": "marks", "name": "points", "looks": looks}]}, at)


LABELLED = Page(
    name="labelled",
    title="Labelled ranks",
    section="Results",
    question="How many of the shown documents have a label?",
    choices=(PageChoice(ORDER, False, "from Z to A"),),
    draw=draw,
)
