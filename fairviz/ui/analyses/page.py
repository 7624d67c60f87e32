"""The page of an analysis from its record: controls, a job with progress and Stop, sentences, figures and tables."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from fairviz.analyses import Analysis
from fairviz.analyses.record import RANKERS
from fairviz.analyses.running import Answer, analyse
from fairviz.errors import FairvizError
from fairviz.output.recipes import Recipe, recipe
from fairviz.parameters import Parameter
from fairviz.rankers import parse_rankers
from fairviz.ui.kept.flow import Run
from fairviz.ui.kit import charts, grids, html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.jobs import confirm_sending
from fairviz.ui.shell import frame
from fairviz.ui.state import choices, going
from fairviz.ui.state.registry import analysis_key
from fairviz.words.sentences import Span

STOPPED = ("The run was stopped.", "Nothing of it is shown.")
READ = " Tick a row to read the document."
PER_ROW = 4  # controls
MOST_ROWS = 14  # of a table before it scrolls


def draw(analysis: Analysis) -> None:
    """Draw the page."""
    study, settings = frame.current()
    what, remedy = analysis.missing(study)
    if what:
        html.message("info", f"{what}.", remedy)
        return
    try:
        run = Run(analysis, study, settings, analysis.read_values(controls(analysis)))
        outcome = run.outcome_at_once() if analysis.quick else run.outcome()
        if outcome is None:
            texts = [run.values[parameter.name] for parameter in analysis.parameters if parameter.kind == RANKERS]
            calls = tuple(one.parameters for text in texts for one in parse_rankers(text, settings.embedding))
            if not confirm_sending(analysis.name, study.name, (each.get("url") for each in calls)):
                return
            outcome = run.task(f"analysis_{analysis.name}", STOPPED, calls=calls, at_once=False).outcome("Run")
        if outcome is not None:
            draw_answer(run, Answer(analysis, analysis.result_of(outcome, settings)))
    except FairvizError as error:
        html.message("error", error.message, error.remedy)


def controls(analysis: Analysis) -> dict[str, Any]:
    """Draw a control for each parameter other than files; return the values, which are not checked yet."""
    parameters = [parameter for parameter in analysis.parameters if parameter.name not in analysis.files]
    places = st.columns(PER_ROW, gap="small", vertical_alignment="bottom") if parameters else []
    keys = {parameter.name: analysis_key(analysis, parameter) for parameter in parameters}
    return {
        parameter.name: _control(parameter, keys[parameter.name], places[number % PER_ROW])
        for number, parameter in enumerate(parameters)
    }


def _control(parameter: Parameter, key: str, place: Any) -> Any:
    """Draw the control of a parameter in the place; return its value."""
    label = parameter.name.replace("_", " ").capitalize()
    options = {"place": place, "help": html.literal(parameter.help) if parameter.help else None}
    if parameter.kind == "flag":
        return pick.toggle(key, label, **options)
    if parameter.kind == "choice":
        return pick.select(key, label, tuple(parameter.choices), parameter.default, **options)
    if parameter.kind == "integer":
        low, high = int(parameter.low), int(parameter.high)
        if not low <= choices.value_of(key) <= high:  # from the address
            choices.report_missing(key, [str(st.session_state[key])])
            st.session_state[key] = parameter.default
        return pick.number(key, label, min_value=low, max_value=high, **options)
    text = pick.text(key, label, **options)
    return text if parameter.is_text else _number(text)


def _number(text: str) -> float | str:
    """Return the number, or the text if it is none, which the analysis then refuses."""
    try:
        return float(text)
    except ValueError:
        return text


def draw_answer(run: Run, answer: Answer) -> None:
    """Draw sentences, figures and tables, each table with the Python that computes it."""
    analysis = answer.analysis
    html.findings(*((Span(sentence),) for sentence in answer.sentences))
    for number, (title, figure) in enumerate(analysis.figures.items()):
        with st.container(border=True, gap="xsmall"):
            drawing, key = figure(answer.value, charts.theme()), f"analysis_{analysis.name}_figure_{number}"
            first = next(iter(analysis.tables))
            charts.headed(title, answer.table(first), drawing.alt, key, _recipe(run, first))
            charts.chart(drawing.figure, drawing.alt, f"{key}_chart")
    for name in analysis.tables:
        _table_card(run, answer, name)
    html.note("\n".join(analysis.notes(answer.value)))


def _recipe(run: Run, name: str) -> Recipe:
    """Return how the table of this name is made again."""
    defaults = {parameter.name: parameter.default for parameter in run.analysis.parameters}
    changed = {each: value for each, value in run.values.items() if value != defaults[each]}
    return recipe(analyse, run.study, run.analysis.name, run.settings, **changed, table=f"found.table({name!r})")


def _table_card(run: Run, answer: Answer, name: str) -> None:
    analysis, key = answer.analysis, f"analysis_{answer.analysis.name}_{name}"
    about = analysis.tables[name].help
    with st.container(border=True, gap="xsmall", key=f"{key}_card"):
        try:
            table = answer.table(name)
        except FairvizError as error:  # of a table that not every study has
            html.message("info", error.message, error.remedy)
            return
        text = f"{about[:1].upper()}{about[1:]}.{READ if analysis.tables[name].opens else ''}"
        if len(table) > charts.AT_ONCE:
            text += f" First {charts.AT_ONCE:,} of {len(table):,} rows; Export has all."
        grids.head(text, table, about, key, _recipe(run, name))
        rows = table.head(charts.AT_ONCE)
        options: dict[str, Any] = {}
        if analysis.tables[name].opens:
            callback = guarded(partial(_open_document, f"{key}_grid", tuple(rows["doc_id"])))
            options = {"on_select": callback, "selection_mode": "single-row"}
        grids.grid(rows, about, f"{key}_grid", most=MOST_ROWS, **options)


def _open_document(key: str, doc_ids: Sequence[str]) -> None:
    """Open the document of the ticked row of the table `key` on the page Read. For callbacks."""
    if rows := st.session_state[key]["selection"]["rows"]:
        going.to_document(doc_ids[rows[0]])
