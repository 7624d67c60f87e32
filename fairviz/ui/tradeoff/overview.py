"""The pinned picture of the Overview: the values of its table, and its finding."""

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
    """The pinned settings with their measures and summary, and the values under the measures' current names."""

    settings: Settings
    asked: Asked
    summary: pd.DataFrame
    values: pd.DataFrame


def pinned_picture(study: Study, settings: Settings, request: Asked) -> Pinned | None:
    """Return the pinned picture of this study, if any."""
    then = pins.pinned(study, settings)
    if then is None:
        return None
    pinned_questions = questions.overview(study, then)
    summary = cache.summary(study, pinned_questions.texts, then)
    return Pinned(
        then, pinned_questions, summary, pinned.as_now(summary, pinned_questions.questions, request.questions)
    )


def bar(study: Study, settings: Settings, request: Asked, then: Pinned | None, comparison: Comparison) -> None:
    """Draw the buttons for pinning, the pinned settings, and whether the finding has changed since."""
    with st.container(key="page_bar", horizontal=True, vertical_alignment="center", gap="small", wrap=False):
        pinned.buttons(settings)
        pinned.elsewhere(study)
        if then:
            before = {question.name for question in then.asked.questions}
            lacking = pinned.lacking((question.name for question in request.questions), before)
            line = pinned.line(then.settings, settings, lacking, pinned.IN_A_TABLE)
            pinned_comparison = cache.comparison(study, then.asked.texts, then.settings)
            html.lines("fv-pinned", line, pinned.answer(pinned_comparison, comparison))
