"""The test of a connection to a language model, before any document is sent."""

from collections.abc import Iterable
from functools import partial

import streamlit as st

from fairviz.annotation.annotators import Choice
from fairviz.errors import FairvizError
from fairviz.models.language_model import chosen_model
from fairviz.models.replies import check_connection
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded

PATIENCE = 20.0  # seconds
RESULT = "annotate_connection"
HELP = "Sends one short question, and no document."


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
