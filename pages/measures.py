"""Where do measures disagree about which system is fairer?"""

import streamlit as st

from fairviz.evaluation import questions
from fairviz.evaluation.choices import chosen_systems
from fairviz.ui.compare import curves, disagreement
from fairviz.ui.compare.deck import deck as make_deck
from fairviz.ui.compare.wording import only_one
from fairviz.ui.kept.tables import coverage_note
from fairviz.ui.kit import html
from fairviz.ui.shell import frame

study, settings = frame.current()

if not study.systems:
    frame.nothing_ranked(study)
    frame.stop()

request = questions.overview(study, settings)
if not request.questions:
    frame.missing(request.missing)
    frame.stop()
if len(chosen_systems(study, settings)) < 2:
    html.findings(only_one(chosen_systems(study, settings)))
    frame.stop()

deck = make_deck(study, settings, request)
with st.container(border=True, gap="xsmall", key="compare_atlas_card"):
    disagreement.atlas_card(deck)
with st.container(border=True, gap="xsmall", key="compare_curves_card"):
    curves.curves_card(deck)
frame.missing(request.missing)
html.quiet(coverage_note(study, settings, request.questions))
