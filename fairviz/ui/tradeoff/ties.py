"""The effect of the order of tied documents on values, below the table of values."""

from math import isnan

import pandas as pd
import streamlit as st

from fairviz.evaluation.questions import Asked
from fairviz.evaluation.settings import Settings
from fairviz.measures import parse
from fairviz.orders.ties import SEARCHED, ties
from fairviz.output.recipes import recipe
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts, html
from fairviz.words.sentences import Sentence, Span, counted, number

MOST_PLACES = 1_000_000  # of a study, up to which the ranges are made at once
ASK = "What could ties move?"
ASK_HELP = "Goes through the orders of documents with equal scores. In a study of this size it takes a while."
VISIBLE = 0.0005  # a range that shows with three digits
ALT = (
    "The smallest and the largest mean over all orders of documents with equal scores. Searched: the range is at "
    "least this wide. No order goes beyond the outer ends."
)


def line(study: Study, settings: Settings, request: Asked) -> None:
    """Draw the sentence and the table of ranges; nothing if no tie reaches the cutoff."""
    if len(study.runs) > MOST_PLACES and not st.button(ASK, key="overview_ties_ask", help=ASK_HELP):
        return
    texts = [question.text for question in request.questions if question.per_query]
    table = cache.ties(study, texts, settings) if texts else pd.DataFrame()
    spans = sentence(table, settings.cutoff) if len(table) else ()
    if not spans:
        return
    text_column, table_column = st.columns([8, 2], gap="small", vertical_alignment="center")
    with text_column:
        st.html(f'<div class="fv-quiet">{html.sentence_html(spans)}</div>')
    with table_column:
        charts.table(table, ALT, "overview_ties", recipe(ties, study, texts, settings), figure=False)


def sentence(table: pd.DataFrame, cutoff: int) -> Sentence:
    """Return `Ties at rank 10: 35 lists of perfect. Their order moves CWEx from −0.249 to −0.177, and 5 more measures.`

    It is of the system with the most ties and of its first measure that moves; empty if no tie reaches the cutoff.
    table: of `fairviz.ties`.
    """
    tied = table.drop_duplicates("system").set_index("system")["tied"].sort_values(ascending=False, kind="stable")
    if not tied.max() > 0:
        return ()
    system, others = str(tied.index[0]), int((tied > 0).sum()) - 1
    count = counted(tied.iloc[0], "list")
    more = f" and of {counted(others, 'more system')}" if others else ""
    spans = [Span(f"Ties at rank {cutoff}: {count} of "), Span(system, True), Span(f"{more}.")]
    affected = table[(table["system"] == system) & (table["largest"] - table["smallest"] >= VISIBLE)]
    if affected.empty:
        return (*spans, Span(" No order of them moves a value by 0.001."))
    rest = len(affected) - 1
    rest_text = f", and {counted(rest, 'more measure')} (Table)" if rest else ""
    return (*spans, Span(f" Their order moves {_range(affected.iloc[0].to_dict())}{rest_text}."))


def _range(row: dict) -> str:
    low = _end(row["smallest"], row["smallest_is"], row["outer_smallest"], "at most ")
    high = _end(row["largest"], row["largest_is"], row["outer_largest"], "at least ")
    return f"{parse(row['measure']).name} from {low} to {high}"


def _end(value: float, how: str, outer: float, searched: str) -> str:
    """Return `0.250` for an exact value, else `at least 0.250 (bound 0.300)`, the bound where one is known."""
    if how != SEARCHED:
        return number(float(value))
    bound = "" if isnan(outer) else f" (bound {number(float(outer))})"
    return f"{searched}{number(float(value))}{bound}"
