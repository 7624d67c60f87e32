"""The sentences of the Annotators page."""

import numpy as np
import pandas as pd

from fairviz.effects.replacing import contenders
from fairviz.inspection.annotator_table import ALL_CLASSES
from fairviz.ui.kit.html import Sentence, Span
from fairviz.ui.kit.numbers import number

MOST_NAMED = 3


def finding(table: pd.DataFrame, reference: str) -> Sentence:
    """Who says most often what the reference says, of all documents that were asked about, and whose intervals reach as
    far: who labelled one of a hundred, and that rightly, is not the best.

    table: as annotator_table gives it without `by`."""
    rows = table[(table["classes"] == ALL_CLASSES) & table["accuracy"].notna()]
    if rows.empty:
        return (Span(f"No document is labelled by {reference} and by any of them, so nothing can be compared."),)
    rows = rows.sort_values(["accuracy_of_all", "accuracy"], ascending=False, kind="stable")
    best = rows.iloc[0]
    said = (
        Span(str(best["annotator"]), True),
        Span(f" says the same as {reference} of "),
        Span(f"{best['accuracy']:.1%}", True),
        Span(f" of {best['documents']:,} document{'' if best['documents'] == 1 else 's'}{_bounds(best)}"),
    )
    kappa = "" if np.isnan(best["kappa"]) else f", kappa {number(best['kappa'])}"
    lost = "" if not best["unlabelled"] else f"; to {best['unlabelled']:,} it gave no label"
    return (*said, Span(f"{kappa}{lost}.{_others(best, rows.iloc[1:])}"))


def _others(best: pd.Series, rest: pd.DataFrame) -> str:
    """Whose intervals reach as far as the best one's, where they have any; and that not all labelled the same."""
    known = rest.dropna(subset=["accuracy_high"])
    told = ""
    if len(known) and not np.isnan(best["accuracy_low"]):
        near = known[known["accuracy_high"] >= best["accuracy_low"]]
        names = ", ".join(near["annotator"].head(MOST_NAMED).astype(str))
        more = f" and {len(near) - MOST_NAMED} more" if len(near) > MOST_NAMED else ""
        told = f" The intervals of {names}{more} reach as far." if len(near) else " No other's interval reaches as far."
    counts = [int(best["documents"]), *rest["documents"].astype(int)]
    if min(counts) == max(counts):
        return told
    return f"{told} They labelled different documents, {min(counts):,} to {max(counts):,} of the reference's."


def _bounds(row: pd.Series) -> str:
    if np.isnan(row["accuracy_low"]):
        return ""
    return f" (95 % {row['accuracy_low']:.1%} to {row['accuracy_high']:.1%}, queries drawn anew)"


def replacement(table: pd.DataFrame, reversal: pd.Series, name: str, annotator: str, other: str) -> Sentence:
    """What changes when the annotator replaces the other. table: its rows of `replaced`; reversal: of `reversals`."""
    known = contenders(table.dropna(subset=["difference"]))
    if known.empty:
        return (Span(f"No list has a value of {name} under both {annotator} and {other}."),)
    most = known.iloc[int(np.argmax(known["difference"].abs()))]
    bounds = ""
    if not np.isnan(most["ci_low"]):
        bounds = f", 95 % {signed(most['ci_low'])} to {signed(most['ci_high'])}"
    clear = int(((known["ci_low"] > 0) | (known["ci_high"] < 0)).sum())
    values = f"{number(most['before'])} to {number(most['after'])} ({signed(most['difference'])}{bounds})"
    head = (
        Span("When "),
        Span(annotator, True),
        Span(f" replaces {other}, {name} changes most for "),
        Span(str(most["system"]), True),
        Span(f": {values}; for {clear} of {len(known)} systems the interval leaves out 0. "),
    )
    return (*head, *order(reversal))


def order(reversal: pd.Series) -> Sentence:
    """`2 of 28 pairs of systems change their order.`"""
    pairs, turned, tied = (int(reversal[name]) for name in ("pairs", "reversed", "tied"))
    if not pairs:
        return (Span("There is no order of systems to change."),)
    ties = f", and {tied} {'is' if tied == 1 else 'are'} tied after" if tied else ""
    if not turned:
        return (Span("No pair", True), Span(f" of {pairs} pairs of systems changes its order{ties}."))
    return (Span(f"{turned} of {pairs}", True), Span(f" pairs of systems change their order{ties}."))


def noise(turned: tuple[int, float, float], of: str) -> str:
    """How much of the order is noise: pairs, how many change on average, share of draws in which any does."""
    pairs, mean, share = turned
    if not pairs:
        return ""
    return f"{of}: on average {mean:.1f} of {pairs} pairs of systems change their order, and in {share:.0%} of 1,000 " \
           "draws any does."  # fmt: skip


def signed(value: float) -> str:
    """Three decimals with their sign; a true minus."""
    return f"{value:+.3f}".replace("-", "−")


def coverage(table: pd.DataFrame, annotator: str, other: str) -> str:
    """What part of the places has a label of each, where that is not all and not alike."""
    mine, theirs = float(table["labelled"].min()), float(table["labelled_before"].min())
    if np.isnan(mine) or np.isnan(theirs) or (mine > 0.995 and theirs > 0.995):
        return ""
    told = f"Of each system's places within the cutoff {annotator} labelled {mine:.0%} or more, {other} {theirs:.0%}"
    if abs(mine - theirs) <= 0.01:
        return f"{told}."
    return f"{told}: part of the change is missing labels. “Fill” lets the label of {other} stand where there is none."
