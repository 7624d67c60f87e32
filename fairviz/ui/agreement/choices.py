"""The row of choices of the Agreement page."""

from collections.abc import Sequence

import streamlit as st

from fairviz.analyses.annotator_accuracy.comparisons import Comparison
from fairviz.analyses.annotator_accuracy.raters import (
    WORD_LIST,
    can_count_words,
    columns,
    default_reference,
    partly_empty,
)
from fairviz.annotation.agreement import DOCUMENTS, QUERIES
from fairviz.annotation.voters import CONSENSUSES, annotator_names, voters_of
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kit import pick
from fairviz.ui.shell import voters
from fairviz.ui.shell.controls import describe

ALL, BINARY = "every label", "neutral or gendered"
DRAW_HELP = "Documents one by one, or queries with all their documents, where queries were drawn."
LABELS_HELP = "Neutral or gendered: all genders count as one label, as in the CWEx paper's table 4."


def choices(study: Study, settings: Settings) -> Comparison:
    """Draw the choices and return the comparison; options are those of the study."""
    who, first, second, third, fourth, fifth = st.columns([6, 4, 3, 3, 3, 3], gap="small", vertical_alignment="bottom")
    voters.control(study, "agreement_voters", who)
    references = ("", *others(study, settings))
    reference = pick.select(
        "agreement_reference",
        "Compare with",
        references,
        place=first,
        texts={"": f"{default_reference(study, settings)} (in use)"},
        help=f"Default: the annotator whose labels the measures use. {' '.join(describe(references))}",
    )
    offered = (ALL, BINARY) if study.label_kind == "gender" else (ALL,)
    labels = pick.select(
        "agreement_labels", "Labels", offered, place=second, disabled=study.label_kind != "gender", help=LABELS_HELP
    )
    column = pick.select("agreement_by", "Split by", ("", *columns(study)), place=third, texts={"": "nothing"})
    draw = pick.select("agreement_draw", "Intervals draw", (DOCUMENTS, QUERIES), place=fourth, help=DRAW_HELP)
    with fifth:
        left_out = _left_out(partly_empty(study))
    return Comparison(reference, labels == BINARY, column, left_out, draw)


def others(study: Study, settings: Settings) -> tuple[str, ...]:
    """Return the possible references: annotators, consensuses if several vote, the word list if there is text."""
    names = annotator_names(study)
    several = len(voters_of(study, settings.voters)) > 1
    consensuses = [method for method in CONSENSUSES if several or settings.annotator == method]
    words = [WORD_LIST] if can_count_words(study, settings) else []
    return tuple(dict.fromkeys([*names, *consensuses, *words]))


def _left_out(empty: Sequence[str]) -> str:
    if not empty:
        return ""
    label, help_text = "Leave out labels without", "Labels whose column is empty count as missing, not as an answer."
    return pick.select("agreement_empty", label, ("", *empty), texts={"": "nothing"}, help=help_text)
