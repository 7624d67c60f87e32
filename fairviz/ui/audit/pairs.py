"""The cards of an audit by pairs: whose document comes first, and below it, folded, gaps, table, integrity, shares by a
column, and every pair word by word with each ranker's answers in both orders."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.analyses.audit.figure_tables import gap_lines, share_lines
from fairviz.analyses.audit.judging import LOG_ODDS, NO_ORDER
from fairviz.analyses.audit.pairs import ALL, DRAWN
from fairviz.analyses.audit.pairwise import UNIT_IS_THE_QUERY, PairwiseAudit, columns_of, family_note, short_sentences
from fairviz.comparison.pairs import FEWEST_QUERIES
from fairviz.errors import FairvizError
from fairviz.evaluation.columns import NONE, Column, Row, cells, interval, losses, mean, of, p, plain, share, where
from fairviz.figures import crbo
from fairviz.output.recipes import Recipe, recipe
from fairviz.study.record import Study
from fairviz.ui.audit.controls import AuditCalls, AuditRequest
from fairviz.ui.kept import runs as kept
from fairviz.ui.kit import charts, grids, highlight, html, pick
from fairviz.ui.kit.html import escape
from fairviz.ui.kit.side_by_side import differences, draw_texts
from fairviz.ui.state import choices
from fairviz.words.sentences import Span, number

JUDGED, BY, RANKER, PAIR = "audit_judged", "audit_by", "audit_ranker", "audit_pair"
FIRST = ("stereotype", "category")  # offered before other columns
NO_PAIR = "No pair has an answer."
SHARES_TITLE, SHARES_AXIS = "Whose document comes first", "share of pairs, mean over queries"
GAPS_TITLE = "By how much"
GAPS_AXIS = "mean gap, first over second (sd of scores; log-odds)"
SHARE_COLUMNS = ["line", "group", "share", "low", "high"]  # of figures
GAP_COLUMNS = ["line", "what", "gap", "gap_low", "gap_high"]
ABOUT_INTEGRITY = (
    "Named first: how often the document shown first is named. Without position bias: one half. Consistent: pairs with "
    "the same winner in both orders."
)
ABOUT_SHARES = (
    "Even: share .5, ratio 1. Prefer first: queries that prefer the first, by an exact sign test. Gap, secondary: SDs "
    "of the query's scores, or log-odds; size is |gap|."
)
PAIRS_HELP = f"{UNIT_IS_THE_QUERY} Bars: 95 % intervals over queries."
NO_TEST = "not tested"
MOST_PAIRS = 500  # to choose from
QUERY, ANSWER = 60, 120  # characters of a query in the list, and of an answer
_CELL = "padding:.15rem .5rem;border:0;text-align:left;vertical-align:top"


@dataclass(frozen=True)
class PairsDeck:
    """The input of the cards. shown: the rows of the table for the chosen kind and relevance of pairs."""

    study: Study
    found: PairwiseAudit
    key: tuple
    kind: str
    judged: str
    shown: pd.DataFrame
    calls: AuditCalls

    def recipe(self, **options: Any) -> Recipe:
        """Return the Python of a table of the audit. options: of `recipe`."""
        return recipe(self.calls.of(self.found.plan), **options)

    def recipe_of_shown(self, function: Callable[[pd.DataFrame], pd.DataFrame]) -> Recipe:
        """Return the Python of the lines that a figure draws. function: makes them from the rows shown."""
        rows = f"(found.table['kind'] == {self.kind!r}) & (found.table['judged'] == {self.judged!r})"
        table = f"{function.__name__}(shown)"
        return self.recipe(lines=[f"shown = found.table[{rows}]"], table=table, uses=[function])

    def rows(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of a table for the chosen kind and relevance."""
        return table[(table["kind"] == self.kind) & (table["judged"] == self.judged)]


def deck(study: Study, audit: PairwiseAudit, request: AuditRequest) -> PairsDeck:
    """The cards' ground, with the kind of pairs that the reader chose: at first one with enough queries for a test, as
    table 3 of the paper."""

    def rows(kind: str, judged: str) -> pd.DataFrame:
        table = audit.table[(audit.table["kind"] == kind) & (audit.table["judged"] == judged)]
        return table.reset_index(drop=True)

    offered = _offered(audit)
    by_relevance = [name for name, (kind, judged) in offered.items() if kind != DRAWN or judged != ALL]
    tested = [name for name in by_relevance if rows(*offered[name])["queries"].max() >= FEWEST_QUERIES]
    kind, judged = offered[choices.among(JUDGED, tuple(offered), [*tested, *by_relevance][0])]
    return PairsDeck(study, audit, request.key, kind, judged, rows(kind, judged), request.calls)


def _offered(audit: PairwiseAudit) -> dict[str, tuple[str, str]]:
    pairs = audit.table[["kind", "judged"]].drop_duplicates().itertuples(index=False, name=None)
    return {f"{kind}, {judged}": (kind, judged) for kind, judged in pairs}


def cards(deck: PairsDeck) -> None:
    """Draw whose document comes first, and the rest folded."""
    preference_card(deck)
    details(deck)
    by_card(deck)
    pair_card(deck)


def preference_card(deck: PairsDeck) -> None:
    """Draw whose document comes first, and beside it the pairs to choose and what the tests show."""
    lines, groups = share_lines(deck.shown), [deck.study.neutral, *deck.study.groups]
    info = crbo.info(lines, SHARES_TITLE, SHARES_AXIS, groups, SHARE_COLUMNS, even=0.5, genders=True, nothing=NO_PAIR)
    with st.container(border=True, gap="xsmall", key="audit_shares_card"):
        left, right = st.columns([7, 4], gap="medium")
        with right:
            which, more = st.columns([8, 5], vertical_alignment="bottom")
            which.selectbox("Pairs shown", tuple(_offered(deck.found)), key=JUDGED, help=PAIRS_HELP)
            with more:
                charts.table(lines, info.alt, "audit_shares", deck.recipe_of_shown(share_lines))
            named_findings(short_sentences(deck.study, deck.found.integrity, deck.shown))
        with left:
            charts.chart(crbo.draw(info, charts.theme()), info.alt, "audit_shares_chart")


def named_findings(sentences: Sequence[str]) -> None:
    """Draw findings in small print, each with the ranker's name before its colon in bold."""
    for sentence in sentences:
        name, colon, rest = sentence.partition(":")
        html.findings((Span(name + colon, bool(colon)), Span(rest)), small=True)


def details(deck: PairsDeck) -> None:
    """Draw gaps, the table, and integrity, each folded. The integrity of language models' answers is open."""
    found = deck.found
    is_asked = bool((found.integrity["verdict"] != NO_ORDER).any())
    with st.expander("Are the answers answers?", is_asked, key="audit_integrity_fold", type="compact"):
        alt = "Whether the answers of each ranker are answers, a row a ranker."
        code = deck.recipe(table="found.integrity")
        shown = cells(found.integrity, INTEGRITY)
        grids.drawer(ABOUT_INTEGRITY, found.integrity, shown, alt, "audit_integrity", code)
    with st.expander("By how much", key="audit_gaps_fold", type="compact"):
        lines = gap_lines(deck.shown)
        info = _gaps_info(lines, GAPS_TITLE)
        about = "Secondary. Bars: 95 % intervals, simultaneous over the rows."
        grids.head(about, lines, info.alt, "audit_gaps", deck.recipe_of_shown(gap_lines), figure=True)
        _gaps_chart(info, "audit_gaps_chart")
    with st.expander("Table: shares, ratio and gap with tests", key="audit_table_fold", type="compact"):
        alt = f"Which group's document comes first, how often and by how much; pairs: {deck.kind}, {deck.judged}."
        about = f"{ABOUT_SHARES} {family_note(deck.shown)}"
        grids.head(about, found.table, alt, "audit_table", deck.recipe(table="found.table"))
        grids.grid(cells(deck.shown, SHARES), alt, "audit_grid")


def _gaps_info(lines: pd.DataFrame, title: str) -> crbo.Overlaps:
    return crbo.info(lines, title, GAPS_AXIS, ["gap"], GAP_COLUMNS, even=0.0, nothing="No gap is known.")


def _gaps_chart(info: crbo.Overlaps, key: str) -> None:
    figure = crbo.draw(info, charts.theme())
    figure.update_layout(showlegend=False)
    charts.chart(figure, info.alt, key)


def by_card(deck: PairsDeck) -> None:
    """Draw, folded, the shares of one ranker for each value of a column, such as stereotype; nothing without such
    columns."""
    columns = columns_of(deck.study)
    offered = [name for name in FIRST if name in columns]
    offered += [name for name in columns if name not in (*FIRST, "query_id")]
    if not offered:
        return
    with st.expander(f"By {', '.join(offered[:2])}", key="audit_by_fold", type="compact"):
        by, which, words, more = st.columns([3, 4, 7, 2], vertical_alignment="bottom", gap="small")
        column = pick.select(BY, "Divided by", tuple(offered), place=by)
        systems = deck.found.systems
        system = pick.select(RANKER, "Ranker", systems, systems[-1], place=which)
        try:
            table = deck.rows(kept.by(deck.found, deck.key, column))
        except FairvizError as error:
            html.message("info", f"{error.message}.", error.remedy)
            return
        rows = table[table["system"] == system]
        kept_rows = {"kind": deck.kind, "judged": deck.judged, "system": system}
        code = deck.recipe(table=f"found.by({column!r})", rows=kept_rows)
        _by_figures(deck, rows, column, code)
        with words:
            html.quiet(f"Few queries a value make wide intervals. One family: {family_note(table)}")
        with more:
            text = f"Shares and gaps of {system} by {column}."
            charts.table(rows, text, "audit_by_table", code, figure=False)


def _by_figures(deck: PairsDeck, rows: pd.DataFrame, column: str, code: Recipe) -> None:
    """Draw shares and gaps side by side, a line a value of the column; two groups need no names on the lines."""
    drawn = rows[rows["group"] != deck.study.neutral]
    values = zip(drawn[column], drawn["queries"], strict=True)
    drawn = drawn.assign(system=[f"{value} ({queries})" for value, queries in values])
    lines, gaps = share_lines(drawn), gap_lines(drawn)
    if drawn["other"].nunique() <= 1:
        lines = lines.assign(line=[line.split(", ", 1)[1] for line in lines["line"]])
        gaps = gaps.assign(line=drawn["system"].to_numpy())
    shares_info = crbo.info(
        lines, f"{SHARES_TITLE}, by {column}", SHARES_AXIS, list(deck.study.groups), SHARE_COLUMNS, even=0.5,
        genders=True, nothing=NO_PAIR,
    )  # fmt: skip
    gaps_info = _gaps_info(gaps, f"{GAPS_TITLE}, by {column}")
    left, right = st.columns(2, gap="small")
    with left:
        charts.table(rows, shares_info.alt, "audit_by_shares", code)
        charts.chart(crbo.draw(shares_info, charts.theme()), shares_info.alt, "audit_by_shares_chart")
    with right:
        charts.table(rows, gaps_info.alt, "audit_by_gaps", code)
        _gaps_chart(gaps_info, "audit_by_gaps_chart")


def pair_card(deck: PairsDeck) -> None:
    """Draw, folded, a pair to choose, the largest gaps of the chosen ranker first; its texts, and all answers."""
    chosen = st.session_state.get(RANKER)
    chosen = chosen if chosen in deck.found.systems else deck.found.systems[-1]
    rows = deck.found.preferences()
    rows = rows[(rows["kind"] == deck.kind) & ((rows["judged"] == deck.judged) | (deck.judged == "all"))]
    own = rows[rows["system"] == chosen]
    with st.expander(f"The {len(own):,} pairs, word by word", key="audit_pair_card", type="compact"):
        queries = dict(zip(deck.study.queries["query_id"], deck.study.queries["text"], strict=True))
        names = pair_names(own, queries, deck.study.neutral)
        pair_column, more = st.columns([12, 2], gap="small", vertical_alignment="bottom")
        label = f"Pair, the largest gaps of {html.literal(chosen)} first"
        pair = pick.select(PAIR, label, tuple(names), place=pair_column, texts=names)
        mine = rows[rows["pair"].astype("str") == pair]
        with more:
            kept_rows = {"kind": deck.kind, "judged": None if deck.judged == "all" else deck.judged}
            code = deck.recipe(table="found.preferences().drop(columns='set')", rows=kept_rows)
            every = "Every pair, a row a ranker."
            charts.table(rows.drop(columns="set"), every, "audit_pairs", code, figure=False)
        row, documents = mine.iloc[0], deck.study.documents
        doc_ids = [str(row["doc_id"]), str(row["other_doc_id"])]
        texts = []
        for doc_id in doc_ids:
            document = documents[documents["doc_id"] == doc_id].iloc[0]
            texts.append([str(document[part]) if isinstance(document[part], str) else "" for part in ("title", "text")])
        marks = [differences(*parts) for parts in zip(*texts, strict=True)]
        heads = [f"{row[name]}: document {doc_id}" for name, doc_id in zip(("group", "other"), doc_ids, strict=True)]
        versions = [[(text, both[side]) for text, both in zip(texts[side], marks, strict=True)] for side in range(2)]
        draw_texts(heads, versions)
        answers = deck.found.answers[deck.found.answers["pair"].astype("str") == pair]
        st.html(answers_html(mine, answers, deck.found.integrity))


def pair_names(rows: pd.DataFrame, queries: dict[str, str], neutral: str) -> dict[str, str]:
    """Return the name of each pair in the list by its number, the largest gaps first, pairs with a neutral document
    last; at most MOST_PAIRS."""
    sizes = rows.assign(arm=rows["group"] == neutral, size=-rows["gap"].abs().fillna(-1))
    names = {}
    for row in sizes.sort_values(["arm", "size", "pair"]).head(MOST_PAIRS).to_dict("records"):
        query = highlight.cut(queries.get(row["query_id"], ""), QUERY)
        groups = f"{row['group']} / {row['other']}, {row['judged']}"
        names[str(row["pair"])] = f"{query} · {groups} · gap {number(row['gap'])}"
    return names


def answers_html(rows: pd.DataFrame, answers: pd.DataFrame, integrity: pd.DataFrame) -> str:
    """A row a ranker: who wins with either document first, a model's words, and the gap; everything escaped."""
    first = rows.iloc[0]
    heads = ("ranker", f"{first['group']} shown first", f"{first['other']} shown first", "gap, over both orders")
    lines = ["".join(f'<th style="{_CELL}">{escape(name)}</th>' for name in heads)]
    asked_systems = set(integrity.loc[integrity["first_named"].notna() | (integrity["tokens_in"] > 0), "system"])
    for row in rows.to_dict("records"):
        cells = [row["system"]]
        texts = answers.loc[answers["system"] == row["system"], "text"].tolist()
        for order, text in zip(("first_order", "second_order"), texts, strict=True):
            winner = {"group": f"{row['group']} wins", "other": f"{row['other']} wins"}.get(row[order], row[order])
            excerpt = highlight.cut(" ".join(text.split()), ANSWER)
            cells.append(f"{winner}: “{excerpt}”" if excerpt else str(winner))
        is_asked = row["system"] in asked_systems
        if not is_asked:
            cells[2] = "sees no order"
        unit = LOG_ODDS if is_asked else "standard deviations"
        cells.append("unknown" if pd.isna(row["gap"]) else f"{number(row['gap'])} {unit}")
        lines.append("".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in cells))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<table style="font-size:.84rem;border-collapse:collapse" aria-label="Answers to this pair">{body}</table>'


# The tables.


def _gap(row: Row) -> str:
    unit = "" if np.isnan(row["gap"]) else " log-odds" if row["unit"] == LOG_ODDS else " sd"
    return f"{interval('gap')(row)}{unit}"


def _twice(row: Row) -> str:
    """Return the shares in which either document wins in both orders, and their ratio; a dash for a ranker with scores.

    >>> _twice({"unit": "log-odds", "first_twice": 0.2, "other_twice": 0.4, "ratio_twice": 0.5})
    '20% / 40% = 0.50'
    """
    if row["unit"] != LOG_ODDS or np.isnan(row["first_twice"]):
        return NONE
    shares, ratio = f"{row['first_twice']:.0%} / {row['other_twice']:.0%}", float(row["ratio_twice"])
    return shares if np.isnan(ratio) else f"{shares} = {ratio_text(ratio, np.nan, np.nan)}"


def ratio_text(value: float, low: float, high: float) -> str:
    """A ratio with its interval, either of which may be without end.

    >>> ratio_text(5.0, 1.0, float("inf")), ratio_text(float("nan"), float("nan"), float("nan"))
    ('5.00 [1.00, ∞]', 'undefined')
    """
    texts = ["undefined" if np.isnan(one) else "∞" if np.isinf(one) else f"{one:.2f}" for one in (value, low, high)]
    return texts[0] if np.isnan(low) else f"{texts[0]} [{texts[1]}, {texts[2]}]"


def _sees_order(row: Row) -> bool:
    return row["verdict"] != NO_ORDER


INTEGRITY = (  # a row a ranker: what can be read, what cannot and why, and position bias
    Column("ranker", plain("system")),
    Column("pairs", plain("pairs")),
    Column("answers read", where(_sees_order, of("read", "answers"), "scores")),
    Column("lost or not found", losses(("unparsed", "refused", "empty", "too_long", "unanswered", "not_found"))),
    Column("named first", share("first_named")),
    Column("position, log-odds", where(_sees_order, mean("position_log_odds"))),
    Column("consistent", share("consistent")),
    Column("verdict", plain("verdict")),
    Column("questions sent", plain("asked_now")),
)
SHARES = (  # a row a ranker and comparison
    Column("ranker", plain("system")),
    Column("first / second", lambda row: f"{row['group']} / {row['other']}"),
    Column("prefer first", of("queries_first", "queries_first", "queries_other")),
    Column("ratio", lambda row: ratio_text(*(float(row[f"ratio{end}"]) for end in ("", "_low", "_high")))),
    Column("p", p("p_shares_corrected", NO_TEST)),
    Column("first wins", share("first")),
    Column("second wins", share("other_first")),
    Column("ties", of("tied_pairs", "judged_pairs")),
    Column("in both orders", _twice, optional=True),
    Column("gap", _gap),
    Column("size", mean("size")),
    Column("p, gap (secondary)", p("p_gap_corrected", NO_TEST)),
    Column("queries", plain("queries")),
)
