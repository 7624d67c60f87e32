"""Cards of the experiment: its effect on every measure, its steps, and saving it as a system of the study."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.analyses.what_if.experiment import (
    COLUMNS,
    Experiment,
    changed_labels,
    edited_name,
    edited_run,
    suggested_name,
    values_of_system,
    without_run,
)
from fairviz.datasets import save_runs
from fairviz.datasets.additions import delete_run
from fairviz.evaluation.formats import to_csv
from fairviz.evaluation.questions import headline, overview
from fairviz.home.permissions import permissions
from fairviz.measures import Question, unfairness
from fairviz.study.record import Study
from fairviz.study.study import add_runs
from fairviz.ui.kit import charts, html, saved_parts
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.saved_parts import OUTCOME
from fairviz.ui.state import library
from fairviz.ui.what_if.state import BENCH, Bench
from fairviz.words.sentences import counted, number, signed

NAME = "laboratory_name"
SAVED = "laboratory_just_saved"  # study and name of the system that was saved last, until it is deleted or left
NOTHING = 1e-12  # tolerance for sums in another order
MOST_STEPS = 200  # printed at most
STYLE = (
    "<style>.fv-lab{width:100%;border-collapse:collapse;font-size:.8rem;font-variant-numeric:tabular-nums}"
    ".fv-lab td,.fv-lab th{padding:.16rem .28rem;text-align:right;border-bottom:1px solid GRID;white-space:nowrap}"
    ".fv-lab td:first-child,.fv-lab th:first-child{text-align:left;white-space:normal}"
    ".fv-lab th{font-weight:600}.fv-track{display:inline-block;position:relative;width:54px;margin:0 5px;height:12px;"
    "border-bottom:1px solid MUTED}.fv-track i{position:absolute;top:2px;width:9px;height:9px;margin-left:-4px;"
    "border-radius:50%;box-sizing:border-box;border:2px solid INK}.fv-track i:last-child{background:INK}"
    "@container page (min-width:600px){[data-testid=stHorizontalBlock]:has(> [data-testid=stColumn] > "
    "[data-testid=stVerticalBlock] > * > .st-key-laboratory_card_list){flex-wrap:nowrap!important}"
    "[data-testid=stColumn]:has(> [data-testid=stVerticalBlock] > * > :is(.st-key-laboratory_card_list,"
    ".st-key-laboratory_card_effects)){flex:1 1 0!important;min-width:0!important}}</style>"
)


def measures_card(bench: Bench, table: pd.DataFrame) -> None:
    """Draw the main measures of the query before and now, and folded every measure with the system's means."""
    experiment, theme = bench.experiment, charts.theme()
    style = STYLE.replace("GRID", theme.grid).replace("MUTED", theme.muted).replace("INK", theme.text)
    with st.container(border=True, gap="xsmall", key="laboratory_card_effects"):
        st.html(style + table_html(bench, table, _main_questions(bench)))
        with st.expander("Every measure, and the system's means", key="laboratory_all", type="compact"):
            alt = f"Every measure of {experiment.system} for {experiment.query}, before and now, and of its mean."
            notes = (
                "▲ fairer or more effective, ▼ less. ○ before, ● now, among all queries.",
                "– undefined. GSR has no value for one query: it changes once the list is saved.",
            )
            charts.table(table, alt, "laboratory_values", notes=notes)
            st.html(table_html(bench, table, bench.questions, means=True))


def _main_questions(bench: Bench) -> tuple[Question, ...]:
    """Return the measures that head the Overview; all where the page has none of them."""
    texts = {question.text for question in headline(overview(bench.study, bench.settings), bench.settings)}
    return tuple(question for question in bench.questions if question.text in texts) or bench.questions


def table_html(bench: Bench, table: pd.DataFrame, questions: Sequence[Question], *, means: bool = False) -> str:
    """Return the rows of these measures as HTML; all data is escaped. means: with the system's means."""
    mean_heads = "<th>before</th><th>now</th><th>difference</th>"
    heads = f"<tr><th>measure</th>{mean_heads}<th></th>{mean_heads if means else ''}</tr>"
    if means:
        system = html.escape(bench.experiment.system)
        heads = f'<tr><th></th><th colspan="4">this query</th><th colspan="3">mean of {system}</th></tr>{heads}'
    rows, spread = [], values_of_system(bench.scores, bench.experiment.system)
    columns = table[list(COLUMNS[1:])].to_numpy(dtype=np.float64).tolist()
    values = dict(zip(table["measure"], columns, strict=True))
    for question in questions:
        before, now, _, mean_before, mean_now, _ = values[question.text]
        cells = [*_pair_cells(question, before, now), track(spread[question.text], before, now)]
        if means:
            cells += _pair_cells(question, mean_before, mean_now)
        body = "".join(f"<td>{cell}</td>" for cell in cells)
        rows.append(f'<tr><td title="{html.escape(question.text)}">{html.escape(question.name)}</td>{body}</tr>')
    return f'<div style="overflow-x:auto"><table class="fv-lab">{heads}{"".join(rows)}</table></div>'


def _pair_cells(question: Question, before: float, now: float) -> list[str]:
    """Return both values and their difference."""
    return [_value_text(before), _value_text(now), difference(question, before, now)]


def _value_text(value: float) -> str:
    """Return a value with three decimals; a dash if it is undefined."""
    return "–" if np.isnan(value) else number(value)


def difference(question: Question, before: float, now: float) -> str:
    """Return the difference and whether it is fairer or more effective, as `+0.120 ▲`; `0` without a change, "" if a
    value is undefined.
    """
    change = now - before
    if np.isnan(change):
        return "" if np.isnan(before) and np.isnan(now) else "no longer defined" if np.isnan(now) else "defined now"
    if abs(change) < NOTHING:
        return "0"
    is_small = abs(change) < 0.0005
    change_html = f"<b>{('+' if change > 0 else '−') + '&lt; .001' if is_small else signed(change)}</b>"
    if question.direction == "none":
        return change_html
    was, new_distance = unfairness(question, np.array([before, now])).tolist()
    return f"{change_html} {'▲' if new_distance < was - NOTHING else '▼' if new_distance > was + NOTHING else '='}"


def track(spread: pd.Series, before: float, now: float) -> str:
    """Return a track of both values between the extremes of the system's queries."""
    defined = [value for value in (before, now, spread.min(), spread.max()) if np.isfinite(value)]
    if not defined or not np.isfinite(before) or not np.isfinite(now):
        return ""
    low, high = min(defined), max(defined)
    marks = (100 * (value - low) / (high - low) if high > low else 50.0 for value in (before, now))
    return f'<span class="fv-track">{"".join(f"""<i style="left:{at:.1f}%"></i>""" for at in marks)}</span>'


def steps_card(bench: Bench) -> None:
    """Draw the steps, the last first; nothing without any."""
    steps = bench.experiment.steps
    if steps:
        with st.container(border=True, gap="xsmall"):
            html.strong(f"Steps ({len(steps):,})")
            lines = [f"{number}. {html.escape(step.text)}" for number, step in enumerate(steps, start=1)]
            st.html(f'<div class="fv-history">{"<br>".join(lines[::-1][:MOST_STEPS])}</div>')


def save_card(bench: Bench) -> None:
    """Draw the form for saving the new system."""
    experiment, study = bench.experiment, bench.study
    with st.container(border=True, gap="xsmall"):
        name, button = st.columns([7, 3], vertical_alignment="bottom")
        typed_name = name.text_input(
            "Save as a new system", suggested_name(study, experiment.system), max_chars=120, key=_name_key(bench),
        )  # fmt: skip
        system_name = edited_name(typed_name)
        button.button(
            "Save", key="laboratory_save", type="primary", width="stretch",
            disabled=experiment.order == experiment.start or permissions().is_demo(), on_click=guarded(save),
            args=(study, system_name, bench.settings.ties),
            help=html.literal(describe_saving(study, experiment, system_name)),
        )  # fmt: skip
        if message := st.session_state.pop(OUTCOME, None):
            html.message(*message)
            _draw_delete_button(study)
        saved_parts.panel(study, "laboratory")
        labels = changed_labels(experiment, system_name)
        if len(labels):
            st.download_button(
                "Flipped labels (CSV)", to_csv(labels), file_name="labels.csv", mime="text/csv",
                key="laboratory_labels", on_click="ignore",
                help="Labels of a separate annotator, not of a person. Data takes this file.",
            )  # fmt: skip


def _name_key(bench: Bench) -> str:
    return f"{NAME}_{bench.experiment.mark}_{len(bench.study.systems)}"


def new_name(bench: Bench) -> str:
    """Return the name under which this list is saved: what was typed, else the suggestion."""
    suggestion = suggested_name(bench.study, bench.experiment.system)
    return edited_name(st.session_state.get(_name_key(bench)) or suggestion)


def _draw_delete_button(study: Study) -> None:
    """Draw the button that deletes what was saved last, beside the message about it."""
    saved = st.session_state.get(SAVED)
    if saved and saved[0] == study.name and saved[1] in study.systems:
        st.button("Delete it again", key="laboratory_delete_saved", on_click=guarded(_delete), args=(study, saved[1]))


def describe_saving(study: Study, experiment: Experiment, name: str) -> str:
    """Return the effect of saving, and what is not saved, in one line."""
    if experiment.order == experiment.start:
        return "Move a document first."
    place = "this session's study; save the study to keep it" if library.is_own(study) else "your data folder"
    sentence = f"{name!r} goes to {place}: this list, and {experiment.system}'s lists of all other queries."
    unsaved = [
        counted(len(changed), noun)
        for changed, noun in ((experiment.relabelled, "flipped label"), (experiment.reworded, "changed text"))
        if changed
    ]
    return f"{sentence} A run contains only the order: without {' and '.join(unsaved)}." if unsaved else sentence


def save(study: Study, name: str, ties: str) -> None:
    """Add the list of this run to the study under this name. For callbacks."""
    run = edited_run(study, st.session_state[BENCH], name, ties)
    if library.is_own(study):
        library.keep(add_runs(study, run))
    else:
        save_runs(study, run)
    st.session_state[SAVED] = (study.name, name)
    st.session_state[OUTCOME] = ("good", f"{name}: saved. Every page shows it.", "")


def _delete(study: Study, name: str) -> None:
    if library.is_own(study):
        library.keep(without_run(study, name))
    else:
        delete_run(study, name)
    st.session_state[OUTCOME] = ("good", f"{name}: deleted. The list here is as you left it.", "")
