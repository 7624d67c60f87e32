"""Searches: the fewest swaps to a value, and the Pareto front of all reorderings."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.analyses.what_if.bench import MOST_SEARCHED, edited_bench
from fairviz.analyses.what_if.experiment import Experiment
from fairviz.analyses.what_if.front import Front, front_of
from fairviz.analyses.what_if.swaps import Swaps, swaps_of
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import judgements
from fairviz.figures import list_front
from fairviz.measures import Question
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.laboratory.state import Bench, take
from fairviz.words.sentences import counted, first_listed, number

MEASURE, LOSS = "laboratory_measure", "laboratory_loss"
TARGET = "laboratory_target"
LOSSES = ("0", "0.02", "0.05", "0.1", "0.2", "any")
NAMED = 6  # swaps printed at most


def search_card(bench: Bench, table: pd.DataFrame) -> None:
    """Draw the form for measure, value and loss; the swaps that reach it, and the front."""
    fair = {question.name: question for question in bench.questions if question.measure is not None}
    with st.container(border=True, gap="xsmall"):
        html.strong("What would have to change?")
        what, value, most, go = st.columns([3.4, 4.4, 3.2, 2.8], vertical_alignment="bottom", gap="small")
        question = fair[pick.select(MEASURE, "Measure", tuple(fair), place=what)]
        current = float(table.loc[table["measure"] == question.text, "now"].iloc[0])
        key = f"{TARGET}_{question.name}_{bench.experiment.mark}"
        standing = "undefined now" if np.isnan(current) else f"now {number(current)}"
        target = value.number_input(
            "Value to reach", value=None, step=0.05, format="%.3f", key=key, placeholder=standing
        )
        effect = f"{bench.settings.effectiveness}@{bench.settings.cutoff}"
        loss = pick.select(LOSS, f"Most loss of {bench.settings.effectiveness}", LOSSES, place=most)
        request = (question.text, target, loss, bench.experiment.text, repr(bench.settings))
        if go.button("Find swaps", key="laboratory_find", width="stretch", disabled=target is None):
            st.session_state["laboratory_found"] = request
        try:
            if target is not None and st.session_state.get("laboratory_found") == request:
                bound = None if loss == "any" or not judged(bench) else float(loss)
                _swaps(bench, question, effect, float(target), bound)
            _front(bench, question, effect, table)
        except FairvizError as error:
            html.message("info", error.message, error.remedy)


def judged(bench: Bench) -> bool:
    """Return whether the query has judgements, which losses and fronts require."""
    return bool(judgements(bench.study).get(bench.experiment.query))


def _swaps(bench: Bench, question: Question, effect: str, target: float, loss: float | None) -> None:
    """Draw the swaps that reach the value from the edited list, and the button that applies them."""
    swaps = swaps_of(
        edited_bench(bench.study, bench.settings, bench.experiment, question.text, effect, bench.places), target, loss
    )
    html.message("info" if swaps.reached else "warning", describe_swaps(swaps, bench.experiment))
    if swaps.swaps:
        count = len(swaps.swaps)
        st.button(
            f"Take {'this swap' if count == 1 else f'these {count:,} swaps'}", key="laboratory_take",
            on_click=guarded(take), args=(partial(apply_swaps, swaps=swaps.swaps),),
            help="Each is a step of its own, and is undone by itself.",
        )  # fmt: skip


def describe_swaps(result: Swaps, experiment: Experiment) -> str:
    """Return the result of the search in words."""
    method = "exact: no fewer swaps do it" if result.exact else "greedy: fewer swaps may do it too"
    change = f"{result.measure} {number(result.before)} → {number(result.after)}"
    cost = "" if np.isnan(result.effect_after) else (
        f", {result.effectiveness} {number(result.effect_before)} → {number(result.effect_after)}"
    )  # fmt: skip
    if result.reached and not result.swaps:
        return f"The list is there already: {change}."
    count = len(result.swaps)
    count_text = f"{counted(count, 'swap')} ({method})"
    if not result.reached:
        method = "exact: nothing comes nearer" if result.exact else "greedy: other ways may come nearer"
        if not count:
            closest = f"{result.measure} is {number(result.before)}, and no swap comes nearer"
            return f"{number(result.target)} is not reached: {closest} ({method})."
        count_text = f"{number(result.target)} is not reached. Nearest, by {count:,} swaps ({method})"
    swaps_text = first_listed((f"{first} ↔ {second}" for first, second in result.swaps), NAMED)
    reach = f" Ranks beyond {MOST_SEARCHED} stay where they are." if len(experiment.order) > MOST_SEARCHED else ""
    return f"{count_text}: ranks {swaps_text}. {change}{cost}.{reach}"


def apply_swaps(experiment: Experiment, swaps: tuple[tuple[int, int], ...]) -> Experiment:
    """Return the experiment after these swaps of ranks, in order."""
    for first, second in swaps:
        experiment = experiment.swapped(experiment.order[first - 1], experiment.order[second - 1])
    return experiment


def _front(bench: Bench, question: Question, effect: str, table: pd.DataFrame) -> None:
    """Draw the trade-off of this query, with the front of the list's reorderings."""
    effect_question = next((one for one in bench.questions if one.measure is None), None)
    if effect_question is None:
        html.quiet("Without relevance judgements there is no effectiveness to set against it.")
        return
    if not judged(bench):
        html.quiet("Nobody judged this query: no loss bounds the swaps, and there is no front.")
        return
    answer = front(bench, question, effect)
    if isinstance(answer, FairvizError):
        html.message("info", f"There is no front: {answer.message}.", answer.remedy)
    pareto = None if isinstance(answer, FairvizError) else answer
    rows = bench.scores[bench.scores["query_id"] == bench.experiment.query]
    system_names = bench.settings.systems or bench.study.systems
    values = table.set_index("measure")["now"]
    points = [] if pareto is None else pareto.table[["effectiveness", "value", "swaps"]].itertuples(index=False)
    info = list_front.info(
        rows[rows["system"].isin(list(system_names))], effect_question, question, bench.experiment.system, list(points),
        (float(values[effect_question.text]), float(values[question.text])), exact=pareto is not None and pareto.exact,
    )  # fmt: skip
    words, more = st.columns([8, 2], vertical_alignment="center")
    with words:
        method = "exact" if info.exact else "greedy: better reorderings may exist"
        html.quiet(f"Filled: each system's list for this query. Hollow: this list now. Diamonds: the front ({method}).")
    with more:
        charts.table(
            pd.DataFrame(info.front, columns=[effect_question.text, question.text, "swaps"]), info.alt, "laboratory_f"
        )
    figure = list_front.draw(info, charts.styles(bench.study), charts.theme())
    figure.update_layout(showlegend=False)
    charts.chart(figure, info.alt, "laboratory_front")


def front(bench: Bench, question: Question, effect: str) -> Front | FairvizError:
    """Return the front of the list from its original order, with its current labels and words, or the error if the
    measure is undefined.

    Moves of documents do not change the front.
    """
    experiment = bench.experiment
    unmoved_experiment = Experiment(
        experiment.system,
        experiment.query,
        experiment.start,
        experiment.labels,
        experiment.known,
        steps=unmoved(experiment),
    )
    cache: dict[tuple, Front | FairvizError] = st.session_state.setdefault("laboratory_fronts", {})
    key = (
        bench.study.fingerprint,
        repr(bench.settings.changed(system="", query="", document="", systems=())),
        question.text,
        effect,
        experiment.mark,
        unmoved_experiment.text,
    )
    if key not in cache:
        try:
            cache[key] = front_of(
                edited_bench(bench.study, bench.settings, unmoved_experiment, question.text, effect, bench.places)
            )
        except FairvizError as error:
            cache[key] = error
        for old_key in list(cache)[:-8]:
            del cache[old_key]
    return cache[key]


def unmoved(experiment: Experiment) -> tuple:
    """Return the steps that change labels and words."""
    return tuple(step for step in experiment.steps if step.kind in ("label", "words"))
