"""Which group's document does a ranker put first?"""

from fairviz.ui.audit import controls, lists, pairs, views
from fairviz.ui.kit import html
from fairviz.ui.shell import frame

study, settings = frame.current()
if views.others(study, settings):
    frame.stop()
lacking, remedy = controls.missing(study)
if lacking:
    html.message("info", lacking, remedy)
    frame.stop()

task = controls.controls(study, settings)
if task is None:
    frame.stop()
audits = controls.outcome(study, task)
if audits is None:
    frame.stop()

if audits.listwise is not None and views.in_lists():
    lists.cards(study, audits.listwise, audits.pairwise, task.request.calls)
    controls.notes(task.request, audits.listwise.messages)
    frame.stop()

pairs.cards(pairs.deck(study, audits.pairwise, audits.request))
controls.notes(task.request, audits.pairwise.messages)
