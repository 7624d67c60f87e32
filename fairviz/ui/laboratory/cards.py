"""Cards of the experiment: its effect on every measure, its steps, and saving it as a system of the study."""

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.analyses.what_if.experiment import Experiment
from fairviz.analyses.what_if.outcome import COLUMNS, outcome, values_of_system
from fairviz.analyses.what_if.saving import changed_labels, edited_name, edited_run, suggested_name
from fairviz.datasets import save_runs
from fairviz.evaluation.formats import to_csv
from fairviz.measures import Question, unfairness
from fairviz.study.record import Study
from fairviz.study.study import add_runs
from fairviz.ui.kit import charts, html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.laboratory import saved
from fairviz.ui.laboratory.list import words_of_all
from fairviz.ui.laboratory.saved import OUTCOME
from fairviz.ui.laboratory.state import BENCH, Bench
from fairviz.ui.state import library
from fairviz.words.sentences import number, signed

NAME = "laboratory_name"
NOTHING = 1e-12  # tolerance for sums in another order
MOST_STEPS = 200  # printed at most
STYLE = (
    "<style>.fv-lab{width:100%;border-collapse:collapse;font-size:.8rem;font-variant-numeric:tabular-nums}"
    ".fv-lab td,.fv-lab th{padding:.16rem .28rem;text-align:right;border-bottom:1px solid GRID;white-space:nowrap}"
    ".fv-lab td:first-child,.fv-lab th:first-child{text-align:left;white-space:normal}"
    ".fv-lab th{font-weight:600}.fv-track{display:inline-block;position:relative;width:54px;margin:0 5px;height:12px;"
    "border-bottom:1px solid MUTED}.fv-track i{position:absolute;top:2px;width:9px;height:9px;margin-left:-4px;"
    "border-radius:50%;box-sizing:border-box;border:2px solid INK}.fv-track i:last-child{background:INK}</style>"
)


def outcomes(bench: Bench) -> pd.DataFrame:
    """Return a row per measure: before, now and the difference, of the query and of the system's mean."""
    return outcome(bench.study, bench.settings, bench.experiment, bench.questions, bench.places, bench.scores)


def measures_card(bench: Bench, table: pd.DataFrame) -> None:
    """Draw every measure before, now, and the difference, with a track among all queries."""
    experiment = bench.experiment
    with st.container(border=True, gap="xsmall"):
        words, more = st.columns([8, 2], vertical_alignment="center")
        list_name = f"{experiment.system} for {experiment.query}"
        alt = f"Every measure of {list_name}, before and now, and of its mean over queries."
        with words:
            html.strong("What the steps do")
        with more:
            charts.table(table, alt, "laboratory_values")
        theme = charts.theme()
        style = STYLE.replace("GRID", theme.grid).replace("MUTED", theme.muted).replace("INK", theme.text)
        st.html(style + table_html(bench, table))
        html.quiet(
            "▲ fairer or more effective, ▼ less so; – undefined. ○ before, ● now, from the lowest to the highest of "
            "the system's queries. GSR has no value for one query: it moves once the list is saved."
        )


def table_html(bench: Bench, table: pd.DataFrame) -> str:
    """Return the table as HTML; all data is escaped."""
    head = (
        '<tr><th></th><th colspan="4">this query</th><th colspan="3">mean of '
        f"{html.escape(bench.experiment.system)}</th></tr>"
        "<tr><th>measure</th><th>before</th><th>now</th><th>difference</th><th></th><th>before</th><th>now</th>"
        "<th>difference</th></tr>"
    )
    rows, spread = [], values_of_system(bench.scores, bench.experiment.system)
    values = table[list(COLUMNS[1:])].to_numpy(dtype=np.float64).tolist()
    for question, (before, now, _, mean_before, mean_now, _) in zip(bench.questions, values, strict=True):
        cells = [
            value_text(before),
            value_text(now),
            difference(question, before, now),
            track(spread[question.text], before, now),
            value_text(mean_before),
            value_text(mean_now),
            difference(question, mean_before, mean_now),
        ]
        body = "".join(f"<td>{cell}</td>" for cell in cells)
        rows.append(f'<tr><td title="{html.escape(question.text)}">{html.escape(question.name)}</td>{body}</tr>')
    return f'<div style="overflow-x:auto"><table class="fv-lab">{head}{"".join(rows)}</table></div>'


def value_text(value: float) -> str:
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
    """Draw the steps, the last first, and the button for the words of all documents."""
    experiment = bench.experiment
    with st.container(border=True, gap="xsmall"):
        html.strong(f"Steps ({len(experiment.steps):,})" if experiment.steps else "Steps")
        if not experiment.steps:
            html.quiet("Nothing was changed yet. Steps stay in the address: a refresh keeps them, a link shows them.")
        else:
            lines = [f"{number}. {html.escape(step.text)}" for number, step in enumerate(experiment.steps, start=1)]
            st.html(f'<div class="fv-history">{"<br>".join(lines[::-1][:MOST_STEPS])}</div>')
        words_of_all(bench)


def save_card(bench: Bench) -> None:
    """Draw the form for saving the new system."""
    experiment, study = bench.experiment, bench.study
    with st.container(border=True, gap="xsmall"):
        html.strong("Save as a new system")
        name, button = st.columns([7, 3], vertical_alignment="bottom")
        typed_name = name.text_input(
            "Name", suggested_name(study, experiment.system), key=f"{NAME}_{experiment.mark}_{len(study.systems)}",
            label_visibility="collapsed", max_chars=120,
        )  # fmt: skip
        system_name = edited_name(typed_name)
        button.button(
            "Save", key="laboratory_save", type="primary", width="stretch",
            disabled=experiment.order == experiment.start, on_click=guarded(_save),
            args=(study, system_name, bench.settings.ties),
        )  # fmt: skip
        if message := st.session_state.pop(OUTCOME, None):
            html.message(*message)
        html.quiet(f"{describe_saving(study, experiment, system_name)}")
        saved.systems(study)
        labels = changed_labels(experiment, system_name)
        if len(labels):
            st.download_button(
                "Flipped labels (CSV)", to_csv(labels), file_name="labels.csv", mime="text/csv",
                key="laboratory_labels", on_click="ignore",
                help="A labels file of an annotator of its own, which is no person; the Data page takes it.",
            )  # fmt: skip


def describe_saving(study: Study, experiment: Experiment, name: str) -> str:
    """Return the effect of saving, and what is not saved, in one line."""
    place = (
        "this session's study; save the study to keep it" if library.is_own(study) else "your data folder, and stays"
    )
    if experiment.order == experiment.start:
        return "A system holds an order: move a document, then the list can be saved."
    unsaved = [
        f"{count:,} {one if count == 1 else many}"
        for count, one, many in (
            (len(experiment.relabelled), "flipped label", "flipped labels"),
            (len(experiment.reworded), "changed text", "changed texts"),
        )
        if count
    ]
    sentence = (
        f"The run {name!r} goes to {place}: this list as it is now, {experiment.system}'s lists of all other queries."
    )
    if not unsaved:
        return sentence
    verbs = "stays here and is" if unsaved[0].startswith("1 ") and len(unsaved) == 1 else "stay here and are"
    return f"{sentence} A run holds an order only: {' and '.join(unsaved)} {verbs} not in its values."


def _save(study: Study, name: str, ties: str) -> None:
    run = edited_run(study, st.session_state[BENCH], name, ties)
    if library.is_own(study):
        library.keep(add_runs(study, run))
    else:
        save_runs(study, run)
    st.session_state[OUTCOME] = ("good", f"{name}: saved. It stands on every page now.", "")
