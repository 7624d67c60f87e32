"""Where do measures disagree about which system is fairer?"""

import streamlit as st

from fairviz.evaluation import questions
from fairviz.evaluation.choices import chosen_systems
from fairviz.ui.compare import cards, measures
from fairviz.ui.kept.tables import coverage_note
from fairviz.ui.kit import html
from fairviz.ui.shell import frame

study, settings = frame.current()
frame.exploratory(study)

if not study.systems:
    frame.nothing_ranked(study)
    frame.stop()

request = questions.overview(study, settings)
if not request.questions:
    frame.missing(request.missing)
    frame.stop()
if len(chosen_systems(study, settings)) < 2:
    html.findings(cards.only_one(chosen_systems(study, settings)))
    frame.stop()

deck = cards.deck(study, settings, request)
with st.container(border=True, gap="xsmall", key="compare_atlas_card"):
    measures.atlas_card(deck)
with st.container(border=True, gap="xsmall", key="compare_curves_card"):
    measures.curves_card(deck)
frame.missing(request.missing)
html.quiet(coverage_note(study, settings, request.questions))
