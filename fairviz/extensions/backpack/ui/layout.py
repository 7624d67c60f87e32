"""The layout of the page Backpack."""

import streamlit as st

from fairviz.extensions.backpack.encoding import BACKPACK
from fairviz.extensions.backpack.lists import lacking
from fairviz.extensions.backpack.loading import loaded
from fairviz.extensions.backpack.ui import cards, controls, kept
from fairviz.rankers.grammar import absent_layer
from fairviz.ui.kit import html
from fairviz.ui.shell import frame


def draw() -> None:
    """Draw the page: its figure, two lists of a query, its senses and its model."""
    study, settings = frame.current()
    what, remedy = lacking(study)
    if what:
        frame.leave(what, remedy)
    if absent := absent_layer([BACKPACK]):
        html.problem(absent, "info")
        frame.stop()
    if not controls.ready():
        frame.stop()

    chosen = controls.controls()
    model = loaded(chosen.model)
    key, experiment = controls.lists(study, (chosen.model, *chosen.seeds), settings)
    if experiment is not None:
        steering = kept.steering(experiment, key, settings)
        cards.figure_card(steering, chosen, study, settings)
        query = cards.picker(steering, settings)
        left, right = st.columns([7, 5], gap="small")
        with left:
            cards.lists_card(steering, chosen, study, settings, query)
        with right:
            cards.scores_card(steering, chosen, study, settings, query)
        html.note("\n".join(experiment.messages))
    with st.expander(
        "The gender of each sense, and a word's senses", experiment is None, key="backpack_senses_fold", type="compact"
    ):
        left, right = st.columns([5, 7], gap="small")
        with left:
            cards.senses_card(model)
        with right:
            cards.word_card(model)
    cards.model_card(chosen)
    if experiment is not None:
        frame.missing(steering.values.missing)
