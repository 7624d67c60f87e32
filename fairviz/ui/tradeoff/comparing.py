"""The card of differences: every system against one of them, or against the best of each measure."""

import pandas as pd
import streamlit as st

from fairviz.comparison import ahead, compare
from fairviz.comparison.pair_rows import SAME
from fairviz.evaluation.settings import Settings
from fairviz.figures import differences
from fairviz.output import recipes
from fairviz.statistics.families import parse_tests
from fairviz.study.references import is_reference
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.shell import legend
from fairviz.ui.state import going
from fairviz.ui.tradeoff import by_query, pinned
from fairviz.ui.tradeoff.deck import Deck
from fairviz.words.rich_text import Span

CARRIED = 5  # what a point of the figure carries
AGAINST = "tradeoff_against"
MARKS = "Filled: significantly different. Hollow: not."


def compared(deck: Deck) -> compare.Comparison:
    """Return every pair of systems, seen from the best of each measure."""
    return cache.comparison(deck.study, deck.texts, deck.settings)


def seen(found: compare.Comparison, baseline: str) -> tuple[compare.Comparison, dict[str, frozenset[str]]]:
    """Return the comparison as the card shows it, with its stars: from the chosen baseline, else from the one that the
    tests name beforehand, else from the best of each measure."""
    named = found.how.tests.baseline
    shown = any(named in pairs.points.systems for pairs in found.pairs)
    found = found.against(baseline or (named if shown else ""))
    return found, {} if found.baseline else compare.starred(found)


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
    """Draw the forest plot with its baseline to choose, the family of its tests, and its table."""
    systems = [name for name in dict.fromkeys(deck.summary["system"]) if not is_reference(name)]
    with st.container(border=True, gap="xsmall", key="tradeoff_differences_card"):
        chosen = _choices(["", *systems], deck.settings)
        found, stars = seen(compared(deck), chosen)
        baseline = found.baseline
        drawn = differences.info(found, stars, deck.settings.system)
        words, more = st.columns([8, 2], gap="small", vertical_alignment="center")
        with words:
            html.quiet(_about(drawn, found, any(stars.values())))
        with more:
            code = recipes.compared(deck.study, deck.settings, deck.texts, baseline, found.how)
            charts.table(_beside(deck, found, baseline), deck.told(drawn.alt), "tradeoff_differences", code)
        figure = differences.draw(drawn, deck.styles, deck.theme)
        charts.chart(
            figure, deck.told(drawn.alt), "tradeoff_differences", _open_pair, hidden=deck.hidden, carried=CARRIED
        )
        if chosen:
            spans = ahead.clauses(ahead.standings(found, tuple(deck.questions.values())), best=False)
            html.notice((*spans, Span(".")) if spans else ())
        by_query.line(deck, baseline)


def _open_pair(system: str, _name: str, _told: str, baseline: str, measure: str) -> None:
    """A difference opens the lists of its two systems, on the query that sets them apart most."""
    going.to_query(systems=tuple(dict.fromkeys((system, baseline))), measure=measure, order="difference")


def _beside(deck: Deck, found: compare.Comparison, baseline: str) -> pd.DataFrame:
    """The table of the card, with the pinned differences and verdicts where a picture is pinned."""
    if not deck.then:
        return found.table
    then = deck.then
    held = cache.comparison(then.study, then.texts, then.settings, baseline)
    before = pinned.as_now(held.table, then.asked, deck.asked)
    return pinned.beside(found.table, before, ("measure", "system"), ("baseline", "difference", "verdict"))


def _choices(systems: list[str], settings: Settings) -> str:
    """Draw the choice of a baseline and return it; empty for the page's own."""
    named = parse_tests(settings.tests).baseline or None
    usual = f"{named}, the baseline of the tests" if named in systems else "the best of each measure"
    return pick.select(AGAINST, "Differences to", systems, texts={"": usual})


def _about(drawn: differences.Differences, found: compare.Comparison, starred: bool) -> str:
    """Return how to read the figure."""
    parts = [ahead.family_note(found), MARKS]
    parts += [f"Intervals: {compare.interval_note(found)}.", ahead.warned_note(found)]
    if starred:
        parts.append(f"★ best (picked from the same queries) or {SAME} from it.")
    if drawn.references:
        parts.append("Grey systems are not tested; arrows point to those off scale.")
    if drawn.hidden:
        parts.append(f"{drawn.hidden:,} more systems are in the table.")
    parts.append("Click a mark for both lists.")
    return " ".join(filter(None, parts))
