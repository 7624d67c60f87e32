"""The card of differences: every system against one of them, or against the best of each measure."""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd
import streamlit as st

from fairviz.evaluation import ahead, compare, recipes
from fairviz.figures import differences
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts, html
from fairviz.ui.shell import legend
from fairviz.ui.state import choices, going
from fairviz.ui.tradeoff import by_query, pinned
from fairviz.ui.tradeoff.deck import Deck

CARRIED = 5  # what a point of the figure carries
AGAINST, TEST, CORRECTION = "tradeoff_against", "tradeoff_test", "tradeoff_correction"
TEST_HELP = (
    "All three compare the same queries. Student's t has a closed form; the randomisation test exchanges signs and "
    "assumes no shape; Wilcoxon's goes by ranks, so that single queries count less. GSR goes by its slopes."
)
CORRECTION_HELP = (
    "More tests find more by chance. Holm and Bonferroni hold the chance of any false claim of the family, "
    "Benjamini-Hochberg the share of false ones."
)
MARKS = (
    "Filled: told apart after the correction. Hollow: not. Each interval is of one difference, before any correction."
)


class Chosen(NamedTuple):
    """The test and the correction of the page's comparisons."""

    test: str = "t"
    correction: str = "holm"


def chosen(state: Mapping) -> Chosen:
    """What the card's widgets hold, the defaults where they hold nothing that there is."""
    test, correction = state.get(TEST), state.get(CORRECTION)
    return Chosen(
        str(test) if test in ahead.TESTS else Chosen().test,
        str(correction) if correction in ahead.CORRECTIONS else Chosen().correction,
    )


def compared(deck: Deck) -> compare.Comparison:
    """Every system against the best of each measure, by the chosen test and correction."""
    return cache.comparison(deck.study, deck.texts, deck.settings, "", *chosen(st.session_state))


def bar(deck: Deck, found: compare.Comparison) -> None:
    """The legend of the page with the buttons that pin; what is pinned, and whether the answer is another since.

    found: every system against the best of each measure.
    """
    with st.container(key="page_bar", horizontal=True, vertical_alignment="center", gap="small", wrap=False):
        legend.legend(deck.study, deck.settings, deck.styles)
        pinned.buttons(deck.settings)
    if deck.then is None:
        pinned.elsewhere(deck.study)
        return
    lacking = pinned.lacking(deck.questions, deck.then.questions)
    line = pinned.line(deck.then.settings, deck.settings, lacking, pinned.DRAWN)
    html.lines("fv-pinned", line, pinned.answer(compared(deck.then), found))


def comparison_card(deck: Deck) -> None:
    """The forest plot, with baseline, test and correction to choose, the size of the family, and the table."""
    systems = [name for name in dict.fromkeys(deck.summary["system"]) if not compare.is_reference(name)]
    with st.container(border=True, gap="xsmall", key="tradeoff_differences_card"):
        baseline = _choices(["", *systems])
        found = cache.comparison(deck.study, deck.texts, deck.settings, baseline, *chosen(st.session_state))
        stars = {} if baseline else compare.starred(found.table)
        drawn = differences.info(found.table, stars, baseline, deck.settings.system, found.level)
        words, more = st.columns([8, 2], gap="small", vertical_alignment="center")
        with words:
            html.quiet(_about(drawn, ahead.family_note(found), any(stars.values())))
        with more:
            code = recipes.compared(deck.study, deck.settings, deck.texts, baseline, found.test, found.correction)
            charts.table(_beside(deck, found, baseline), deck.told(drawn.alt), "tradeoff_differences", code)
        figure = differences.draw(drawn, deck.styles, deck.theme)
        charts.chart(
            figure, deck.told(drawn.alt), "tradeoff_differences", _open_pair, hidden=deck.hidden, carried=CARRIED
        )
        if baseline:
            spans = ahead.clauses(ahead.standings(found, tuple(deck.questions.values())), best=False)
            html.notice((*spans, html.Span(f". {ahead.family_note(found)}")) if spans else ())
        by_query.line(deck, baseline)


def _open_pair(system: str, _name: str, _told: str, baseline: str, measure: str) -> None:
    """A difference opens the lists of its two systems, on the query that sets them apart most."""
    going.to_query(systems=tuple(dict.fromkeys((system, baseline))), measure=measure, order="difference")


def _beside(deck: Deck, found: compare.Comparison, baseline: str) -> pd.DataFrame:
    """The table of the card, with the pinned differences and verdicts where a picture is pinned."""
    if not deck.then:
        return found.table
    then = deck.then
    held = cache.comparison(then.study, then.texts, then.settings, baseline, *chosen(st.session_state))
    before = pinned.as_now(held.table, then.asked, deck.asked)
    return pinned.beside(found.table, before, ("measure", "system"), ("baseline", "difference", "verdict"))


def _choices(systems: list[str]) -> str:
    """Baseline, test and correction, side by side; gives the baseline."""
    for key, options in ((AGAINST, systems), (TEST, tuple(ahead.TESTS)), (CORRECTION, tuple(ahead.CORRECTIONS))):
        choices.among(key, options)
    against, test, correction = st.columns([4, 4, 3], gap="small")
    baseline = against.selectbox(
        "Differences to", systems, key=AGAINST, format_func=lambda name: name or "the best of each measure"
    )
    test.selectbox("Test", tuple(ahead.TESTS), key=TEST, format_func=ahead.TESTS.__getitem__, help=TEST_HELP)
    correction.selectbox(
        "Correction",
        tuple(ahead.CORRECTIONS),
        key=CORRECTION,
        format_func=ahead.CORRECTIONS.__getitem__,
        help=CORRECTION_HELP,
    )
    return baseline


def _about(drawn: differences.Differences, family: str, starred: bool) -> str:
    """How to read the figure, and over how many tests it is corrected."""
    parts = [family, MARKS, "Click a mark: the lists of its two systems, on Query."]
    if starred:
        parts.append("★ not told apart from the best, which is chosen from the same queries: take this as a guide.")
    if drawn.references:
        parts.append("References are in no family and set no axis; arrows point to those beyond it.")
    if drawn.hidden:
        parts.append(f"{drawn.hidden:,} more systems are in the table.")
    return " ".join(parts)
