"""The choices of an experiment: rankers, what is swapped, how many placebos; and its run as a job."""

from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from fairviz.analyses.gender_swap.analysis import COUNTERFACTUAL
from fairviz.analyses.gender_swap.answer import replacements
from fairviz.analyses.gender_swap.experiment import Experiment, Plan
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.parameters import format_call
from fairviz.rankers import RANKERS, parse_rankers
from fairviz.rankers.grammar import Choice
from fairviz.study.record import Study
from fairviz.ui.gender_swap.pairs import chosen_pairs, pairs_editor
from fairviz.ui.kept import runs as kept
from fairviz.ui.kept.runs import Run, packaged, tell
from fairviz.ui.kit import html, jobs, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.call_picker import pick_calls
from fairviz.ui.kit.glossary import term
from fairviz.ui.kit.jobs import confirm_sending
from fairviz.ui.state import choices
from fairviz.words.counterparts import KINDS
from fairviz.words.sentences import counted, seconds_text

RANKER, SUBSTITUTE, SEEDS = "counterfactual_ranker", "counterfactual_substitute", "counterfactual_seeds"
OFFERED_SEEDS = (1, 2, 3, 5, 10)
AT_ONCE = 5.0  # seconds of a run without the button
PACKAGED = "gender_swap"  # the name of packaged results
DONE = "Done: see below. Change a ranker, swap or number of placebos to run again."
WILL_SHOW = "Run shows how far lists move when genders are swapped, against as many other edits."
UNKNOWN = "the time of a model is unknown here"
STOPPED = ("The run was stopped; nothing of it is shown.", "Encoded texts are kept.")
KIND_TEXTS = {"both": "words and names", "words": "words alone", "names": "names alone"}
SEEDS_HELP = f"{term('placebo')} Each has its own seed."
RANKER_HELP = "Parameters has the fields of each, and the text that links and commands take."


@dataclass(frozen=True)
class Asked:
    """The requested experiment: rankers, plan, and its run. seconds: its estimate before the run, None if unknown."""

    choices: tuple[Choice, ...]
    plan: Plan
    run: Run
    seconds: float | None = None


def controls(study: Study, settings: Settings) -> Asked | None:
    """Draw the row of controls; return the requested experiment, None if it cannot be run."""
    ranker, kind, seeds, words, names, go = st.columns([5, 3, 2, 3, 3, 2.4], gap="small", vertical_alignment="bottom")
    choices.value_of(RANKER)
    values, defaults = {"run": study.systems}, {"embedding": settings.embedding}
    pick_calls(RANKER, "Rankers", RANKERS, values=values, defaults=defaults, place=ranker, help=RANKER_HELP)
    pick.select(SUBSTITUTE, "What is swapped", KINDS, place=kind, texts=KIND_TEXTS)
    pick.select(SEEDS, "Placebos", OFFERED_SEEDS, place=seeds, help=SEEDS_HELP)
    with words:
        pairs_editor("words")
    with names:
        pairs_editor("names")
    try:
        request = _read_request(study, settings)
        sending = confirm_sending("counterfactual", study.name, (one.parameters.get("url") for one in request.choices))
        kept.swapped(study, request.plan)  # raises where nothing changes
        request = _estimated(study, request)
    except FairvizError as error:
        html.message("error", error.message, error.remedy)
        return None
    done, job_key = request.run.outcome() is not None, request.run.job_key
    terms = jobs.Terms(study, tuple(one.parameters for one in request.choices), request.seconds)
    reason = jobs.refusal(job_key, terms)
    go.button(
        "Run", type="primary", width="stretch", key="counterfactual_run",
        disabled=bool(done or jobs.is_running(job_key) or not sending or reason),
        help=DONE if done else " ".join(reason) or None,
        on_click=guarded(partial(jobs.start, job_key, request.run.work, terms)),
    )  # fmt: skip
    return request


def _estimated(study: Study, request: Asked) -> Asked:
    """Return the request with its estimate, and begin a run of a few seconds whose result is not packaged, but on a
    server. Raises FairvizError without MiniLM."""
    run = request.run
    if run.outcome() is not None or jobs.is_running(run.job_key):
        return request
    seconds = kept.run_seconds(study, request.choices, request.plan)
    is_short = seconds is not None and seconds < AT_ONCE and jobs.starts_alone()
    if is_short and jobs.job(run.job_key) is None and packaged(study, PACKAGED, run.key) is None:
        jobs.start(run.job_key, run.work)
    return replace(request, seconds=seconds)


def _read_request(study: Study, settings: Settings) -> Asked:
    state = st.session_state
    rankers = parse_rankers(state[RANKER], settings.embedding)
    plan = Plan(chosen_pairs(), state[SUBSTITUTE], state[SEEDS])
    plan.counterparts.only(plan.substitute)
    values = COUNTERFACTUAL.read_values(
        {
            "rankers": ",".join(format_call(choice.ranker.name, choice.parameters) for choice in rankers),
            "words": plan.counterparts.words, "names": plan.counterparts.names,
            "substitute": plan.substitute, "seeds": plan.seeds,
        }
    )  # fmt: skip
    return Asked(rankers, plan, Run(COUNTERFACTUAL, study, settings, values))


def outcome(study: Study, request: Asked) -> Experiment | None:
    """Return the experiment if it was run; otherwise draw the progress of its job, and return the packaged one; without
    one draw what a run would show."""
    is_running = jobs.follow(request.run.job_key, "counterfactual", STOPPED)
    experiment = request.run.outcome()
    if experiment is not None:
        return experiment
    if (found := packaged(study, PACKAGED, request.run.key)) is not None:
        kind = KIND_TEXTS[request.plan.substitute]
        rankers = ", ".join(choice.system for choice in request.choices)
        settings = f"Rankers: {rankers}; {kind}; {counted(request.plan.seeds, 'placebo')} of each kind, from seed 0"
        tell(found, settings, "" if request.seconds is None else seconds_text(request.seconds))
        return found.outcome
    if not is_running:
        html.message("info", WILL_SHOW, before(request))
    return None


def before(request: Asked) -> str:
    """Return the estimate of a run."""
    rankings = f"{2 + 2 * request.plan.seeds} rankings by {counted(len(request.choices), 'ranker')}"
    return f"{rankings}; {UNKNOWN if request.seconds is None else seconds_text(request.seconds)}."


def replacements_text(experiment: Experiment) -> str:
    """Return the replaced words, the words that the placebos lack, and the texts read by a model."""
    sentences = replacements(experiment.counts, experiment.short)
    if experiment.encoded:
        sentences.append(f"A model read {experiment.encoded:,} texts: those that it had not read before.")
    return " ".join(sentences)
