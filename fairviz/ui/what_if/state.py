"""State of the page: the selected list, its experiment, and its steps in the address.

The address contains the steps of every list, a line per list: refreshing the page, returning later and opening a shared
link restore the lists, and Back undoes the last step. Undone steps are kept for the session only.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from fairviz.analyses.what_if.experiment import FULL, Experiment, Step, add_steps, bare_experiment, outcome
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_queries, chosen_runs, judgements
from fairviz.evaluation.questions import Asked, of_lists, split_by_data, wants_collection
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES, Question
from fairviz.measures.sums import AlignedRankings
from fairviz.study.record import Study
from fairviz.study.tables import expanded
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import choices
from fairviz.words.sentences import counted

EDITS = "laboratory_edits"  # the steps of every list, a line per list, as in the address
UNDONE = "laboratory_undone"  # undone steps of the session, by the mark of a list: its line, and the steps
BENCH = "laboratory_bench"  # the experiment of this run
SYSTEM, QUERY = "laboratory_system", "laboratory_query"


@dataclass(frozen=True, eq=False)
class Bench:
    """The data of the page's cards. questions: every measure with a value for one query that the study has data for,
    effectiveness last if available. scores: of all systems.
    """

    study: Study
    settings: Settings
    rankings: AlignedRankings
    questions: tuple[Question, ...]
    scores: pd.DataFrame
    experiment: Experiment

    @property
    def judged(self) -> bool:
        """Whether the query has judgements, which losses and fronts require."""
        return bool(judgements(self.study).get(self.experiment.query))

    def outcome(self) -> pd.DataFrame:
        """Return a row per measure: before, now and the difference, of the query and of the system's mean."""
        return outcome(self.study, self.settings, self.experiment, self.questions, self.rankings, self.scores)


def offered(study: Study, settings: Settings) -> Asked:
    """Return the measures with a value for one query, effectiveness last, and the reasons why others are missing."""
    names = [name for name in of_lists(study) if MEASURES[name].per_query]
    return split_by_data(study, settings, (*names, settings.effectiveness))


def choose(study: Study, settings: Settings, questions: tuple[Question, ...]) -> Bench | None:
    """Draw the selectors and return the selected list; None, with a message, if the system has no list for the
    query.
    """
    left, right, rest = st.columns([4, 8, 3], gap="small", vertical_alignment="bottom")
    system_names = chosen_runs(study, settings)
    selected = expanded([settings.system], study.run_names)[0]
    st.session_state[SYSTEM] = selected if selected in system_names else system_names[0]
    system = left.selectbox("System", system_names, key=SYSTEM, on_change=guarded(_select))
    rankings = cache.aligned(study, settings, wants_collection(questions, settings))
    names = chosen_queries(study, settings)
    texts = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    st.session_state[QUERY] = settings.query if settings.query in names else names[0]
    query = right.selectbox(
        "Query",
        names,
        key=QUERY,
        on_change=guarded(_select),
        format_func=lambda name: " · ".join(filter(None, (name, texts.get(name, "")))),
    )
    if rest.button("Open on Query", key="laboratory_to_query", on_click=guarded(_select), width="stretch"):
        st.switch_page("pages/query.py")
    every_run = settings.changed(systems=study.run_names if study.draws else ())
    scores = cache.scores(study, [question.text for question in questions], every_run)
    try:
        original = bare_experiment(study, rankings, system, query)
    except FairvizError as error:
        html.problem(error, "info")
        return None
    experiment = _restore_experiment(original)
    st.session_state[BENCH] = experiment
    return Bench(study, settings, rankings, questions, scores, experiment)


def _select() -> None:
    _open(st.session_state[SYSTEM], st.session_state[QUERY])


def _open(system: str, query: str) -> None:
    st.session_state["system"], st.session_state["query"] = system, query


def link(system: str, query: str) -> None:
    """Draw the button with which other pages open a list on What-if."""
    if st.button(
        "Open in What-if", key="to_laboratory", on_click=guarded(_open), args=(system, query), width="stretch"
    ):
        st.switch_page("pages/what_if.py")


def _restore_experiment(original: Experiment) -> Experiment:
    """Return the experiment with the steps in the address; invalid steps are reported and dropped."""
    choices.value_of(EDITS)
    current: Experiment | None = st.session_state.get(BENCH)
    line = line_of(st.session_state[EDITS], original.mark)
    if current is not None and replace(current, steps=(), undone=()) == original and current.text == line:
        return current
    undone = _undone_after(line, original.mark)
    if not line:
        return replace(original, undone=undone)
    try:
        return replace(add_steps(original, line), undone=undone)
    except FairvizError as error:
        choices.report(f"The address holds steps for this list ({error.message}); they were ignored.")
        _write(replace(original, steps=()))
        return original


def line_of(lines: list[str], mark: str) -> str:
    """Return the line of steps with this mark; "" without one."""
    return next((line for line in lines if _mark_of(line) == mark), "")


def lines_with(lines: list[str], experiment: Experiment) -> list[str]:
    """Return the lines of all lists, this one's last, without an unedited one. Raises FairvizError if the address
    cannot contain them."""
    new_lines = [line for line in lines if _mark_of(line) != experiment.mark]
    if experiment.text:
        new_lines.append(experiment.text)
    if sum(map(len, new_lines)) > choices.MOST_CHARACTERS:
        raise FairvizError(f"the steps of {counted(len(new_lines), 'list')} are as many as the address holds", FULL)
    return new_lines


def _mark_of(line: str) -> str:
    return line.split(".")[0]


def _undone_after(line: str, mark: str) -> tuple[Step, ...]:
    """Return the undone steps of this list; none where its line is another, after Back or from a link."""
    undone_steps: dict[str, tuple[str, tuple[Step, ...]]] = st.session_state.get(UNDONE, {})
    line_then, steps = undone_steps.get(mark, ("", ()))
    return steps if line_then == line else ()


def _write(experiment: Experiment) -> None:
    """Store the steps of all lists, and this one's undone steps. Raises FairvizError as `lines_with` does."""
    st.session_state[EDITS] = lines_with(st.session_state.get(EDITS, []), experiment)
    st.session_state.setdefault(UNDONE, {})[experiment.mark] = (experiment.text, experiment.undone)


def take(change: Callable[[Experiment], Experiment]) -> None:
    """Apply a step to the list of the last run. For callbacks."""
    edited = change(st.session_state[BENCH])
    _write(edited)
    st.session_state[BENCH] = edited


def history() -> None:
    """Draw the buttons undo, redo and reset."""
    experiment: Experiment = st.session_state[BENCH]
    original = "The original list. Redo repeats the steps one by one."
    for label, key, steps, change, about in (
        ("Undo", "U", experiment.steps, Experiment.undo, ""),
        ("Redo", "Y", experiment.undone, Experiment.redo, ""),
        ("Reset", None, experiment.steps, Experiment.reset, original),
    ):
        last = html.literal(steps[-1].text) if steps else None
        st.button(
            label, key=f"laboratory_{label.lower()}", shortcut=key, disabled=not steps, help=about or last,
            on_click=guarded(take), args=(change,),
        )  # fmt: skip
