"""The choices of an experiment: rankers, what is swapped, how many placebos; and its run."""

from functools import partial
from typing import Any

from fairviz.analyses.gender_swap.analysis import COUNTERFACTUAL, KIND_TEXTS
from fairviz.analyses.gender_swap.experiment import SwapPlan
from fairviz.evaluation.settings import Settings
from fairviz.parameters import format_call
from fairviz.rankers import parse_rankers
from fairviz.study.loaders.word_files import read_counterparts
from fairviz.study.record import Study
from fairviz.ui.kept import flow
from fairviz.ui.kept import runs as kept
from fairviz.ui.kept.flow import Run, Task
from fairviz.ui.kit.editors import Editor
from fairviz.words.counterparts import (
    HEADER,
    Counterparts,
    Pairs,
    format_counterparts,
    packaged,
    pairs_of,
    parse_counterparts,
)
from fairviz.words.sentences import counted, seconds_text

PACKAGED = "gender_swap"  # the name of packaged results
DONE = "Done: see below. Change a ranker, swap or number of placebos to run again."
WILL_SHOW = "Run shows how far lists move when genders are swapped, against as many other edits."
UNKNOWN = "the time of a model is unknown here"
STOPPED = ("The run was stopped; nothing of it is shown.", "Encoded texts are kept.")
ABOUT = {
    "words": "Of several counterparts the first row counts. Her and his: the next word decides.",
    "names": "Names count where they begin with a capital. They are paired by how frequent they are.",
}


def _packaged(kind: str) -> Pairs:
    return getattr(packaged(), kind)


EDITORS = {  # of the two lists of pairs
    kind: Editor(
        f"counterfactual_{kind}", f"counterfactual_edited_{kind}", f"counterfactual_file_{kind}", label, "pairs",
        ABOUT[kind], HEADER, partial(_packaged, kind), parse_counterparts, format_counterparts, pairs_of, tuple,
        read_counterparts,
    )
    for kind, label in (("words", "Words"), ("names", "Names"))
}  # fmt: skip


def controls(study: Study, settings: Settings) -> Task | None:
    """Draw the row of controls; return the requested experiment, None if it cannot be run. Its request is the Run, and
    the plan."""
    editors = {kind: editor.draw for kind, editor in EDITORS.items()}
    values, go = flow.choose(COUNTERFACTUAL, study, settings, editors, 2.4)
    return flow.asked(lambda: _task(study, settings, values), go)


def _task(study: Study, settings: Settings, values: dict[str, Any]) -> Task:
    """Return the run of the experiment. Raises FairvizError, also where nothing changes."""
    rankers = parse_rankers(values["rankers"], settings.embedding)
    named = ",".join(format_call(choice.ranker.name, choice.parameters) for choice in rankers)
    pairs = {kind: editor.chosen() for kind, editor in EDITORS.items()}
    plan = SwapPlan(Counterparts(**pairs), values["substitute"], values["seeds"])
    plan.counterparts.only(plan.substitute)
    kept.swapped(study, plan)
    run = Run(COUNTERFACTUAL, study, settings, COUNTERFACTUAL.read_values(values | pairs | {"rankers": named}))

    def before(seconds: float | None) -> tuple[str, str]:
        rankings = f"{2 + 2 * plan.seeds} rankings by {counted(len(rankers), 'ranker')}"
        return WILL_SHOW, f"{rankings}; {UNKNOWN if seconds is None else seconds_text(seconds)}."

    def told(found: Any, seconds: float | None) -> tuple[str, str]:
        systems = ", ".join(choice.system for choice in rankers)
        placebos = f"{counted(plan.seeds, 'placebo')} of each kind, from seed 0"
        time = "" if seconds is None else seconds_text(seconds)
        return f"Rankers: {systems}; {KIND_TEXTS[plan.substitute]}; {placebos}", time

    return run.task(
        "counterfactual", STOPPED, calls=tuple(one.parameters for one in rankers),
        seconds=lambda: kept.run_seconds(study, rankers, plan), before=before, packaged=(PACKAGED, run.key, {}),
        told=told, done=DONE, request=(run, plan),
    )  # fmt: skip
