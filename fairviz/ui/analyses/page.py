"""The page of an analysis from its record: controls, a job with progress and Stop, sentences, figures and tables."""

from typing import Any

import streamlit as st

from fairviz.analyses import Analysis
from fairviz.analyses.record import RANKERS
from fairviz.errors import FairvizError
from fairviz.parameters import Parameter
from fairviz.rankers import parse_rankers
from fairviz.ui.kept.flow import Run, code_of
from fairviz.ui.kit import html, pick
from fairviz.ui.kit.jobs import confirm_sending
from fairviz.ui.kit.views import draw_views
from fairviz.ui.shell import frame
from fairviz.ui.state import choices
from fairviz.ui.state.registry import analysis_key

STOPPED = ("The run was stopped.", "Nothing of it is shown.")
PER_ROW = 4  # controls


def draw(analysis: Analysis) -> None:
    """Draw the page."""
    study, settings = frame.current()
    what, remedy = analysis.missing(study)
    if what:
        frame.leave(f"{what}.", remedy)
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
            views = analysis.shown(analysis.result_of(outcome, settings))
            draw_views(views, code_of(analysis, study, settings, run.values))
    except FairvizError as error:
        html.problem(error)


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
