"""Do rankings change when genders are swapped?"""

from fairviz.analyses.gender_swap.analysis import COUNTERFACTUAL
from fairviz.ui.gender_swap import cards
from fairviz.ui.kept import flow
from fairviz.ui.kept import runs as kept
from fairviz.ui.shell import frame

study, settings = frame.current()
lacking, remedy = COUNTERFACTUAL.missing(study)
if lacking:
    frame.leave(f"{lacking}.", remedy)

task = cards.controls(study, settings)
if task is None:
    frame.stop()
run, plan = task.request
experiment = task.outcome()
if experiment is None:
    cards.document_card(study, kept.swapped(study, plan))
    frame.stop()
code = flow.code_of(COUNTERFACTUAL, study, settings, run.values)
cards.cards(study, settings, kept.gender_swap(experiment, run.key, settings), code)
