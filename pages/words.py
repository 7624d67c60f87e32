"""Where does a word lie between male and female?"""

import streamlit as st

from fairviz.ui.data import uploads
from fairviz.ui.shell import frame
from fairviz.ui.shell import vector_controls as stereotypes_vectors
from fairviz.ui.words import cards as words

study, settings = frame.current()
uploads.outcome()
words.controls()
using = stereotypes_vectors.active(settings)
deck = words.deck(settings, using)
words.draw_verdicts(deck)
axis, plane = st.columns([11, 9], gap="small")
with axis:
    words.axis_card(deck)
with plane:
    words.plane_card(deck)
stereotypes_vectors.about(study, settings, using)
tests, more = st.columns([11, 9], gap="small")
with tests:
    words.tests_card(deck)
    words.variance_card(deck)
with more:
    words.neighbours_card(deck)
