"""What to notice of a training, in words: what the aim came to, and what moved the wrong way while it did."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairviz.evaluation.paired_rows import no_verdict
from fairviz.evaluation.pairs import FEWEST_QUERIES
from fairviz.measures import parse
from fairviz.mending.outcome import GAP, SPREAD
from fairviz.mending.pairs import HELD_OUT, TRAIN

LEAST = 0.0005  # a difference that three decimals show
SURE = 0.05
Rows = dict[str, dict[str, Any]]


def sentences(table: pd.DataFrame) -> tuple[str, ...]:
    """The gap, who comes first, and every measure of lists that got worse, on the held-out queries; then how far the
    training queries differ from these. table: `outcome.COLUMNS`."""
    held, trained = (_rows(table, part) for part in (HELD_OUT, TRAIN))
    said = [_gap(held), _first(held), _trade(held)]
    if GAP in trained:
        row = trained[GAP]
        said.append(
            f"On the {row['queries']:,} queries trained on the gap goes from {row['before']:.4f} to "
            f"{row['after']:.4f}; what a new query can expect is what the held-out ones show."
        )
    return tuple(sentence.replace("-0.", "−0.") for sentence in said if sentence)


def _rows(table: pd.DataFrame, part: str) -> Rows:
    """The rows of one part of the queries by their measure."""
    return {str(row["measure"]): row for row in table[table["split"] == part].to_dict("records")}  # type: ignore[misc]


def _gap(held: Rows) -> str:
    if GAP not in held or np.isnan(held[GAP]["difference"]):
        return ""
    row, spread = held[GAP], held[SPREAD]
    return (
        f"On {row['queries']:,} held-out queries the gap between the two wordings of a text goes from "
        f"{row['before']:.4f} to {row['after']:.4f} ({spread['before']:.2f} to {spread['after']:.2f} standard "
        f"deviations); the difference is {row['difference']:+.4f}{_bounds(row, 4)}, {_verdict(row)}."
    )


def _verdict(row: Mapping[str, Any]) -> str:
    """Return what the test of a row shows, with its family."""
    if np.isnan(row["p_corrected"]):
        return f"not tested: {no_verdict(row['queries'])}"
    return f"{'' if row['p_corrected'] <= SURE else 'not '}significant ({row['tests']})"


def _first(held: Rows) -> str:
    names = [name for name in held if name.endswith(" first") and " / " not in name]
    if not names or np.isnan(held[names[0]]["after"]):
        return ""
    row = held[names[0]]
    even = not (row["after_high"] < 0.5 or row["after_low"] > 0.5)
    said = f"{names[0].capitalize()}: {row['before']:.0%} of pairs before, {row['after']:.0%} after"
    if row["queries"] < FEWEST_QUERIES:
        return f"{said}: {no_verdict(row['queries'])}."
    return (
        f"{said} (interval {row['after_low']:.0%} to {row['after_high']:.0%}), which is "
        f"{'not significantly different from' if even else 'significantly different from'} one half."
    )


def _trade(held: Rows) -> str:
    """A warning where the gap shrinks and a measure of the lists gets worse."""
    if GAP not in held:
        return ""
    if not held[GAP]["difference"] < 0:
        return "The gap between the wordings does not shrink."
    worse = {name: row for name, row in held.items() if "@" in name and _spoilt(name, row) >= LEAST}
    if not worse:
        return "No measure of the lists gets worse."
    parts = [_moved(name, row) for name, row in worse.items()]
    listed = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    return f"The gap shrinks, and {listed}."


def _spoilt(name: str, row: Mapping[str, Any]) -> float:
    """Return by how much the measure is further from its fairest value than before; NaN for one that takes no side."""
    sign = {"higher": -1, "lower": 1, "zero": 1, "one": 1}.get(parse(name).direction, math.nan)
    return sign * float(row["difference"])


def _moved(name: str, row: Mapping[str, Any]) -> str:
    verb = "rises" if row["difference"] > 0 else "falls"
    fairest = {"zero": "moves away from 0", "one": "moves away from 1 on a logarithmic scale"}
    verb = fairest.get(parse(name).direction, verb)
    p = row["p_corrected"]
    sure = ", not tested" if np.isnan(p) else "" if p <= SURE else ", not significantly"
    return f"{name} {verb} by {abs(row['difference']):.3f}{_bounds(row, 3)}{sure}"


def _bounds(row: Mapping[str, Any], digits: int) -> str:
    low, high = row["difference_low"], row["difference_high"]
    return "" if np.isnan(low) else f" (interval {low:+.{digits}f} to {high:+.{digits}f})"


def ended(losses: Sequence[Sequence[float]], planned: int, seconds: float) -> str:
    """How the training ended, in words."""
    if not planned:
        return "At strength 0 nothing is trained: every score stays as it is."
    done = len(losses)
    took = f"{seconds:.0f} seconds" if seconds < 120 else f"{seconds / 60:.1f} minutes"
    if done < planned:
        return f"Time ended the training after {done:,} of {planned:,} steps, in {took}."
    return f"{done:,} steps in {took}; the loss went from {losses[0][1]:.3f} to {losses[-1][1]:.3f}."
