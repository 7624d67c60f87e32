"""How good are the labels of rules and language models, and what do they change?"""

from fairviz.ui.annotators import accuracy, apart, effects, form, running
from fairviz.ui.annotators.deck import deck as decks
from fairviz.ui.kit import html
from fairviz.ui.shell import frame

study, settings = frame.current()
html.heading(
    "Annotate",
    "How good are the labels of rules and language models, and what do they change?",
    "Agreement with a reference is no truth, and no agreement says what a label does to a measure: look at both.",
)
frame.notices(study)
if study.label_kind != "gender":
    html.message(
        "info",
        f"The labels of {study.title or study.name} are not genders, and annotators give genders.",
        "Open another study.",
    )
    frame.stop()

running.settle(study)
form.card(study)
deck = decks(study, settings)
if deck is None:
    frame.stop()

accuracy.finding(deck)
accuracy.card(deck)
accuracy.costs_card(deck)
accuracy.lost_card(deck)
apart.card(deck)
effects.card(deck)
