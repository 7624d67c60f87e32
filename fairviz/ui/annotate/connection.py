"""Language models of a labelling job: their fields, and the test of a connection before any document is sent."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import streamlit as st

from fairviz.annotation.annotators import METHODS, Choice
from fairviz.errors import FairvizError
from fairviz.models.language_model import chosen_model
from fairviz.models.replies import check_connection
from fairviz.parameters import Call
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.call_picker import call_field, read_calls

PATIENCE = 20.0  # seconds
RESULT = "annotate_connection"
HELP = "Sends one short question, and no document."
FIELDS = {"model": "Language model", "url": "Address of its server", "prompt": "Prompt"}
WIDTHS = [3, 5, 3]


def model_fields(key: str, values: Mapping[str, Sequence[str]]) -> None:
    """Draw model, address and prompt of each language model that `session_state[key]` names, else of one to be added.

    values: offered values by parameter.
    """
    text = str(st.session_state[key])
    calls = list(enumerate(read_calls(text)))
    if text.strip() and not calls:
        return
    models = [(place, call) for place, call in calls if call.name in METHODS and _is_asked(call.name)]
    for place, call in models or [(len(calls), Call("llm", {}))]:
        parameters = {each.name: each for each in METHODS[call.name].parameters}
        for column, (name, label) in zip(st.columns(WIDTHS, gap="small"), FIELDS.items(), strict=True):
            with column:
                call_field(key, place, call, parameters[name], values.get(name, ()), label)


def _is_asked(name: str) -> bool:
    return METHODS[name].questions is not None


def connections(choices: Iterable[Choice]) -> None:
    """Draw a button for each language model that tests its connection, and the result of the last test."""
    models = dict.fromkeys(
        (str(part.values["model"]), str(part.values.get("url") or ""))
        for choice in choices
        for part in choice.walk()
        if part.values.get("model") and "url" in part.values
    )
    if not models:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for model, url in models:
            label = "Test connection" if len(models) == 1 else f"Test connection to {model}"
            st.button(html.literal(label), key=f"annotate_test {model} {url}", help=HELP,
                      on_click=guarded(partial(_test, model, url)))  # fmt: skip
        tested, kind, line = st.session_state.get(RESULT, (None, "", ""))
        if tested in models:
            html.message(kind, line)


def _test(model: str, url: str) -> None:
    try:
        check_connection(chosen_model(model, url), PATIENCE)
        result = ("good", f"{model} answers.")
    except FairvizError as error:
        result = ("error", str(error))
    st.session_state[RESULT] = ((model, url), *result)
