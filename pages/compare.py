"""Which of two systems is fairer, and where?"""

from functools import partial

import streamlit as st

from fairviz.evaluation import questions
from fairviz.evaluation.choices import chosen_systems
from fairviz.ui.compare import cards
from fairviz.ui.shell import frame, voters
from fairviz.ui.state import choices
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
cards.moved_link()
deck = cards.deck(study, settings, request)
how = cards.testing()
comparison = cards.compared_with_baseline(deck, how)
by_query = cards.queries_card(deck, comparison)
TABS = {
    "Queries": partial(cards.lists_card, deck, by_query),
    "Tails": partial(cards.tails_card, deck, by_query),
    "All systems against the baseline": partial(cards.systems_card, deck, how, comparison),
}
if cards.has_slices(study):
    TABS["Slices"] = partial(cards.slices_card, deck, how)
if voters.has_sample(study):
    corrected = partial(voters.corrected_card, study, settings, request.questions, "compare", deck.pair[1])
    TABS[voters.CORRECTED] = corrected
choices.among("compare_tab", tuple(TABS))
for tab, draw in zip(st.tabs(list(TABS), key="compare_tab", on_change="rerun"), TABS.values(), strict=True):
    if tab.open:
        with tab:
            draw()
frame.missing(request.missing)
