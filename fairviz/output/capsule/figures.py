"""Figures of a capsule and of a report: those of `fairviz.plot` that the study has data for, by name."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from fairviz import plot
from fairviz.comparison.family import untested
from fairviz.evaluation.choices import missing_part
from fairviz.evaluation.questions import MAIN, ask
from fairviz.evaluation.scores import summarise
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question, parse
from fairviz.study.record import Study

FOLDER, SCRIPT = "figures", "plotly.min.js"
HEIGHT = 420
CONFIG = {"displaylogo": False, "responsive": True}
TITLES = {
    "tradeoff": "One measure against another",
    "exposure": "Who gets the exposure",
    "alpha": "CWEx along alpha",
}
CURVE = "cutoff-"


def figures(study: Study, settings: Settings, scores: pd.DataFrame, *, dark: bool = False) -> dict[str, go.Figure]:
    """Return the figures by name. scores: see `evaluate`."""
    look: dict[str, Any] = {"dark": dark, "height": HEIGHT}
    fed = [name for name in ("CWEx", *_curves(scores)) if not missing_part(study, ask(name, settings), settings)]
    draw_by_name: dict[str, Callable[[], go.Figure]] = {}
    pair = _select_axes(scores)
    if pair:
        outside = untested(study, settings)
        draw_by_name["tradeoff"] = lambda: plot.tradeoff(_summary(scores, pair), *pair, outside=outside, **look)
    if "CWEx" in fed:
        draw_by_name["exposure"] = lambda: plot.exposure(study, settings, **look)
        draw_by_name["alpha"] = lambda: plot.alpha(study, settings, **look)
    for name in _curves(scores):
        if name in fed:
            draw_by_name[CURVE + name] = lambda name=name: plot.cutoff(study, name, settings, **look)  # type: ignore[misc]
    return {name: make() for name, make in draw_by_name.items()}


def title_of(name: str) -> str:
    """Return the title of the figure of this name."""
    return TITLES.get(name) or f"{name.removeprefix(CURVE)} along the cutoff"


def _curves(scores: pd.DataFrame) -> tuple[str, ...]:
    """Return the measures with a curve over the cutoff: the main ones, or where the scores have none of them, the first
    two of fairness."""
    names = [question.name for question in _questions(scores) if question.family != "effectiveness"]
    return MAIN if not names or set(names) & set(MAIN) else tuple(dict.fromkeys(names))[:2]


def _questions(scores: pd.DataFrame) -> list[Question]:
    """Return the measures of the scores, without GSR's parts."""
    return [parse(text) for text in scores["measure"].astype(str).unique() if not text.startswith("GSR.")]


def _select_axes(scores: pd.DataFrame) -> tuple[str, str] | None:
    """Return the measures of the y axis and the x axis: the first of fairness; one of effectiveness or the next of
    fairness.
    """
    questions = _questions(scores)
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
