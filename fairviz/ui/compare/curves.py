"""The curves of measures over the cutoff, each with and without the discount RBDF, a panel a measure."""

import streamlit as st

from fairviz.comparison.curves import over_cutoffs, with_and_without_rbdf
from fairviz.comparison.family import untested
from fairviz.evaluation import questions
from fairviz.evaluation.questions import ask
from fairviz.figures import cutoff_curve
from fairviz.measures import MEASURES, Question
from fairviz.measures.rankings import targets
from fairviz.output.recipes import recipe
from fairviz.ui.compare.deck import Deck
from fairviz.ui.kept import tables
from fairviz.ui.kit import charts, html
from fairviz.ui.state import choices

CURVES = "compare_curves"
USUAL = ("TExFAIR", "TExFAIR(rbdf=False)", "NFaiRR")  # figure 2 of the TExFAIR paper
ABOUT = (
    "rbdf=False leaves documents without gender words out, so that a few words can turn the value; with the discount "
    "they count."
)


def curves_card(deck: Deck) -> None:
    """Every measure over the cutoff; at first those of figure 2 of the TExFAIR paper."""
    offered = offers(deck)
    if not offered:
        return
    usual = tuple(name for name in USUAL if name in offered) or tuple(offered)[:3]
    choices.several(CURVES, tuple(offered), usual)
    which, more = st.columns([10, 2], gap="small", vertical_alignment="center")
    which.multiselect("Measures", list(offered), key=CURVES, label_visibility="collapsed", help=ABOUT)
    chosen = [offered[name] for name in st.session_state[CURVES]] or [offered[name] for name in usual]
    lines = tables.cutoff_curves(deck.study, [question.text for question in chosen], deck.settings)
    shares = targets(deck.study).tolist()
    outside = untested(deck.study, deck.settings)
    drawn = cutoff_curve.info(lines, chosen, deck.settings.cutoff, deck.settings.system, shares, outside)
    with more:
        code = recipe(over_cutoffs, deck.study, [question.text for question in chosen], deck.settings)
        charts.table(lines, drawn.alt, "compare_curves", code)
    html.quiet(f"{drawn.sentence} {ABOUT}".strip())
    charts.chart(cutoff_curve.draw(drawn, deck.styles, deck.theme, 320), drawn.alt, "compare_curves_chart")


def offers(deck: Deck) -> dict[str, Question]:
    """The measures that have a curve and that the study can feed, by what they are called here: those that discount
    with and without it."""
    names = [name for name, record in MEASURES.items() if record.per_query]
    texts = with_and_without_rbdf([ask(name, deck.settings).text for name in names])
    known = questions.asked(deck.study, deck.settings, texts).questions
    return {f"{one.name}(rbdf=False)" if one.parameters.get("rbdf") is False else one.name: one for one in known}
