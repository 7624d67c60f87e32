"""What does a fairer ranking cost, and do the measures agree on which one is fairer?"""

from fairviz.comparison import finding as narrative
from fairviz.evaluation import questions
from fairviz.ui.kit import html
from fairviz.ui.shell import frame
from fairviz.ui.tradeoff import cards
from fairviz.ui.tradeoff.moving import follow_tradeoff
from fairviz.ui.tradeoff.overview import order_card, ties_line

study, settings = frame.current()
frame.exploratory(study)

if not study.systems:
    frame.nothing_ranked(study)

fairness = questions.tradeoff(study, settings)
effectiveness = questions.effective(study, settings)
if not fairness.questions:
    frame.missing((*fairness.missing, *effectiveness.missing))
    frame.stop()

frame.unlabelled(study, settings, fairness.questions)
deck = cards.deck(study, settings, fairness, effectiveness)
comparison = deck.comparison
cards.bar(deck, comparison)
order_card("tradeoff", study, settings, deck.summary, deck.asked, comparison, small=True)
cards.cards(deck)
cards.tabs(deck)
frame.missing((*fairness.missing, *effectiveness.missing))
ties_line(study, settings, fairness)
html.note(narrative.undefined_note(deck.summary, fairness.questions))
follow_tradeoff(deck)
