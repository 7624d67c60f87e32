"""The sentences of the Inspect page: what a label would change, what was decided. All HTML here is escaped."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.figures.style import Theme
from fairviz.study.study import Study
from fairviz.ui.kit import highlight, html
from fairviz.ui.kit.html import Sentence, Span, escape

MOST_SYSTEMS = 3  # systems that a line names, those that change most
SMALL = 5e-5  # what four decimals do not show


def cautions(study: Study) -> None:
    """What a reader must know before the text: the study's notices, but for what was cleaned, which Overview tells."""
    if told := [text for text in study.notices if not text.startswith("Cleaned:")]:
        html.message("warning", "\n".join(told))


def number(value: float, digits: int = 3) -> str:
    """A figure with a true minus; `undefined` for NaN."""
    if np.isnan(value):
        return "undefined"
    text = f"{value:.{digits}f}"
    return (text if float(text) else text.lstrip("-")).replace("-", "−")


def consequence(table: pd.DataFrame, name: str) -> str:
    """`CWEx of MiniLM 0.157 → 0.161 (+0.0041), BM25 0.108 → 0.108; order unchanged.` as HTML.

    table: system, before, after, difference, rank_before, rank_after, as what_if gives it. Systems that change most
    come first; the rest are counted.
    """
    changed = table[(table["difference"].abs() >= SMALL) | (table["before"].isna() != table["after"].isna())]
    if changed.empty:
        return f"{escape(name)} of no system changes."
    rows = changed.reindex(changed["difference"].abs().sort_values(ascending=False, kind="stable").index)
    shown = [
        f"<b>{escape(row['system'])}</b> {number(row['before'])} → {number(row['after'])} ({change(row['difference'])})"
        for _, row in rows.head(MOST_SYSTEMS).iterrows()
    ]
    rest = len(changed) - len(shown)
    more = f", {rest} more" if rest else ""
    same = len(table) - len(changed)
    still = f", {same} unchanged" if same else ""
    return f"{escape(name)} of {', '.join(shown)}{more}{still}; {order(table)}."


def change(value: float) -> str:
    """A difference with its sign and four decimals; empty of meaning where undefined."""
    return "undefined" if np.isnan(value) else f"{value:+.4f}".replace("-", "−")


def order(table: pd.DataFrame) -> str:
    """`order unchanged`, or who moves: `<b>BM25</b> from place 3 to 2` as HTML."""
    before, after = table["rank_before"], table["rank_after"]
    moved = table[(before != after) & before.notna() & after.notna()]
    if moved.empty:
        return "order unchanged"
    told = [
        f"<b>{escape(row['system'])}</b> from place {int(row['rank_before'])} to {int(row['rank_after'])}"
        for _, row in moved.head(MOST_SYSTEMS).iterrows()
    ]
    more = f" and {len(moved) - len(told)} more" if len(moved) > len(told) else ""
    return f'<span class="fv-moved">the order changes: {", ".join(told)}{more}</span>'


def decision_html(row: pd.Series, labels: Sequence[str], theme: Theme) -> str:
    """One line of the history: when, who, what, why."""
    what = highlight.chip(str(row["label"]), labels, theme) if row["label"] else "<i>taken back</i>"
    who = escape(row["author"]) if row["author"] else "somebody without a name"
    why = f": <bdi>{escape(row['reason'])}</bdi>" if row["reason"] else ""
    when = escape(str(row["time"])[:16].replace("T", " "))
    return f'<div><span class="fv-quiet">{when} UTC</span> <bdi>{who}</bdi> {what}{why}</div>'


def listing_sentence(shown: int, total: int, disagreeing: int | None) -> Sentence:
    """How many documents the filters keep, and on how many of all annotators disagree; None where there are no two."""
    kept = (Span(f"{shown:,}", True), Span(f" of {total:,} documents"))
    if disagreeing is None:
        return (*kept, Span("."))
    return (
        *kept,
        Span("; annotators disagree on "),
        Span(f"{disagreeing:,}" if disagreeing else "none", True),
        Span("."),
    )


def flips_sentence(count: int, reversed_: bool, exact: bool, first: str, second: str, measure: str) -> Sentence:
    """`These 4 labels decide which of A and B is fairer by CWEx` or that none do."""
    pair = (Span(first, True), Span(" and "), Span(second, True))
    if not count or not reversed_:
        return (Span("No set of other labels was found that reverses the order of "), *pair, Span(f" by {measure}."))
    labels = "One label decides" if count == 1 else f"{count:,} labels decide"
    which = "it" if count == 1 else "all of them"
    bound = "no fewer would do" if exact else "an upper bound: fewer might do"
    return (
        Span(f"{labels} which of "),
        *pair,
        Span(f" is fairer by {measure}: with {which} changed, the order reverses ({bound})."),
    )
