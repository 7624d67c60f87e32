"""The sentences of the Read page: effects of labels, and decisions. All HTML here is escaped."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.annotation.agreement import Votes
from fairviz.evaluation.study_facts import disagreement_text
from fairviz.figures.style import Theme
from fairviz.ui.kit import highlight
from fairviz.ui.kit.html import escape
from fairviz.words.sentences import Sentence, Span, counted, decimal, first_listed

MOST_SYSTEMS = 2  # systems in a line, those with the largest changes
SMALL = 5e-5  # differences below it are 0 with four decimals


def consequence(table: pd.DataFrame, name: str) -> str:
    """Return the changes as HTML: `CWEx of MiniLM +0.0041, 1 more; new order: BM25 3 → 2.`

    table: system, before, after, difference, rank_before, rank_after, from what_if. Systems with the largest changes
    are first; the others are counted.
    """
    changed = table[(table["difference"].abs() >= SMALL) | (table["before"].isna() != table["after"].isna())]
    if changed.empty:
        return f"{escape(name)} unchanged."
    rows = changed.reindex(changed["difference"].abs().sort_values(ascending=False, kind="stable").index)
    system_texts = [f"<b>{escape(row['system'])}</b> {change(row)}" for _, row in rows.head(MOST_SYSTEMS).iterrows()]
    rest_count = len(changed) - len(system_texts)
    rest_text = f", {rest_count} more" if rest_count else ""
    return f"{escape(name)} of {', '.join(system_texts)}{rest_text}; {order(table)}."


def change(row: pd.Series) -> str:
    """Return a difference with its sign and four decimals; both values where one of them is undefined."""
    if np.isnan(row["difference"]):
        return f"{decimal(row['before'])} → {decimal(row['after'])}"
    return decimal(row["difference"], 4, sign="+")


def order(table: pd.DataFrame) -> str:
    """Return the change of the order as HTML: `same order`, or `new order: <b>BM25</b> 3 → 2`."""
    before, after = table["rank_before"], table["rank_after"]
    moved_rows = table[(before != after) & before.notna() & after.notna()]
    if moved_rows.empty:
        return "same order"
    move_texts = [
        f"<b>{escape(row['system'])}</b> {int(row['rank_before'])} → {int(row['rank_after'])}"
        for _, row in moved_rows.iterrows()
    ]
    return f'<span class="fv-moved">new order: {first_listed(move_texts, MOST_SYSTEMS)}</span>'


def decision_html(row: pd.Series, labels: Sequence[str], theme: Theme) -> str:
    """Return one line of the history as HTML: time, author, label, reason."""
    chip = highlight.chip(str(row["label"]), labels, theme) if row["label"] else "<i>taken back</i>"
    author = escape(row["author"]) if row["author"] else "somebody without a name"
    reason = f": <bdi>{escape(row['reason'])}</bdi>" if row["reason"] else ""
    time = escape(str(row["time"])[:16].replace("T", " "))
    return f'<div><span class="fv-quiet">{time} UTC</span> <bdi>{author}</bdi> {chip}{reason}</div>'


def listing_sentence(passing: int, total: int, votes: Votes) -> Sentence:
    """Return the counts of documents that pass the filters, and on which the voters disagree, if there are several."""
    spans = (Span(f"{passing:,}", True), Span(f" of {counted(total, 'document')}"))
    if len(votes.annotators) < 2:
        return (*spans, Span("."))
    return (*spans, Span("; "), Span(f"{disagreement_text(votes)}."))
