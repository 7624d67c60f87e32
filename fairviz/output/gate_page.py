"""A gate's answer as one page of HTML that needs nothing else: no script, no other file, no network."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from fairviz.comparison.conditions import Condition
from fairviz.comparison.gate import (
    BEYOND,
    NOT_SHOWN,
    POSSIBLE,
    SHOWN,
    UNDECIDED,
    WITHIN,
    Gate,
    alone_notes,
    lost_notes,
)
from fairviz.comparison.pairs import FEWEST_QUERIES
from fairviz.evaluation.exports import Origin, lines
from fairviz.output.html import decimals, rendered

VERDICT_TEXTS = {
    BEYOND: "the whole interval is beyond the limit",
    POSSIBLE: "beyond the limit, but its interval reaches back",
    WITHIN: "not beyond the limit",
    SHOWN: "the claim, by the whole interval",
    NOT_SHOWN: "the claim needs the whole interval beyond its margin",
    UNDECIDED: f"fewer than {FEWEST_QUERIES} common queries, or half of all, or an undefined difference",
}
RULE = (
    "Not passed: the whole {level} % interval of a difference (candidate minus baseline), or of the candidate's value, "
    "is beyond its limit. Measures fairest at 0 or 1 are compared by their distance from there."
)
RULE_OF_CLAIM = (
    "Passed: the declared claim is shown against each system, by {level} % intervals of the differences (candidate "
    "minus baseline) that are corrected over its pairs. Measures fairest at 0 or 1 are compared by their distance from "
    "there."
)
LABEL = 60  # how far apart two labels of the picture stand, of its 400 units


def verdict(gate: Gate) -> str:
    """Return `passed`, `not passed` or `undecided`."""
    return {BEYOND: "not passed", UNDECIDED: "undecided", WITHIN: "passed"}[gate.state]


def page(gate: Gate, about: Origin) -> str:
    """Return the whole page."""
    return rendered(
        "gate.html",
        title=f"{gate.candidate} against {gate.baseline}",
        verdict={"text": verdict(gate), "colour": _colour(gate.state)},
        level=f"{100 * gate.level:g}",
        rule=(RULE_OF_CLAIM if gate.conditions[0].is_claim else RULE).format(level=f"{100 * gate.level:g}"),
        notes=(*gate.front_notes, *alone_notes(gate), *lost_notes(gate)),
        conditions=[
            {
                **row,
                "text": VERDICT_TEXTS[row["state"]],
                "colour": _colour(row["state"]),
                "picture": _picture(row, condition),
            }
            for condition, row in zip(gate.conditions, gate.table.to_dict("records"), strict=True)
        ],
        moved=[
            {
                "text": each.text,
                "queries": _rows(gate.queries, each.text),
                "documents": _rows(gate.documents, each.text),
            }
            for each in gate.conditions
        ],
        origin=lines(about),
    )


def _colour(state: str) -> str:
    return {BEYOND: "beyond", NOT_SHOWN: "beyond", WITHIN: "within", SHOWN: "within"}.get(state, "open")


def _rows(table: pd.DataFrame, condition: str) -> list[dict[Hashable, Any]]:
    return table[table["condition"] == condition].to_dict("records")


def _picture(row: Mapping[Hashable, Any], condition: Condition) -> dict[str, Any] | None:
    """Return the interval against the limit, the side that fails shaded, in units of the picture; None without one."""
    limit, below = condition.limit, condition.below != condition.is_claim
    value = row["difference"] if row["of"] == "difference" else row["value"]
    marks = [row["ci_low"], row["ci_high"], value, limit, 0.0]
    if np.isnan(marks).any():
        return None
    low, high = min(marks), max(marks)
    room = (high - low) * 0.08 or 1.0
    low, high = low - room, high + room
    places = [round(10 + 380 * (mark - low) / (high - low), 1) for mark in marks]
    ci_low, ci_high, place, at_limit, zero = places
    side = (10.0, round(at_limit - 10, 1)) if below else (at_limit, round(390 - at_limit, 1))
    labels = [(zero, "0")] if not limit or abs(at_limit - zero) > LABEL else []
    labels += [(at_limit, decimals(limit, "+"))] if limit else []
    alt = f"{row['of']} {decimals(value, '+')}, limit {decimals(limit, '+')}"
    return {
        "alt": alt, "side": side, "zero": zero, "limit": at_limit, "low": ci_low, "high": ci_high, "value": place,
        "labels": labels,
    }  # fmt: skip
