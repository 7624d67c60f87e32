"""How good are machine labels, and what do they change?"""

import streamlit as st

from fairviz.ui.annotate import accuracy, apart, confidence, corrected, effects, form, people, running
from fairviz.ui.annotate.deck import deck as decks
from fairviz.ui.annotate.deck import details
from fairviz.ui.kit import html
from fairviz.ui.shell import frame

study, settings = frame.current()
if study.label_kind != "gender":
    html.message(
        "info",
        f"The labels of {study.title or study.name} are not genders, and annotators give genders.",
        "Open another study.",
    )
    frame.stop()

running.join_labels(study)
people.labels_here(study, settings)
deck = decks(study, settings)
if deck:
    accuracy.card(deck)
is_running = running.running(study)
with st.expander("Label with rules and models", key="annotate_machines", expanded=deck is None):
    form.card(study, is_running=is_running)
with st.expander("Label with people, by link", key="annotate_people"):
    people.card(study, settings)
if deck is None:
    frame.stop()

accuracy.costs_card(deck)
accuracy.lost_card(deck)
confidence.card(deck)
apart.card(deck)
effects.card(deck)
corrected.card(deck)
details(deck)
