"""The page Audit: its views, its controls, and the cards of what was found."""

from fairviz.extensions.ranker_audits.ui import controls, lists, pairs, views
from fairviz.ui.shell import frame


def draw() -> None:
    """Draw the page of the study in the session."""
    study, settings = frame.current()
    if views.others(study, settings):
        return
    lacking, remedy = controls.missing(study)
    if lacking:
        frame.leave(lacking, remedy)

    task = controls.controls(study, settings)
    if task is None:
        return
    audits = controls.outcome(study, task)
    if audits is None:
        return

    if audits.listwise is not None and views.in_lists():
        lists.cards(study, audits.listwise, audits.pairwise, task.request.calls)
        controls.notes(task.request, audits.listwise.messages)
        return

    pairs.cards(pairs.deck(study, audits.pairwise, audits.request))
    controls.notes(task.request, audits.pairwise.messages)
