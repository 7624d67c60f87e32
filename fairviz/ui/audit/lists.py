"""The cards of an audit of lists: integrity first, then ranks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from fairviz.analyses.audit.figure_tables import ratio_lines
from fairviz.analyses.audit.listwise import ARM, ListwiseAudit
from fairviz.analyses.audit.pairwise import PairwiseAudit
from fairviz.figures import crbo, list_moves, protected_ranks
from fairviz.output.recipes import Recipe, recipe
from fairviz.rankers.listwise_prompt import NEUTRAL
from fairviz.study.record import Study
from fairviz.ui.audit import both, list_cells
from fairviz.ui.audit.requests import AuditCalls
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.kit.excerpts import beginnings
from fairviz.words.sentences import Span, counted, with_article

RANKER, QUERY, COLUMN = "audit_list_ranker", "audit_list_query", "audit_list_column"
MOVES = ("doc_id", "group", "relevant", "before", "after", "unranked", "tied")
ROW_HEIGHT, MOST_ROWS, WIDTH = 35, 10, 125
LABEL, ANSWER = 120, 1_500  # characters of a document in a figure, and of an answer
MOST_QUERIES = 500
ABOUT_INTEGRITY = (
    "Read this first. τ: Kendall's, between the order shown (drawn by lot) and the resulting order. 1: the order shown "
    "is repeated; 0: it has no influence; −1: reversed. First kept: how often the first one shown is named first. No "
    "place: documents without a score. Tied: documents whose score another one has."
)
ABOUT_TABLE = (
    "Higher: queries on which {protected} documents rank higher on average; this decides. All else is secondary: means "
    "over queries, 95 % intervals. Exposure ratio: attention to an average {protected} document over that to another. "
    "In random order its mean over queries is above 1. Ranks higher: how far {protected} documents are above the "
    "others. Risen: how much more they rose than the others. P@10 follows the caption of the paper's Table 1, P@20 its "
    "text."
)
ABOUT_ATTRIBUTES = (
    "A language model is given the gender it searches for. Other rankers get the word before the query. Documents of "
    "that gender are meant to rise: compare how far either gender moves."
)
ABOUT_WINDOWS = "The same lists under neutral queries, sorted with other windows and steps."
ABOUT_RATIO = (
    "A mark for each gender that queries name. Dotted: fair. The shuffled lists are the anchor: values within their "
    "interval may be chance."
)
ABOUT_RANKS = "Box: half of the documents; whiskers: nine tenths; mark: the mean."
ABOUT_MOVES = "Solid and bold: relevant; dotted: not. Left: as the lots fell; right: as the ranker has it."


@dataclass(frozen=True)
class Lists:
    """The input of the cards. calls: for the Python of their tables; None if the rankers are unknown."""

    study: Study
    audit: ListwiseAudit
    calls: AuditCalls | None = None

    def recipe(self, **options: Any) -> Recipe:
        """Return the Python of a table of the audit; empty without calls. options: of `recipe`."""
        return recipe(self.calls.of(self.audit.plan), **options) if self.calls else Recipe()


def cards(
    study: Study, audit: ListwiseAudit, pairwise: PairwiseAudit | None = None, calls: AuditCalls | None = None
) -> None:
    """Draw all cards, integrity before any figure of fairness. pairwise: preferences of the same rankers in pairs, to
    compare with their lists. calls: for the Python of their tables."""
    drawn_lists = Lists(study, audit, calls)
    integrity_card(drawn_lists)
    html.findings(*((Span(sentence),) for sentence in audit.sentences))
    if pairwise is not None:
        both.both_card(study, pairwise, audit, calls)
    left, right = st.columns(2, gap="small")
    with left:
        ratio_card(drawn_lists)
    with right:
        ranks_card(drawn_lists)
    table_card(drawn_lists)
    windows_card(drawn_lists)
    moves_card(drawn_lists)


def integrity_card(lists: Lists) -> None:
    """Draw the outcomes of answers, and the influence of position on lists."""
    audit = lists.audit
    with st.container(border=True, gap="xsmall", key="audit_list_integrity_card"):
        words, more = st.columns([12, 2], vertical_alignment="center")
        with words:
            html.strong("Are these lists to be trusted?")
        alt = "Outcomes of answers and influence of position, one row per ranker and condition."
        with more:
            code = lists.recipe(table="found.integrity")
            charts.table(audit.integrity, alt, "audit_list_integrity", code, figure=False)
        html.quiet(" ".join(filter(None, (ABOUT_INTEGRITY, list_cells.reasons(audit)))))
        _grid(list_cells.integrity_cells(audit), "audit_list_integrity_grid", alt)
        html.note("\n".join(list_cells.doubts(audit)))


def _grid(cells: pd.DataFrame, key: str, alt: str) -> None:
    height = (min(len(cells), MOST_ROWS) + 1) * ROW_HEIGHT + 3
    wide = {name: st.column_config.TextColumn(width=WIDTH) for name in ("τ",) if name in cells}  # its head is short
    st.dataframe(
        cells, hide_index=True, key=key, row_height=ROW_HEIGHT, height=height, alt=alt, column_config=wide
    )  # fmt: skip


def ratio_card(lists: Lists) -> None:
    """The ratio of exposures by ranker and attribute, as a figure."""
    lines = ratio_lines(lists.audit.by_attribute())
    title = f"Attention to {with_article(lists.study.protected)} document over another's"
    columns = ["system", "attribute", "value", "low", "high"]
    series = list(dict.fromkeys(lines["attribute"]))
    axis = "ratio of mean exposures (1 is fair)"
    info = crbo.info(lines, title, axis, series, columns, even=1.0, genders=True)
    with st.container(border=True, gap="xsmall", key="audit_list_ratio_card"):
        code = lists.recipe(table="ratio_lines(found.by_attribute())", uses=[ratio_lines])
        _table_right(lines, info.alt, "audit_list_ratio", code)
        charts.chart(crbo.draw(info, charts.theme()), info.alt, "audit_list_ratio_chart")
        html.quiet(ABOUT_RATIO)
        html.quiet(ABOUT_ATTRIBUTES if series != [NEUTRAL] else "")


def ranks_card(lists: Lists) -> None:
    """Draw the ranks of the protected group's documents: figure 3 of the paper."""
    ranks = lists.audit.protected_ranks()
    middle = float(lists.audit.ranks["before"].mean())
    info = protected_ranks.info(ranks, lists.study.protected, middle)
    with st.container(border=True, gap="xsmall", key="audit_list_ranks_card"):
        columns = ["system", "attribute", "query_id", "doc_id", "group", "relevant", "before", "after"]
        code = lists.recipe(lines=[f"columns = {columns!r}"], table="found.protected_ranks()[columns]")
        _table_right(ranks[columns], info.alt, "audit_list_ranks", code)
        charts.chart(protected_ranks.draw(info, charts.theme()), info.alt, "audit_list_ranks_chart")
        html.quiet(ABOUT_RANKS)


def _table_right(frame: pd.DataFrame, alt: str, key: str, code: Recipe) -> None:
    _, more = st.columns([8, 2], vertical_alignment="center")
    with more:
        charts.table(frame, alt, key, code)


def table_card(lists: Lists) -> None:
    """Precision and exposure by the attribute that queries name: table 1 of the paper; of all queries, or by one of
    their columns."""
    columns = [str(name) for name in lists.study.queries if name not in ("query_id", "text")]
    about = ABOUT_TABLE.format(protected=lists.study.protected)
    _figures_card(
        lists, "Precision and exposure by the attribute that queries name", about, "audit_list_table", columns
    )


def windows_card(lists: Lists) -> None:
    """The same by window and step, table 2 of the paper; nothing where a model has one window alone."""
    table = lists.audit.by_window()
    if len(table) > table["system"].nunique():
        _figures_card(lists, "By window and step", ABOUT_WINDOWS, "audit_list_windows")


def _figures_card(lists: Lists, head: str, about: str, key: str, columns: Sequence[str] | None = None) -> None:
    """A table with its head, by columns of the queries where there are any. columns: None for the one by window."""
    with st.container(border=True, gap="xsmall", key=f"{key}_card"):
        words, pick, more = st.columns([9, 3, 2], vertical_alignment="center")
        with words:
            html.strong(head)
        with pick:
            column = _column(columns) if columns else ""
        audit = lists.audit
        table = audit.sliced(column) if column else audit.by_window() if columns is None else audit.by_attribute()
        call = f"sliced({column!r})" if column else "by_window()" if columns is None else "by_attribute()"
        with more:
            code = lists.recipe(table=f"found.{call}")
            charts.table(table, f"{head}, a row a ranker and condition.", key, code, figure=False)
        html.quiet(f"{about} {list_cells.family_note(table)}")
        cells = list_cells.table_cells(table, windows=columns is None)
        _grid(cells.rename(columns={"value": column}), f"{key}_grid", f"{head}, with intervals.")


def _column(columns: Sequence[str]) -> str:
    """Return the column of the queries by which the table is divided; empty for none."""
    return pick.select(COLUMN, "Queries by", ("", *columns), texts={"": "all queries"}, hide_label=True)


def moves_card(lists: Lists) -> None:
    """One query's list before and after, and what a model answered about it."""
    study, audit = lists.study, lists.audit
    arms = audit.integrity[list(ARM)].to_dict("records")
    names = [_arm_name(arm) for arm in arms]
    with st.container(border=True, gap="xsmall", key="audit_list_moves_card"):
        which, query_column, more = st.columns([4, 6, 2], vertical_alignment="bottom", gap="small")
        chosen = arms[names.index(pick.select(RANKER, "Ranker and queries", names, place=which))]
        with query_column:
            query = _picked_query(study, audit, chosen)
        rows = _rows(audit, chosen, query)
        info = list_moves.info(rows, study.protected, beginnings(study, rows["doc_id"].tolist(), LABEL))
        with more:
            charts.table(rows, info.alt, "audit_list_moves", _moves_recipe(lists, chosen, query))
        charts.chart(list_moves.draw(info, charts.theme()), info.alt, "audit_list_moves_chart")
        html.quiet(ABOUT_MOVES)
        _answers(list_cells.answers_of(audit, chosen, query))


def _arm_name(arm: dict) -> str:
    window = f", window {arm['window']}, step {arm['step']}" if arm["window"] else ""
    return f"{arm['system']}, {arm['attribute']} queries{window}"


def _picked_query(study: Study, audit: ListwiseAudit, arm: dict) -> str:
    """The query: those in whose list the protected group moved most first."""
    lists = list_cells.by_movement(audit, arm).head(MOST_QUERIES)
    texts = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    text_by_query = {
        str(row["query_id"]): f"{texts[row['query_id']]} · {study.protected} {list_cells.move_text(row['moved'])}"
        for row in lists.to_dict("records")
    }
    label = html.literal(f"Query, where {study.protected} documents move most first")
    return str(pick.select(QUERY, label, list(text_by_query), texts=text_by_query))


def _rows(audit: ListwiseAudit, arm: dict, query: str) -> pd.DataFrame:
    ranks = audit.ranks[audit.ranks["query_id"] == query]
    for name in ARM:
        ranks = ranks[ranks[name] == arm[name]]
    return ranks[list(MOVES)].sort_values("after").reset_index(drop=True)


def _moves_recipe(lists: Lists, arm: dict, query: str) -> Recipe:
    chosen = {"query_id": query} | {name: arm[name] for name in ARM}
    lines = ["rows = found.ranks", *(f"rows = rows[rows[{name!r}] == {value!r}]" for name, value in chosen.items())]
    table = f"rows[{list(MOVES)!r}].sort_values('after').reset_index(drop=True)"
    return lists.recipe(lines=lines, table=table)


def _answers(rows: Sequence[dict]) -> None:
    """Draw the model's answers to each window of the list; nothing for another ranker."""
    if not rows:
        return
    with st.expander(f"What it answered, {counted(len(rows), 'window')}"):
        for row in rows:
            html.strong(list_cells.answer_text(row))
            st.html(f'<div class="fv-text" tabindex="0">{html.escape(row["text"][:ANSWER]) or "(nothing)"}</div>')
