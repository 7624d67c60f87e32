"""Figures of a capsule and of a report: those of `fairviz.plot` that the study has data for, by name."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from fairviz.comparison.family import untested
from fairviz.evaluation.choices import missing_part
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import summarise
from fairviz.evaluation.settings import Settings
from fairviz.measures import parse
from fairviz.output import plot
from fairviz.study.record import Study

FOLDER, SCRIPT = "figures", "plotly.min.js"
CURVES = ("CWEx", "NFaiRR", "TExFAIR")
HEIGHT = 420
CONFIG = {"displaylogo": False, "responsive": True}
TITLES = {
    "tradeoff": "One measure against another",
    "exposure": "Who gets the exposure",
    "alpha": "CWEx along alpha",
    **{f"cutoff-{name}": f"{name} along the cutoff" for name in CURVES},
}


def figures(study: Study, settings: Settings, scores: pd.DataFrame, *, dark: bool = False) -> dict[str, go.Figure]:
    """Return the figures by name, in the order of TITLES. scores: see `evaluate`."""
    look: dict[str, Any] = {"dark": dark, "height": HEIGHT}
    feeds = {name: not missing_part(study, ask(name, settings), settings) for name in CURVES}
    draw_by_name: dict[str, Callable[[], go.Figure]] = {}
    pair = _select_axes(scores)
    if pair:
        outside = untested(study, settings)
        draw_by_name["tradeoff"] = lambda: plot.tradeoff(_summary(scores, pair), *pair, outside=outside, **look)
    if feeds["CWEx"]:
        draw_by_name["exposure"] = lambda: plot.exposure(study, settings, **look)
        draw_by_name["alpha"] = lambda: plot.alpha(study, settings, **look)
    for name in CURVES:
        if feeds[name]:
            draw_by_name[f"cutoff-{name}"] = lambda name=name: plot.cutoff(study, name, settings, **look)  # type: ignore[misc]
    return {name: make() for name, make in draw_by_name.items()}


def _select_axes(scores: pd.DataFrame) -> tuple[str, str] | None:
    """Return the measures of the y axis and the x axis: the first of fairness; one of effectiveness or the next of
    fairness.
    """
    texts = scores["measure"].astype(str).unique()
    questions = [parse(text) for text in texts if not text.startswith("GSR.")]  # GSR's parts are not measures
    fair = [question.text for question in questions if question.family != "effectiveness"]
    x_candidates = [question.text for question in questions if question.family == "effectiveness"] + fair[1:]
    return (fair[0], x_candidates[0]) if fair and x_candidates else None


def _summary(scores: pd.DataFrame, texts: tuple[str, str]) -> pd.DataFrame:
    return summarise(scores[scores["measure"].isin(texts)])


def figure_pages(study: Study, settings: Settings, scores: pd.DataFrame) -> dict[str, bytes]:
    """Return the figures as HTML pages by their path in the zip, with the script that all of them load."""
    figure_by_name = figures(study, settings, scores)
    if not figure_by_name:
        return {}
    pages = {
        f"{FOLDER}/{name}.html": figure.to_html(
            include_plotlyjs="directory", full_html=True, div_id=f"figure-{name}", config=CONFIG
        ).encode()
        for name, figure in figure_by_name.items()
    }
    return {**pages, f"{FOLDER}/{SCRIPT}": get_plotlyjs().encode()}
