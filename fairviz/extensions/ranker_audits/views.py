"""The views of audits in pairs and by authors' names: who comes first with what the tests show, then the tables, each
folded."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.analyses.views import FigureView, Fold, TableView, TextView, View
from fairviz.evaluation.columns import (
    NONE,
    Column,
    Row,
    cells,
    interval,
    losses,
    mean,
    named,
    of,
    p,
    plain,
    share,
    where,
)
from fairviz.extensions.ranker_audits.attribution import ERRORS_ARE_CLUSTERED, AttributionAudit
from fairviz.extensions.ranker_audits.attribution import family_note as family_of_names
from fairviz.extensions.ranker_audits.attribution import short_sentences as short_sentences_on_names
from fairviz.extensions.ranker_audits.figure_tables import BETWEEN, WITHIN, gap_lines, name_lines, share_lines
from fairviz.extensions.ranker_audits.judging import LOG_ODDS, NO_ORDER
from fairviz.extensions.ranker_audits.pairwise import PairwiseAudit, family_note, short_sentences
from fairviz.figures import crbo
from fairviz.figures.style import Theme

NO_PAIR = "No pair has an answer."
NO_TEST = "not tested"
SHARES_TITLE, SHARES_AXIS = "Whose document comes first", "share of pairs, mean over queries"
GAPS_TITLE = "By how much"
GAPS_AXIS = "mean gap, first over second (sd of scores; log-odds)"
SHARE_COLUMNS = ["line", "group", "share", "low", "high"]  # of figures
GAP_COLUMNS = ["line", "what", "gap", "gap_low", "gap_high"]
NAMES_TITLE, NAMES_AXIS = "Whose version comes first", "share of query-document pairs, mean over queries"
ABOUT_INTEGRITY = (
    "Named first: how often the document shown first is named. Without position bias: one half. Consistent: pairs with "
    "the same winner in both orders."
)
ABOUT_SHARES = (
    "Even: share .5, ratio 1. Prefer first: queries that prefer the first, by an exact sign test. Gap, secondary: SDs "
    "of the query's scores, or log-odds; size is |gap|."
)
ABOUT_GAPS = "Secondary. Bars: 95 % intervals, simultaneous over the rows."
ABOUT_NAMES = "Beyond: the difference to the placebo, within each query and document."
ABOUT_UNNAMED = "Each named version against the document as it is."


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
QUANTITIES = {
    "preference": "female version first", "gap": "gap", "size": "size, |gap|", "places": "places",
    "places_size": "size, |places|",
}  # fmt: skip
UNITS = {LOG_ODDS: "log-odds", "standard deviations": "sd", "share": "share", "places": "places"}
QUANTITY_COLUMNS = (  # a row a ranker and quantity
    Column("ranker", plain("system")),
    Column("quantity", named("quantity", QUANTITIES)),
    Column("unit", named("unit", UNITS)),
    Column("between genders", interval("value")),
    Column("placebo", interval("placebo")),
    Column("beyond", interval("beyond")),
    Column("p", p("p_corrected", NO_TEST)),
    Column("queries", plain("queries")),
    Column("sets of names", plain("sets")),
    Column("pairs", plain("pairs")),
)
UNNAMED_COLUMNS = (  # a row a ranker and gender of the names
    Column("ranker", plain("system")),
    Column("names", plain("gender")),
    Column("named version first", interval("named_first")),
    Column("gap", lambda row: f"{interval('gap')(row)} {UNITS[row['unit']]}"),
    Column("places", interval("places")),
)


def of_kind(table: pd.DataFrame, kind: str, judged: str) -> pd.DataFrame:
    """Return the rows of these pairs."""
    return table[(table["kind"] == kind) & (table["judged"] == judged)].reset_index(drop=True)


def shares_info(lines: pd.DataFrame, groups: list[str], title: str = SHARES_TITLE) -> crbo.Overlaps:
    """Return the figure of shares, a mark a group."""
    return crbo.info(
        lines, title, SHARES_AXIS, groups, SHARE_COLUMNS, even=0.5, genders=True, nothing=NO_PAIR
    )  # fmt: skip


def gaps_info(lines: pd.DataFrame, title: str = GAPS_TITLE) -> crbo.Overlaps:
    """Return the figure of gaps."""
    return crbo.info(lines, title, GAPS_AXIS, ["gap"], GAP_COLUMNS, even=0.0, nothing="No gap is known.")


def gaps_figure(info: crbo.Overlaps, theme: Theme) -> go.Figure:
    """Draw it without a legend, as it has one series."""
    return crbo.draw(info, theme).update_layout(showlegend=False)


def pairs_views(audit: PairwiseAudit, kind: str, judged: str) -> list[View]:
    """Return the views of an audit in pairs, first whose document comes first. kind, judged: the pairs shown."""
    shown = of_kind(audit.table, kind, judged)
    lines, gaps = share_lines(shown), gap_lines(shown)
    shares = shares_info(lines, [audit.study.neutral, *audit.study.groups])
    by_how_much = gaps_info(gaps)

    def of_shown(function: Callable[[pd.DataFrame], pd.DataFrame]) -> dict[str, Any]:
        rows = f"(found.table['kind'] == {kind!r}) & (found.table['judged'] == {judged!r})"
        return {"lines": [f"shown = found.table[{rows}]"], "table": f"{function.__name__}(shown)", "uses": [function]}

    return [
        FigureView(
            "audit_shares", lines, partial(crbo.draw, shares), shares.alt, of_shown(share_lines),
            beside=[TextView(short_sentences(audit.study, audit.integrity, shown), "named")],
        ),
        TableView(
            "audit_integrity", audit.integrity, "Whether the answers of each ranker are answers, a row a ranker.",
            INTEGRITY, {"table": "found.integrity"}, ABOUT_INTEGRITY,
            fold=Fold("Are the answers answers?", "audit_integrity_fold", _is_asked(audit)),
        ),
        FigureView(
            "audit_gaps", gaps, partial(gaps_figure, by_how_much), by_how_much.alt, of_shown(gap_lines),
            text=ABOUT_GAPS, fold=Fold("By how much", "audit_gaps_fold"),
        ),
        TableView(
            "audit_table", audit.table,
            f"Which group's document comes first, how often and by how much; pairs: {kind}, {judged}.", SHARES,
            {"table": "found.table"}, f"{ABOUT_SHARES} {family_note(shown)}", cells=cells(shown, SHARES),
            fold=Fold("Shares, ratio and gap, tested", "audit_table_fold"),
        ),
    ]  # fmt: skip


def names_views(audit: AttributionAudit) -> list[View]:
    """Return the views of an audit by authors' names: whose version comes first, the table, the cost of a name, the
    findings and integrity; of quantities those that a ranker has a value of."""
    lines = name_lines(audit.table)
    columns = ["line", "what", "share", "low", "high"]
    info = crbo.info(lines, NAMES_TITLE, NAMES_AXIS, [BETWEEN, WITHIN], columns, even=0.5,
                     nothing="No version has an answer.")  # fmt: skip

    def table(key: str, name: str, text: str, columns: tuple[Column, ...], fold: Fold, **more: Any) -> TableView:
        rows = getattr(audit, name)
        return TableView(key, rows, text, columns, {"table": f"found.{name}"}, text, most=15, fold=fold, **more)

    return [
        FigureView(
            "audit_authors", lines, partial(crbo.draw, info), info.alt,
            {"table": "name_lines(found.table)", "uses": [name_lines]}, card="audit_names_card",
            beside=[TextView(short_sentences_on_names(audit.integrity, audit.table), "named")],
        ),
        table("audit_quantities", "table", f"{ABOUT_NAMES} {family_of_names(audit.table)}", QUANTITY_COLUMNS,
              Fold("Table: between genders, placebo and beyond", "audit_names_fold", True),
              cells=cells(audit.table[audit.table["value"].notna()], QUANTITY_COLUMNS)),
        table("audit_unnamed", "unnamed", ABOUT_UNNAMED, UNNAMED_COLUMNS,
              Fold("What any name costs", "audit_unnamed_fold")),
        TextView([*audit.sentences, ERRORS_ARE_CLUSTERED], "note", fold=Fold("In words", "audit_names_words_fold")),
        table("audit_name_answers", "integrity", "Read this first.", INTEGRITY,
              Fold("Are the answers answers?", "audit_names_integrity_fold", _is_asked(audit))),
    ]  # fmt: skip


def _is_asked(audit: PairwiseAudit | AttributionAudit) -> bool:
    return bool((audit.integrity["verdict"] != NO_ORDER).any())
