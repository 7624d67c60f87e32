"""Do rankings change when genders are swapped?"""

import streamlit as st

from fairviz.analyses.gender_swap.analysis import COUNTERFACTUAL
from fairviz.ui.gender_swap import cards, controls, lists
from fairviz.ui.kept import runs as kept
from fairviz.ui.kit import html
from fairviz.ui.shell import frame

study, settings = frame.current()
lacking, remedy = COUNTERFACTUAL.missing(study)
if lacking:
    html.message("info", f"{lacking}.", remedy)
    frame.stop()

request = controls.controls(study, settings)
if request is None:
    frame.stop()
experiment = controls.outcome(study, request)
if experiment is None:
    lists.document_card(study, kept.swapped(study, request.plan))
    frame.stop()

answer = kept.gender_swap(experiment, request.run.key, settings)
deck = cards.deck(study, settings, answer)
left, right = st.columns(2, gap="small")
with left:
    cards.figure_card(deck)
with right:
    cards.queries_card(deck)
cards.table_card(deck)
cards.triples_card(deck)
changed = lists.lists_card(deck)
lists.document_card(study, experiment.collection, changed)
html.quiet(controls.replacements_text(experiment))
html.note("\n".join(answer.messages))
