"""What happens to the lists when the senses that carry gender are turned down inside the ranker?"""

import streamlit as st

from fairviz.analyses.sense_weighting.wordings import lacking
from fairviz.rankers.backpack.loading import loaded
from fairviz.ui.backpack import cards, controls, lists, running
from fairviz.ui.kept import rankers as kept
from fairviz.ui.kit import html
from fairviz.ui.shell import frame

study, settings = frame.current()
html.heading(
    "Backpack",
    "What happens to the lists when the senses that carry gender are turned down inside the ranker?",
    "A change is one of gender only where the placebo, the same weight on other senses, does not do the same.",
)
what, remedy = lacking(study)
if what:
    html.message("info", what, remedy)
    frame.stop()
if not running.ready():
    frame.stop()

asked = controls.controls()
model = loaded(asked.model)
key, made = running.lists(study, (asked.model, *asked.seeds), settings)
if made is not None:
    found = kept.answered(made, key, settings)
    cards.finding(found, asked)
    cards.figure_card(found, asked, study, settings)
    query = lists.picker(found, settings)
    left, right = st.columns([7, 5], gap="small")
    with left:
        lists.lists_card(found, asked, study, settings, query)
    with right:
        lists.scores_card(found, asked, study, settings, query)
    html.note("\n".join(made.messages))
left, right = st.columns([5, 7], gap="small")
with left:
    cards.senses_card(model)
with right:
    cards.word_card(model)
cards.model_card(asked)
if made is not None:
    frame.missing(found.values.missing)
