"""The sidebar: the study, and every choice shared by the pages, as a few questions."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from fairviz.analyses.annotator_accuracy.raters import WORD_LIST
from fairviz.annotation.rules import ANNOTATORS
from fairviz.errors import DataError, FairvizError
from fairviz.evaluation.settings import CHOICES, LABELS, LISTS, TESTS, WORDS, Settings
from fairviz.evaluation.slider_settings import cutoff_options
from fairviz.evaluation.study_values import (
    annotators,
    backgrounds,
    crossing_columns,
    deepest_rank,
    filter_columns,
    filter_values,
)
from fairviz.figures import bias_curve
from fairviz.home.server_config import server_config
from fairviz.measures.position_bias import ATTENTION, MAX_CUTOFF
from fairviz.study.loaders.weights import parse_weights
from fairviz.study.record import Study
from fairviz.ui.kept.entries import draw_cached
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.charts import CONFIG, theme
from fairviz.ui.kit.glossary import control_help
from fairviz.ui.shell import chips, titles, voters
from fairviz.ui.shell.lexicon_editor import lexicon_editor
from fairviz.ui.shell.live import bias, component
from fairviz.ui.shell.live.sliders import BIAS_TEXTS
from fairviz.ui.shell.test_controls import test_controls, tested_control
from fairviz.ui.state import address, choices, library, session

BACKGROUND_TEXTS = {"candidates": "all retrieved", "collection": "all documents"}
MEANINGS = {
    **{name: f"a rule, stored: {rule.summary}" for name, rule in ANNOTATORS.items()},
    WORD_LIST: "live (“Word list”): neutral up to τ gender words or tied, else the larger group",
}
TYPED_CUTOFF = "cutoff_typed"
BIAS_FILE = "bias_file"
BIAS_REMEDY = "Give two columns, rank and weight, such as: 1,0.42"
EXPANDERS = {  # the groups below the sliders, with the key of each
    LISTS: "group_lists",
    LABELS: "group_labels",
    WORDS: "group_words",
    TESTS: "group_test_controls",
}


def study_name() -> str:
    """Return the name of the chosen study. An unknown name in the address is reported and replaced by the default, or
    by the first study of a server without that one. Raises FairvizError where there is none at all."""
    name, names = st.session_state["study"], library.names()
    if not names:
        raise FairvizError("this server has no study for you yet", "Ask its owner for one.")
    if name not in names:
        is_usual = Settings.study in names and server_config() is None
        new_name = st.session_state["study"] = Settings.study if is_usual else names[0]
        if name not in (Settings.study, library.startup_study()):
            choices.report(
                f"The study {name[:80]!r} is not here; {new_name} is shown. The Data page opens and fetches studies."
            )
    return st.session_state["study"]


def study_picker() -> None:
    """Draw the picker of the study."""
    st.selectbox("Study", library.names(), key="study", help="More on the Data page: fetch one, or open your own.")


def controls(study: Study) -> Settings:
    """Draw every shared control, and return the settings."""
    # beside the slider, a field in which cutoffs between its stops can be typed
    state = st.session_state
    options = cutoff_options(deepest_rank(study), state["cutoff"])
    state[TYPED_CUTOFF] = state["cutoff"]
    with st.container(key="slider_cutoff", gap="small", horizontal=True, wrap=False, vertical_alignment="bottom"):
        st.select_slider("Cutoff k: how far down the list", options, key="cutoff")
        st.number_input(
            "Cutoff k, typed", 1, MAX_CUTOFF, step=1, key=TYPED_CUTOFF, width=62, label_visibility="collapsed",
            on_change=guarded(_take_typed_cutoff),
        )  # fmt: skip
        component.play("cutoff")
    with st.container(key="slider_alpha", gap=None):
        st.slider("α of CWEx: weight of neutrality", 0.0, 1.0, step=0.01, key="alpha")
        component.play("alpha")
    _bias(study)
    settings = session.read(st.session_state)
    for group, key in EXPANDERS.items():
        with st.expander(
            chips.group_label(group, settings, html.literal(titles.value(group, study, settings))), key=key
        ):
            _draw_group(group, study)
    st.button("Reset", on_click=guarded(address.reset), width="stretch", help="Every choice back to its default.")
    return session.read(st.session_state)


def _draw_group(group: str, study: Study) -> None:
    if group == LABELS and not study.has("labels"):
        html.message("info", "This study has no labels.", "Add a file of labels on the Data page.")
        return
    for choice in chips.ORDER:
        if choice.group == group and choice.control:
            # its own control in OWN, else one for the type of its values
            if choice.name in OWN:
                OWN[choice.name](study)
            elif choice.texts:
                st.selectbox(
                    choice.control, tuple(choice.texts), key=choice.name, format_func=choice.named,
                    help=control_help(choice.name),
                )  # fmt: skip
            elif isinstance(choice.default, int):
                st.number_input(
                    choice.control, choice.least, MAX_CUTOFF, step=1, key=choice.name, help=control_help(choice.name)
                )
            elif isinstance(choice.default, float):
                st.number_input(choice.control, step=0.01, key=choice.name)
            else:
                st.text_input(choice.control, key=choice.name)


def _take_typed_cutoff() -> None:
    st.session_state["cutoff"] = st.session_state[TYPED_CUTOFF]


def _bias(study: Study) -> None:
    names = (*ATTENTION, "custom")
    bias_name = st.selectbox(
        "Position bias: attention by rank",
        names,
        key="position_bias",
        format_func=lambda name: f"{name}: {BIAS_TEXTS[name]}",
        help=control_help("position_bias"),
    )
    if bias_name == "rbp":
        low, high = ATTENTION["rbp"].low, ATTENTION["rbp"].high
        with st.container(key="slider_p", gap=None):
            st.slider("p: chance of reading on", low, high, step=0.01, key=session.PARAMETER)
            component.play(session.PARAMETER)
    if bias_name == "custom":
        # the errors of a file are shown below the uploader, and the current bias stays
        st.file_uploader(
            "Table of rank, weight", type=["csv", "tsv", "txt"], key=BIAS_FILE, on_change=guarded(_take_bias)
        )
        problem = st.session_state.get("bias_problem")
        html.problem(problem)
        if problem is None and not st.session_state["custom_bias"]:
            html.message("info", "No table yet: log2 is in force.", BIAS_REMEDY)
    settings = session.read(st.session_state)
    curve = bias.curve_of(settings)
    figure = draw_cached(bias_curve.draw, curve, theme(), theme=theme())
    config = {**CONFIG, "displayModeBar": False}
    st.plotly_chart(figure, theme=None, width="stretch", key=bias.KEY, config=config, alt=curve.alt)


def _take_bias() -> None:
    upload = st.session_state[BIAS_FILE]
    st.session_state["bias_problem"] = None
    if upload is None:
        return
    try:
        st.session_state["custom_bias"] = list(parse_weights(upload.name, upload.getvalue()))
    except DataError as error:
        st.session_state["bias_problem"] = error


def _systems(study: Study) -> None:
    st.multiselect("Systems", study.systems, key="systems", placeholder="all")


def _selected(study: Study) -> None:
    st.selectbox(
        "Selected system",
        ("", *study.systems),
        key="system",
        format_func=lambda name: name or "none",
        help="The same as a click on its point or row.",
    )


def _queries(study: Study) -> None:
    columns = filter_columns(study)
    texts = {"": "all queries", "query_id": "chosen one by one"}
    column = st.selectbox("Queries", columns, key="filter_column", format_func=lambda name: texts.get(name, name))
    if column:
        values = filter_values(study, column)
        st.multiselect("Keep those of", values, key="filter_values", placeholder="all")


def _annotator(study: Study) -> None:
    options = annotators(study)
    st.selectbox(
        "Annotator", options, key="annotator", format_func=lambda name: name or "the study's default",
        help=control_help("annotator"),
    )  # fmt: skip
    for description in describe(options):
        html.quiet(description)


def _crossed_with(study: Study) -> None:
    columns = crossing_columns(study)
    if len(columns) > 1:
        st.selectbox(
            CHOICES["crossed_with"].control,
            columns,
            key="crossed_with",
            format_func=lambda name: name or "nothing: genders alone",
            help="Each gender is divided by this column of the documents. Measures of words are then left out.",
        )


def describe(names: Sequence[str]) -> list[str]:
    """Return a sentence for each of the annotators that is a rule or the word list."""
    return [f"{name}: {MEANINGS[name]}." for name in names if name in MEANINGS]


def _background(study: Study) -> None:
    st.selectbox(
        "Background of NFaiRR",
        backgrounds(study),
        key="background",
        format_func=lambda name: f"{name}: {BACKGROUND_TEXTS[name]}" if name in BACKGROUND_TEXTS else name,
        help=control_help("background"),
    )


OWN: Mapping[str, Callable[[Study], None]] = {  # the choices whose control is not given by the type of their values
    "systems": _systems,
    "system": _selected,
    "filter_column": _queries,
    "annotator": _annotator,
    "voters": voters.control,
    "crossed_with": _crossed_with,
    "background": _background,
    "lexicon": lexicon_editor,
    "tests": test_controls,
    "tested": tested_control,
}
