"""A gate for continuous integration: whether a candidate surely differs from a baseline by more than a limit, and which
queries and documents moved most."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from fairviz.comparison.compare import Comparison, compared_as
from fairviz.comparison.conditions import (
    DOCUMENT_COLUMNS,
    QUERY_COLUMNS,
    Condition,
    Pair,
    Quantity,
    attention,
    has_one_list_each,
    ranks_of,
    snippet,
)
from fairviz.comparison.family import How, clusters_of
from fairviz.comparison.pairs import AHEAD, ERRORS, NEEDED, UNTESTED, Row
from fairviz.comparison.pareto_front import with_fronts
from fairviz.comparison.points import Points, points_of
from fairviz.correction.corrected import scores_under
from fairviz.declared import COMPARE, GATE
from fairviz.errors import FairvizError, UsageError, use_one_of
from fairviz.evaluation.choices import align
from fairviz.evaluation.gsr import split_parts
from fairviz.evaluation.questions import wants_collection
from fairviz.evaluation.scores import bias_of, evaluate
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.front_distance import is_front
from fairviz.measures.sums import AlignedRankings
from fairviz.normal_form import normal_form
from fairviz.parameters import check_parameters
from fairviz.statistics.orders import largest_first
from fairviz.statistics.references import DRAWS
from fairviz.statistics.simultaneous import queries_needed
from fairviz.study.record import Study
from fairviz.study.tables import expanded
from fairviz.words.sentences import counted, first_listed, out_of

BEYOND, POSSIBLE, WITHIN, UNDECIDED = "beyond", "possibly beyond", "within", "undecided"
SHOWN, NOT_SHOWN = "shown", "not shown"  # of a claim, which is beyond its margin or not
COLUMNS = (
    "condition", "of", "measure", "baseline_value", "value", "difference", "ci_low", "ci_high", "p", "queries",
    "needed", "needed_low", "needed_high", "warning", "state", "moved",
)  # fmt: skip
MOST_NAMED = 10
OPEN = (-np.inf, np.inf)  # an interval that reaches everywhere
ALLOWED = 0.05  # share of the queries that may be undefined in the candidate alone


@dataclass(frozen=True)
class Gate:
    """The result of a gate.

    table: COLUMNS, a row for each condition; its interval is that of the difference, or of the value. p: of a
    difference of measures, as of a comparison of the two systems alone; NaN of other numbers. state: beyond
    (the whole interval is beyond the limit), possibly beyond (the number is, and its interval reaches back), within, or
    undecided (too few queries in common for a verdict); of a claim shown or not shown. needed, with needed_low and
    needed_high: where the limit is within the interval, the queries that would put it outside, if the number and its
    spread stay (95 %; infinite where no number may be enough); NaN elsewhere, and of claims. queries and documents:
    what moved most, as `fairviz.comparison.gate` describes. alone: the queries that only one of the two answers, by
    system. lost: by measure, the queries for which it is undefined in the candidate alone. total: the number of
    queries. front_notes: a sentence for each achievable front, and on clusters.
    """

    baseline: str
    candidate: str
    conditions: tuple[Condition, ...]
    level: float
    table: pd.DataFrame
    queries: pd.DataFrame
    documents: pd.DataFrame
    alone: dict[str, tuple[str, ...]]
    lost: dict[str, tuple[str, ...]]
    total: int
    front_notes: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """beyond where any condition is, or a claim is not shown; else undecided where any is, else within: possibly is
        not surely."""
        states = set(self.table["state"])
        if states & {BEYOND, NOT_SHOWN}:
            return BEYOND
        return UNDECIDED if UNDECIDED in states else WITHIN


def gate_background(study: Study, baseline: str, background: str = "") -> str:
    """Return the background of NFaiRR that does not change with the candidate: what was named, else the collection
    where the study has text, else what the baseline retrieves."""
    if background:
        return background
    return "collection" if study.has("documents") else f"run:{baseline}"


def gate(
    study: Study,
    baseline: str,
    candidate: str,
    conditions: Sequence[Condition],
    settings: Settings,
    *,
    level: float = GATE["level"].default,
    draws: int = DRAWS,
    seed: int = 0,
    most: int = GATE["most"].default,
    tested: Row | None = None,
) -> Gate:
    """Return whether the candidate differs from the baseline beyond the limits, on the queries that both answer.

    baseline and candidate: systems of the study. level: of the intervals of the paired difference (those of `compare`
    for the two systems, without a correction for the number of conditions) and of the candidate's value. most: how many
    queries, and documents of each, are named. tested: the candidate against the baseline in the one measure,
    where they were tested in a larger family. Raises UsageError for systems that are not there, or one and the same,
    FairvizError where the study lacks what a measure needs.
    """
    if not conditions:
        raise UsageError("the gate has no condition", "Give one: 'CWEx falls by 0.02'.")
    baseline, candidate = normal_form(baseline), normal_form(candidate)
    _check_pair(study, baseline, candidate)
    check_parameters({"level": level, "seed": seed}, COMPARE, "level", "seed")
    check_parameters({"draws": draws, "most": most}, GATE, "draws", "most")
    pair = (baseline, candidate)
    settings = settings.changed(systems=pair)
    of_measures = [each for each in conditions if isinstance(each.question, Question)]
    parts = [
        _of_quantity(study, settings, pair, each, each.question, level=level, most=most)
        for each in conditions
        if isinstance(each.question, Quantity)
    ]
    if of_measures:
        tests = {"level": level, "draws": draws, "seed": seed}
        parts.append(_of_measures(study, settings, pair, of_measures, tests, most, tested))
    queries, documents = _joined([part.queries for part in parts]), _joined([part.documents for part in parts])
    rows = {row["condition"]: row for part in parts for row in part.rows}
    table = pd.DataFrame([rows[each.text] for each in conditions])
    table = table.assign(moved=[_moved_text(queries, documents, each.text) for each in conditions])
    return Gate(
        baseline=baseline,
        candidate=candidate,
        conditions=tuple(conditions),
        level=level,
        table=table[list(COLUMNS)],
        queries=queries,
        documents=documents,
        alone=_alone(study, baseline, candidate),
        lost=parts[-1].lost,
        total=parts[-1].total,
        front_notes=tuple(note for part in parts for note in part.front_notes),
    )


def _check_pair(study: Study, baseline: str, candidate: str) -> None:
    """Raise UsageError for systems that are not there, or one and the same."""
    for role, name in (("baseline", baseline), ("candidate", candidate)):
        if name not in study.systems:
            raise UsageError(
                f"there is no system {name!r} for the {role}", use_one_of(study.systems or ("none",), name)
            )
    if baseline == candidate:
        raise UsageError(f"baseline and candidate are both {baseline!r}", "Name two systems, or two run files.")


class _Part(NamedTuple):
    """The rows of some conditions, with what moved most; lost, total and front_notes: see `Gate`."""

    rows: list[dict]
    queries: pd.DataFrame
    documents: pd.DataFrame
    lost: dict[str, tuple[str, ...]]
    total: int
    front_notes: tuple[str, ...] = ()


def _of_measures(
    study: Study,
    settings: Settings,
    pair: Pair,
    conditions: Sequence[Condition],
    tests: Mapping[str, Any],
    most: int,
    tested: Row | None,
) -> _Part:
    """Return the part of the conditions on measures. tests: level, draws and seed. tested: see `gate`."""
    questions = [condition.question for condition in conditions if isinstance(condition.question, Question)]
    rankings = align(study, settings, collection=wants_collection(questions, settings))
    fronts = list(dict.fromkeys(one.text for one in questions if is_front(one.text)))
    texts = [text for text in dict.fromkeys(one.text for one in questions) if text not in fronts]
    by_query, front_notes = with_fronts(study, settings, evaluate(study, texts, settings, rankings=rankings), fronts)
    level = tests["level"]
    scores = scores_under(study, texts, settings, level=level) if settings.corrected_by else by_query
    if missing := [name for name in pair if name not in set(scores["system"])]:
        raise FairvizError(f"the sample of people's labels was not drawn for {missing[0]}",
                           "Draw one for both: fairviz study-form STUDY --design queries --for A,B")  # fmt: skip
    clusters = clusters_of(study, settings.cluster)
    compared = compared_as(scores, How(ticked=pair, clusters=clusters, needed=True, **tests), pair[0])
    points = {text: points_of(part) for text, part in split_parts(scores)}
    queries = moved_queries(study, by_query, pair, conditions, most)
    documents = moved_documents(study, rankings, settings, pair, queries, most)
    rows = [_row(each, compared, points[each.question.text], tested) for each in conditions]
    if clusters is not None:
        names = list(dict.fromkeys(query for held in points.values() for query in held.queries))
        front_notes = [*front_notes, f"{clusters.text(names)}: intervals and p draw the queries of one together."]
    lost = {text: _lost(points_of(part), pair) for text, part in split_parts(by_query)}
    return _Part(rows, queries, documents, lost, scores["query_id"].nunique(), tuple(front_notes))


def _lost(points: Points, pair: Pair) -> tuple[str, ...]:
    """Return the queries that have a value in the baseline and not in the candidate."""
    before, after = (np.isnan(points.values[points.systems.index(name)]) for name in pair)
    return tuple(query for query, is_gone in zip(points.queries, after & ~before, strict=True) if is_gone)


def _of_quantity(
    study: Study, settings: Settings, pair: Pair, condition: Condition, quantity: Quantity, *, level: float, most: int
) -> _Part:
    """Return the part of a condition on a quantity other than a measure."""
    if settings.corrected_by:
        raise UsageError(
            f"the condition {condition.text!r} cannot be corrected by labels of a sample", "Leave out --corrected-by."
        )
    values = quantity.kind.contrast(study, settings, pair, quantity.argument, level)
    numbers = {name: getattr(values, name) for name in ("baseline_value", "value", "difference", "queries", "warning")}
    number, ends = (
        (values.value, values.value_interval)
        if condition.of == "value"
        else (values.difference, values.difference_interval)
    )
    state = _state(condition, number, ends) if values.is_enough else UNDECIDED
    movers = quantity.kind.movers(study, settings, pair, quantity.argument, condition.below, most)
    queries, documents = (table.assign(condition=condition.text) for table in movers)
    row = _cells(condition, numbers, np.nan, ends, state)
    singly = (f"{condition.text!r} takes each query by itself, not in clusters.",) if settings.cluster else ()
    return _Part([row], queries[list(QUERY_COLUMNS)], documents[list(DOCUMENT_COLUMNS)], {}, 0, singly)


def _joined(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of all tables; the first table if none has any."""
    return pd.concat([table for table in tables if len(table)] or tables[:1], ignore_index=True)


def _moved_text(queries: pd.DataFrame, documents: pd.DataFrame, condition: str) -> str:
    """`q7 (d3, d12); q2 (d4)`: the queries that moved most in the condition's direction, and their documents."""
    texts = []
    for query in queries.loc[queries["condition"] == condition, "query_id"]:
        of_query = (documents["condition"] == condition) & (documents["query_id"] == query)
        names = ", ".join(documents.loc[of_query, "doc_id"])
        texts.append(f"{query} ({names})" if names else query)
    return "; ".join(texts)


def _alone(study: Study, baseline: str, candidate: str) -> dict[str, tuple[str, ...]]:
    """Return by system the queries that only this one of the two answers."""
    answered = {}
    for name in (baseline, candidate):
        is_own = study.runs["system"].isin(expanded([name], study.run_names))
        answered[name] = list(dict.fromkeys(study.runs.loc[is_own, "query_id"].astype("str")))
    others = {baseline: set(answered[candidate]), candidate: set(answered[baseline])}
    return {name: tuple(query for query in queries if query not in others[name]) for name, queries in answered.items()}


def require_defined(gate: Gate, allowed: float = ALLOWED) -> None:
    """Raise FairvizError where a measure is undefined in the candidate alone for more than this share of the queries:
    its value would leave them out."""
    for measure, queries in gate.lost.items():
        if len(queries) > allowed * gate.total:
            raise FairvizError(
                f"{measure} is undefined for {out_of(len(queries), gate.total, 'query')} in {gate.candidate} "
                f"alone: {_named(queries)}",
                f"Look at these lists: no verdict leaves out more than {100 * allowed:g} % of the queries. "
                "--undefined allows more.",
            )


def lost_notes(gate: Gate) -> list[str]:
    """Return a sentence for each measure that is undefined for some queries in the candidate alone."""
    return [
        f"{measure} is undefined for {out_of(len(queries), gate.total, 'query')} in {gate.candidate} alone, "
        f"which are left out: {_named(queries)}."
        for measure, queries in gate.lost.items()
        if queries
    ]


def require_same_queries(gate: Gate) -> None:
    """Raises FairvizError where one of the two answers queries that the other does not, or a measure has no value for
    a query in one of them."""
    for system, queries in gate.alone.items():
        if queries:
            other = gate.candidate if system == gate.baseline else gate.baseline
            raise FairvizError(
                f"{other} does not answer {counted(len(queries), 'query')} that {system} answers: {_named(queries)}",
                "Rank them too, or leave out --all-queries to compare on the queries that both answer.",
            )


def alone_notes(gate: Gate) -> list[str]:
    """A sentence for each system that answers queries alone."""
    return [
        f"{system} alone answers {counted(len(queries), 'query')}: {_named(queries)}. Measures of effectiveness are 0 "
        "there for the other; all others are compared without them."
        for system, queries in gate.alone.items()
        if queries
    ]


def _row(condition: Condition, compared: Comparison, points: Points, tested: Row | None) -> dict:
    """Return one condition's row of the table, without what moved."""
    text, how = condition.question.text, compared.how
    row, (pairs,) = tested or compared.rows[text][0], [one for one in compared.pairs if one.text == text]
    numbers = {name: getattr(row, name) for name in ("baseline_value", "value", "difference", "queries", "warning")}
    low, high, number = row.ci_low, row.ci_high, row.difference
    if condition.of == "value":
        codes = None if how.clusters is None else how.clusters.codes(points.queries)
        number, (low, high) = row.value_all, points.interval(row.system, how.level, codes)
        numbers |= {"value": row.value_all, "baseline_value": row.baseline_value_all}
    if condition.of == "value":
        found = points.against_zero(row.system, codes)
        error, freedom, units, queries = (
            float(one[0]) for one in (found.error, found.freedom, found.units, found.queries)
        )
        level = how.alpha
    else:
        at = tuple(pairs.points.systems.index(name) for name in (row.system, row.baseline))
        error, freedom, units, level = (float(pairs.columns[name][at]) for name in ERRORS)
        queries = float(row.queries)
    if low < condition.limit < high and row.verdict != UNTESTED and not condition.is_claim:
        needed = queries_needed(number - condition.limit, error, freedom, units, queries, level)
        numbers |= dict(zip(NEEDED, needed, strict=False))
    is_open = condition.of == "difference" and np.isnan(low)  # all differences equal, and no small p from few queries
    if row.verdict == UNTESTED:
        state = UNDECIDED
    elif condition.is_claim:
        state = SHOWN if is_shown(condition, row) else NOT_SHOWN
    else:
        state = _state(condition, number, OPEN if is_open else (low, high))
    p = row.p_corrected if condition.of == "difference" else np.nan
    return _cells(condition, numbers, p, (low, high), state)


def is_shown(condition: Condition, row: Row) -> bool:
    """Return whether a claim is shown: the candidate is significantly fairer, with a margin by its whole interval."""
    end = row.ci_high if condition.below else row.ci_low
    return row.verdict == AHEAD and (not condition.limit or condition.is_exceeded_by(end))


def together(gates: Sequence[Gate]) -> Gate:
    """Return the gates of one candidate against several baselines, of different conditions, as one."""
    first = gates[0]
    return replace(
        first,
        baseline=", ".join(each.baseline for each in gates),
        conditions=tuple(condition for each in gates for condition in each.conditions),
        table=pd.concat([each.table for each in gates], ignore_index=True),
        queries=_joined([each.queries for each in gates]),
        documents=_joined([each.documents for each in gates]),
        alone={name: queries for each in gates for name, queries in each.alone.items()},
        lost={
            text: tuple(dict.fromkeys(query for each in gates for query in each.lost.get(text, ())))
            for text in first.lost
        },
        front_notes=tuple(note for each in gates for note in each.front_notes),
    )


def _cells(condition: Condition, numbers: dict, p: float, ends: tuple[float, float], state: str) -> dict:
    names = {"condition": condition.text, "of": condition.of, "measure": condition.question.text}
    numbers = dict.fromkeys(NEEDED[:3], np.nan) | numbers
    return names | numbers | {"p": p, "ci_low": ends[0], "ci_high": ends[1], "state": state}


def _state(condition: Condition, number: float, ends: tuple[float, float]) -> str:
    """Return the state of a number with its interval: beyond as a whole if the end of the interval that is nearer to
    the other side is beyond the limit too."""
    last = ends[1] if condition.below else ends[0]
    if np.isnan(last):
        return UNDECIDED
    if condition.is_exceeded_by(last):
        return BEYOND
    return POSSIBLE if condition.is_exceeded_by(number) else WITHIN


def _named(queries: Sequence[str]) -> str:
    return first_listed(queries, MOST_NAMED)


def moved_queries(
    study: Study, scores: pd.DataFrame, pair: tuple[str, str], conditions: Sequence[Condition], most: int
) -> pd.DataFrame:
    """For each condition the queries that move the difference most in its direction: QUERY_COLUMNS.

    pair: baseline and candidate. difference: of this query; share: what it adds to the difference of the two systems,
    all shares summing to it. For GSR the values are those of the lists. Queries that move the other way and conditions
    on other quantities than measures are left out.
    """
    parts = dict(split_parts(scores))
    texts = study.queries.set_index("query_id")["text"]
    rows = []
    for condition in conditions:
        if not isinstance(condition.question, Question):
            continue
        points = points_of(parts[condition.question.text])
        if not set(pair) <= set(points.systems):
            continue
        apart = points.apart(condition.question, pair[1], pair[0])
        shares = points.shares(apart)
        before, after = (points.values[points.systems.index(name)] for name in pair)
        towards = np.where(np.isnan(shares), 0.0, -shares if condition.below else shares)
        for place in largest_first(towards)[:most]:
            if towards[place] > 0:
                query = points.queries[place]
                names = (condition.text, query, str(texts.get(query, "")), condition.question.cutoff)
                rows.append((*names, before[place], after[place], apart[place], shares[place]))
    return pd.DataFrame(rows, columns=list(QUERY_COLUMNS)).astype({"cutoff": "Int64"})


def moved_documents(
    study: Study, rankings: AlignedRankings, settings: Settings, pair: tuple[str, str], queries: pd.DataFrame, most: int
) -> pd.DataFrame:
    """For each query of `moved_queries` the documents whose attention changed most within the cutoff: DOCUMENT_COLUMNS.

    rank_before and rank_after: in the lists of baseline and candidate, missing where a list lacks the document.
    attention: position bias after less before, 0 beyond the cutoff. label: whose counts, empty where there is none. No
    rows for a stochastic system, which has no one list.
    """
    bias, lists = bias_of(rankings, settings, settings.cutoff), rankings.lists
    bodies = study.documents.set_index("doc_id")["text"]
    names = ("", rankings.neutral, *rankings.groups)
    rows = []
    for row in queries.to_dict("records") if has_one_list_each(lists, pair) else ():
        condition, query = str(row["condition"]), str(row["query_id"])
        cutoff = settings.cutoff if pd.isna(row["cutoff"]) else int(row["cutoff"])
        weights = bias.weights(min(cutoff, bias.curves.shape[1]))
        before, after = (ranks_of(lists, name, query) for name in pair)
        change = {code: attention(weights, after.get(code)) - attention(weights, before.get(code))
                  for code in dict.fromkeys([*before, *after])}  # fmt: skip
        for code in sorted(change, key=lambda code: -abs(change[code]))[:most]:
            if change[code]:
                name = str(lists.doc_ids[code])
                text = bodies.get(name)
                cells = (condition, query, name, before.get(code), after.get(code), change[code])
                rows.append((*cells, names[int(rankings.labels.largest[code]) + 1], snippet(text)))
    return pd.DataFrame(rows, columns=list(DOCUMENT_COLUMNS)).astype({"rank_before": "Int64", "rank_after": "Int64"})
