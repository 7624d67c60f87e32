"""The card of differences: every system against one of them, or against the best of each measure."""

import pandas as pd
import streamlit as st

from fairviz.comparison import compare, ranking_sentences
from fairviz.comparison.pairs import SAME
from fairviz.evaluation.settings import Settings
from fairviz.figures import differences
from fairviz.output.recipes import comparison_recipe
from fairviz.statistics.families import parse_tests
from fairviz.study.record import is_reference
from fairviz.ui.kept import tables as cache
from fairviz.ui.kept.entries import draw_cached
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.shell import legend
from fairviz.ui.state import going, pair
from fairviz.ui.tradeoff import per_query_differences, pinned
from fairviz.ui.tradeoff.deck import Deck
from fairviz.words.sentences import Span

CARRIED = 5  # what a point of the figure carries
MARKS = "Filled: significantly different. Hollow: not."


def compared(deck: Deck) -> compare.Comparison:
    """Return every pair of systems, seen from the best of each measure."""
    return cache.comparison(deck.study, deck.texts, deck.settings)


def against_choice(
    comparison: compare.Comparison, baseline: str
) -> tuple[compare.Comparison, dict[str, frozenset[str]]]:
    """Return the comparison of the card and its stars: against the chosen baseline, else the one of the tests, else the
    best of each measure."""
    tests_baseline = comparison.how.tests.baseline
    has_baseline = any(tests_baseline in pairs.points.systems for pairs in comparison.pairs)
    comparison = comparison.against(baseline or (tests_baseline if has_baseline else ""))
    return comparison, {} if comparison.baseline else compare.starred(comparison)


def bar(deck: Deck, comparison: compare.Comparison) -> None:
    """Draw the legend with the buttons for pinning, the pinned settings, and whether the finding has changed since.

    comparison: every system against the best of each measure.
    """
    with st.container(key="page_bar", horizontal=True, vertical_alignment="center", gap="small", wrap=False):
        legend.legend(deck.study, deck.settings, deck.styles)
        pinned.buttons(deck.settings)
    if deck.then is None:
        pinned.elsewhere(deck.study)
        return
    lacking = pinned.lacking(deck.questions, deck.then.questions)
    line = pinned.line(deck.then.settings, deck.settings, lacking)
    html.lines("fv-pinned", line, pinned.answer(compared(deck.then), comparison))


def comparison_card(deck: Deck) -> None:
    """Draw the forest plot with its baseline to choose, the family of its tests, and its table."""
    systems = [name for name in dict.fromkeys(deck.summary["system"]) if not is_reference(name)]
    choice = _choices(["", *systems], deck.settings)
    comparison, stars = against_choice(compared(deck), choice)
    baseline = comparison.baseline
    info = differences.info(comparison, stars, deck.settings.system)
    text_column, table_column = st.columns([8, 2], gap="small", vertical_alignment="center")
    with text_column:
        html.quiet(_about(info, comparison, any(stars.values())))
    with table_column:
        code = comparison_recipe(deck.study, deck.settings, deck.texts, baseline, comparison.how)
        charts.table(_beside(deck, comparison, baseline), deck.alt_text(info.alt), "tradeoff_differences", code)
    figure = draw_cached(
        differences.draw, info, deck.styles, deck.theme, theme=deck.theme, hidden=deck.hidden, clicks=True
    )
    charts.chart(figure, deck.alt_text(info.alt), "tradeoff_differences", _open_pair, carried=CARRIED)
    if choice:
        spans = ranking_sentences.clauses(
            ranking_sentences.standings(comparison, tuple(deck.questions.values())), best=False
        )
        html.findings((*spans, Span(".")) if spans else ())
    per_query_differences.line(deck, baseline)


def _open_pair(system: str, _name: str, _alt: str, baseline: str, measure: str) -> None:
    """Open the lists of the two systems of a difference, on the query where they differ most."""
    going.to_query(systems=tuple(dict.fromkeys((system, baseline))), measure=measure, order="difference")


def _beside(deck: Deck, comparison: compare.Comparison, baseline: str) -> pd.DataFrame:
    """Return the table of the card, with pinned differences and verdicts if a picture is pinned."""
    if not deck.then:
        return comparison.table
    then = deck.then
    pinned_comparison = cache.comparison(then.study, then.texts, then.settings, baseline)
    before = pinned.as_now(pinned_comparison.table, then.asked, deck.asked)
    return pinned.beside(comparison.table, before, ("measure", "system"), ("baseline", "difference", "verdict"))


def _choices(systems: list[str], settings: Settings) -> str:
    """Draw the choice of a baseline and return it; empty for the page's own."""
    tests_baseline = parse_tests(settings.tests).baseline or None
    usual = f"{tests_baseline}, the baseline of the tests" if tests_baseline in systems else "the best of each measure"
    return pick.select(pair.BASELINE, "Differences to", systems, texts={"": usual})


def _about(info: differences.Differences, comparison: compare.Comparison, starred: bool) -> str:
    """Return how to read the figure."""
    parts = [ranking_sentences.family_note(comparison), MARKS]
    parts += [f"Intervals: {ranking_sentences.interval_note(comparison)}.", ranking_sentences.warned_note(comparison)]
    if starred:
        parts.append(f"★ best (picked from the same queries) or {SAME} from it.")
    if info.references:
        parts.append("Grey systems are not tested; arrows point to those off scale.")
    if info.hidden:
        parts.append(f"{info.hidden:,} more systems are in Export.")
    parts.append("Click a mark for both lists.")
    return " ".join(filter(None, parts))
