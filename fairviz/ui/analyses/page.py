"""The page of an analysis from its record: controls, a job with progress and Stop, sentences, figures and tables."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from fairviz.analyses import Analysis
from fairviz.analyses.record import RANKERS as NAMES_RANKERS
from fairviz.analyses.running import analyse
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.output.recipes import recipe
from fairviz.parameters import Parameter
from fairviz.rankers import RANKERS, parse_rankers
from fairviz.study.record import Study
from fairviz.ui.analyses.views import Code, draw_views
from fairviz.ui.kept.flow import Run
from fairviz.ui.kit import html, pick
from fairviz.ui.kit.jobs import confirm_sending
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
        html.message("info", f"{what}.", remedy)
        return
    try:
        run = Run(analysis, study, settings, analysis.read_values(controls(analysis)))
        outcome = run.outcome_at_once() if analysis.quick else run.outcome()
        if outcome is None:
            texts = [run.values[parameter.name] for parameter in analysis.parameters if parameter.kind == NAMES_RANKERS]
            calls = tuple(one.parameters for text in texts for one in parse_rankers(text, settings.embedding))
            if not confirm_sending(analysis.name, study.name, (each.get("url") for each in calls)):
                return
            outcome = run.task(f"analysis_{analysis.name}", STOPPED, calls=calls, at_once=False).outcome("Run")
        if outcome is not None:
            views = analysis.shown(analysis.result_of(outcome, settings))
            draw_views(views, code_of(analysis, study, settings, run.values))
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


def asked(
    analysis: Analysis,
    study: Study,
    settings: Settings,
    own: Mapping[str, Callable[[], Any]] | None = None,
    go: float = 2,
) -> tuple[dict[str, Any], Any]:
    """Draw the record's controls in a row; return the values of their parameters, and the place of the button.

    own: draws a control of kind `own` and returns its value, by the parameter's name. go: the width of the button.
    """
    widths = [*(control.width for control in analysis.controls), go]
    *places, button = st.columns(widths, gap="small", vertical_alignment="bottom")
    values = {}
    for place, one in zip(places, analysis.controls, strict=True):
        look: dict[str, Any] = {"place": place, "help": one.help or None}
        offered = one.offers(study, settings)
        if one.kind == "calls":
            choices.value_of(one.key)
            chosen: Any = pick.pick_calls(
                one.key, one.label, RANKERS, offered=offered, values={"run": study.systems},
                defaults={"embedding": settings.embedding}, place=place, help=one.help,
            )  # fmt: skip
        elif one.kind == "several":
            usual = [name for name in one.usual if name in offered]
            chosen = pick.several(one.key, one.label, offered, usual, texts=one.texts, **look)
        elif one.kind == "select":
            chosen = pick.select(one.key, one.label, offered, texts=one.texts, **look)
        elif one.kind == "number":
            chosen = pick.number(one.key, one.label, min_value=0, step=5, **look)
        elif one.kind == "own":
            with place:
                chosen = (own or {})[one.parameter]()
        else:
            chosen = (pick.toggle if one.kind == "toggle" else pick.text)(one.key, one.label, **look)
        values[one.parameter] = one.value(chosen)
    return values, button


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


def code_of(analysis: Analysis, study: Study, settings: Settings, values: Mapping[str, Any]) -> Code:
    """Return what makes the Python of a view's numbers: the record's call, or that of `analyse`."""
    if analysis.call is not None:
        function, arguments, keywords = analysis.call(study, settings, values)
        return partial(recipe, function, *arguments, **keywords)
    defaults = {parameter.name: parameter.default for parameter in analysis.parameters}
    changed = {name: value for name, value in values.items() if value != defaults[name]}
    return partial(recipe, analyse, study, analysis.name, settings, **changed)
