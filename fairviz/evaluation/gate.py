"""A gate for continuous integration: whether a candidate surely differs from a baseline by more than a limit, and which
queries and documents moved most."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.asking import wants_collection
from fairviz.evaluation.choices import align
from fairviz.evaluation.comparing import comparison
from fairviz.evaluation.conditions import Condition
from fairviz.evaluation.moved import moved_documents, moved_queries
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.statistics.bootstrap import RESAMPLES
from fairviz.study.study import Study

BEYOND, POSSIBLE, WITHIN, UNDECIDED = "beyond", "possibly beyond", "within", "undecided"
COLUMNS = (
    "condition", "measure", "baseline_value", "value", "difference", "ci_low", "ci_high", "queries", "state", "moved",
)  # fmt: skip
MOST = 5
MOST_NAMED = 10


@dataclass(frozen=True)
class Gate:
    """The answer of a gate. table: COLUMNS, a row a condition; state is beyond (the whole interval lies beyond the
    limit), possibly beyond (the difference does, and its interval reaches back), within, or undecided (fewer than two
    queries in common). queries and documents: what moved most, as `fairviz.evaluation.moved` says. alone: the queries
    that only one of the two answers, by system."""

    baseline: str
    candidate: str
    conditions: tuple[Condition, ...]
    level: float
    table: pd.DataFrame
    queries: pd.DataFrame
    documents: pd.DataFrame
    alone: dict[str, tuple[str, ...]]

    @property
    def state(self) -> str:
        """beyond where any condition is, else undecided where any is, else within: possibly is not surely."""
        states = set(self.table["state"])
        return next((state for state in (BEYOND, UNDECIDED) if state in states), WITHIN)


def gate(
    study: Study,
    baseline: str,
    candidate: str,
    conditions: Sequence[Condition],
    settings: Settings,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    most: int = MOST,
) -> Gate:
    """Whether the candidate differs from the baseline beyond the limits, on the queries that both answer.

    baseline and candidate: systems of the study. level: of the percentile bootstrap interval of the paired difference;
    each condition has an interval of its own, without a correction for their number. most: how many queries, and
    documents of each, are named. Raises UsageError for systems that are none, or one and the same, FairvizError where
    the study lacks what a measure needs.
    """
    if not conditions:
        raise UsageError("the gate has no condition", "Give one: 'CWEx < -0.02'.")
    _check(study, baseline, candidate)
    settings = settings.changed(systems=(baseline, candidate))
    questions = [condition.question for condition in conditions]
    places = align(study, settings, collection=wants_collection(questions, settings))
    scores = evaluate(study, list(dict.fromkeys(one.text for one in questions)), settings, places=places)
    found = comparison(scores, baseline, level=level, resamples=resamples, seed=seed).table
    by_measure = {str(row["measure"]): row for row in found.to_dict("records")}
    queries = moved_queries(study, scores, (baseline, candidate), conditions, most)
    documents = moved_documents(study, places, settings, (baseline, candidate), queries, most)
    rows = [_row(condition, by_measure[condition.question.text]) for condition in conditions]
    table = pd.DataFrame(rows).assign(moved=[_moved(queries, documents, each.text) for each in conditions])
    return Gate(
        baseline, candidate, tuple(conditions), level, table[list(COLUMNS)], queries, documents,
        _alone(study, baseline, candidate),
    )  # fmt: skip


def require_same_queries(found: Gate) -> None:
    """Raises FairvizError where one of the two answers queries that the other does not, or a measure has no value for
    a query in one of them."""
    for system, queries in found.alone.items():
        if queries:
            other = found.candidate if system == found.baseline else found.baseline
            raise FairvizError(
                f"{other} does not answer {_counted(queries)} that {system} answers: {_named(queries)}",
                "Rank them too, or leave out --all-queries to compare on the queries that both answer.",
            )


def alone_notes(found: Gate) -> list[str]:
    """A sentence for each system that answers queries alone."""
    return [
        f"{system} alone answers {_counted(queries)}: {_named(queries)}. Measures of effectiveness are 0 there for the "
        "other; all others are compared without them."
        for system, queries in found.alone.items()
        if queries
    ]


def _counted(queries: Sequence[str]) -> str:
    return f"{len(queries):,} quer{'y' if len(queries) == 1 else 'ies'}"


def _named(queries: Sequence[str]) -> str:
    hidden = len(queries) - MOST_NAMED
    return ", ".join(queries[:MOST_NAMED]) + (f" and {hidden:,} more" if hidden > 0 else "")


def _check(study: Study, baseline: str, candidate: str) -> None:
    for role, name in (("baseline", baseline), ("candidate", candidate)):
        if name not in study.systems:
            raise UsageError(
                f"there is no system {name!r} for the {role}", f"Use one of {', '.join(study.systems) or 'none'}."
            )
    if baseline == candidate:
        raise UsageError(f"baseline and candidate are both {baseline!r}", "Name two systems, or two run files.")


def _row(condition: Condition, row: dict) -> dict:
    """One condition's row of the table, without what moved."""
    kept = {name: row[name] for name in ("baseline_value", "value", "difference", "ci_low", "ci_high", "queries")}
    # beyond as a whole: the end of the interval that lies nearer to the other side is beyond the limit too
    last = kept["ci_high"] if condition.below else kept["ci_low"]
    if np.isnan(last):
        state = UNDECIDED
    elif condition.beyond(last):
        state = BEYOND
    else:
        state = POSSIBLE if condition.beyond(kept["difference"]) else WITHIN
    return {"condition": condition.text, "measure": condition.question.text} | kept | {"state": state}


def _moved(queries: pd.DataFrame, documents: pd.DataFrame, condition: str) -> str:
    """`q7 (d3, d12); q2 (d4)`: the queries that moved most in the condition's direction, and their documents."""
    told = []
    for query in queries.loc[queries["condition"] == condition, "query_id"]:
        of_query = (documents["condition"] == condition) & (documents["query_id"] == query)
        listed = ", ".join(documents.loc[of_query, "doc_id"])
        told.append(f"{query} ({listed})" if listed else query)
    return "; ".join(told)


def _alone(study: Study, baseline: str, candidate: str) -> dict[str, tuple[str, ...]]:
    answered = {
        name: list(dict.fromkeys(study.runs.loc[study.runs["system"] == name, "query_id"].astype("str")))
        for name in (baseline, candidate)
    }
    others = {baseline: set(answered[candidate]), candidate: set(answered[baseline])}
    return {name: tuple(query for query in queries if query not in others[name]) for name, queries in answered.items()}
