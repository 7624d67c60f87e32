"""The cards of an audit of lists: integrity first, then ranks; and pairs against lists, where the paper finds that they
disagree."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.analyses.views import FigureView, TextView
from fairviz.comparison.pairs import FEWEST_QUERIES
from fairviz.evaluation.columns import NONE, Column, Row, cells, count, interval, of, p, plain, share, where
from fairviz.extensions.ranker_audits.figure_tables import pairs_and_lists, ratio_lines
from fairviz.extensions.ranker_audits.figures import list_moves, protected_ranks
from fairviz.extensions.ranker_audits.figures import pairs_and_lists as plane
from fairviz.extensions.ranker_audits.listwise import ARM, ListwiseAudit, low_confidence_reason, unplaced
from fairviz.extensions.ranker_audits.pairwise import PairwiseAudit
from fairviz.extensions.ranker_audits.rankers.listwise import NEUTRAL, UNREAD
from fairviz.extensions.ranker_audits.ui.controls import AuditCalls
from fairviz.figures import crbo
from fairviz.output.recipes import Recipe, recipe
from fairviz.study.record import Study
from fairviz.ui.kit import charts, grids, html, pick
from fairviz.ui.kit.highlight import beginnings
from fairviz.ui.kit.views import draw_view
from fairviz.words.sentences import Span, counted, number, with_article

RANKER, QUERY, COLUMN = "audit_list_ranker", "audit_list_query", "audit_list_column"
MOVES = ("doc_id", "group", "relevant", "before", "after", "unranked", "tied")
MOST_ROWS = 10
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
ABOUT_BOTH = (
    "One mark per ranker: shares of queries that prefer one group, in pairs and lists. Bars: intervals of the sign "
    "test. Upper right and lower left: both favour the same group. Elsewhere they contradict one another."
)
NO_TESTS = f"No preference is tested: a verdict needs {FEWEST_QUERIES} queries."


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
    lists = Lists(study, audit, calls)
    _integrity_card(lists)
    html.findings(*((Span(sentence),) for sentence in audit.sentences))
    if pairwise is not None:
        _both_card(lists, pairwise)
    left, right = st.columns(2, gap="small")
    with left:
        draw_view(_ratio_view(lists), lists.recipe)
    with right:
        draw_view(_ranks_view(lists), lists.recipe)
    columns = [str(name) for name in study.queries if name not in ("query_id", "text")]
    about = ABOUT_TABLE.format(protected=study.protected)
    _figures_card(
        lists, "Precision and exposure by the attribute that queries name", about, "audit_list_table", columns
    )
    by_window = audit.by_window()
    if len(by_window) > by_window["system"].nunique():  # else a model has one window alone
        _figures_card(lists, "By window and step", ABOUT_WINDOWS, "audit_list_windows")
    _moves_card(lists)


def _integrity_card(lists: Lists) -> None:
    """Draw the outcomes of answers, and the influence of position on lists."""
    table = lists.audit.integrity
    alt = "Outcomes of answers and influence of position, one row per ranker and condition."
    with st.container(border=True, gap="xsmall", key="audit_list_integrity_card"):
        reasons = [f"{name} {total:,}" for name in UNREAD if (total := int(table[name].sum()))]
        unread = f"Answers that name no order: {', '.join(reasons)}." if reasons else ""
        title, code = "Are these lists to be trusted?", lists.recipe(table="found.integrity")
        notes = (ABOUT_INTEGRITY, unread)
        charts.headed(title, table, alt, "audit_list_integrity", code, figure=False, notes=notes)
        shown = cells(table, INTEGRITY)
        grids.grid(shown, alt, "audit_list_integrity_grid", most=MOST_ROWS, columns=INTEGRITY)
        doubts = ((row, low_confidence_reason(row) or unplaced(row)) for row in table.to_dict("records"))
        lines = (f"{row['system']}, {row['attribute']} queries: {reason}" for row, reason in doubts if reason)
        html.note("\n".join(lines))


def _both_card(lists: Lists, pairwise: PairwiseAudit) -> None:
    """Draw pairs against lists, and a sentence a ranker: its verdict, or why it has no mark."""
    study, calls = lists.study, lists.calls
    table = pairs_and_lists(pairwise, lists.audit)
    other = next(group for group in study.groups if group != study.protected)
    info = plane.info(table, study.protected, other)
    with st.container(border=True, gap="xsmall", key="audit_both_card"):
        code = recipe(pairs_and_lists, calls.of(pairwise.plan), calls.of(lists.audit.plan)) if calls else Recipe()
        grids.head(ABOUT_BOTH, table, info.alt, "audit_both", code, figure=True)
        left, right = st.columns([7, 5], gap="small")
        with left:
            charts.chart(plane.draw(info, charts.theme()), info.alt, "audit_both_chart")
        with right:
            verdicts = zip(info.systems, info.verdicts, strict=True)
            sentences = [f"{name}: {verdict}." for name, verdict in verdicts]
            doubtful = table[table["doubt"] != ""].to_dict("records")
            sentences += [f"{row['system']}: no mark; {row['doubt']}" for row in doubtful]
            html.findings(*((Span(text),) for text in sentences))


def _ratio_view(lists: Lists) -> FigureView:
    """The ratio of exposures by ranker and attribute."""
    lines = ratio_lines(lists.audit.by_attribute())
    title = f"Attention to {with_article(lists.study.protected)} document over another's"
    columns = ["system", "attribute", "value", "low", "high"]
    series = list(dict.fromkeys(lines["attribute"]))
    axis = "ratio of mean exposures (1 is fair)"
    info = crbo.info(lines, title, axis, series, columns, even=1.0, genders=True)
    below = [TextView([ABOUT_RATIO]), *([TextView([ABOUT_ATTRIBUTES])] if series != [NEUTRAL] else [])]
    code = {"table": "ratio_lines(found.by_attribute())", "uses": [ratio_lines]}
    return FigureView("audit_list_ratio", lines, partial(crbo.draw, info), info.alt, code, below=below)


def _ranks_view(lists: Lists) -> FigureView:
    """The ranks of the protected group's documents: figure 3 of the paper."""
    ranks = lists.audit.protected_ranks()
    middle = float(lists.audit.ranks["before"].mean())
    info = protected_ranks.info(ranks, lists.study.protected, middle)
    columns = ["system", "attribute", "query_id", "doc_id", "group", "relevant", "before", "after"]
    code = {"lines": [f"columns = {columns!r}"], "table": "found.protected_ranks()[columns]"}
    figure = partial(protected_ranks.draw, info)
    return FigureView("audit_list_ranks", ranks[columns], figure, info.alt, code, below=[TextView([ABOUT_RANKS])])


def _figures_card(lists: Lists, head: str, about: str, key: str, columns: Sequence[str] | None = None) -> None:
    """Draw precision and exposure: by the attribute that queries name, table 1 of the paper, of all queries or by one
    of their columns; or, without columns, by window and step, table 2."""
    audit = lists.audit
    with st.container(border=True, gap="xsmall", key=f"{key}_card"):
        words, which, more = st.columns([9, 3, 2], vertical_alignment="center")
        with words:
            html.strong(head)
        column = ""
        if columns:
            offered, texts = ("", *columns), {"": "all queries"}
            column = pick.select(COLUMN, "Queries by", offered, place=which, texts=texts, hide_label=True)
        if columns is None:
            table, call = audit.by_window(), "by_window()"
        elif column:
            table, call = audit.sliced(column), f"sliced({column!r})"
        else:
            table, call = audit.by_attribute(), "by_attribute()"
        family = table["family"].max()
        tests = f"{counted(int(family), 'exact sign test')}, Bonferroni."
        with more:
            alt, code = f"{head}, a row a ranker and condition.", lists.recipe(table=f"found.{call}")
            notes = (about, tests if family > 0 else NO_TESTS)
            charts.table(table, alt, key, code, figure=False, notes=notes)
        shown = cells(table, _figure_columns(column, by_window=columns is None))
        grids.grid(shown, f"{head}, with intervals.", f"{key}_grid", most=MOST_ROWS)


def _figure_columns(column: str, *, by_window: bool) -> list[Column]:
    """Return the columns of precision and exposure. column: of the queries, by which the rows are divided; empty for
    none."""
    named = [Column("window", lambda row: f"{row['window']}"), Column("step", lambda row: f"{row['step']}")]
    heads = {name: head for name, head in HEADS.items() if not (by_window and name == "ratio_shift")}
    return [
        *([Column(column, plain("value"))] if column else []),
        Column("ranker", plain("system")),
        *(named if by_window else [Column("queries", plain("attribute"))]),
        Column("higher", where(lambda row: not np.isnan(row["queries_first"]), HIGHER)),
        Column("p", p("p_shares_corrected", NONE)),
        *(Column(head, interval(name, NONE)) for name, head in heads.items()),
    ]


def _moves_card(lists: Lists) -> None:
    """One query's list before and after, and what a model answered about it."""
    study, audit = lists.study, lists.audit
    arms = audit.integrity[list(ARM)].to_dict("records")
    windows = (f", window {arm['window']}, step {arm['step']}" if arm["window"] else "" for arm in arms)
    names = [f"{arm['system']}, {arm['attribute']} queries{window}" for arm, window in zip(arms, windows, strict=True)]
    with st.container(border=True, gap="xsmall", key="audit_list_moves_card"):
        which, query_column, more = st.columns([4, 6, 2], vertical_alignment="bottom", gap="small")
        arm = arms[names.index(pick.select(RANKER, "Ranker and queries", names, place=which))]
        ranks = _of_arm(audit.ranks, arm)
        with query_column:
            query = _picked_query(study, ranks)
        rows = ranks.loc[ranks["query_id"] == query, list(MOVES)].sort_values("after").reset_index(drop=True)
        info = list_moves.info(rows, study.protected, beginnings(study, rows["doc_id"].tolist(), LABEL))
        with more:
            chosen = {"query_id": query} | {name: arm[name] for name in ARM}
            lines = [f"rows = rows[rows[{name!r}] == {value!r}]" for name, value in chosen.items()]
            table = f"rows[{list(MOVES)!r}].sort_values('after').reset_index(drop=True)"
            code = lists.recipe(lines=["rows = found.ranks", *lines], table=table)
            charts.table(rows, info.alt, "audit_list_moves", code, notes=(ABOUT_MOVES,))
        charts.chart(list_moves.draw(info, charts.theme()), info.alt, "audit_list_moves_chart")
        answers = _of_arm(audit.answers[audit.answers["query_id"] == query], arm).to_dict("records")
        if not answers:  # of a ranker without a model
            return
        with st.expander(f"What it answered, {counted(len(answers), 'window')}"):
            for answer in answers:
                html.strong(_answer_text(answer))
                text = html.escape(answer["text"][:ANSWER]) or "(nothing)"
                st.html(f'<div class="fv-text" tabindex="0">{text}</div>')


def _of_arm(table: pd.DataFrame, arm: Row) -> pd.DataFrame:
    for name in ARM:
        table = table[table[name] == arm[name]]
    return table


def _picked_query(study: Study, ranks: pd.DataFrame) -> str:
    """Draw the choice of a query, at first those in whose list the protected group moved most, and return the chosen
    one. ranks: of one ranker and condition."""
    ours = ranks[ranks["protected"]]
    moved = (ours["before"] - ours["after"]).groupby(ours["query_id"]).mean()
    moved = moved.reindex(moved.abs().sort_values(ascending=False, kind="stable").index).head(MOST_QUERIES)
    texts = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    text_by_query = {}
    for query, ranks_up in moved.items():
        text = f"{number(abs(ranks_up))} {'up' if ranks_up > 0 else 'down'}" if ranks_up else "unmoved"
        text_by_query[str(query)] = f"{texts[query]} · {study.protected} {text}"
    label = html.literal(f"Query, where {study.protected} documents move most first")
    return str(pick.select(QUERY, label, list(text_by_query), texts=text_by_query))


def _answer_text(row: Row) -> str:
    """Return the outcome of one answer, on one line."""
    first, last = row["start"] + 1, row["start"] + len(row["shown"])
    texts = {"missing": "left out", "double": "named twice", "invented": "invented"}
    parts = [f"{row[name]:,} {text}" for name, text in texts.items() if row[name]]
    parts += ["words around the list"] if row["around"] else []
    parts += ["the order that was shown"] if row["identity"] else []
    more = f" ({', '.join(parts)})" if parts else ""
    return f"Window {row['number']}, ranks {first} to {last}: {row['outcome']}{more}"


# The tables.

HEADS = {
    "P@10": "P@10", "P@20": "P@20", "ratio": "exposure ratio", "ratio_of_means": "ratio of means",
    "rank_gap": "ranks higher", "rise": "ranks risen", "ratio_shift": "ratio − neutral",
}  # fmt: skip
COUNTS = {
    "answers": "answers", "as requested": "exact", "repaired": "repaired", "no order": "unread", "as shown": "identity",
    "left out": "missing", "twice": "double", "invented": "invented",
}  # fmt: skip
# Queries on which the protected group ranks higher, of those that are not even.
HIGHER = of("queries_first", "queries_first", "queries_other")


def _has_answers(row: Row) -> bool:
    return bool(row["answers"])


def _has_scores(row: Row) -> bool:
    return not row["answers"]


def _first_kept(row: Row) -> str:
    return f"{row['first_kept']:.0%} ({row['chance']:.0%})"


INTEGRITY = (  # a row a ranker and condition: a model's answers, what others leave open, and the influence of position
    Column("ranker", plain("system")),
    Column("queries", plain("attribute")),
    Column("τ", interval("position_bias", NONE), width=125),  # its head is short
    Column("window", where(_has_answers, lambda row: f"{row['window']} / {row['step']}")),
    *(Column(head, where(_has_answers, count(name))) for head, name in COUNTS.items()),
    Column("first kept", where(lambda row: row["first_kept"] >= 0, _first_kept)),
    Column("no place", where(_has_scores, share("unranked"))),
    Column("tied", where(_has_scores, share("tied"))),
)
