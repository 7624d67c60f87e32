"""Why does this query have these values, and what sets two systems apart on it?"""

import streamlit as st

from fairviz.ui.kept import coverage
from fairviz.ui.kit import html
from fairviz.ui.laboratory import state as laboratory
from fairviz.ui.query import cards, lists, state
from fairviz.ui.shell import frame

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
cards.way(desk)
left, right = st.columns([1, 1], gap="small")
with left:
    lists.lists_card(desk)
    laboratory.link(desk.systems[0], desk.query)
with right:
    cards.waterfall_card(desk)
    cards.strip_card(desk)
frame.missing(missing)
html.quiet(coverage.note(study, settings, questions))
