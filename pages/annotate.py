"""How good are machine labels, and what do they change?"""

import streamlit as st

from fairviz.ui.annotate import cards, form, people
from fairviz.ui.shell import frame

study, settings = frame.current()
if study.label_kind != "gender":
    frame.leave(
        f"The labels of {study.title or study.name} are not genders, and annotators give genders.",
        "Open another study.",
    )

form.join_labels(study)
people.labels_here(study, settings)
deck = cards.make_deck(study, settings)
if deck:
    cards.accuracy_card(deck)
is_running = form.running(study)
with st.expander("Label with rules and models", key="annotate_machines", expanded=deck is None):
    form.card(study, is_running=is_running)
with st.expander("Label with people, by link", key="annotate_people"):
    people.card(study, settings)
if deck is None:
    frame.stop()

cards.costs_card(deck)
cards.lost_card(deck)
cards.confidence_card(deck)
cards.apart_card(deck)
cards.effects_card(deck)
cards.replace_card(deck)
cards.corrected_cards(deck)
cards.demonstrated(deck)
