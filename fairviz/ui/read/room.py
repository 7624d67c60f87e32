"""The reading room: filters, the list, the open document and its decision, as one fragment."""

import pandas as pd
import streamlit as st

from fairviz.annotation.forms.drawing import study_guideline
from fairviz.annotation.voters import votes_of
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kept import reading as inspect_cache
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import fragment
from fairviz.ui.kit.guidelines import guideline_html
from fairviz.ui.read import decide as inspect_decide
from fairviz.ui.read import document as inspect_document
from fairviz.ui.read import effects as inspect_effects
from fairviz.ui.read import files as inspect_files
from fairviz.ui.read import filters as inspect_filters
from fairviz.ui.read import labels as inspect_labels
from fairviz.ui.read import list as inspect_list
from fairviz.ui.read import name as inspect_name
from fairviz.ui.read import state as inspect_state
from fairviz.ui.read import wording as inspect_words
from fairviz.ui.read.contest import Contest

GUIDELINE_HEIGHT = 420


@fragment
def reading_room(study: Study, settings: Settings, contest: Contest | None) -> None:
    """Draw the filters, and below them the list and the document. A filter redraws only these."""
    inspect_name.begin()
    effects = inspect_effects.effects(study, settings, contest)
    catalogue = inspect_cache.catalogue(study, settings)
    reader = inspect_state.reader(study, settings, inspect_state.chosen_filters(catalogue))
    inspect_filters.filters(catalogue, effects is not None, reader)
    _draw_desk(study, settings, contest, effects)


@fragment
def _draw_desk(study: Study, settings: Settings, contest: Contest | None, effects: pd.DataFrame | None) -> None:
    """Draw the list and the open document, the only parts that Next and a decision redraw."""
    key = () if contest is None else (contest.text, contest.first, contest.second)
    room = inspect_state.room(study, settings, effects, key)
    left, right = st.columns([12, 10], gap="small")
    with left:
        _draw_left(room, contest, effects)
    with right, st.container(border=True, gap="xsmall"):
        _draw_right(room, contest)
    inspect_name.store()
    inspect_state.remember()


def _draw_left(room: inspect_state.Room, contest: Contest | None, effects: pd.DataFrame | None) -> None:
    text_column, menu_column = st.columns([7, 2.2], vertical_alignment="center", gap="xsmall")
    with text_column:
        votes = votes_of(room.study, room.settings.voters)
        listing = inspect_words.listing_sentence(len(room.passing), len(room.catalogue.doc_ids), votes)
        html.lines("fv-listing", listing)
    with menu_column:
        inspect_files.decisions_menu(room)
    inspect_list.listing(room, effects)
    inspect_decide.draw_sum_of_decisions(room, contest)
    if room.study.has("runs") and room.document >= 0:
        with st.expander("Ranks and neighbours", key="inspect_ranks", type="compact"):
            inspect_document.standing_card(room)


def _draw_right(room: inspect_state.Room, contest: Contest | None) -> None:
    if room.document < 0:
        html.quiet("No document is open.")
        return
    inspect_document.text_card(room)
    inspect_labels.labels_card(room)
    inspect_decide.decide_card(room, contest)
    _draw_guideline(room.study)


def _draw_guideline(study: Study) -> None:
    try:
        text = study_guideline(study)
    except FairvizError as error:
        html.problem(error)
        return
    if text:
        with (
            st.expander("Guideline", key="inspect_guideline", type="compact"),
            st.container(height=GUIDELINE_HEIGHT, border=False),
        ):
            st.html(guideline_html(text))
