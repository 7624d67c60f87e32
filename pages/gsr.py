"""Do stereotypical queries return stereotypical documents?"""

import streamlit as st

from fairviz.comparison.family import how_of
from fairviz.evaluation.choices import missing_for_gsr
from fairviz.ui.data import uploads
from fairviz.ui.gsr import cards, validity, wording
from fairviz.ui.kit import html, wide
from fairviz.ui.shell import frame, vector_controls

study, settings = frame.current()
uploads.outcome()
if not study.systems:
    frame.nothing_ranked(study)

slider = cards.controls()
lacking = missing_for_gsr(study, settings.gsr_depth)
if lacking:
    frame.missing((("GSR", lacking),))
    frame.stop()

using = vector_controls.active(settings)
deck = cards.make_deck(study, settings, using, slider)
debiasing = cards.debiasing_finding(deck.lines, settings.debias)
how, left_out = how_of(study, settings), deck.settings.left_out
sentence = debiasing or wording.finding(deck.lines, deck.used_points, deck.curves, deck.systems, left_out, how)
cards.draw_legend(deck)
cards.scatter_card(deck)
with st.expander("In words", key="stereotypes_in_words", type="compact"):
    html.findings((*sentence, *deck.hidden_span))
vector_controls.about(study, settings, using)
wide.opened(cards.WIDE, cards.CARDS)
with st.container(key="stereotypes_cards"):
    cards.query_card(deck)
    cards.slopes_card(deck)
    cards.carried_card(deck)
    wide.follow(cards.WIDE, "stereotypes")
if settings.debias != cards.UNCHANGED:
    cards.debiasing_card(study, settings, deck)
validity.card(study, settings, deck)
cards.follow(deck, study, settings)
