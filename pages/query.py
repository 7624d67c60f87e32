"""Why do two systems differ on this query?"""

import streamlit as st

from fairviz.ui.query import cards, state
from fairviz.ui.shell import frame
from fairviz.ui.what_if import state as laboratory

study, settings = frame.current()
frame.exploratory(study)

if not study.systems:
    frame.nothing_ranked(study)

questions, missing = state.offered(study, settings)
if not [question for question in questions if question.measure]:
    frame.missing(missing)
    frame.stop()

desk = state.choose(study, settings, questions)
with cards.draw_navigation(desk):
    laboratory.link(desk.systems[0], desk.query)
with st.container(key=cards.BODY):
    documents = cards.lists_card(desk)
    cards.waterfall_card(desk)
    cards.strip_card(desk)
    cards.handle_clicks(desk, documents)
frame.missing(missing)
