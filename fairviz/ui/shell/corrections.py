"""The card of corrected means: a machine's labels, people's, and both, on the pages that compare systems."""

from collections.abc import Sequence

import streamlit as st

from fairviz.correction.corrected import corrected
from fairviz.correction.sampling import of_labels
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_values import correctors
from fairviz.figures import corrected as figure
from fairviz.measures import Question
from fairviz.output.recipes import recipe
from fairviz.study.record import Study
from fairviz.ui.kept import labels as kept
from fairviz.ui.kit import charts, html

TAB = "Corrected"
NOBODY = "nobody"
MOST_PANELS = 3
ABOUT = "Hollow: {machine} alone. {people} labelled a random sample; both together are the squares."
CHOOSE = "A sample was drawn for people to label. Choose whose labels correct the machine's."


def has_sample(study: Study) -> bool:
    """Return whether a sample for correction was drawn in the study, and people labelled something."""
    return len(correctors(study)) > 1


def card(study: Study, settings: Settings, questions: Sequence[Question], key: str, against: str = "") -> None:
    """Draw whose labels correct the machine's, the figure with its table, and the sample in words.

    against: the system from which the figure shows differences. key: of the page's widgets.
    """
    choice, text, more = st.columns([3, 6, 1.6], gap="small", vertical_alignment="bottom")
    names = correctors(study)
    choice.selectbox("Corrected by", names, key="corrected_by", format_func=lambda name: name or NOBODY)
    if not settings.corrected_by:
        with text:
            html.quiet(CHOOSE)
        return
    measures = tuple(of_labels(questions)[:MOST_PANELS])
    try:
        corrected_means = kept.corrections(study, settings, measures, against)
    except FairvizError as error:
        html.message("info", error.message, error.remedy)
        return
    with text:
        html.quiet(f"{corrected_means.text}. For {corrected_means.target}.")
    data = figure.info(corrected_means.table, corrected_means.machine, corrected_means.people, against)
    with more:
        texts = list(dict.fromkeys(corrected_means.table["measure"]))
        code = recipe(corrected, study, texts, settings, against=against)
        charts.table(corrected_means.table, data.alt, f"{key}_corrected", code)
    height = figure.height_of(data)
    charts.chart(figure.draw(data, charts.theme(), height), data.alt, f"{key}_corrected_chart")
    if corrected_means.no_tests:
        html.quiet(f"No verdict on systems: {corrected_means.no_tests}.")
