"""Do annotators agree, and on which labels do they not?"""

import streamlit as st

from fairviz.ui.agreement import cards as agreement_cards
from fairviz.ui.agreement import choices as agreement_choices
from fairviz.ui.agreement import tabs as agreement_tabs
from fairviz.ui.kit import html
from fairviz.ui.shell import frame

study, settings = frame.current()
agreement_tabs.open_moved()

if not study.has("labels"):
    html.message("info", f"{study.title or study.name} has no labels.", agreement_cards.NO_LABELS)
    agreement_tabs.annotate_link()
    frame.stop()

comparison = agreement_choices.choices(study, settings)
deck = agreement_cards.Deck(study, settings, comparison)
agreement_cards.finding(deck)
left, right = st.columns(2, gap="small")
with left:
    agreement_cards.confusion_card(deck)
with right:
    agreement_cards.against_card(deck)
agreement_tabs.tabs(deck)
agreement_tabs.annotate_link()
