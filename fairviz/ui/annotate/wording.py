"""Sentences of the Annotate page."""

import numpy as np
import pandas as pd

from fairviz.analyses.annotator_accuracy.labellers import ALL_CLASSES
from fairviz.analyses.label_effects.replacing import contenders
from fairviz.words.sentences import Sentence, Span, agreeing, counted, decimal, first_listed, number

MOST_NAMED = 3


def finding(table: pd.DataFrame, reference: str) -> Sentence:
    """Return the annotator with the highest accuracy on all presented documents, and those with overlapping intervals.

    Lost answers count as wrong. table: from `annotator_table` without `by`.
    """
    rows = table[(table["classes"] == ALL_CLASSES) & table["accuracy"].notna()]
    if rows.empty:
        return (Span(f"No document has labels by {reference} and by another annotator: nothing to compare."),)
    rows = rows.sort_values(["accuracy_of_all", "accuracy"], ascending=False, kind="stable")
    best, rest = rows.iloc[0], rows.iloc[1:]
    is_tested = not np.isnan(best["accuracy_low"])
    bounds = f" [{best['accuracy_low']:.1%}, {best['accuracy_high']:.1%}]" if is_tested else ""
    kappa = "" if np.isnan(best["kappa"]) else f", kappa {number(best['kappa'])}"
    lost = "" if not best["unlabelled"] else f"; {best['unlabelled']:,} without a label"
    text = f" of {counted(best['documents'], 'document')}{bounds}{kappa}{lost}."
    tested = rest.dropna(subset=["accuracy_high"])
    if len(tested) and is_tested:
        overlapping = tested[tested["accuracy_high"] >= best["accuracy_low"]]
        names = first_listed(overlapping["annotator"], MOST_NAMED)
        text += f" Overlapping intervals: {names}." if len(overlapping) else " No other interval overlaps."
    counts = rows["documents"].astype(int)
    if counts.min() < counts.max():
        text += f" They labelled different documents, {counts.min():,} to {counts.max():,} of the reference's."
    return (
        Span(f"Closest to {reference}: "),
        Span(str(best["annotator"]), True),
        Span(", "),
        Span(f"{best['accuracy']:.1%}", True),
        Span(text),
    )


def replacement(table: pd.DataFrame, reversal: pd.Series, name: str, annotator: str, other: str) -> Sentence:
    """Return the change if the annotator replaces the other. table: its rows of `replaced`; reversal: of
    `reversals`.
    """
    defined = contenders(table.dropna(subset=["difference"]))
    if defined.empty:
        return (Span(f"No list has a value of {name} under both {annotator} and {other}."),)
    largest = defined.iloc[int(np.argmax(defined["difference"].abs()))]
    bounds = ""
    if not np.isnan(largest["ci_low"]):
        bounds = f", 95 % {_signed(largest['ci_low'])} to {_signed(largest['ci_high'])}"
    clear = int(((defined["ci_low"] > 0) | (defined["ci_high"] < 0)).sum())
    values = f"{number(largest['before'])} to {number(largest['after'])} ({_signed(largest['difference'])}{bounds})"
    return (
        Span("When "),
        Span(annotator, True),
        Span(f" replaces {other}, {name} changes most for "),
        Span(str(largest["system"]), True),
        Span(f": {values}. For {clear} of {len(defined)} systems the interval excludes 0. "),
        *order(reversal),
    )


def _signed(value: float) -> str:
    return decimal(value, sign="+")


def order(reversal: pd.Series) -> Sentence:
    """Return `2 of 28 pairs of systems change their order.`"""
    pairs, turned, tied = (int(reversal[name]) for name in ("pairs", "reversed", "tied"))
    if not pairs:
        return (Span("There is no order of systems to change."),)
    ties = f", and {tied} {agreeing(tied, 'is', 'are')} tied after" if tied else ""
    if not turned:
        return (Span("No pair", True), Span(f" of {pairs} pairs of systems changes its order{ties}."))
    return (Span(f"{turned} of {pairs}", True), Span(f" pairs of systems change their order{ties}."))


def noise(turned: tuple[int, float, float], of: str) -> str:
    """Return the noise of the order: pairs, mean number of changed ones, share of draws with any change."""
    pairs, mean, share = turned
    if not pairs:
        return ""
    return f"{of}: on average {mean:.1f} of {pairs} pairs of systems change order. Some pair does in {share:.0%} of " \
           "1,000 draws."  # fmt: skip


def coverage(table: pd.DataFrame, annotator: str, other: str) -> str:
    """Return the share of places with a label of each, unless both shares are equal or complete."""
    mine, theirs = float(table["labelled"].min()), float(table["labelled_before"].min())
    if np.isnan(mine) or np.isnan(theirs) or (mine > 0.995 and theirs > 0.995):
        return ""
    sentence = f"Of each system's ranks within the cutoff {annotator} labelled {mine:.0%} or more, {other} {theirs:.0%}"
    if abs(mine - theirs) <= 0.01:
        return f"{sentence}."
    return f"{sentence}: part of the change is missing labels. “Fill” keeps the label of {other} where there is none."
