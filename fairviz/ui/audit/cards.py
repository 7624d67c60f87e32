"""The cards of an audit by pairs: whose document comes first, and below it, folded, gaps, table, integrity and shares
by a column."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from fairviz.analyses.audit.figure_tables import gap_lines, share_lines
from fairviz.analyses.audit.judging import NO_ORDER
from fairviz.analyses.audit.pairs import ALL, DRAWN
from fairviz.analyses.audit.pairwise import UNIT_IS_THE_QUERY, PairwiseAudit, columns_of, family_note, short_sentences
from fairviz.comparison.pairs import FEWEST_QUERIES
from fairviz.errors import FairvizError
from fairviz.figures import crbo
from fairviz.output.recipes import Recipe, recipe
from fairviz.study.record import Study
from fairviz.ui.audit.pair_cells import integrity_cells, share_cells
from fairviz.ui.audit.requests import AuditCalls, AuditRequest
from fairviz.ui.kept import runs as kept
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.state import choices
from fairviz.words.sentences import Span

JUDGED, BY, RANKER = "audit_judged", "audit_by", "audit_ranker"
ROW_HEIGHT, MOST_ROWS = 35, 12
FIRST = ("stereotype", "category")  # offered before other columns
NO_PAIR = "No pair has an answer."
SHARES_TITLE, SHARES_AXIS = "Whose document comes first", "share of pairs, mean over queries"
GAPS_TITLE = "By how much"
GAPS_AXIS = "mean gap, first over second (sd of scores; log-odds)"
ABOUT_INTEGRITY = (
    "Named first: how often the document shown first is named. Without position bias: one half. Consistent: pairs with "
    "the same winner in both orders."
)
ABOUT_SHARES = (
    "Even: share .5, ratio 1. Prefer first: queries that prefer the first, by an exact sign test. Gap, secondary: SDs "
    "of the query's scores, or log-odds; size is |gap|."
)
PAIRS_HELP = f"{UNIT_IS_THE_QUERY} Bars: 95 % intervals over queries."


@dataclass(frozen=True)
class Deck:
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


def deck(study: Study, audit: PairwiseAudit, request: AuditRequest) -> Deck:
    """The cards' ground, with the kind of pairs that the reader chose."""
    offered = _offered(audit)
    by_relevance = [name for name, (kind, judged) in offered.items() if kind != DRAWN or judged != ALL]
    tested = [name for name in by_relevance if _rows(audit, *offered[name])["queries"].max() >= FEWEST_QUERIES]
    chosen = choices.among(JUDGED, tuple(offered), [*tested, *by_relevance][0])  # as table 3 of the paper
    kind, judged = offered[chosen]
    return Deck(study, audit, request.key, kind, judged, _rows(audit, kind, judged), request.calls)


def _rows(audit: PairwiseAudit, kind: str, judged: str) -> pd.DataFrame:
    is_shown = (audit.table["kind"] == kind) & (audit.table["judged"] == judged)
    return audit.table[is_shown].reset_index(drop=True)


def _offered(audit: PairwiseAudit) -> dict[str, tuple[str, str]]:
    pairs = audit.table[["kind", "judged"]].drop_duplicates().itertuples(index=False, name=None)
    return {f"{kind}, {judged}": (kind, judged) for kind, judged in pairs}


def preference_card(deck: Deck) -> None:
    """Draw whose document comes first, and beside it the pairs to choose and what the tests show."""
    lines = share_lines(deck.shown)
    groups = [deck.study.neutral, *deck.study.groups]
    columns = ["line", "group", "share", "low", "high"]
    info = crbo.info(lines, SHARES_TITLE, SHARES_AXIS, groups, columns, even=0.5, genders=True, nothing=NO_PAIR)
    with st.container(border=True, gap="xsmall", key="audit_shares_card"):
        left, right = st.columns([7, 4], gap="medium")
        with right:
            which, more = st.columns([8, 5], vertical_alignment="bottom")
            which.selectbox("Pairs shown", tuple(_offered(deck.found)), key=JUDGED, help=PAIRS_HELP)
            with more:
                charts.table(lines, info.alt, "audit_shares", deck.recipe_of_shown(share_lines))
            for sentence in short_sentences(deck.study, deck.found.integrity, deck.shown):
                name, colon, rest = sentence.partition(":")
                html.findings((Span(name + colon, bool(colon)), Span(rest)), small=True)
        with left:
            charts.chart(crbo.draw(info, charts.theme()), info.alt, "audit_shares_chart")


def details(deck: Deck) -> None:
    """Draw gaps, the table, and integrity, each folded. The integrity of language models' answers is open."""
    is_asked = bool((deck.found.integrity["verdict"] != NO_ORDER).any())
    with st.expander("Are the answers answers?", is_asked, key="audit_integrity_fold", type="compact"):
        _integrity(deck)
    with st.expander("By how much", key="audit_gaps_fold", type="compact"):
        _gaps(deck)
    with st.expander("Table: shares, ratio and gap with tests", key="audit_table_fold", type="compact"):
        _table(deck)


def _integrity(deck: Deck) -> None:
    table = deck.found.integrity
    alt = "Whether the answers of each ranker are answers, a row a ranker."
    _head(ABOUT_INTEGRITY, table, alt, "audit_integrity", deck.recipe(table="found.integrity"), figure=False)
    _grid(integrity_cells(table), alt, "audit_integrity_grid")


def _head(text: str, table: pd.DataFrame, alt: str, key: str, code: Recipe, *, figure: bool = True) -> None:
    """Draw a line of small print, and the table's button at its right."""
    words, more = st.columns([12, 2], vertical_alignment="center")
    with words:
        html.quiet(text)
    with more:
        charts.table(table, alt, key, code, figure=figure)


def _grid(cells: pd.DataFrame, alt: str, key: str) -> None:
    height = (min(len(cells), MOST_ROWS) + 1) * ROW_HEIGHT + 3
    st.dataframe(cells, hide_index=True, key=key, row_height=ROW_HEIGHT, height=height, alt=alt)


def _table(deck: Deck) -> None:
    alt = f"Which group's document comes first, how often and by how much; pairs: {deck.kind}, {deck.judged}."
    _head(
        f"{ABOUT_SHARES} {family_note(deck.shown)}",
        deck.found.table,
        alt,
        "audit_table",
        deck.recipe(table="found.table"),
        figure=False,
    )
    _grid(share_cells(deck.shown), alt, "audit_grid")


def _gaps(deck: Deck) -> None:
    lines = gap_lines(deck.shown)
    columns = ["line", "what", "gap", "gap_low", "gap_high"]
    info = crbo.info(lines, GAPS_TITLE, GAPS_AXIS, ["gap"], columns, even=0.0, nothing="No gap is known.")
    about = "Secondary. Bars: 95 % intervals, simultaneous over the rows."
    _head(about, lines, info.alt, "audit_gaps", deck.recipe_of_shown(gap_lines))
    figure = crbo.draw(info, charts.theme())
    figure.update_layout(showlegend=False)
    charts.chart(figure, info.alt, "audit_gaps_chart")


def by_card(deck: Deck) -> None:
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
            table = kept.by(deck.found, deck.key, column)
        except FairvizError as error:
            html.message("info", f"{error.message}.", error.remedy)
            return
        is_shown = (table["kind"] == deck.kind) & (table["judged"] == deck.judged)
        rows = table[is_shown & (table["system"] == system)]
        kept_rows = {"kind": deck.kind, "judged": deck.judged, "system": system}
        code = deck.recipe(table=f"found.by({column!r})", rows=kept_rows)
        _by_figures(deck, rows, column, code)
        with words:
            html.quiet(f"Few queries a value make wide intervals. One family: {family_note(table[is_shown])}")
        with more:
            text = f"Shares and gaps of {system} by {column}."
            charts.table(rows, text, "audit_by_table", code, figure=False)


def _by_figures(deck: Deck, rows: pd.DataFrame, column: str, code: Recipe) -> None:
    drawn = rows[rows["group"] != deck.study.neutral]
    named = drawn.assign(
        system=[f"{value} ({number})" for value, number in zip(drawn[column], drawn["queries"], strict=True)]
    )
    several = named["other"].nunique() > 1
    lines = share_lines(named)
    gaps = gap_lines(named)
    if not several:
        lines = lines.assign(line=[line.split(", ", 1)[1] for line in lines["line"]])
        gaps = gaps.assign(line=named["system"].to_numpy())
    groups = list(deck.study.groups)
    shares_info = crbo.info(lines, f"{SHARES_TITLE}, by {column}", SHARES_AXIS, groups,
                      ["line", "group", "share", "low", "high"], even=0.5, genders=True, nothing=NO_PAIR)  # fmt: skip
    gaps_info = crbo.info(gaps, f"{GAPS_TITLE}, by {column}", GAPS_AXIS, ["gap"],
                      ["line", "what", "gap", "gap_low", "gap_high"], even=0.0, nothing="No gap is known.")  # fmt: skip
    left, right = st.columns(2, gap="small")
    with left:
        charts.table(rows, shares_info.alt, "audit_by_shares", code)
        charts.chart(crbo.draw(shares_info, charts.theme()), shares_info.alt, "audit_by_shares_chart")
    with right:
        figure = crbo.draw(gaps_info, charts.theme())
        figure.update_layout(showlegend=False)
        charts.table(rows, gaps_info.alt, "audit_by_gaps", code)
        charts.chart(figure, gaps_info.alt, "audit_by_gaps_chart")
