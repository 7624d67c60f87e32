"""Do annotators agree, and on which labels do they not?"""

import streamlit as st

from fairviz.ui.agreement import cards
from fairviz.ui.kit import html
from fairviz.ui.shell import frame

study, settings = frame.current()
cards.open_moved()

if not study.has("labels"):
    html.message("info", f"{study.title or study.name} has no labels.", cards.NO_LABELS)
    cards.annotate_link()
    frame.stop()

deck = cards.AgreementDeck(study, settings, cards.controls(study, settings))
cards.finding(deck)
left, right = st.columns(2, gap="small")
with left:
    cards.confusion_card(deck)
with right:
    cards.against_card(deck)
cards.tabs(deck)
cards.annotate_link()
