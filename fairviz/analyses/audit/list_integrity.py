"""Integrity of a ranker's lists: outcomes of its answers, and the influence of position on them."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.analyses.audit.list_orders import Ordered
from fairviz.analyses.audit.shares import estimate
from fairviz.rankers.listwise import EXACT, REPAIRED, UNREAD, Window

Array = np.ndarray
HALF = 0.5  # share of answers without an order, or τ, from which a list depends mostly on its first order
ARM = ("system", "attribute", "window", "step")
ANSWERS = (*ARM, "query_id", "number", "start", "outcome", "named", "missing", "double", "invented", "around",
           "identity", "shown", "order", "text")  # fmt: skip


def arm_columns(ordering: Ordered) -> dict:
    """Return the columns that identify the arm of a row."""
    return {name: getattr(ordering.arm, name) for name in ARM}


def answers_table(orderings: Sequence[Ordered]) -> pd.DataFrame:
    """Return a row for each window sent to a language model: its documents, the answer, and the parsed order."""
    rows = [
        arm_columns(one)
        | {"query_id": window.query_id, "number": window.number, "start": window.start}
        | {name: getattr(window.answer, name) for name in ANSWERS[7:14]}
        | {"shown": window.shown, "order": window.answer.order, "text": window.answer.text}
        for one in orderings
        if one.answers is not None
        for window in one.answers.windows
    ]
    return pd.DataFrame(rows, columns=list(ANSWERS))


def integrity(orderings: Sequence[Ordered]) -> pd.DataFrame:
    """Return a row for each arm.

    Of a language model: answers, and how many were `exact`, `repaired` or, by reason, name no order; documents `shown`
    before the answers that do, and `missing`, `double` and `invented` in them; `around`, words around a list;
    `identity`, the order that was shown; `first_kept`, the share of first windows whose first passage is named first,
    and `chance` of that. Of any ranker: the shares of documents `unranked` and `tied`, and `position_bias`, Kendall's τ
    between the order that was shown and the order that came of it, with an interval over queries: 0 where the one plays
    no part in the other.
    """
    return pd.DataFrame([arm_columns(one) | _counts(one) | _shares(one) | _position_bias(one) for one in orderings])


def _counts(ordering: Ordered) -> dict:
    windows = ordering.answers.windows if ordering.answers is not None else ()
    answers = [window.answer for window in windows]
    counts: dict = {"answers": len(answers)}
    counts |= {name: sum(answer.outcome == name for answer in answers) for name in (EXACT, REPAIRED, *UNREAD)}
    counts["unread"] = sum(not answer.read for answer in answers)
    counts["shown"] = sum(len(window.shown) for window in windows if window.answer.read)
    counts |= {name: sum(getattr(answer, name) for answer in answers) for name in ("missing", "double", "invented")}
    counts |= {name: sum(getattr(answer, name) for answer in answers) for name in ("around", "identity")}
    first = [window for window in windows if window.number == 1 and window.answer.read]
    is_first_kept = [window.answer.order[0] == 0 for window in first]
    chance = [1 / len(window.shown) for window in first]
    return counts | {"first_kept": _mean(is_first_kept), "chance": _mean(chance)}


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else float("nan")


def _shares(ordering: Ordered) -> dict:
    return {name: float(ordering.ranks[name].mean()) for name in ("unranked", "tied")}


def _position_bias(ordering: Ordered) -> dict:
    """Kendall's τ of each list, averaged over queries. Of a language model in the first window of each list alone,
    which it is shown in an order drawn by lot, and over the passages that it names."""
    if ordering.answers is not None:
        values = [_tau_of(window) for window in ordering.answers.windows if window.number == 1]
    else:
        values = [_tau_of_list(rows) for _, rows in ordering.ranks.groupby("query_id", sort=False)]
    return estimate(np.array(values, dtype=np.float64)).named("position_bias")


def _tau_of(window: Window) -> float:
    answer = window.answer
    return kendall(np.arange(answer.named), np.array(answer.order[: answer.named])) if answer.read else float("nan")


def _tau_of_list(rows: pd.DataFrame) -> float:
    """Return Kendall's tau over the documents with ranks of their own; tied ones keep their order by our choice."""
    placed = rows[~rows["unranked"] & ~rows["tied"]]
    return kendall(placed["after"].to_numpy(), placed["before"].to_numpy())


def kendall(first: Array, second: Array) -> float:
    """Kendall's τ of two orders (N,) without ties: (pairs in the same order - pairs turned round) / pairs; NaN for
    fewer than two.

    >>> round(kendall(np.array([1, 2, 3]), np.array([1, 3, 2])), 4)
    0.3333
    """
    if len(first) < 2:
        return float("nan")
    rows, columns = np.triu_indices(len(first), 1)
    return float((np.sign(first[rows] - first[columns]) * np.sign(second[rows] - second[columns])).mean())


def integrity_sentences(table: pd.DataFrame) -> tuple[str, ...]:
    """Return a sentence on each ranker's integrity under neutral queries and, where it is worse, under others as
    well."""
    return tuple(filter(None, (_sentence(row) for row in table.to_dict("records"))))


def _sentence(row: dict) -> str:
    name = f"{row['system']}, {row['attribute']} queries"
    if not row["answers"]:
        return f"{name}: {unplaced(row)}" if unplaced(row) else ""
    text = (
        f"{name}, window {row['window']}, step {row['step']}: {row['answers']:,} answers. {row[EXACT]:,} are complete "
        f"orders, {row[REPAIRED]:,} were repaired, {row['unread']:,} name no order. {row['identity']:,} repeat the "
        f"order shown; {row['missing']:,} documents were left out.{_bias_text(row)}"
    )
    return f"{text} {low_confidence_reason(row)}".rstrip()


def _bias_text(row: dict) -> str:
    if np.isnan(row["position_bias"]):
        return ""
    span = f" [{row['position_bias_low']:.2f}, {row['position_bias_high']:.2f}]"
    span = "" if np.isnan(row["position_bias_low"]) else span
    return f" Kendall's τ between the order shown and the order named is {row['position_bias']:.2f}{span}."


def unplaced(row: dict) -> str:
    """Return the number of documents to which a ranker with scores gives no rank of their own; empty below half of
    them."""
    if row["answers"] or row["unranked"] + row["tied"] < HALF:
        return ""
    places = f"{row['unranked']:.0%} of the documents get no place and {row['tied']:.0%} share one"
    return f"{places}: these are in random order."


def low_confidence_reason(row: dict) -> str:
    """Return the reason for which a row's lists show no preference; empty for none."""
    if row["unread"] and row["unread"] >= HALF * row["answers"]:
        return "At least half of the answers name no order: lists reflect the shuffle, not gender."
    if row["answers"] and abs(row["position_bias"]) >= HALF:  # below 0 where it turns the lists round
        return "Its order depends on position more than on text: do not read a preference into its lists."
    if row["missing"] and row["missing"] >= HALF * row["shown"]:
        return "At least half of the documents are not named: do not read a preference into the lists."
    return ""
