"""Where do measures disagree about which system is fairer?"""

import streamlit as st

from fairviz.evaluation import questions
from fairviz.evaluation.choices import chosen_systems
from fairviz.ui.compare import cards, measures
from fairviz.ui.shell import frame
from fairviz.words.sentences import plain

study, settings = frame.current()
frame.exploratory(study)

if not study.systems:
    frame.nothing_ranked(study)

request = questions.overview(study, settings)
if not request.questions:
    frame.missing(request.missing)
    frame.stop()
if len(chosen_systems(study, settings)) < 2:
    frame.leave(plain(cards.only_one(chosen_systems(study, settings))))

frame.unlabelled(study, settings, request.questions)
deck = cards.deck(study, settings, request)
if len(request.questions) > 1:  # two measures make a pair
    with st.container(border=True, gap="xsmall", key="compare_atlas_card"):
        measures.atlas_card(deck)
with st.container(border=True, gap="xsmall", key="compare_curves_card"):
    measures.curves_card(deck)
frame.missing(request.missing)
