"""The choices of an experiment: rankers, what is swapped, how many placebos; and its run."""

from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from fairviz.analyses.gender_swap.analysis import COUNTERFACTUAL
from fairviz.analyses.gender_swap.experiment import SwapPlan
from fairviz.evaluation.settings import Settings
from fairviz.parameters import format_call
from fairviz.rankers import RANKERS, parse_rankers
from fairviz.study.loaders.word_files import read_counterparts
from fairviz.study.record import Study
from fairviz.ui.kept import flow
from fairviz.ui.kept import runs as kept
from fairviz.ui.kept.flow import Run, Task
from fairviz.ui.kit import pick
from fairviz.ui.kit.editors import Editor
from fairviz.ui.kit.glossary import term
from fairviz.ui.kit.pick import pick_calls
from fairviz.ui.state import choices
from fairviz.words.counterparts import (
    HEADER,
    KINDS,
    Counterparts,
    Pairs,
    format_counterparts,
    packaged,
    pairs_of,
    parse_counterparts,
)
from fairviz.words.sentences import counted, seconds_text

RANKER, SUBSTITUTE, SEEDS = "counterfactual_ranker", "counterfactual_substitute", "counterfactual_seeds"
OFFERED_SEEDS = (1, 2, 3, 5, 10)
PACKAGED = "gender_swap"  # the name of packaged results
DONE = "Done: see below. Change a ranker, swap or number of placebos to run again."
WILL_SHOW = "Run shows how far lists move when genders are swapped, against as many other edits."
UNKNOWN = "the time of a model is unknown here"
STOPPED = ("The run was stopped; nothing of it is shown.", "Encoded texts are kept.")
KIND_TEXTS = {"both": "words and names", "words": "words alone", "names": "names alone"}
SEEDS_HELP = f"{term('placebo')} Each has its own seed."
RANKER_HELP = "Parameters has the fields of each, and the text that links and commands take."
ABOUT = {
    "words": "Of several counterparts the first row counts. Her and his: the next word decides.",
    "names": "Names count where they begin with a capital. They are paired by how frequent they are.",
}


def _packaged(kind: str) -> Pairs:
    return getattr(packaged(), kind)


def _read(path: Path, folder: str) -> Pairs:
    return read_counterparts(path, folder)


EDITORS = {  # of the two lists of pairs
    kind: Editor(
        f"counterfactual_{kind}", f"counterfactual_edited_{kind}", f"counterfactual_file_{kind}", label, "pairs",
        ABOUT[kind], HEADER, partial(_packaged, kind), parse_counterparts, format_counterparts, pairs_of, tuple, _read,
    )
    for kind, label in (("words", "Words"), ("names", "Names"))
}  # fmt: skip


def controls(study: Study, settings: Settings) -> Task | None:
    """Draw the row of controls; return the requested experiment, None if it cannot be run. Its request is the Run, and
    the plan."""
    ranker, kind, seeds, words, names, go = st.columns([5, 3, 2, 3, 3, 2.4], gap="small", vertical_alignment="bottom")
    choices.value_of(RANKER)
    values, defaults = {"run": study.systems}, {"embedding": settings.embedding}
    pick_calls(RANKER, "Rankers", RANKERS, values=values, defaults=defaults, place=ranker, help=RANKER_HELP)
    pick.select(SUBSTITUTE, "What is swapped", KINDS, place=kind, texts=KIND_TEXTS)
    pick.select(SEEDS, "Placebos", OFFERED_SEEDS, place=seeds, help=SEEDS_HELP)
    for place, editor in zip((words, names), EDITORS.values(), strict=True):
        with place:
            editor.draw()
    return flow.asked(lambda: _task(study, settings), go)


def _task(study: Study, settings: Settings) -> Task:
    """Return the run of the experiment. Raises FairvizError, also where nothing changes."""
    state = st.session_state
    rankers = parse_rankers(state[RANKER], settings.embedding)
    plan = SwapPlan(Counterparts(*(editor.chosen() for editor in EDITORS.values())), state[SUBSTITUTE], state[SEEDS])
    plan.counterparts.only(plan.substitute)
    values = COUNTERFACTUAL.read_values(
        {
            "rankers": ",".join(format_call(choice.ranker.name, choice.parameters) for choice in rankers),
            "words": plan.counterparts.words, "names": plan.counterparts.names,
            "substitute": plan.substitute, "seeds": plan.seeds,
        }
    )  # fmt: skip
    kept.swapped(study, plan)
    run = Run(COUNTERFACTUAL, study, settings, values)

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
