"""The sidebar: the study, and every choice shared by the pages, as a few questions."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from fairviz.evaluation.settings import EFFECTIVENESS, Settings
from fairviz.evaluation.stops import cutoff_options
from fairviz.figures import bias_curve
from fairviz.measures.position_bias import ATTENTION
from fairviz.measures.sums import UNLABELLED
from fairviz.study.record import Study
from fairviz.study.tables import TIES
from fairviz.ui.kept import figures
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.charts import CONFIG, theme
from fairviz.ui.shell import chips
from fairviz.ui.shell.annotators import describe
from fairviz.ui.shell.bias_upload import bias_upload
from fairviz.ui.shell.lexicon_editor import lexicon_editor
from fairviz.ui.shell.live import bias, component
from fairviz.ui.shell.live.sliders import BIAS_TEXTS
from fairviz.ui.shell.test_controls import test_controls
from fairviz.ui.state import address, library, session
from fairviz.words.counting import TOKENIZERS

# The meaning of each choice, shown after its name on the command line.
UNLABELLED_TEXTS = {"skip": "left out", "neutral": "count as neutral", "strict": "undefined lists"}
TIES_TEXTS = {"file": "by the file's rank", "trec_eval": "by document id"}
TOKENIZER_TEXTS = {"word": r"words (\w+)", "whitespace": "the papers' code"}
BACKGROUND_TEXTS = {"candidates": "all retrieved", "collection": "all documents"}


def study_picker() -> str:
    """Draw the picker and return the study's name. An unknown name in the address is reported and replaced by the
    default."""
    names = library.names()
    if st.session_state["study"] not in names:
        name = st.session_state["study"]
        st.session_state["study"] = Settings.study
        st.session_state["ignored"] = [
            *st.session_state["ignored"],
            f"The study {name[:80]!r} is not here; {Settings.study} is shown. The Data page opens and fetches studies.",
        ]
    return st.selectbox("Study", names, key="study", help="More on the Data page: fetch one, or open your own.")


def controls(study: Study) -> Settings:
    """Draw every shared control, and return the settings."""
    _cutoff(study)
    st.slider("α of CWEx: weight of neutrality", 0.0, 1.0, step=0.01, key="alpha")
    _bias(study)
    component.play()
    settings = session.read(st.session_state)
    for name, draw in zip(chips.GROUPS, (_lists, _labels, _words, _relevance, test_controls), strict=True):
        with st.expander(chips.group_label(name, settings), key=f"group_{draw.__name__.strip('_')}"):
            draw(study)
    st.button("Reset", on_click=guarded(address.reset), width="stretch", help="Every choice back to its default.")
    return session.read(st.session_state)


def _cutoff(study: Study) -> None:
    options = cutoff_options(session.depth(study), st.session_state["cutoff"])
    st.select_slider("Cutoff k: how far down the list", options, key="cutoff")


def _bias(study: Study) -> None:
    names = (*ATTENTION, "custom")
    bias_name = st.selectbox(
        "Position bias: attention by rank", names, key="position_bias", format_func=partial(named, BIAS_TEXTS)
    )
    if bias_name == "rbp":
        low, high = ATTENTION["rbp"].low, ATTENTION["rbp"].high
        st.slider("p: chance of reading on", low, high, step=0.01, key=session.PARAMETER)
    if bias_name == "custom":
        bias_upload()
    settings = session.read(st.session_state)
    curve = bias.curve_of(settings)
    figure = figures.drawn(bias_curve.draw, curve, theme(), theme=theme())
    config = {**CONFIG, "displayModeBar": False}
    st.plotly_chart(figure, theme=None, width="stretch", key=bias.KEY, config=config, alt=curve.alt)


def named(texts: Mapping[str, str], name: str) -> str:
    """Return a choice by its name on the command line with its meaning: `reciprocal: 1/rank`."""
    return f"{name}: {texts[name]}" if name in texts else name


def _lists(study: Study) -> None:
    _systems(study)
    _queries(study)


def _relevance(study: Study) -> None:
    st.selectbox("Measure", EFFECTIVENESS, key="effectiveness")
    st.selectbox("Tied scores are ordered", TIES, key="ties", format_func=partial(named, TIES_TEXTS))


def _systems(study: Study) -> None:
    st.multiselect("Systems", study.systems, key="systems", placeholder="all")
    st.selectbox(
        "Selected system",
        ("", *study.systems),
        key="system",
        format_func=lambda name: name or "none",
        help="The same as a click on its point or row.",
    )


def _queries(study: Study) -> None:
    columns = session.filter_columns(study)
    texts = {"": "all queries", "query_id": "chosen one by one"}
    column = st.selectbox("Queries", columns, key="filter_column", format_func=lambda name: texts.get(name, name))
    if column:
        values = session.filter_values(study, column)
        st.multiselect("Keep those of", values, key="filter_values", placeholder="all")


def _labels(study: Study) -> None:
    if not study.has("labels"):
        html.message("info", "This study has no labels.", "Add a file of labels on the Data page.")
        return
    options = session.annotators(study)
    st.selectbox("Annotator", options, key="annotator", format_func=lambda name: name or "the study's default")
    for description in describe(options):
        html.quiet(description)
    st.selectbox(
        "Documents without a label", UNLABELLED, key="unlabelled", format_func=partial(named, UNLABELLED_TEXTS)
    )


def _words(study: Study) -> None:
    st.selectbox("Text is cut into", tuple(TOKENIZERS), key="tokenizer", format_func=partial(named, TOKENIZER_TEXTS))
    st.number_input("τ: gender words a neutral document may hold", 0, 100_000, step=1, key="tau")
    st.selectbox(
        "Background of NFaiRR",
        session.backgrounds(study),
        key="background",
        format_func=partial(named, BACKGROUND_TEXTS),
        help="The documents whose best order is the ideal.",
    )
    lexicon_editor(study)
