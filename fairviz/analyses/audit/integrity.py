"""Integrity of a ranker's answers: unparsed, missing, always the same position. Read it before any fairness figure."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.analyses.audit.judging import LOG_ODDS, NOT_FOUND, TIED, Judged
from fairviz.analyses.audit.shares import Estimate, consistency, estimate, first_named, means_by_query
from fairviz.models.replies import EMPTY, REFUSED, TOO_LONG, UNANSWERED, UNPARSED

ALWAYS_FIRST, ALWAYS_SECOND, LEANS_FIRST, LEANS_SECOND, NO_LEANING, NO_ORDER, NOTHING = (
    "always the first", "always the second", "leans to the first", "leans to the second", "no position bias found",
    "sees no order", "no answer",
)  # fmt: skip
HALF = 0.5  # share of answers that are read, or of pairs with one winner, below which preferences are none
ALWAYS = 0.9  # share of answers that name one place, from which on they say no more than the place
LOST = (UNPARSED, REFUSED, EMPTY, TOO_LONG, UNANSWERED)
COLUMNS = (
    "system", "pairs", "answers", "read", *(name.replace(" ", "_") for name in LOST), "not_found", "tied",
    "first_named", "first_named_low", "first_named_high", "position_log_odds", "consistent", "consistent_low",
    "consistent_high", "verdict", "asked_now", "tokens_in", "tokens_out", "seconds",
)  # fmt: skip


def integrity_of(judgements: Sequence[Judged], pairs: pd.DataFrame) -> pd.DataFrame:
    """Return COLUMNS, a row for each system.

    answers: two a pair for a language model, one for a ranker with scores. read: those that could be parsed; the rest
    by reason. not_found: pairs of which a ranker finds neither document, which count as ties. first_named: the share
    that names the document shown first, one half without position bias (a model that leaves each pair as it is names it
    always); position_log_odds: the log-odds in favour of the first position; consistent: the share of pairs with the
    same winner in both orders. All three are means within queries first, with intervals over queries, and NaN for a
    ranker that sees no order.
    """
    codes = pd.factorize(pairs["query_id"])[0]
    return pd.DataFrame([_row(one, codes) for one in judgements], columns=list(COLUMNS))


def _row(judgement: Judged, codes: np.ndarray) -> dict[str, object]:
    outcomes = judgement.outcomes if judgement.sees_order else judgement.outcomes[:, :1]
    counts = {name.replace(" ", "_"): int((outcomes == name).sum()) for name in (*LOST, NOT_FOUND, TIED)}
    lost = int(np.isin(outcomes, LOST).sum())
    row: dict[str, object] = {"system": judgement.system, "pairs": len(outcomes), "answers": outcomes.size}
    row |= {"read": outcomes.size - lost, **counts}
    if judgement.answered is None:
        return row | {"verdict": NO_ORDER, "asked_now": 0, "tokens_in": 0, "tokens_out": 0, "seconds": 0.0}
    per_pair = np.stack(
        [first_named(judgement.wins), consistency(judgement.wins), (judgement.gaps[:, 0] - judgement.gaps[:, 1]) / 2]
    )
    by_query = means_by_query(per_pair, codes)
    named, same, odds = (estimate(values, share=place < 2) for place, values in enumerate(by_query))
    row |= {**named.named("first_named"), **same.named("consistent"), "verdict": verdict_of(named)}
    row["position_log_odds"] = odds.value if judgement.unit == LOG_ODDS else np.nan
    cost = judgement.answered
    return row | {"asked_now": cost.asked, "tokens_in": cost.tokens_in, "tokens_out": cost.tokens_out,
                  "seconds": cost.seconds}  # fmt: skip


def verdict_of(named: Estimate) -> str:
    """Return the verdict on a model from its share of answers that name the first document."""
    if np.isnan(named.value):
        return NOTHING
    if named.value >= ALWAYS:
        return ALWAYS_FIRST
    if named.value <= 1 - ALWAYS:
        return ALWAYS_SECOND
    if named.low > 0.5:
        return LEANS_FIRST
    return LEANS_SECOND if named.high < 0.5 else NO_LEANING


def low_confidence_reason(row: dict) -> str:
    """Return the reason for which this system's preference cannot be read; empty for none.

    Where few answers name a document, where the place decides nearly every answer, or where less than half of the pairs
    have the same winner in both orders.
    """
    if row["verdict"] == NO_ORDER:
        return ""
    if row["verdict"] == NOTHING:
        return "none of its answers to pairs names a document."
    if row["read"] < HALF * row["answers"]:
        return "less than half of its answers to pairs name a document."
    by_place = row["verdict"] in (ALWAYS_FIRST, ALWAYS_SECOND) or row["consistent"] < HALF
    return "its answers to pairs go by the order in which they are shown." if by_place else ""


def readable(row: dict) -> bool:
    """Return True if this system's preferences can be read."""
    return not low_confidence_reason(row)
