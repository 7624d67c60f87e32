"""The curves of measures over the cutoff, each with and without the discount RBDF, a panel a measure."""

import streamlit as st

from fairviz.comparison.curves import with_and_without_rbdf
from fairviz.comparison.family import untested
from fairviz.evaluation import questions
from fairviz.evaluation.asking import ask
from fairviz.figures import cutoff_curve
from fairviz.measures import MEASURES, Question
from fairviz.measures.rankings import targets
from fairviz.output import recipes
from fairviz.ui.compare.deck import Deck
from fairviz.ui.kept import tables
from fairviz.ui.kit import charts, html, pick

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
    which, more = st.columns([10, 2], gap="small", vertical_alignment="center")
    names = pick.several(CURVES, "Measures", tuple(offered), usual, place=which, hide_label=True, help=ABOUT)
    chosen = [offered[name] for name in names or usual]
    lines = tables.cutoff_curves(deck.study, [question.text for question in chosen], deck.settings)
    shares = targets(deck.study).tolist()
    outside = untested(deck.study, deck.settings)
    drawn = cutoff_curve.info(lines, chosen, deck.settings.cutoff, deck.settings.system, shares, outside)
    with more:
        code = recipes.over_cutoffs(deck.study, deck.settings, [question.text for question in chosen])
        charts.table(lines, drawn.alt, "compare_curves", code)
    html.quiet(f"{drawn.sentence} {ABOUT}".strip())
    charts.chart(cutoff_curve.draw(drawn, deck.styles, deck.theme, 320), drawn.alt, "compare_curves_chart")


def offers(deck: Deck) -> dict[str, Question]:
    """The measures that have a curve and that the study can feed, by what they are called here: those that discount
    with and without it."""
    names = [f"{name}@{deck.settings.cutoff}" for name, record in MEASURES.items() if record.per_query]
    texts = with_and_without_rbdf([ask(name, deck.settings).text for name in names])
    known = questions.asked(deck.study, deck.settings, texts).questions
    return {f"{one.name}(rbdf=False)" if one.parameters.get("rbdf") is False else one.name: one for one in known}
