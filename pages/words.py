"""Where does a word lie between male and female?"""

import streamlit as st

from fairviz.ui.data import uploads
from fairviz.ui.shell import frame, vector_controls
from fairviz.ui.words import cards

study, settings = frame.current()
uploads.outcome()
cards.controls()
using = vector_controls.active(settings)
deck = cards.make_deck(settings, using)
cards.draw_verdicts(deck)
axis, plane = st.columns([11, 9], gap="small")
with axis:
    cards.axis_card(deck)
with plane:
    cards.plane_card(deck)
vector_controls.about(study, settings, using)
tests, more = st.columns([11, 9], gap="small")
with tests:
    cards.tests_card(deck)
    cards.variance_card(deck)
with more:
    cards.neighbours_card(deck)
