"""What would have to change: the fewest swaps that reach a value, and the front of all reorderings."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.errors import FairvizError
from fairviz.evaluation.choices import judgements
from fairviz.evaluation.settings import Settings
from fairviz.figures import list_front
from fairviz.laboratory.edited_bench import MOST_SEARCHED, edited_bench
from fairviz.laboratory.experiment import Experiment
from fairviz.laboratory.front import Front, front_of
from fairviz.laboratory.swaps import Swaps, swaps_of
from fairviz.measures import Question
from fairviz.ui.kit import charts, html, numbers
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.laboratory.state import Bench, take
from fairviz.ui.state import choices

MEASURE, LOSS = "laboratory_measure", "laboratory_loss"
TARGET = "laboratory_target"
LOSSES = ("0", "0.02", "0.05", "0.1", "0.2", "any")
NAMED = 6  # swaps that are written out


def search_card(bench: Bench, table: pd.DataFrame) -> None:
    """Measure, value and loss; the swaps that reach it, and the front."""
    fair = {question.name: question for question in bench.questions if question.measure is not None}
    with st.container(border=True, gap="xsmall"):
        html.strong("What would have to change?")
        what, value, most, go = st.columns([3.4, 4.4, 3.2, 2.8], vertical_alignment="bottom", gap="small")
        choices.among(MEASURE, tuple(fair))
        question = fair[what.selectbox("Measure", tuple(fair), key=MEASURE)]
        now = float(table.loc[table["measure"] == question.text, "now"].iloc[0])
        key = f"{TARGET}_{question.name}_{bench.experiment.mark}"
        standing = "undefined now" if np.isnan(now) else f"now {numbers.number(now)}"
        target = value.number_input(
            "Value to reach", value=None, step=0.05, format="%.3f", key=key, placeholder=standing
        )
        effect = f"{bench.settings.effectiveness}@{bench.settings.cutoff}"
        choices.among(LOSS, LOSSES)
        loss = most.selectbox(f"Most loss of {bench.settings.effectiveness}", LOSSES, key=LOSS)
        asked = (question.text, target, loss, bench.experiment.text, repr(bench.settings))
        if go.button("Find swaps", key="laboratory_find", width="stretch", disabled=target is None):
            st.session_state["laboratory_found"] = asked
        try:
            if target is not None and st.session_state.get("laboratory_found") == asked:
                bound = None if loss == "any" or not judged(bench) else float(loss)
                _swaps(bench, question, effect, float(target), bound)
            _front(bench, question, effect, table)
        except FairvizError as error:
            html.message("info", error.message, error.remedy)


def judged(bench: Bench) -> bool:
    """Whether the query has judgements, without which there is neither a loss nor a front."""
    return bool(judgements(bench.study).get(bench.experiment.query))


def _swaps(bench: Bench, question: Question, effect: str, target: float, loss: float | None) -> None:
    """The swaps that reach the value from the list as it is now, and the button that takes them."""
    found = swaps_of(
        edited_bench(bench.study, bench.settings, bench.experiment, question.text, effect, bench.places), target, loss
    )
    html.message("info" if found.reached else "warning", told(found, bench.experiment))
    if found.swaps:
        count = len(found.swaps)
        st.button(
            f"Take {'this swap' if count == 1 else f'these {count:,} swaps'}", key="laboratory_take",
            on_click=guarded(take), args=(partial(taken, swaps=found.swaps),),
            help="Each is a step of its own, and is undone by itself.",
        )  # fmt: skip


def told(found: Swaps, held: Experiment) -> str:
    """What the search found, in words."""
    how = "exact: no fewer swaps do it" if found.exact else "greedy: fewer swaps may do it too"
    moved = f"{found.measure} {numbers.number(found.before)} → {numbers.number(found.after)}"
    cost = "" if np.isnan(found.effect_after) else (
        f", {found.effectiveness} {numbers.number(found.effect_before)} → {numbers.number(found.effect_after)}"
    )  # fmt: skip
    if found.reached and not found.swaps:
        return f"The list is there already: {moved}."
    count = len(found.swaps)
    said = f"{count:,} {'swap' if count == 1 else 'swaps'} ({how})"
    if not found.reached:
        how = "exact: nothing comes nearer" if found.exact else "greedy: other ways may come nearer"
        if not count:
            here = f"{found.measure} is {numbers.number(found.before)}, and no swap comes nearer"
            return f"{numbers.number(found.target)} is not reached: {here} ({how})."
        said = f"{numbers.number(found.target)} is not reached. Nearest, by {count:,} swaps ({how})"
    named = ", ".join(f"{first} ↔ {second}" for first, second in found.swaps[:NAMED])
    more = f" and {count - NAMED:,} more" if count > NAMED else ""
    reach = f" Ranks beyond {MOST_SEARCHED} stay where they are." if len(held.order) > MOST_SEARCHED else ""
    return f"{said}: ranks {named}{more}. {moved}{cost}.{reach}"


def taken(held: Experiment, swaps: tuple[tuple[int, int], ...]) -> Experiment:
    """The experiment after these swaps of ranks, one after the other."""
    for first, second in swaps:
        held = held.swapped(held.order[first - 1], held.order[second - 1])
    return held


def _front(bench: Bench, question: Question, effect: str, table: pd.DataFrame) -> None:
    """The trade-off of this query, with the front of the list's reorderings."""
    other = next((one for one in bench.questions if one.measure is None), None)
    if other is None:
        html.quiet("Without relevance judgements there is no effectiveness to set against it.")
        return
    if not judged(bench):
        html.quiet("Nobody judged this query: no loss bounds the swaps, and there is no front.")
        return
    answer = front(bench, question, effect)
    if isinstance(answer, FairvizError):
        html.message("info", f"There is no front: {answer.message}.", answer.remedy)
    found = None if isinstance(answer, FairvizError) else answer
    rows = bench.scores[bench.scores["query_id"] == bench.experiment.query]
    shown = bench.settings.systems or bench.study.systems
    values = table.set_index("measure")["now"]
    points = [] if found is None else found.table[["effectiveness", "value", "swaps"]].itertuples(index=False)
    info = list_front.info(
        rows[rows["system"].isin(list(shown))], other, question, bench.experiment.system, list(points),
        (float(values[other.text]), float(values[question.text])), exact=found is not None and found.exact,
    )  # fmt: skip
    words, more = st.columns([8, 2], vertical_alignment="center")
    with words:
        how = "exact" if info.exact else "greedy: better reorderings may exist"
        html.quiet(f"Filled: each system's list for this query. Hollow: this list now. Diamonds: the front ({how}).")
    with more:
        charts.table(pd.DataFrame(info.front, columns=[other.text, question.text, "swaps"]), info.alt, "laboratory_f")
    drawn = list_front.draw(info, charts.styles(bench.study), charts.theme())
    drawn.update_layout(showlegend=False)
    charts.chart(drawn, info.alt, "laboratory_front")


def front(bench: Bench, question: Question, effect: str) -> Front | FairvizError:
    """The front of the list with its labels and words as they are now, from the order that its system gives it: moving
    documents does not change it. The error where the measure has no value."""
    held = bench.experiment
    still = Experiment(held.system, held.query, held.start, held.labels, held.known, steps=unmoved(held))
    kept: dict[tuple, Front | FairvizError] = st.session_state.setdefault("laboratory_fronts", {})
    key = (bench.study.fingerprint, _asked(bench.settings), question.text, effect, held.mark, still.text)
    if key not in kept:
        try:
            kept[key] = front_of(edited_bench(bench.study, bench.settings, still, question.text, effect, bench.places))
        except FairvizError as error:
            kept[key] = error
        for old in list(kept)[:-8]:
            del kept[old]
    return kept[key]


def _asked(settings: Settings) -> str:
    return repr(settings.changed(system="", query="", document="", systems=()))


def unmoved(held: Experiment) -> tuple:
    """The steps that change labels and words."""
    return tuple(step for step in held.steps if step.kind in ("label", "words"))
