"""The sentences of the Read page: effects of labels, and decisions. All HTML here is escaped."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.figures.style import Theme
from fairviz.study.record import Study
from fairviz.ui.kit import highlight, html
from fairviz.ui.kit.html import escape
from fairviz.words.sentences import Sentence, Span, decimal, first_listed

MOST_SYSTEMS = 3  # systems in a line, those with the largest changes
SMALL = 5e-5  # differences below it are 0 with four decimals


def cautions(study: Study) -> None:
    """Draw the study's notices, without those on cleaning, which Overview shows."""
    if notices := [text for text in study.notices if not text.startswith("Cleaned:")]:
        html.message("warning", "\n".join(notices))


def consequence(table: pd.DataFrame, name: str) -> str:
    """Return the changes as HTML: `CWEx of MiniLM 0.157 → 0.161 (+0.0041), BM25 0.108 → 0.108; order unchanged.`

    table: system, before, after, difference, rank_before, rank_after, from what_if. Systems with the largest changes
    are first; the others are counted.
    """
    changed = table[(table["difference"].abs() >= SMALL) | (table["before"].isna() != table["after"].isna())]
    if changed.empty:
        return f"{escape(name)} of no system changes."
    rows = changed.reindex(changed["difference"].abs().sort_values(ascending=False, kind="stable").index)
    system_texts = [
        f"<b>{escape(row['system'])}</b> {decimal(row['before'])} → {decimal(row['after'])} "
        f"({change(row['difference'])})"
        for _, row in rows.head(MOST_SYSTEMS).iterrows()
    ]
    rest_count = len(changed) - len(system_texts)
    rest_text = f", {rest_count} more" if rest_count else ""
    same_count = len(table) - len(changed)
    same_text = f", {same_count} unchanged" if same_count else ""
    return f"{escape(name)} of {', '.join(system_texts)}{rest_text}{same_text}; {order(table)}."


def change(value: float) -> str:
    """Return a difference with its sign and four decimals; `undefined` for NaN."""
    return "undefined" if np.isnan(value) else f"{value:+.4f}".replace("-", "−")


def order(table: pd.DataFrame) -> str:
    """Return the change of the order as HTML: `order unchanged`, or `<b>BM25</b> from place 3 to 2`."""
    before, after = table["rank_before"], table["rank_after"]
    moved_rows = table[(before != after) & before.notna() & after.notna()]
    if moved_rows.empty:
        return "order unchanged"
    move_texts = [
        f"<b>{escape(row['system'])}</b> from place {int(row['rank_before'])} to {int(row['rank_after'])}"
        for _, row in moved_rows.iterrows()
    ]
    return f'<span class="fv-moved">the order changes: {first_listed(move_texts, MOST_SYSTEMS)}</span>'


def decision_html(row: pd.Series, labels: Sequence[str], theme: Theme) -> str:
    """Return one line of the history as HTML: time, author, label, reason."""
    chip = highlight.chip(str(row["label"]), labels, theme) if row["label"] else "<i>taken back</i>"
    author = escape(row["author"]) if row["author"] else "somebody without a name"
    reason = f": <bdi>{escape(row['reason'])}</bdi>" if row["reason"] else ""
    time = escape(str(row["time"])[:16].replace("T", " "))
    return f'<div><span class="fv-quiet">{time} UTC</span> <bdi>{author}</bdi> {chip}{reason}</div>'


def listing_sentence(passing: int, total: int, disagreeing: int | None) -> Sentence:
    """Return the counts of documents that pass the filters, and on which annotators disagree (None: fewer than two)."""
    spans = (Span(f"{passing:,}", True), Span(f" of {total:,} documents"))
    if disagreeing is None:
        return (*spans, Span("."))
    return (
        *spans,
        Span("; annotators disagree on "),
        Span(f"{disagreeing:,}" if disagreeing else "none", True),
        Span("."),
    )


def flips_sentence(count: int, reversed_: bool, exact: bool, first: str, second: str, measure: str) -> Sentence:
    """Return `4 labels decide which of A and B is fairer by CWEx …`, or that no set of labels does."""
    pair = (Span(first, True), Span(" and "), Span(second, True))
    if not count or not reversed_:
        return (Span("No set of other labels was found that reverses the order of "), *pair, Span(f" by {measure}."))
    labels = "One label decides" if count == 1 else f"{count:,} labels decide"
    changed_labels = "it" if count == 1 else "all of them"
    bound = "no fewer would do" if exact else "an upper bound: fewer might do"
    return (
        Span(f"{labels} which of "),
        *pair,
        Span(f" is fairer by {measure}: with {changed_labels} changed, the order reverses ({bound})."),
    )
