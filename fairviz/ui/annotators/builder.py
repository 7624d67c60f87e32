"""The form that composes an annotator: a method, its parameters, and a button that adds it."""

from functools import partial

import streamlit as st

from fairviz.annotation.annotators import METHODS, Method, parse
from fairviz.annotation.annotators.own_prompts import own_prompts
from fairviz.annotation.annotators.prompting import PROMPTS
from fairviz.errors import UsageError
from fairviz.parameters import Parameter, format_call
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded

WITH, METHOD = "annotate_with", "annotate_method"
MODELS = "gpt-4o with the url openai, any name that a server of your own knows, smollm2, or the path of a .gguf file"


def builder() -> None:
    """Draw the popover that composes an annotator."""
    with st.popover("Add an annotator", width="stretch"):
        name = st.selectbox("Annotator", tuple(METHODS), key=METHOD)
        method = METHODS[name]
        html.quiet(f"{method.summary}.")
        others = ""
        if method.votes:
            others = st.text_input("Who votes", "lexicon(tau=0),mentions", key=f"annotate_part_{name}_others")
        for parameter in method.parameters:
            _field(method, parameter)
        st.button("Add", key="annotate_add", on_click=guarded(partial(_add, method, others)))


def _key(method: Method, parameter: Parameter) -> str:
    return f"annotate_part_{method.name}_{parameter.name}"


def _field(method: Method, parameter: Parameter) -> None:
    """Draw the widget of one parameter."""
    key, label = _key(method, parameter), f"{parameter.name}: {parameter.help}"
    if parameter.name == "prompt":
        prompts = (*PROMPTS, *map(str, own_prompts().values()))
        st.selectbox("prompt", prompts, key=key, help="Prompts shows their text, and takes one of your own.")
    elif parameter.choices:
        st.selectbox(html.literal(label), parameter.choices, key=key, index=parameter.choices.index(parameter.default))
    elif parameter.is_text:
        hint = MODELS if parameter.name == "model" and method.kind == "model" else None
        st.text_input(html.literal(label), str(parameter.default), key=key, placeholder=hint)
    else:
        step = 1.0 if parameter.whole else None
        low, high, usual = float(parameter.low), float(parameter.high), float(parameter.default)
        st.number_input(html.literal(label), low, high, usual, step, key=key)


def format_annotator(method: Method, values: dict[str, object], others: str = "") -> str:
    """Return the annotator in the grammar, `lexicon(tau=0)`, without parameters at their default.

    >>> format_annotator(METHODS["lexicon"], {"tau": 0.0})
    'lexicon(tau=0)'
    """
    defaults = {parameter.name: parameter.default for parameter in method.parameters}
    changed = {name: values[name] for name in defaults if values.get(name, defaults[name]) != defaults[name]}
    return format_call(method.name, changed, filter(None, [others.strip()]))


def _add(method: Method, others: str) -> None:
    """Append it to the named annotators. Raises UsageError if it is invalid."""
    values = {text.name: st.session_state[_key(method, text)] for text in method.parameters}
    text = format_annotator(method, values, others)
    names = str(st.session_state.get(WITH, "")).strip().strip(",")
    if not text:
        raise UsageError("no annotator is named", "Choose one.")
    all_names = f"{names},{text}" if names else text
    parse(all_names)
    st.session_state[WITH] = all_names
