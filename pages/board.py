"""How many of a class come to the same verdict?"""

from fairviz.evaluation import questions
from fairviz.evaluation.choices import chosen_systems
from fairviz.ui.board import cards
from fairviz.ui.shell import frame

study, settings = frame.current()
frame.exploratory(study)
if not study.systems:
    frame.nothing_ranked(study)
request = questions.overview(study, settings)
if not request.questions:
    frame.missing(request.missing)
    frame.stop()
if len(chosen_systems(study, settings)) < 2:
    frame.leave(f"{study.name} has one system; the board compares two.", "Add a second run on the Data page.")

deck = cards.deck(study, settings, request)
cards.own_entry(study, settings)
cards.board(deck, cards.entries(study, settings))
