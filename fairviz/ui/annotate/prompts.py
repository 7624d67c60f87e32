"""The prompts: the text sent for a document of this study, and custom prompts."""

from functools import partial

import streamlit as st

from fairviz.annotation.annotators.llm import PROMPTS, keep_prompt, own_prompts, template
from fairviz.errors import FairvizError
from fairviz.study.record import Study
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.words.counting import document_text

SHOWN, TEXT, NAME, KEPT = "annotate_prompt", "annotate_prompt_text", "annotate_prompt_name", "annotate_prompt_kept"
LOOKED = 100  # documents searched for one with text
PLACES = (
    "{passage} is required: the document's text. {classes}, {number}, {definitions} and {terms} come from the study's "
    "groups. A prompt with “Reasoning:” gets rationales, which Read shows."
)


def prompts(study: Study) -> None:
    """Draw the popover with the prompts' texts."""
    with st.popover("Prompts", width="stretch"):
        custom_prompts = own_prompts()
        name = st.selectbox("Prompt", (*PROMPTS, *custom_prompts), key=SHOWN)
        try:
            prompt_text = template(name if name in PROMPTS else str(custom_prompts[name]), study)
        except FairvizError as error:
            html.message("info", error.message, error.remedy)
            return
        sent, edit = st.tabs(["As it is sent", "Write your own"])
        with sent:
            html.quiet(f"For the first document of {study.title or study.name}, at temperature 0:")
            st.code(prompt_text.filled(_first(study)), language=None, wrap_lines=True, height=420)
        with edit:
            html.quiet(PLACES)
            text = st.text_area("Template", prompt_text.text, key=f"{TEXT}_{name}", height=320)
            name_column, button_column = st.columns([3, 1], vertical_alignment="bottom")
            own_name = name_column.text_input("Name", key=NAME, placeholder="my-prompt")
            button_column.button("Keep", key="annotate_prompt_keep", on_click=guarded(partial(_keep, own_name, text)))
            html.quiet(st.session_state.pop(KEPT, ""))


def _keep(name: str, text: str) -> None:
    path = keep_prompt(name.strip(), text)
    st.session_state[KEPT] = f"Kept as {path}: Parameters offers it as a prompt."
    st.session_state[SHOWN] = path.stem


def _first(study: Study) -> str:
    texts = document_text(study.documents.head(LOOKED)).dropna()
    return str(texts.iloc[0])[:4000] if len(texts) else "(the text of a document)"
