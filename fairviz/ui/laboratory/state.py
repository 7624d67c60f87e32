"""The list on the bench: which one, what was done to it, and how a step gets from a hand to the address.

The steps of every list stand in the address, a line a list: a refresh, another day and a colleague who is sent the link
find them as they were left, and Back takes the last one back. What was undone is kept for this session alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_queries, chosen_systems, missing_part
from fairviz.evaluation.scores import ask, wants_collection
from fairviz.evaluation.settings import Settings
from fairviz.laboratory.experiment import FULL, Experiment, Step, add_steps
from fairviz.laboratory.outcome import bare_experiment
from fairviz.measures import MEASURES, Question
from fairviz.measures.sums import Places
from fairviz.study.study import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import choices

EDITS = "laboratory_edits"  # the steps of every list, a line a list, as the address holds them
UNDONE = "laboratory_undone"  # of this session, by the mark of a list: its line, and the steps undone before it
BENCH = "laboratory_bench"  # the experiment of this run
SYSTEM, QUERY = "laboratory_system", "laboratory_query"
Change = Callable[[Experiment], Experiment]


@dataclass(frozen=True, eq=False)
class Bench:
    """What the cards of the page draw from. questions: every measure with a value for one query that the study can
    feed, effectiveness last where it can. scores: of all systems."""

    study: Study
    settings: Settings
    places: Places
    questions: tuple[Question, ...]
    scores: pd.DataFrame
    experiment: Experiment


def offered(study: Study, settings: Settings) -> tuple[tuple[Question, ...], tuple[tuple[str, str], ...]]:
    """Return the measures that have a value for one query, effectiveness last, and for each other what is missing."""
    texts = [f"{name}@{settings.cutoff}" for name, record in MEASURES.items() if record.per_query]
    asked = [ask(text, settings) for text in (*texts, f"{settings.effectiveness}@{settings.cutoff}")]
    lacking = [(question, missing_part(study, question, settings)) for question in asked]
    missing = tuple((question.name, reason) for question, reason in lacking if reason)
    return tuple(question for question, reason in lacking if not reason), missing


def choose(study: Study, settings: Settings, questions: tuple[Question, ...]) -> Bench | None:
    """Return the row of choices, and the list that they come to; None, and why, where the system has no list there."""
    left, right, rest = st.columns([4, 8, 3], gap="small", vertical_alignment="bottom")
    shown = chosen_systems(study, settings)
    st.session_state[SYSTEM] = settings.system if settings.system in shown else shown[0]
    system = left.selectbox("System", shown, key=SYSTEM, on_change=guarded(_select))
    places = cache.places(study, settings, wants_collection(questions, settings))
    names = chosen_queries(study, settings, places.rankings.queries)
    texts = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    st.session_state[QUERY] = settings.query if settings.query in names else names[0]
    query = right.selectbox(
        "Query",
        names,
        key=QUERY,
        format_func=lambda name: " · ".join(filter(None, (name, texts.get(name, "")))),
        on_change=guarded(_select),
    )
    if rest.button("See it on Query", key="laboratory_to_query", on_click=guarded(_select), width="stretch"):
        st.switch_page("pages/query.py")
    scores = cache.scores(study, [question.text for question in questions], settings.changed(systems=()))
    try:
        bare = bare_experiment(study, places, system, query)
    except FairvizError as error:
        html.message("info", error.message, error.remedy)
        return None
    experiment = _standing(bare)
    st.session_state[BENCH] = experiment
    return Bench(study, settings, places, questions, scores, experiment)


def _select() -> None:
    _open(st.session_state[SYSTEM], st.session_state[QUERY])


def _standing(bare: Experiment) -> Experiment:
    """Return the experiment with the steps that the address holds for its list; what cannot be taken is told, and
    let go.
    """
    choices.given(EDITS)
    held: Experiment | None = st.session_state.get(BENCH)
    line = line_of(st.session_state[EDITS], bare.mark)
    if held is not None and replace(held, steps=(), undone=()) == bare and held.text == line:
        return held
    left: tuple[str, tuple[Step, ...]] = st.session_state.get(UNDONE, {}).get(bare.mark, ("", ()))
    undone = left[1] if left[0] == line else ()  # somebody went Back, or came by a link
    if not line:
        return replace(bare, undone=undone)
    try:
        return replace(add_steps(bare, line), undone=undone)
    except FairvizError as error:
        told = f"The address holds steps for this list ({error.message}); they were ignored."
        st.session_state["ignored"] = [*st.session_state.get("ignored", []), told]
        _write(replace(bare, steps=()))
        return bare


def line_of(lines: list[str], mark: str) -> str:
    """Return the line of steps that bears this mark; empty without one."""
    return next((line for line in lines if line.split(".")[0] == mark), "")


def lines_with(lines: list[str], experiment: Experiment) -> list[str]:
    """Return the lines of all lists, this one's last, or gone where nothing was done to it. Raises FairvizError
    where they are more than the address holds.
    """
    kept = [line for line in lines if line.split(".")[0] != experiment.mark]
    found = [*kept, experiment.text] if experiment.text else kept
    if sum(map(len, found)) > choices.MOST_CHARACTERS:
        raise FairvizError(f"the steps of {len(found):,} lists are as many as the address holds", FULL)
    return found


def _write(experiment: Experiment) -> None:
    st.session_state[EDITS] = lines_with(st.session_state.get(EDITS, []), experiment)
    st.session_state.setdefault(UNDONE, {})[experiment.mark] = (experiment.text, experiment.undone)


def take(change: Change) -> None:
    """Take a step with the list of the last run. For callbacks."""
    after = change(st.session_state[BENCH])
    _write(after)
    st.session_state[BENCH] = after


def link(system: str, query: str) -> None:
    """The button by which other pages lay a list on the bench."""
    if st.button("Open in the laboratory", key="to_laboratory", on_click=guarded(_open), args=(system, query)):
        st.switch_page("pages/laboratory.py")


def _open(system: str, query: str) -> None:
    st.session_state["system"], st.session_state["query"] = system, query


def history() -> None:
    """Undo, redo, reset."""
    held: Experiment = st.session_state[BENCH]
    undo, redo, reset = st.columns(3, gap="small")
    undo.button(
        "Undo", key="laboratory_undo", shortcut="U", disabled=not held.steps, width="stretch",
        help=_last(held.steps), on_click=guarded(take), args=(Experiment.undo,),
    )  # fmt: skip
    redo.button(
        "Redo", key="laboratory_redo", shortcut="Y", disabled=not held.undone, width="stretch",
        help=_last(held.undone), on_click=guarded(take), args=(Experiment.redo,),
    )  # fmt: skip
    reset.button(
        "Reset", key="laboratory_reset", disabled=not held.steps, width="stretch",
        help="The list as it is. Redo takes the steps again, one by one.",
        on_click=guarded(take), args=(Experiment.reset,),
    )  # fmt: skip


def _last(steps: tuple[Step, ...]) -> str | None:
    """Return the last step as a tooltip; none where there is no step."""
    return html.literal(steps[-1].said) if steps else None
