"""Do the annotators see the same gender in the same documents, and where do they part?"""

import streamlit as st

from fairviz.ui.agreement import cards as agreement_cards
from fairviz.ui.agreement import choices as agreement_choices
from fairviz.ui.agreement import order as agreement_people
from fairviz.ui.kit import html
from fairviz.ui.labelling import card as labelling_forms
from fairviz.ui.shell import frame

study, settings = frame.current()
html.heading(
    "Agreement",
    "Do the annotators say the same of the same documents, and where do they part?",
    "Agreement is no truth. Where one label is frequent, people agree often by chance, which kappa and alpha subtract.",
)
frame.notices(study)

if not study.has("labels"):
    html.message(
        "info",
        f"{study.title or study.name} has no labels, so there is nobody to compare.",
        "Add labels.csv with the columns doc_id, annotator, label: on the Data page, or in the study's folder.",
    )
    labelling_forms.card(study)
    frame.stop()

comparison = agreement_choices.choices(study, settings)
deck = agreement_cards.Deck(study, settings, comparison)
agreement_cards.finding(deck)
columns = st.columns(2, gap="small")
for place, card in enumerate(agreement_people.cards(deck)):
    with columns[place % 2]:
        card(deck)
labelling_forms.card(study)
