"""The query on which two systems differ most: a sentence, and every query in the table."""

from collections.abc import Mapping
from functools import partial

import pandas as pd
import streamlit as st

from fairviz.measures import parse
from fairviz.output.recipes import query_recipe
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts, html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.highlight import cut
from fairviz.ui.kit.html import literal
from fairviz.ui.state import going
from fairviz.ui.tradeoff.deck import Deck
from fairviz.words.sentences import Sentence, Span, number

LONGEST, LINK = 60, 40  # characters of a query in the sentence, and on a button
EQUAL = 1e-12
ALT = "Two systems query by query, the greatest difference of each measure first."


def line(deck: Deck, baseline: str) -> None:
    """Draw the two best of each measure, or the baseline and the selected system, query by query."""
    systems = set(deck.summary["system"])
    system = deck.settings.system if deck.settings.system in systems else ""
    table = cache.by_query(deck.study, deck.texts, deck.settings, system, baseline)
    if table.empty:
        return
    texts = dict(zip(deck.study.queries["query_id"], deck.study.queries["text"], strict=True))
    text_column, table_column = st.columns([8, 2], gap="small", vertical_alignment="center")
    with text_column:
        st.html(f'<div class="fv-quiet">{html.sentence_html(sentence(table, texts))}</div>')
    with table_column:
        query_texts = [texts.get(name, "") for name in table["query_id"]]
        code = query_recipe(deck.study, deck.settings, deck.texts, (system, baseline))
        open_lists = partial(charts.open_queries, table, {question.text: question.name for question in deck.asked})
        charts.table(table.assign(query=query_texts), ALT, "tradeoff_by_query", code, open_lists, figure=False)
    _links(table, texts)


def _links(table: pd.DataFrame, texts: Mapping[str, str]) -> None:
    """Draw a button for the query of each measure, which opens the two lists."""
    first = table.groupby("measure", sort=False).head(1)
    with st.container(key="tradeoff_most", horizontal=True, gap="small", vertical_alignment="center"):
        html.quiet("Read the two lists:")
        for place, (text, query, system, baseline) in enumerate(
            zip(first["measure"], first["query_id"], first["system"], first["baseline"], strict=True)
        ):
            name = parse(str(text)).name
            st.button(
                literal(f"{name}: {cut(texts.get(str(query)) or str(query), LINK)}"),
                key=f"tradeoff_most_{place}",
                type="tertiary",
                on_click=guarded(partial(going.to_query, str(query), (str(system), str(baseline)), name)),
            )


def sentence(table: pd.DataFrame, texts: Mapping[str, str]) -> Sentence:
    """Return `By CWEx, w2v_add and w2v_si differ most on “nurse” (−0.094 and −0.500); by NFaiRR, …`: the first query
    of each measure. table: of fairviz.comparison.per_query_differences. texts: of the queries, by id."""
    spans: list[Span] = []
    for text, rows in table.groupby("measure", sort=False):
        first = rows.iloc[0]
        spans += [Span("; by " if spans else "Query by query: by "), Span(f"{parse(str(text)).name}, ")]
        spans += [Span(str(first["baseline"]), True), Span(" and "), Span(str(first["system"]), True)]
        widest = abs(float(first["difference"]))
        equal_count = int((rows["difference"].abs() >= widest - EQUAL).sum()) - 1
        spans += [Span(_where(first, texts, equal_count) if widest > EQUAL else " do not differ on any query")]
    return (*spans, Span("."))


def _where(first: pd.Series, texts: Mapping[str, str], equal_count: int) -> str:
    """Return ` differ most on “nurse” (−0.094 and −0.500)`. equal_count: of other queries with an equal difference."""
    name = str(first["query_id"])
    text = texts.get(name) or name
    short_text = text if len(text) <= LONGEST else f"{cut(text, LONGEST)} …"
    values = " and ".join(number(float(first[column])) for column in ("baseline_value", "value"))
    more = f", and as much on {equal_count} more" if equal_count else ""
    return f" differ most on “{short_text}” ({values}){more}"
