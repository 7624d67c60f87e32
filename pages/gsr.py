"""Do stereotypical queries return stereotypical documents?"""

import streamlit as st

from fairviz.comparison.family import how_of
from fairviz.evaluation.choices import missing_for_gsr
from fairviz.ui.data import uploads
from fairviz.ui.gsr import cards as stereotypes
from fairviz.ui.gsr import debiasing as stereotypes_debiasing
from fairviz.ui.gsr import following as stereotypes_following
from fairviz.ui.gsr import query as stereotypes_query
from fairviz.ui.gsr import validity as stereotypes_validity
from fairviz.ui.gsr import wording as stereotypes_text
from fairviz.ui.kit import html, wide
from fairviz.ui.shell import frame
from fairviz.ui.shell import vector_controls as stereotypes_vectors

study, settings = frame.current()
uploads.outcome()
if not study.systems:
    frame.nothing_ranked(study)
    frame.stop()

slider = stereotypes.controls()
lacking = missing_for_gsr(study, settings.gsr_depth)
if lacking:
    frame.missing((("GSR", lacking),))
    frame.stop()

using = stereotypes_vectors.active(settings)
deck = stereotypes.deck(study, settings, using, slider)
debiasing = stereotypes_debiasing.finding(deck.lines, settings.debias)
points, left_out = stereotypes.used_points(deck), deck.settings.left_out
sentence = debiasing or stereotypes_text.finding(
    deck.lines, points, deck.curves, deck.systems, left_out, how_of(study, settings)
)
stereotypes.draw_legend(deck)
stereotypes.scatter_card(deck)
with st.expander("In words", key="stereotypes_in_words", type="compact"):
    html.findings((*sentence, *stereotypes.hidden_span(deck)))
stereotypes_vectors.about(study, settings, using)
wide.opened(stereotypes.WIDE, stereotypes.CARDS)
with st.container(key="stereotypes_cards"):
    stereotypes_query.query_card(deck)
    stereotypes.slopes_card(deck)
    stereotypes.carried_card(deck)
    wide.follow(stereotypes.WIDE, "stereotypes")
if settings.debias != "none":
    stereotypes_debiasing.debiasing_card(study, settings, deck.lines, deck.styles, deck.theme)
stereotypes_validity.card(study, settings, deck)
stereotypes_following.stereotypes(deck, study, settings)
