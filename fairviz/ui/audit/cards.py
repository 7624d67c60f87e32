"""The cards of an audit by pairs: integrity first, then shares, ratio and gap with their intervals, and by a column."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from fairviz.analyses.audit.figure_tables import gap_lines, share_lines
from fairviz.analyses.audit.pairs import ALL, DRAWN
from fairviz.analyses.audit.pairwise import PairwiseAudit, columns_of
from fairviz.analyses.audit.pairwise_sentences import UNIT_IS_THE_QUERY, family_note, short_sentences
from fairviz.errors import FairvizError
from fairviz.figures import crbo
from fairviz.output.recipes import recipe
from fairviz.study.record import Study
from fairviz.ui.audit.controls import Asked, AuditCalls
from fairviz.ui.audit.pair_cells import integrity_cells, share_cells
from fairviz.ui.kept import rankers as kept
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.state import choices
from fairviz.words.sentences import Span

JUDGED, BY, RANKER = "audit_judged", "audit_by", "audit_ranker"
ROW_HEIGHT, MOST_ROWS = 35, 12
FIRST = ("stereotype", "category")  # offered before other columns
NO_PAIR = "No pair has an answer."
BARS = {
    "share_lines": "Bars: 95 % intervals of each share alone, over queries.",
    "gap_lines": "Secondary. Bars: 95 % intervals, simultaneous over the rows.",
}
SHARES_TITLE, SHARES_AXIS = "Whose document comes first", "share of pairs, mean over queries"
GAPS_TITLE = "By how much"
GAPS_AXIS = "mean gap, first over second (sd of scores; log-odds)"
ABOUT_INTEGRITY = (
    "Read this first. Named first: how often an answer names what was shown first, one half without position bias. "
    "Consistent: pairs with the same winner in both orders. A ranker with scores sees no order."
)
ABOUT_SHARES = (
    "Prefer first: queries that prefer the first, of those that prefer either; it decides (exact sign test). Ratio: "
    "these queries over the others, with the interval of that test. First and second wins: shares of pairs. In both "
    "orders: pairs that either wins whichever is shown first. Gap, secondary: in standard deviations (sd) of a query's "
    "scores, or a model's log-odds. Size: the gap without its sign."
)


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

    def recipe(self, **options: Any) -> str:
        """Return the Python of a table of the audit. options: of `recipe`."""
        return recipe(self.calls.of(self.found.plan), **options)

    def recipe_of_shown(self, function: Callable[[pd.DataFrame], pd.DataFrame]) -> str:
        """Return the Python of the lines that a figure draws. function: makes them from the rows shown."""
        rows = f"(found.table['kind'] == {self.kind!r}) & (found.table['judged'] == {self.judged!r})"
        table = f"{function.__name__}(shown)"
        return self.recipe(lines=[f"shown = found.table[{rows}]"], table=table, uses=[function])


def deck(study: Study, audit: PairwiseAudit, request: Asked) -> Deck:
    """The cards' ground, with the kind of pairs that the reader chose."""
    offered = _offered(audit)
    apart = [name for name, (kind, judged) in offered.items() if kind != DRAWN or judged != ALL]
    chosen = choices.among(JUDGED, tuple(offered), apart[0])  # drawn pairs by relevance, as table 3 of the paper
    kind, judged = offered[chosen]
    rows = audit.table[(audit.table["kind"] == kind) & (audit.table["judged"] == judged)]
    return Deck(study, audit, request.key, kind, judged, rows.reset_index(drop=True), request.calls)


def _offered(audit: PairwiseAudit) -> dict[str, tuple[str, str]]:
    pairs = audit.table[["kind", "judged"]].drop_duplicates().itertuples(index=False, name=None)
    return {f"{kind}, {judged}": (kind, judged) for kind, judged in pairs}


def notices(deck: Deck) -> None:
    """Draw the findings, a line for each ranker: integrity first, then the preferred wording with its test."""
    said = short_sentences(deck.study, deck.found.integrity, deck.shown)
    sentences = (*said, UNIT_IS_THE_QUERY, family_note(deck.shown))
    html.box("notice", html.lines_html(*((Span(sentence),) for sentence in sentences)))


def integrity_card(deck: Deck) -> None:
    """Draw the integrity of answers, before any figure of fairness."""
    table = deck.found.integrity
    with st.container(border=True, gap="xsmall", key="audit_integrity_card"):
        words, more = st.columns([12, 2], vertical_alignment="center")
        with words:
            html.quiet(ABOUT_INTEGRITY)
        alt = "Whether the answers of each ranker are answers, a row a ranker."
        with more:
            charts.table(table, alt, "audit_integrity", deck.recipe(table="found.integrity"), figure=False)
        _grid(integrity_cells(table), alt, "audit_integrity_grid")


def _grid(cells: pd.DataFrame, alt: str, key: str) -> None:
    height = (min(len(cells), MOST_ROWS) + 1) * ROW_HEIGHT + 3
    st.dataframe(cells, hide_index=True, key=key, row_height=ROW_HEIGHT, height=height, alt=alt)


def table_card(deck: Deck) -> None:
    """Shares, ratio and gap with intervals, a row a ranker and comparison."""
    with st.container(border=True, gap="xsmall", key="audit_table_card"):
        which, words, more = st.columns([4, 9, 2], vertical_alignment="center", gap="small")
        which.selectbox("Pairs shown", tuple(_offered(deck.found)), key=JUDGED, label_visibility="collapsed")
        with words:
            html.quiet(ABOUT_SHARES)
        alt = f"Which group's document comes first, how often and by how much; pairs: {deck.kind}, {deck.judged}."
        with more:
            charts.table(deck.found.table, alt, "audit_table", deck.recipe(table="found.table"), figure=False)
        _grid(share_cells(deck.shown), alt, "audit_grid")


def shares_card(deck: Deck) -> None:
    """Draw the shares in which each group's document comes first."""
    lines = share_lines(deck.shown)
    groups = [deck.study.neutral, *deck.study.groups]
    columns = ["line", "group", "share", "low", "high"]
    drawn = crbo.info(
        lines, SHARES_TITLE, SHARES_AXIS, groups, columns, even=0.5, genders=True, nothing=NO_PAIR
    )  # fmt: skip
    with st.container(border=True, gap="xsmall", key="audit_shares_card"):
        _more(lines, drawn.alt, "audit_shares", deck, share_lines)
        charts.chart(crbo.draw(drawn, charts.theme()), drawn.alt, "audit_shares_chart")


def gaps_card(deck: Deck) -> None:
    """Draw the size of the preference for one group's document."""
    lines = gap_lines(deck.shown)
    columns = ["line", "what", "gap", "gap_low", "gap_high"]
    drawn = crbo.info(lines, GAPS_TITLE, GAPS_AXIS, ["gap"], columns, even=0.0, nothing="No gap is known.")
    with st.container(border=True, gap="xsmall", key="audit_gaps_card"):
        _more(lines, drawn.alt, "audit_gaps", deck, gap_lines)
        figure = crbo.draw(drawn, charts.theme())
        figure.update_layout(showlegend=False)
        charts.chart(figure, drawn.alt, "audit_gaps_chart")


def _more(table: pd.DataFrame, alt: str, key: str, deck: Deck, function: Callable) -> None:
    """The table's button at the right; the pairs shown at the left. function: what makes the table of these rows."""
    words, more = st.columns([8, 3], vertical_alignment="center")
    with words:
        html.quiet(f"Pairs: {deck.kind}, {deck.judged}. {BARS[function.__name__]}")
    with more:
        charts.table(table, alt, key, deck.recipe_of_shown(function))


def by_card(deck: Deck) -> None:
    """The shares of one ranker for each value of a column, such as stereotype; nothing without such columns."""
    held = columns_of(deck.study)
    offered = [name for name in FIRST if name in held] + [name for name in held if name not in (*FIRST, "query_id")]
    if not offered:
        return
    with st.container(border=True, gap="xsmall", key="audit_by_card"):
        by, which, words, more = st.columns([3, 4, 7, 2], vertical_alignment="bottom", gap="small")
        column = pick.select(BY, "Told apart by", tuple(offered), place=by)
        systems = deck.found.systems
        system = pick.select(RANKER, "Ranker", systems, systems[-1], place=which)
        try:
            table = kept.by(deck.found, deck.key, column)
        except FairvizError as error:
            html.message("info", f"{error.message}.", error.remedy)
            return
        shown = (table["kind"] == deck.kind) & (table["judged"] == deck.judged)
        rows = table[shown & (table["system"] == system)]
        _by_figures(deck, rows[rows["group"] != deck.study.neutral], column)
        with words:
            html.quiet(f"Pairs: {deck.kind}, {deck.judged}. Few queries a value make wide intervals. All rankers and "
                       f"values are one family: {family_note(table[shown])}")  # fmt: skip
        with more:
            kept_rows = {"kind": deck.kind, "judged": deck.judged, "system": system}
            charts.table(rows, f"Shares and gaps of {system} by {column}.", "audit_by_table",
                         deck.recipe(table=f"found.by({column!r})", rows=kept_rows), figure=False)  # fmt: skip


def _by_figures(deck: Deck, rows: pd.DataFrame, column: str) -> None:
    named = rows.assign(
        system=[f"{value} ({number})" for value, number in zip(rows[column], rows["queries"], strict=True)]
    )
    several = named["other"].nunique() > 1
    lines = share_lines(named)
    gaps = gap_lines(named)
    if not several:
        lines = lines.assign(line=[line.split(", ", 1)[1] for line in lines["line"]])
        gaps = gaps.assign(line=named["system"].to_numpy())
    groups = list(deck.study.groups)
    drawn = crbo.info(lines, f"{SHARES_TITLE}, by {column}", SHARES_AXIS, groups,
                      ["line", "group", "share", "low", "high"], even=0.5, genders=True, nothing=NO_PAIR)  # fmt: skip
    apart = crbo.info(gaps, f"{GAPS_TITLE}, by {column}", GAPS_AXIS, ["gap"],
                      ["line", "what", "gap", "gap_low", "gap_high"], even=0.0, nothing="No gap is known.")  # fmt: skip
    left, right = st.columns(2, gap="small")
    with left:
        charts.chart(crbo.draw(drawn, charts.theme()), drawn.alt, "audit_by_shares_chart")
    with right:
        figure = crbo.draw(apart, charts.theme())
        figure.update_layout(showlegend=False)
        charts.chart(figure, apart.alt, "audit_by_gaps_chart")
