"""The figures of a capsule and of a report: those of `fairviz.plot` that the study can feed, by name."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from fairviz import plot
from fairviz.evaluation.choices import missing_part
from fairviz.evaluation.family import untested
from fairviz.evaluation.scores import ask, summarise
from fairviz.evaluation.settings import Settings
from fairviz.measures import parse
from fairviz.study.study import Study

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
    """The figures by name, in the order of TITLES. scores: of `evaluate`."""
    look: dict[str, Any] = {"dark": dark, "height": HEIGHT}
    feeds = {name: not missing_part(study, ask(f"{name}@{settings.cutoff}", settings), settings) for name in CURVES}
    asked: dict[str, Callable[[], go.Figure]] = {}
    pair = _pair(scores)
    if pair:
        outside = untested(study, settings)
        asked["tradeoff"] = lambda: plot.tradeoff(_summary(scores, pair), *pair, outside=outside, **look)
    if feeds["CWEx"]:
        asked["exposure"] = lambda: plot.exposure(study, settings, **look)
        asked["alpha"] = lambda: plot.alpha(study, settings, **look)
    for name in CURVES:
        if feeds[name]:
            asked[f"cutoff-{name}"] = lambda name=name: plot.cutoff(study, name, settings, **look)  # type: ignore[misc]
    return {name: make() for name, make in asked.items()}


def _pair(scores: pd.DataFrame) -> tuple[str, str] | None:
    """The measure that goes up and the one across: the first of fairness, and one of effectiveness or the second."""
    texts = scores["measure"].astype(str).unique()
    questions = [parse(text) for text in texts if not text.startswith("GSR.")]  # its parts are no measures
    fair = [question.text for question in questions if question.family != "effectiveness"]
    others = [question.text for question in questions if question.family == "effectiveness"] + fair[1:]
    return (fair[0], others[0]) if fair and others else None


def _summary(scores: pd.DataFrame, texts: tuple[str, str]) -> pd.DataFrame:
    return summarise(scores[scores["measure"].isin(texts)])


def figure_pages(study: Study, settings: Settings, scores: pd.DataFrame) -> dict[str, bytes]:
    """The figures as pages of HTML by their place in the zip, and the one script that all of them load from beside."""
    made = figures(study, settings, scores)
    if not made:
        return {}
    pages = {
        f"{FOLDER}/{name}.html": figure.to_html(
            include_plotlyjs="directory", full_html=True, div_id=f"figure-{name}", config=CONFIG
        ).encode()
        for name, figure in made.items()
    }
    return {**pages, f"{FOLDER}/{SCRIPT}": get_plotlyjs().encode()}
