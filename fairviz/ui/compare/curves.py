"""The curves of measures over the cutoff, each with and without the discount RBDF, a panel a measure."""

import streamlit as st

from fairviz.comparison.curves import over_cutoffs, with_and_without_rbdf
from fairviz.comparison.family import untested
from fairviz.evaluation import questions
from fairviz.evaluation.questions import ask
from fairviz.evaluation.study_values import grouping_of
from fairviz.figures import cutoff_curve
from fairviz.measures import MEASURES, Question
from fairviz.output.recipes import recipe
from fairviz.ui.compare.deck import Deck
from fairviz.ui.kept import tables
from fairviz.ui.kit import charts, html, pick

CURVES = "compare_curves"
USUAL = ("TExFAIR", "TExFAIR(rbdf=False)", "NFaiRR")  # figure 2 of the TExFAIR paper
ABOUT = "rbdf=False skips documents without gender words: few words decide."


def curves_card(deck: Deck) -> None:
    """Draw measures over the cutoff; by default those of figure 2 of the TExFAIR paper."""
    offered = offers(deck)
    if not offered:
        return
    usual = tuple(name for name in USUAL if name in offered) or tuple(offered)[:3]
    measures_column, table_column = st.columns([10, 2], gap="small", vertical_alignment="bottom")
    names = pick.several(CURVES, "Measures over the cutoff", tuple(offered), usual, place=measures_column, help=ABOUT)
    measures = [offered[name] for name in names or usual]
    lines = tables.cutoff_curves(deck.study, [question.text for question in measures], deck.settings)
    shares = grouping_of(deck.study, deck.settings.crossed_with).targets.tolist()
    outside = untested(deck.study, deck.settings)
    info = cutoff_curve.info(lines, measures, deck.settings.cutoff, deck.settings.system, shares, outside)
    with table_column:
        code = recipe(over_cutoffs, deck.study, [question.text for question in measures], deck.settings)
        charts.table(lines, info.alt, "compare_curves", code)
    figure = cutoff_curve.draw(info, deck.styles, deck.theme, 320)
    figure.update_layout(legend={"orientation": "h", "x": 0, "y": -0.16})
    charts.chart(figure, info.alt, "compare_curves_chart")
    if info.sentence:
        with st.expander("In words", key="compare_curves_words", type="compact"):
            html.quiet(info.sentence)


def offers(deck: Deck) -> dict[str, Question]:
    """Return the computable measures with a curve by their names on this page, those with RBDF also without it."""
    names = [name for name, record in MEASURES.items() if record.per_query]
    texts = with_and_without_rbdf([ask(name, deck.settings).text for name in names])
    computable = questions.split_by_data(deck.study, deck.settings, texts).questions
    return {f"{one.name}(rbdf=False)" if one.parameters.get("rbdf") is False else one.name: one for one in computable}
