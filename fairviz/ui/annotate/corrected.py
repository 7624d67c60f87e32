"""Cards of the order of systems under both sets of labels, and of means that people's labels correct."""

import pandas as pd
import streamlit as st

from fairviz.analyses.annotator_accuracy.order_validity import of_one_family, order_validity
from fairviz.analyses.label_effects.correction import order_of, width_curves
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import missing_part
from fairviz.evaluation.questions import ask
from fairviz.figures import width_curve
from fairviz.figures.frame import value_text
from fairviz.measures import Question
from fairviz.output.recipes import recipe
from fairviz.ui.annotate.deck import Deck
from fairviz.ui.kept import labels as kept
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.shell import corrections
from fairviz.words.sentences import counted, listed

MEASURES = ("CWEx", "ExposureGap", "AWRF")
MEASURE, SYSTEM = "annotators_corrected_measure", "annotators_corrected_system"
NO_SAMPLE = "No random sample was drawn, so nobody's labels can correct a machine's."
DRAW_ONE = "Draw one above: Label with people, Drawn at random."
FAMILY = "A model may favour its own kind: compare with people's labels."
TAU_NOTE = "Kendall's τ between both orders of systems; 95 % interval over queries. 1: the same order."


def card(deck: Deck) -> None:
    """Draw the order of systems under both sets of labels; with a sample, the corrected means and what more would
    bring."""
    measures = [ask(name, deck.settings) for name in MEASURES]
    measures = [one for one in measures if not missing_part(deck.study, one, deck.settings)]
    if not measures or len(deck.study.systems) < 2:
        return
    with st.container(border=True, gap="xsmall", key="annotators_corrected_card"):
        _validity(deck, tuple(measures))
    with st.container(border=True, gap="xsmall", key="annotators_correction_card"):
        html.strong("Corrected by people")
        if not corrections.has_sample(deck.study):
            html.quiet(f"{NO_SAMPLE} {DRAW_ONE}")
            return
        corrections.card(deck.study, deck.settings, measures, "annotators")
        if deck.settings.corrected_by:
            try:
                _effects(deck, measures)
            except FairvizError:
                return  # the card above tells of it


def _validity(deck: Deck, measures: tuple[Question, ...]) -> None:
    machine = pick.select("annotators_order", "Order of systems by", deck.names, width=260)
    table = kept.validity(deck.study, deck.settings, machine, deck.reference, measures)
    words, more = st.columns([8, 2], gap="small", vertical_alignment="center")
    rows = table.dropna(subset=["tau"]).to_dict("records")
    parts = [f"{row['measure']} τ {value_text(row['tau'], row['low'], row['high'])}" for row in rows]
    with words:
        html.strong(f"{machine} against {deck.reference}: {'; '.join(parts) or 'too few labels in common'}.")
        html.quiet(TAU_NOTE)
        if kin := of_one_family(deck.study, machine):
            html.message("warning", f"{machine} and {listed(kin)} are models of one family.", FAMILY)
    with more:
        code = recipe(order_validity, deck.study, machine, deck.reference, list(measures), deck.settings)
        charts.table(table, "Kendall's tau by measure.", "annotators_validity", code, figure=False)


def _effects(deck: Deck, measures: list[Question]) -> None:
    corrected_means = kept.corrections(deck.study, deck.settings, tuple(measures))
    questions = [one for one in measures if one.text in set(corrected_means.table["measure"])]
    left, right, more = st.columns([3, 3, 2], gap="small", vertical_alignment="bottom")
    name = pick.select(MEASURE, "Measure", [one.name for one in questions], place=left)
    question = next(one for one in questions if one.name == name)
    order = order_of(corrected_means.table, question)
    system = pick.select(SYSTEM, "Interval of", order["system"].tolist(), place=right)
    moved = int((order["rank_machine"] != order["rank_corrected"]).sum())
    html.strong(_sentence(order, question, moved))
    curves = kept.width_curves(deck.study, deck.settings, question, system)
    data = width_curve.info(curves, f"{question.text} of {system}", corrected_means.labels)
    with more:
        code = recipe(width_curves, deck.study, deck.settings, question, system)
        charts.table(curves, data.alt, "annotators_widths", code)
    charts.chart(width_curve.draw(data, charts.theme()), data.alt, "annotators_widths_chart")


def _sentence(order: pd.DataFrame, question: Question, moved: int) -> str:
    bias = order["bias"]
    return (
        f"{question.text}: the machine is off by {bias.min():+.3f} to {bias.max():+.3f}. "
        f"Corrected, {counted(moved, 'system')} of {len(order)} change place."
    )
