"""The row of choices of the Agreement page."""

from collections.abc import Sequence

import streamlit as st

from fairviz.annotation.consensus import CONSENSUSES
from fairviz.annotation.electorate import electorate
from fairviz.evaluation.choices import annotator_names
from fairviz.evaluation.settings import Settings
from fairviz.inspection.comparisons import Comparison
from fairviz.inspection.raters import (
    WORD_LIST,
    can_count_words,
    columns,
    default_reference,
    partly_empty,
    study_raters,
)
from fairviz.study.study import Study

ALL, BINARY = "every label", "neutral or gendered"


def choices(study: Study, settings: Settings) -> Comparison:
    """What to compare with whom; the widgets keep their values as long as the study is the same."""
    names = annotator_names(study)
    empty = partly_empty(study)
    who, which, by, together, rest = st.columns([4, 4, 3, 4, 3], gap="small", vertical_alignment="bottom")
    reference = who.selectbox(
        "Compare with",
        ("", *others(study, settings)),
        key=_key("reference", study),
        format_func=lambda name: name or f"{default_reference(study, settings)} (now counts)",
        help="Each other annotator is set against this one. At first the one whose labels count in the measures. A "
        "consensus is an annotator like any other.",
    )
    labels = which.selectbox(
        "Labels",
        (ALL, BINARY),
        key=_key("labels", study),
        disabled=study.label_kind != "gender",
        help="Neutral or gendered: female, male and other genders count as one label, as in the CWEx paper's table 4.",
    )
    column = by.selectbox(
        "Tell apart by", ("", *columns(study)), key=_key("by", study), format_func=lambda name: name or "nothing"
    )
    with rest:
        left_out = _left_out(study, empty)
    with together:
        annotators = _raters(study, names) if len(names) > 1 else ()
    return Comparison(reference, annotators, labels == BINARY, column, left_out)


def others(study: Study, settings: Settings) -> tuple[str, ...]:
    """Who can be a reference: annotators, consensuses where several vote, the word list where there is text."""
    names = annotator_names(study)
    several = len(electorate(study)) > 1
    chosen = [method for method in CONSENSUSES if several or settings.annotator == method]
    words = [WORD_LIST] if can_count_words(study, settings) else []
    return tuple(dict.fromkeys([*names, *chosen, *words]))


def _left_out(study: Study, empty: Sequence[str]) -> str:
    if not empty:
        return ""
    return st.selectbox(
        "Leave out labels without",
        ("", *empty),
        key=_key("empty", study),
        format_func=lambda name: name or "nothing",
        help="Labels whose column is empty count as missing, not as an answer.",
    )


def _raters(study: Study, names: Sequence[str]) -> tuple[str, ...]:
    first = f"all {len(names):,}" if len(study_raters(study)) == len(names) else f"{len(study_raters(study)):,} of them"
    chosen = st.multiselect(
        "All together are",
        names,
        key=_key("raters", study),
        placeholder=first,
        help="Fleiss, Krippendorff, Gwet and percent agreement are of these annotators.",
    )
    return tuple(chosen)


def _key(name: str, study: Study) -> str:
    return f"agreement_{name}_{study.name}"
