"""Is one system fairer than another, by how much, on which queries, and could this number of queries have shown it?"""

import streamlit as st

from fairviz.evaluation import questions
from fairviz.evaluation.choices import chosen_systems
from fairviz.ui.compare import cards, curves, lists
from fairviz.ui.compare.deck import deck as make_deck
from fairviz.ui.compare.deck import testing
from fairviz.ui.compare.wording import finding, only_one
from fairviz.ui.kept.tables import coverage_note
from fairviz.ui.kit import html
from fairviz.ui.shell import frame

study, settings = frame.current()
html.heading(
    "Compare", "Is one system fairer than another, on which queries, and could this number of queries show it?"
)

if not study.systems:
    frame.nothing_ranked(study)
    frame.stop()

asked = questions.overview(study, settings)
if not asked.questions:
    frame.missing(asked.missing)
    frame.stop()
if len(chosen_systems(study, settings)) < 2:
    html.notice(only_one(chosen_systems(study, settings)))
    frame.stop()

deck = make_deck(study, settings, asked)
notice = st.container()
left, right = st.columns([6, 7], gap="small")
with left:
    by_query = cards.queries_card(deck)
with right:
    lists.lists_card(deck, by_query)
with st.container(border=True, gap="xsmall", key="compare_against_card"):
    html.strong("Every system against the baseline, by every measure")
    how = testing()
    found = cards.systems_card(deck, how)
with notice:
    html.notice(finding(found, deck.measure, deck.pair))
with st.container(border=True, gap="xsmall", key="compare_slices_card"):
    html.strong("The two systems, slice by slice")
    cards.slices_card(deck, how)
with st.container(border=True, gap="xsmall", key="compare_atlas_card"):
    html.strong("Where measures disagree")
    cards.atlas_card(deck)
with st.container(border=True, gap="xsmall", key="compare_curves_card"):
    html.strong("Measures over the cutoff, with and without the discount RBDF")
    curves.curves_card(deck)
frame.missing(asked.missing)
html.quiet(coverage_note(study, settings, asked.questions))
