"""The upload of a custom position bias: a table of rank and weight, such as measured click-through rates."""

import streamlit as st

from fairviz.errors import DataError
from fairviz.study.loaders.weights import parse_weights
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded

KEY = "bias_file"
REMEDY = "Give two columns, rank and weight, such as: 1,0.42"


def bias_upload() -> None:
    """Draw the uploader. The errors of a file are shown below it, and the current bias stays."""
    st.file_uploader("Table of rank, weight", type=["csv", "tsv", "txt"], key=KEY, on_change=guarded(_take))
    problem = st.session_state.get("bias_problem")
    if problem:
        html.message("error", problem.message, problem.remedy)
    elif not st.session_state["custom_bias"]:
        html.message("info", "No table yet: log2 is in force.", REMEDY)


def _take() -> None:
    upload = st.session_state[KEY]
    st.session_state["bias_problem"] = None
    if upload is None:
        return
    try:
        st.session_state["custom_bias"] = list(parse_weights(upload.name, upload.getvalue()))
    except DataError as error:
        st.session_state["bias_problem"] = error
