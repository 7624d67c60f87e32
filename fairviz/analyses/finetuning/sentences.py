"""Findings of a training in words: the effect on the aim, and measures that got worse."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairviz.analyses.finetuning.outcome import GAP, SPREAD
from fairviz.analyses.finetuning.pairs import HELD_OUT, TRAIN
from fairviz.comparison.pairs import FEWEST_QUERIES, no_verdict
from fairviz.measures import parse
from fairviz.words.sentences import listed

LEAST = 0.0005  # smallest difference visible in three decimals
SURE = 0.05
Rows = dict[str, dict[str, Any]]


def sentences(table: pd.DataFrame) -> tuple[str, ...]:
    """Return findings for the held-out queries: the gap, first places, and worsened measures of lists; then the
    differences of the training queries.

    table: see `outcome.COLUMNS`.
    """
    held_out, training = (_rows(table, part) for part in (HELD_OUT, TRAIN))
    findings = [_gap(held_out), _first(held_out), _trade(held_out)]
    if GAP in training:
        row = training[GAP]
        findings.append(
            f"On the {row['queries']:,} training queries the gap goes from {row['before']:.4f} to "
            f"{row['after']:.4f}. For new queries, the held-out ones count."
        )
    return tuple(sentence.replace("-0.", "−0.") for sentence in findings if sentence)


def _rows(table: pd.DataFrame, part: str) -> Rows:
    """Return the rows of one part of the queries by their measure."""
    return {str(row["measure"]): row for row in table[table["split"] == part].to_dict("records")}  # type: ignore[misc]


def _gap(rows: Rows) -> str:
    if GAP not in rows or np.isnan(rows[GAP]["difference"]):
        return ""
    row, spread = rows[GAP], rows[SPREAD]
    return (
        f"On {row['queries']:,} held-out queries the gap goes from {row['before']:.4f} to {row['after']:.4f} "
        f"({spread['before']:.2f} to {spread['after']:.2f} SDs). Difference: "
        f"{row['difference']:+.4f}{_bounds(row, 4)}, {_verdict(row)}."
    )


def _verdict(row: Mapping[str, Any]) -> str:
    """Return the verdict of a row's test, with its family."""
    if np.isnan(row["p_corrected"]):
        return f"not tested: {no_verdict(row['queries'])}"
    return f"{'' if row['p_corrected'] <= SURE else 'not '}significant ({row['tests']})"


def _first(rows: Rows) -> str:
    names = [name for name in rows if name.endswith(" first") and " / " not in name]
    if not names or np.isnan(rows[names[0]]["after"]):
        return ""
    row = rows[names[0]]
    even = not (row["after_high"] < 0.5 or row["after_low"] > 0.5)
    text = f"{names[0].capitalize()}: {row['before']:.0%} of pairs before, {row['after']:.0%} after"
    if row["queries"] < FEWEST_QUERIES or np.isnan([row["after_low"], row["after_high"]]).any():
        return f"{text}: {no_verdict(row['queries'])}."
    return (
        f"{text} (interval {row['after_low']:.0%} to {row['after_high']:.0%}), which is "
        f"{'not significantly different from' if even else 'significantly different from'} one half."
    )


def _trade(rows: Rows) -> str:
    """Return a warning if the gap shrinks and a measure of the lists gets worse."""
    if GAP not in rows:
        return ""
    if np.isnan(rows[GAP]["difference"]):
        return ""
    if not rows[GAP]["difference"] < 0:
        return "The gap between the wordings does not shrink."
    of_lists = {name: row for name, row in rows.items() if "@" in name and row["tests"]}
    worse = {name: row for name, row in of_lists.items() if _worsening(name, row) >= LEAST}
    if not worse:
        return "No measure of the lists gets worse."
    changes = [_change_text(name, row) for name, row in worse.items()]
    changes_text = listed(changes)
    return f"The gap shrinks, and {changes_text}."


def _worsening(name: str, row: Mapping[str, Any]) -> float:
    """Return the increase of the distance from the fairest value; NaN for a measure that only describes."""
    sign = {"higher": -1, "lower": 1, "zero": 1, "one": 1}.get(parse(name).direction, math.nan)
    return sign * float(row["difference"])


def _change_text(name: str, row: Mapping[str, Any]) -> str:
    verb = "rises" if row["difference"] > 0 else "falls"
    fairest = {"zero": "moves away from 0", "one": "moves away from 1 on a logarithmic scale"}
    verb = fairest.get(parse(name).direction, verb)
    p = row["p_corrected"]
    significance = ", not tested" if np.isnan(p) else "" if p <= SURE else ", not significantly"
    return f"{name} {verb} by {abs(row['difference']):.3f}{_bounds(row, 3)}{significance}"


def _bounds(row: Mapping[str, Any], digits: int) -> str:
    low, high = row["difference_low"], row["difference_high"]
    return "" if np.isnan(low) else f" (interval {low:+.{digits}f} to {high:+.{digits}f})"


def ended(losses: Sequence[Sequence[float]], planned: int, seconds: float) -> str:
    """Return how the training ended, in words."""
    if not planned:
        return "At strength 0 nothing is trained: every score stays as it is."
    count = len(losses)
    duration = f"{seconds:.0f} seconds" if seconds < 120 else f"{seconds / 60:.1f} minutes"
    if count < planned:
        return f"Time ended the training after {count:,} of {planned:,} steps, in {duration}."
    return f"{count:,} steps in {duration}; the loss went from {losses[0][1]:.3f} to {losses[-1][1]:.3f}."
