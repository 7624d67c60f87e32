"""Why does this query have these values, and what sets two systems apart on it?"""

import streamlit as st

from fairviz.ui.kept.tables import coverage_note
from fairviz.ui.kit import html
from fairviz.ui.laboratory import state as laboratory
from fairviz.ui.query import cards, lists, picking, state
from fairviz.ui.shell import frame, legend

study, settings = frame.current()
html.heading("Query", "Why does this query have these values, and what sets two systems apart on it?")

if not study.systems:
    frame.nothing_ranked(study)
    frame.stop()

questions, missing = state.offered(study, settings)
if not [question for question in questions if question.measure]:
    frame.missing(missing)
    frame.stop()

desk = state.choose(study, settings, questions)
cards.draw_navigation(desk)
with st.container(key="page_bar"):
    legend.legend(study, settings, desk.styles)
with st.container(key=picking.BODY):
    documents = lists.lists_card(desk)
    laboratory.link(desk.systems[0], desk.query)
    left, right = st.columns([1, 1], gap="small")
    with left:
        cards.waterfall_card(desk)
    with right:
        cards.strip_card(desk)
    picking.handle_clicks(desk, documents)
frame.missing(missing)
html.quiet(coverage_note(study, settings, questions))
