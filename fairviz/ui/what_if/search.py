"""Searches: the fewest swaps to a value, and the Pareto front of all reorderings."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.analyses.what_if.bench import MOST_SEARCHED, Front, Swaps, edited_bench, front_of, swaps_of
from fairviz.analyses.what_if.experiment import Experiment
from fairviz.errors import FairvizError
from fairviz.figures import list_front
from fairviz.measures import Question
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.kit.boundary import explained, guarded
from fairviz.ui.shell import legend
from fairviz.ui.what_if import cards
from fairviz.ui.what_if.state import Bench, take
from fairviz.words.sentences import counted, first_listed, number

MEASURE, LOSS = "laboratory_measure", "laboratory_loss"
TARGET, FOUND = "laboratory_target", "laboratory_found"
LOSSES = ("0", "0.02", "0.05", "0.1", "0.2", "any")
Result = TypeVar("Result")
NAMED = 6  # swaps printed at most
KEPT = 8  # searches kept for the session


def search_card(bench: Bench, table: pd.DataFrame) -> None:
    """Draw the form for measure, value and loss; the swaps that reach it, and the front."""
    settings, experiment = bench.settings, bench.experiment
    fair = {question.name: question for question in bench.questions if question.measure is not None}
    with st.container(border=True, gap="xsmall", key="laboratory_card_search"):
        form = st.container(horizontal=True, gap="xsmall")
        question = fair[pick.select(MEASURE, "Measure", tuple(fair), place=form, width=132)]
        current = float(table.loc[table["measure"] == question.text, "now"].iloc[0])
        key = f"{TARGET}_{question.name}_{experiment.mark}"
        standing = "undefined now" if np.isnan(current) else f"now {number(current)}"
        target = form.number_input(
            "Value to reach", value=None, step=0.05, format="%.3f", key=key, placeholder=standing,
            help="Enter a value: the fewest swaps of two documents that reach it are shown.", width=158,
        )  # fmt: skip
        effect = f"{settings.effectiveness}@{settings.cutoff}"
        loss = pick.select(LOSS, f"Most loss of {settings.effectiveness}", LOSSES, place=form, width=132)
        with explained():
            if target is not None and _is_wanted(bench, question, float(target), loss):
                bound = None if loss == "any" or not bench.judged else float(loss)
                _draw_swaps(bench, question, effect, key, bound)
            _draw_front(bench, question, effect, table)


def _is_wanted(bench: Bench, question: Question, target: float, loss: str) -> bool:
    """Return whether to search: at once up to MOST_SEARCHED ranks, and for more ranks after a click."""
    if bench.settings.cutoff <= MOST_SEARCHED:
        return True
    request = (question.text, target, loss, bench.experiment.text, repr(bench.settings))
    if st.button("Find swaps", key="laboratory_find", help="A search this deep can take minutes."):
        st.session_state[FOUND] = request
    return st.session_state.get(FOUND) == request


def _draw_swaps(bench: Bench, question: Question, effect: str, target_key: str, loss: float | None) -> None:
    """Draw the swaps that reach the value of this field from the edited list, and the button that applies them."""
    target = float(st.session_state[target_key])
    request = (question.text, effect, bench.experiment.text, target, loss)
    swaps = _cached(bench, request, partial(_search, bench, question.text, effect, target, loss))
    html.message("info" if swaps.reached else "warning", describe_swaps(swaps, bench.experiment))
    if not swaps.swaps:
        return
    count, name = len(swaps.swaps), cards.new_name(bench)
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Take this swap" if count == 1 else f"Take these {count:,} swaps",
            key="laboratory_take",
            on_click=guarded(_take_swaps),
            args=(swaps.swaps, target_key),
            help="Each swap is a step: Undo takes back one at a time.",
        )
        st.button(
            "Take and save",
            key="laboratory_take_and_save",
            on_click=guarded(_take_and_save),
            args=(bench, name, swaps.swaps, target_key),
            help=html.literal(f"Saved as {name}."),
        )


def _search(bench: Bench, measure: str, effect: str, target: float, loss: float | None) -> Swaps:
    """Return the fewest swaps of the edited list that reach the value."""
    return swaps_of(
        edited_bench(bench.study, bench.settings, bench.experiment, measure, effect, bench.rankings), target, loss
    )


def describe_swaps(result: Swaps, experiment: Experiment) -> str:
    """Return the result of the search in words."""
    method = "exact: fewer do not suffice" if result.exact else "greedy: fewer may suffice"
    change = f"{result.measure} {number(result.before)} → {number(result.after)}"
    cost = "" if np.isnan(result.effect_after) else (
        f", {result.effectiveness} {number(result.effect_before)} → {number(result.effect_after)}"
    )  # fmt: skip
    if result.reached and not result.swaps:
        return f"The list is there already: {change}."
    count = len(result.swaps)
    count_text = f"{counted(count, 'swap')} ({method})"
    if not result.reached:
        method = "exact: nothing comes nearer" if result.exact else "greedy: others may come nearer"
        if not count:
            closest = f"{result.measure} is {number(result.before)}, and no swap comes nearer"
            return f"{number(result.target)} is not reached: {closest} ({method})."
        count_text = f"{number(result.target)} is not reached. Nearest, by {count:,} swaps ({method})"
    swaps_text = first_listed((f"{first} ↔ {second}" for first, second in result.swaps), NAMED)
    reach = f" Ranks beyond {MOST_SEARCHED} stay where they are." if len(experiment.order) > MOST_SEARCHED else ""
    return f"{count_text}: ranks {swaps_text}. {change}{cost}.{reach}"


def _take_swaps(swaps: tuple[tuple[int, int], ...], target_key: str) -> None:
    """Apply the swaps of ranks in order, and empty the field of the value, which the list now has."""
    take(partial(_with_swaps, swaps=swaps))
    st.session_state[target_key] = None


def _with_swaps(experiment: Experiment, swaps: tuple[tuple[int, int], ...]) -> Experiment:
    for first, second in swaps:
        experiment = experiment.swapped(experiment.order[first - 1], experiment.order[second - 1])
    return experiment


def _take_and_save(bench: Bench, name: str, swaps: tuple[tuple[int, int], ...], target_key: str) -> None:
    _take_swaps(swaps, target_key)
    cards.save(bench.study, name, bench.settings.ties)


def _draw_front(bench: Bench, question: Question, effect: str, table: pd.DataFrame) -> None:
    """Draw the trade-off of this query, with the front of the list's reorderings."""
    experiment = bench.experiment
    effect_question = next((one for one in bench.questions if one.measure is None), None)
    if effect_question is None:
        raise FairvizError("Without relevance judgements there is no effectiveness, so no front", "Add qrels.txt.")
    if not bench.judged:
        raise FairvizError(
            "This query has no relevance judgements: no loss limits the swaps", "It has no front either."
        )
    answer = _front_of_original(bench, question, effect)
    if isinstance(answer, FairvizError):
        html.problem(FairvizError(f"there is no front: {answer.message}", answer.remedy), "info")
    pareto = None if isinstance(answer, FairvizError) else answer
    rows = bench.scores[bench.scores["query_id"] == experiment.query]
    rows = rows[rows["system"].isin(list(bench.settings.systems or bench.study.systems))]
    now = table.set_index("measure")["now"]
    points = [] if pareto is None else pareto.table[["effectiveness", "value", "swaps"]].itertuples(index=False)
    info = list_front.info(
        rows, effect_question, question, experiment.system, list(points),
        (float(now[effect_question.text]), float(now[question.text])), exact=pareto is not None and pareto.exact,
    )  # fmt: skip
    styles = charts.styles(bench.study)
    figure = list_front.draw(info, styles, charts.theme(), 300)
    figure.update_layout(showlegend=False)
    legend_column, table_column = st.columns([8, 2], gap="small")
    with legend_column:
        legend.legend(bench.study, bench.settings, styles)
    with table_column:
        frame = pd.DataFrame(info.front, columns=[effect_question.text, question.text, "swaps"])
        charts.table(frame, info.alt, "laboratory_f")
    charts.chart(figure, info.alt, "laboratory_front")


def _front_of_original(bench: Bench, question: Question, effect: str) -> Front | FairvizError:
    """Return the front from the original order with the current labels and words, as moves of documents do not change
    it; or the error if the measure is undefined."""
    experiment = bench.experiment
    steps = tuple(step for step in experiment.steps if step.kind in ("label", "words"))
    original = Experiment(
        experiment.system, experiment.query, experiment.start, experiment.labels, experiment.known, steps=steps
    )
    request = (question.text, effect, original.text)
    return _cached(bench, request, partial(_front, bench, original, question.text, effect))


def _front(bench: Bench, original: Experiment, measure: str, effect: str) -> Front | FairvizError:
    """Return the front of the list's reorderings, or the error if the measure is undefined."""
    try:
        return front_of(edited_bench(bench.study, bench.settings, original, measure, effect, bench.rankings))
    except FairvizError as error:
        return error


def _cached(bench: Bench, request: tuple, find: Callable[[], Result]) -> Result:
    """Return the result of a search in this list; the last ones are kept for the session."""
    cache: dict[tuple, Result] = st.session_state.setdefault("laboratory_searches", {})
    settings = bench.settings.changed(system="", query="", document="", systems=())
    key = (bench.study.fingerprint, repr(settings), bench.experiment.mark, *request)
    if key not in cache:
        cache[key] = find()
        for old_key in list(cache)[:-KEPT]:
            del cache[old_key]
    return cache[key]
