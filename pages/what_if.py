"""What would have to change in this list?"""

import streamlit as st

from fairviz.ui.shell import frame
from fairviz.ui.what_if import cards, search, state
from fairviz.ui.what_if import list as listed

study, settings = frame.current()

if not study.systems:
    frame.nothing_ranked(study)

questions, missing = state.offered(study, settings)
if not [question for question in questions if question.measure]:
    frame.missing(missing)
    frame.stop()

bench = state.choose(study, settings, questions)
if bench is None:
    frame.stop()

table = bench.outcome()
left, right = st.columns([1, 1], gap="small")
with left:
    listed.list_card(bench)
    cards.save_card(bench)
    cards.steps_card(bench)
with right:
    cards.measures_card(bench, table)
    search.search_card(bench, table)
frame.missing(missing)
