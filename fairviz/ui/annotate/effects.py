"""Changes in a measure, and in the order of systems, if one annotator's labels replace another's."""

from functools import partial

import streamlit as st

from fairviz.analyses.annotator_accuracy.labellers import references
from fairviz.analyses.label_effects.replacing import people, replaced, reversals
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import missing_part
from fairviz.evaluation.questions import ask
from fairviz.evaluation.study_facts import speakers, told_voters
from fairviz.figures import annotator_values
from fairviz.figures.axes import possible
from fairviz.measures import MEASURES
from fairviz.measures.rankings import targets
from fairviz.output.recipes import recipe, with_alongside
from fairviz.ui.annotate import wording
from fairviz.ui.annotate.deck import Deck
from fairviz.ui.kept import labels as kept
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import session

MEASURE, NEW, OLD, FILL = "annotators_measure", "annotators_new", "annotators_old", "annotators_fill"
MOST_ROWS = 5
COUNT_HELP = (
    "Makes its labels count on every page. Labels stored next to the study cannot count: label the documents above "
    "first."
)
FILL_HELP = "A document without a label by the new annotator keeps the label of the one that it replaces."
UNKNOWN = (
    "No document of these lists has two human labels. Label noise is simulated from this annotator's errors instead."
)


def card(deck: Deck) -> None:
    """Draw the choice of measure and annotators; figure, sentence and noise."""
    reason = missing_part(deck.study, ask("CWEx", deck.settings), deck.settings)
    with st.container(border=True, gap="xsmall", key="annotators_effects_card"):
        if reason:
            html.quiet(f"The effect of the labels on CWEx cannot be computed: {reason}")
            return
        new, old, measure, fill, use, more = st.columns([3, 3, 2.4, 1.5, 2, 1.5], gap="small",
                                                        vertical_alignment="bottom")  # fmt: skip
        annotator = pick.select(NEW, "When", deck.names, place=new)
        others = tuple(name for name in references(deck.study, deck.settings.voters) if name != annotator)
        other = pick.select(OLD, "replaces", others, deck.reference, place=old)
        names = [name for name, one in MEASURES.items() if one.of_exposures and not one.of_one_group]
        text = ask(pick.select(MEASURE, "in", names, place=measure), deck.settings).text
        fills = pick.toggle(FILL, "Fill", place=fill, help=FILL_HELP)
        counts = deck.settings.annotator == annotator or annotator in deck.beside
        choose = partial(session.choose, annotator=annotator)
        use.button("Use in measures", key="annotators_use", on_click=guarded(choose),
                   disabled=counts, width="stretch", help=COUNT_HELP)  # fmt: skip
        try:
            _draw(deck, annotator, other, text, fills, more)
        except FairvizError as error:
            html.message("info", error.message, error.remedy)


def _draw(deck: Deck, annotator: str, other: str, text: str, fills: bool, more) -> None:
    rows = [annotator, *(name for name in deck.names if name not in (annotator, other))]
    table = kept.replacements(deck.study, deck.settings, text, tuple(rows), other, fills)
    annotator_table = table[table["annotator"] == annotator]
    turned = reversals(annotator_table).iloc[0]
    question = ask(text, deck.settings)
    with st.columns(1)[0]:  # notices are as wide as their text
        html.findings(wording.replacement(annotator_table, turned, question.name, annotator, other))
    between = kept.people_noise(deck.study, deck.settings, text, other)
    limits = possible(question, targets(deck.study))
    shown_table = table[table["annotator"].isin(rows[:MOST_ROWS])]
    info = annotator_values.info(shown_table, other, text, question.direction, between[0] if between else None,
                                  selected=deck.settings.system, limits=limits)  # fmt: skip
    with more:
        code = recipe(replaced, with_alongside(deck.study), deck.settings, text, rows, other, fill=fills)
        charts.table(table, info.alt, "annotators_effects", code)
    height = 110 + max(84, 26 + 13 * table["system"].nunique()) * len(info.annotators)
    figure = annotator_values.draw(info, charts.styles(deck.study), charts.theme(), height)
    charts.chart(figure, info.alt, "annotators_effects_chart")
    if len(rows) > MOST_ROWS:
        html.quiet(f"The chosen one and {MOST_ROWS - 1} others; all {len(rows)} are in Export.")
    html.quiet(wording.coverage(annotator_table, annotator, other))
    _noise(deck, text, annotator, other, between)


def _noise(deck: Deck, text: str, annotator: str, other: str, between: kept.Noise | None) -> None:
    """Draw the noise of the order: between people, if there are several, and from the annotator's own errors."""
    html.quiet(
        f"Bars of {other}: the middle 95 % of draws of people's labels. Other bars: simultaneous 95 % intervals of "
        "the change."
    )
    if between is not None:
        voters_text = told_voters(deck.study, people(deck.study, deck.settings))
        html.quiet(wording.noise(between[1], f"Labels drawn from those of {voters_text}"))
    else:
        html.quiet(UNKNOWN)
    if annotator == deck.reference:
        return
    ranges, turned = kept.error_noise(deck.study, deck.settings, text, annotator, deck.reference)
    whose = speakers(deck.study, deck.reference, deck.settings.voters)
    html.quiet(wording.noise(turned, f"Labels drawn by {annotator}'s errors against {whose}"))
    with st.expander("How far its errors carry, system by system", key="annotators_errors"):
        columns = {"low": "95 % from", "value": "median", "high": "95 % to"}
        alt = "The middle 95 % of draws of each system."
        charts.table(ranges, alt, "annotators_errors_drawn", figure=False)
        st.dataframe(ranges.rename(columns=columns).round(4), hide_index=True, key="annotators_errors_shown",
                     height="content", alt=alt)  # fmt: skip
