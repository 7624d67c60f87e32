"""What the Overview sets against a pinned picture: the values of its table, and its answer."""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from fairviz.comparison.compare import Comparison
from fairviz.evaluation import questions
from fairviz.evaluation.questions import Asked
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import html
from fairviz.ui.state import pins
from fairviz.ui.tradeoff import pinned


@dataclass(frozen=True)
class Pinned:
    """The pinned settings, what was asked then and its summary, and the values under the measures' names of now."""

    settings: Settings
    asked: Asked
    summary: pd.DataFrame
    values: pd.DataFrame


def held(study: Study, settings: Settings, asked: Asked) -> Pinned | None:
    """What is pinned in this study, if anything."""
    then = pins.pinned(study, settings)
    if then is None:
        return None
    before = questions.overview(study, then)
    summary = cache.summary(study, before.texts, then)
    return Pinned(then, before, summary, pinned.as_now(summary, before.questions, asked.questions))


def bar(study: Study, settings: Settings, asked: Asked, then: Pinned | None, found: Comparison) -> None:
    """The buttons that pin, the line of what is pinned, and whether the answer is another since."""
    with st.container(key="page_bar", horizontal=True, vertical_alignment="center", gap="small", wrap=False):
        pinned.buttons(settings)
        pinned.elsewhere(study)
        if then:
            before = {question.name for question in then.asked.questions}
            lacking = pinned.lacking((question.name for question in asked.questions), before)
            line = pinned.line(then.settings, settings, lacking, pinned.IN_A_TABLE)
            held = cache.comparison(study, then.asked.texts, then.settings)
            html.lines("fv-pinned", line, pinned.answer(held, found))
