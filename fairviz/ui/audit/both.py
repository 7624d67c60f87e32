"""Pairs against lists: the paper finds that they disagree; here the contradiction, or its absence, is visible."""

import pandas as pd
import streamlit as st

from fairviz.analyses.audit.figure_tables import pairs_and_lists
from fairviz.analyses.audit.listwise import ListwiseAudit
from fairviz.analyses.audit.pairwise import PairwiseAudit
from fairviz.figures import pairs_and_lists as figure
from fairviz.output.recipes import Recipe, recipe
from fairviz.study.record import Study
from fairviz.ui.audit.requests import AuditCalls
from fairviz.ui.kit import charts, html
from fairviz.words.sentences import Span

ABOUT = (
    "One mark per ranker: shares of queries that prefer one group, in pairs and lists. Bars: intervals of the sign "
    "test. Upper right and lower left: both favour the same group. Elsewhere they contradict one another."
)


def both_card(study: Study, pairwise: PairwiseAudit, listwise: ListwiseAudit, calls: AuditCalls | None) -> None:
    """The figure, and a sentence a ranker."""
    table = pairs_and_lists(pairwise, listwise)
    other = next(group for group in study.groups if group != study.protected)
    info = figure.info(table, study.protected, other)
    with st.container(border=True, gap="xsmall", key="audit_both_card"):
        words, more = st.columns([12, 2], vertical_alignment="center")
        with words:
            html.quiet(ABOUT)
        with more:
            code = recipe(pairs_and_lists, calls.of(pairwise.plan), calls.of(listwise.plan)) if calls else Recipe()
            charts.table(table, info.alt, "audit_both", code)
        left, right = st.columns([7, 5], gap="small")
        with left:
            charts.chart(figure.draw(info, charts.theme()), info.alt, "audit_both_chart")
        with right:
            html.findings(*((Span(text),) for text in _sentences(table, info)))


def _sentences(table: pd.DataFrame, figure_data: figure.PairsAndLists) -> list[str]:
    """Return the findings of the figure for each ranker."""
    verdicts = zip(figure_data.systems, figure_data.verdicts, strict=True)
    doubtful = table[table["doubt"] != ""].to_dict("records")
    return [
        *(f"{name}: {verdict}." for name, verdict in verdicts),
        *(f"{row['system']}: no mark; {row['doubt']}" for row in doubtful),
    ]
