"""Which group's document does a ranker put first?"""

from fairviz.ui.audit import cards, controls, lists, pair, views
from fairviz.ui.kit import html
from fairviz.ui.shell import frame

study, settings = frame.current()
if views.others(study, settings):
    frame.stop()
lacking, remedy = controls.missing(study)
if lacking:
    html.message("info", lacking, remedy)
    frame.stop()

request = controls.controls(study, settings)
if request is None:
    frame.stop()
audits = controls.outcome(study, request)
if audits is None:
    frame.stop()

if audits.listwise is not None and views.in_lists():
    lists.cards(study, audits.listwise, audits.pairwise, request.calls)
    controls.notes(request, audits.listwise.messages)
    frame.stop()

deck = cards.deck(study, audits.pairwise, audits.request)
cards.preference_card(deck)
cards.details(deck)
cards.by_card(deck)
pair.pair_card(deck)
controls.notes(request, audits.pairwise.messages)
