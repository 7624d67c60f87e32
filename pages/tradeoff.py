"""What does a fairer ranking cost, and do the measures agree on which one is fairer?"""

from fairviz.comparison import finding as narrative
from fairviz.comparison import ranking_sentences
from fairviz.evaluation import questions
from fairviz.ui.kept.tables import coverage_note
from fairviz.ui.kit import html
from fairviz.ui.shell import frame
from fairviz.ui.tradeoff import cards as tradeoff_cards
from fairviz.ui.tradeoff import comparing, following, order_card, ties
from fairviz.ui.tradeoff import deck as tradeoff_deck

study, settings = frame.current()

if not study.systems:
    frame.nothing_ranked(study)
    frame.stop()

fairness = questions.tradeoff(study, settings)
effectiveness = questions.effective(study, settings)
if not fairness.questions:
    frame.missing((*fairness.missing, *effectiveness.missing))
    frame.stop()

deck = tradeoff_deck.deck(study, settings, fairness, effectiveness)
comparison = comparing.compared(deck)
comparing.bar(deck, comparison)
order_card.card("tradeoff", study, settings, deck.summary, deck.asked, comparison, small=True)
tradeoff_cards.cards(deck)
tradeoff_cards.tabs(deck)
frame.missing((*fairness.missing, *effectiveness.missing))
ties.line(study, settings, fairness)
html.quiet(ranking_sentences.NOT_FOR)
html.note(narrative.undefined_note(deck.summary, fairness.questions))
html.quiet(coverage_note(study, settings, fairness.questions))
following.tradeoff(deck)
