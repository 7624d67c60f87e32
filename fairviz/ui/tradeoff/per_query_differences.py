"""The query on which two systems differ most, as a link to its two lists; every query in the table."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from fairviz.measures import parse
from fairviz.output.recipes import query_recipe
from fairviz.statistics.contrasts import EQUAL
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts, html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.highlight import cut
from fairviz.ui.kit.html import literal
from fairviz.ui.state import going
from fairviz.ui.tradeoff.deck import Deck
from fairviz.words.sentences import counted, number

LONGEST = 40  # characters of a query on a link
LEAD = "Largest gap on one query:"
ALT = "Two systems query by query, the greatest difference of each measure first."


@dataclass(frozen=True)
class Gap:
    """The query on which two systems differ most by a measure. label and values: texts of its link and tooltip."""

    measure: str
    query_id: str
    systems: tuple[str, str]
    label: str
    values: str


def line(deck: Deck, baseline: str) -> None:
    """Draw the two best of each measure, or the baseline and the selected system, query by query."""
    systems = set(deck.summary["system"])
    system = deck.settings.system if deck.settings.system in systems else ""
    table = cache.by_query(deck.study, deck.texts, deck.settings, system, baseline)
    if table.empty:
        return
    texts = dict(zip(deck.study.queries["query_id"], deck.study.queries["text"], strict=True))
    links_column, table_column = st.columns([12, 2], gap="small", vertical_alignment="center")
    with links_column.container(key="tradeoff_most", horizontal=True, gap="small", vertical_alignment="center"):
        html.quiet(LEAD)
        for place, gap in enumerate(largest_gaps(table, texts)):
            to_lists = partial(going.to_query, gap.query_id, gap.systems, gap.measure)
            st.button(literal(gap.label), key=f"tradeoff_most_{place}", type="tertiary", help=literal(gap.values),
                      on_click=guarded(to_lists))  # fmt: skip
    with table_column:
        query_texts = [texts.get(name, "") for name in table["query_id"]]
        code = query_recipe(deck.study, deck.settings, deck.texts, (system, baseline))
        open_lists = partial(charts.open_queries, table, {question.text: question.name for question in deck.asked})
        charts.table(table.assign(query=query_texts), ALT, "tradeoff_by_query", code, open_lists, figure=False)


def largest_gaps(table: pd.DataFrame, texts: Mapping[str, str]) -> list[Gap]:
    """Return the first query of each measure: `CWEx “nurse” 0.375`, with `best 0.250, other −0.125`.

    table: of fairviz.comparison.compare. texts: of the queries, by id.
    """
    return [_gap(parse(str(text)).name, rows, texts) for text, rows in table.groupby("measure", sort=False)]


def _gap(measure: str, rows: pd.DataFrame, texts: Mapping[str, str]) -> Gap:
    first = rows.iloc[0]
    query = str(first["query_id"])
    systems = (str(first["system"]), str(first["baseline"]))
    pairs = ((first["baseline"], first["baseline_value"]), (first["system"], first["value"]))
    values = ", ".join(f"{name} {number(float(value))}" for name, value in pairs)
    widest = abs(float(first["difference"]))
    if widest <= EQUAL:
        return Gap(measure, query, systems, f"{measure} no gap", f"{values} on every query.")
    equal_count = int((rows["difference"].abs() >= widest - EQUAL).sum()) - 1
    more = f"; as large on {counted(equal_count, 'more query', 'more queries')}" if equal_count else ""
    text = texts.get(query) or query
    short_text = text if len(text) <= LONGEST else f"{cut(text, LONGEST)} …"
    return Gap(measure, query, systems, f"{measure} “{short_text}” {number(widest)}", f"{values}{more}.")
