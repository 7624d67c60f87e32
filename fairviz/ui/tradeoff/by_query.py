"""On which query two systems differ most: a sentence, and every query in the table."""

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
from fairviz.words.rich_text import Sentence, Span
from fairviz.words.sentences import number

LONGEST, LINK = 60, 40  # characters of a query in the sentence, and on a button
EQUAL = 1e-12
ALT = "Two systems query by query, the greatest difference of each measure first."


def line(deck: Deck, baseline: str) -> None:
    """The two best of each measure, or the baseline and the selected system in their place, query by query."""
    shown = set(deck.summary["system"])
    system = deck.settings.system if deck.settings.system in shown else ""
    table = cache.by_query(deck.study, deck.texts, deck.settings, system, baseline)
    if table.empty:
        return
    texts = dict(zip(deck.study.queries["query_id"], deck.study.queries["text"], strict=True))
    words, more = st.columns([8, 2], gap="small", vertical_alignment="center")
    with words:
        st.html(f'<div class="fv-quiet">{html.sentence_html(sentence(table, texts))}</div>')
    with more:
        asked = [texts.get(name, "") for name in table["query_id"]]
        code = query_recipe(deck.study, deck.settings, deck.texts, (system, baseline))
        opened = partial(charts.open_queries, table, {question.text: question.name for question in deck.asked})
        charts.table(table.assign(query=asked), ALT, "tradeoff_by_query", code, opened, figure=False)
    _links(table, texts)


def _links(table: pd.DataFrame, texts: Mapping[str, str]) -> None:
    """A button for the query of each measure, which opens the two lists."""
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
    """`By CWEx, w2v_add and w2v_si differ most on “nurse” (−0.094 and −0.500); by NFaiRR, …`: for each measure of
    fairviz.comparison.by_query the query that comes first. texts: of the queries, by id."""
    spans: list[Span] = []
    for text, rows in table.groupby("measure", sort=False):
        first = rows.iloc[0]
        spans += [Span("; by " if spans else "Query by query: by "), Span(f"{parse(str(text)).name}, ")]
        spans += [Span(str(first["baseline"]), True), Span(" and "), Span(str(first["system"]), True)]
        widest = abs(float(first["difference"]))
        alike = int((rows["difference"].abs() >= widest - EQUAL).sum()) - 1
        spans += [Span(_where(first, texts, alike) if widest > EQUAL else " do not differ on any query")]
    return (*spans, Span("."))


def _where(first: pd.Series, texts: Mapping[str, str], alike: int) -> str:
    """` differ most on “nurse” (−0.094 and −0.500)`; alike: how many more queries they differ on as much."""
    name = str(first["query_id"])
    whole = texts.get(name) or name
    asked = whole if len(whole) <= LONGEST else f"{cut(whole, LONGEST)} …"
    values = " and ".join(number(float(first[column])) for column in ("baseline_value", "value"))
    more = f", and as much on {alike} more" if alike else ""
    return f" differ most on “{asked}” ({values}){more}"
