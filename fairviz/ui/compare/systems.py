"""All systems against the baseline: the table of the chosen measures with verdicts, and its files."""

from functools import partial

import pandas as pd
import streamlit as st

from fairviz.comparison.compare import Comparison, slices_of
from fairviz.comparison.ranking_sentences import family_text
from fairviz.errors import FairvizError
from fairviz.evaluation import questions
from fairviz.evaluation.exports import Origin, origin
from fairviz.output.comparison_tables import cells, legend, notes, to_wide
from fairviz.output.recipes import Recipe, call, comparison_recipe
from fairviz.ui.compare.deck import Deck, Testing
from fairviz.ui.kept import tables
from fairviz.ui.kit import charts, grids, html, pick
from fairviz.words.sentences import shortest


def compared_with_baseline(deck: Deck, how: Testing, column: str = "") -> Comparison:
    """Return every system against the baseline by every measure of the page, apart by a column of the queries."""
    texts = deck.asked.texts
    try:
        return tables.sliced_comparison(deck.study, texts, deck.settings, deck.pair[1], column, how.margins, how.power)
    except FairvizError as error:  # a margin for a measure that this page does not have
        html.message("warning", error.message, error.remedy)
        return tables.sliced_comparison(deck.study, texts, deck.settings, deck.pair[1], column, (), how.power)


def systems_card(deck: Deck, how: Testing, comparison: Comparison) -> None:
    """Draw the table with the choice of its measures, and its marks in a fold."""
    header, rows = cells(comparison)
    _choice_and_export(deck, how, comparison)
    with st.container(gap="xsmall", key="compare_systems"):
        frame = pd.DataFrame(rows, columns=[_short(head) for head in header])
        pinned = {frame.columns[0]: st.column_config.TextColumn(pinned=True)}
        grids.grid(frame, legend(comparison), "compare_systems_grid", column_config=pinned)
    with st.expander("Marks, tests and intervals", key="compare_systems_notes", type="compact"):
        html.quiet(legend(comparison))
        html.quiet(" ".join(notes(comparison)))


def _short(head: str) -> str:
    """Return the name of a measure without its parameters, which are in the legend and the files."""
    name, _, arrow = head.partition(" ")
    return f"{name.split('(')[0].split('@')[0]} {arrow}".strip()


def _origin(deck: Deck, how: Testing, comparison: Comparison) -> Origin:
    margins = ", ".join(f"{name}={shortest(value)}" if name else shortest(value) for name, value in how.margins)
    more = (("family", family_text(comparison)), ("margins", margins), ("power", how.power))
    return origin(deck.study, deck.settings, tuple(comparison.table["measure"].unique()), more)


def _choice_and_export(deck: Deck, how: Testing, comparison: Comparison) -> None:
    """Draw one row: the choice of the measures, shared with Overview, and the button of the table, whose LaTeX and
    Markdown are as a paper prints it."""
    measures_column, _, table_column = st.columns([2, 6, 2], gap="small")
    with measures_column, st.popover("Measures", key="compare_columns", width="stretch"):
        usual = questions.overview(deck.study, deck.settings.reset("columns")).questions
        offered = questions.offered_columns(deck.study, deck.settings)
        pick.columns("Measures of this table", offered, [question.name for question in usual])
    with table_column:
        alt = "Every system against the baseline, with intervals, p, equivalence and minimum detectable difference."
        printed = partial(to_wide, comparison, about=_origin(deck, how, comparison))
        code = how_made(deck, how, comparison)
        charts.table(comparison.table, alt, "compare_table", code, figure=False, printed=printed)


def how_made(deck: Deck, how: Testing, comparison: Comparison, column: str = "") -> Recipe:
    """Return how the table of `compared_with_baseline` is made again."""
    limits = {"margin": dict(how.margins) or None, "power": how.power or None}
    slices = call(slices_of, deck.study, column) if column else None
    return comparison_recipe(
        deck.study, deck.settings, deck.asked.texts, deck.pair[1], comparison.how, slices=slices, **limits
    )
