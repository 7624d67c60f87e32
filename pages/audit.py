"""Which group's documents does a ranker put first, by how much, and is its answer an answer at all?"""

import streamlit as st

from fairviz.ui.audit import cards, controls, lists, pair, views
from fairviz.ui.kit import html
from fairviz.ui.shell import frame

study, settings = frame.current()
html.heading(
    "Audit",
    "Which group's documents does a ranker put first, by how much, and is its answer an answer at all?",
    "Equal shares are no fairness where a model goes by position: read integrity first, and the gap beside the share.",
)
if views.others(study, settings):
    frame.stop()
lacking, remedy = controls.missing(study)
if lacking:
    html.message("info", lacking, remedy)
    frame.stop()

asked = controls.controls(study, settings)
if asked is None:
    frame.stop()
audits = controls.outcome(study, asked)
if audits is None:
    frame.stop()

if audits.listwise is not None and views.in_lists():
    lists.cards(study, audits.listwise, audits.pairwise, asked.calls)
    controls.notes(asked, audits.listwise.messages)
    frame.stop()

deck = cards.deck(study, audits.pairwise, asked)
cards.integrity_card(deck)
cards.notices(deck)
cards.table_card(deck)
left, right = st.columns(2, gap="small")
with left:
    cards.shares_card(deck)
with right:
    cards.gaps_card(deck)
cards.by_card(deck)
pair.pair_card(deck)
controls.notes(asked, audits.pairwise.messages)
