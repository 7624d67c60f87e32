"""Card of a machine's confidence: whether it is earned, and the work that a threshold leaves to people."""

import streamlit as st

from fairviz.analyses.annotator_accuracy.labellers import calibration, left_to_people, with_confidence
from fairviz.errors import FairvizError
from fairviz.figures import calibration as figure
from fairviz.output.recipes import recipe
from fairviz.ui.annotate.deck import Deck
from fairviz.ui.kept import labels as kept
from fairviz.ui.kit import charts, html, pick
from fairviz.words.sentences import counted

WHO, THRESHOLD, PRICE = "annotators_sure", "annotators_threshold", "annotators_label_price"
ABOVE = "On the dotted line it is as right as it is sure; below, less."
PRICE_HELP = "The cost of one label by a person."


def card(deck: Deck) -> None:
    """Draw the reliability diagram, and the outcome of a threshold; nothing without confidences."""
    names = tuple(name for name in with_confidence(deck.study) if name != deck.reference)
    if not names:
        return
    with st.container(border=True, gap="xsmall", key="annotators_confidence_card"):
        who, threshold, price, more = st.columns([3, 4, 2, 1.6], gap="small", vertical_alignment="bottom")
        annotator = pick.select(WHO, "Confidence of", names, place=who)
        least = pick.number(THRESHOLD, "People label below (%)", place=threshold, min_value=0, max_value=100) / 100
        cost = price.number_input("Price of a label", 0.0, 1000.0, 0.0, key=PRICE, help=PRICE_HELP)
        try:
            reliability = kept.calibration(deck.study, annotator, deck.reference, deck.settings.voters)
            outcome = left_to_people(deck.study, annotator, deck.reference, least, cost, voters=deck.settings.voters)
        except FairvizError as error:
            html.message("info", error.message, error.remedy)
            return
        data = figure.info(reliability.bins, reliability.error, annotator)
        with more:
            code = recipe(calibration, deck.study, annotator, deck.reference, deck.settings.voters, table="found.bins")
            charts.table(reliability.bins, data.alt, "annotators_calibration", code)
        charts.chart(figure.draw(data, charts.theme()), data.alt, "annotators_calibration_chart")
        money = f", {outcome['cost']:,.2f} in all" if cost else ""
        html.strong(
            f"People label {counted(int(outcome['labels']), 'document')}{money}. "
            f"The machine keeps {int(outcome['kept']):,}, right in {_percent(outcome)}."
        )
        html.quiet(f"Expected calibration error: {reliability.error:.3f}. {ABOVE}")


def _percent(left) -> str:
    if not left["checked"]:
        return "an unknown share"
    return f"{left['accuracy']:.0%} ({left['accuracy_low']:.0%} to {left['accuracy_high']:.0%})"
