"""Effectiveness measures, computed by ir_measures on rankings in our order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairviz.errors import UsageError
from fairviz.rankings import Rankings

_LOWEST = {"rel": 1, "min_rel": 0, "max_rel": 1}
_SHARES = ("p", "recall", "alpha")


@dataclass(frozen=True)
class Effectiveness:
    """An ir_measures measure, and whether it took the cutoff."""

    measure: Any
    cutoff_used: bool


def effectiveness_measure(name: str, given: Mapping[str, Any], cutoff: int | None) -> Effectiveness | None:
    """The measure of ir_measures by this name, parameters and cutoff; None where it knows no such name.

    Raises UsageError for parameters it does not take or values it (or the C code behind it) cannot bear.
    """
    from ir_measures import DefaultPipeline
    from ir_measures.measures import registry

    if name not in registry:
        return None
    base = registry[name]
    takes = base.SUPPORTED_PARAMS
    for key, value in given.items():
        if key == "cutoff" or key not in takes:
            others = ", ".join(sorted(set(takes) - {"cutoff"})) or "none"
            raise UsageError(f"{name} has no parameter {key!r}", f"It takes {others}, and a cutoff as in {name}@10.")
        _check(name, key, value)
    cutoff_used = cutoff is not None and "cutoff" in takes
    parameters = {**given, "cutoff": cutoff} if cutoff_used else dict(given)
    missing = [key for key, about in takes.items() if about.required and key not in parameters]
    if missing:
        if missing == ["cutoff"]:
            raise UsageError(f"{name} has no cutoff", f"Write {name}@10, or give one for all.")
        raise UsageError(f"{name} needs the parameter {missing[0]!r}", f"Write {name}({missing[0]}=…)@10.")
    try:
        measure = base(**parameters)
        measure.validate_params()
        supported = DefaultPipeline.supports(measure)
    except (AssertionError, KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{name} does not take these parameters: {dict(given)!r}") from error
    if not supported:
        raise UsageError(f"{measure} needs software that is not installed here", "Use nDCG, RR, AP, P, R or Success.")
    return Effectiveness(measure, cutoff_used)


def _check(name: str, key: str, value: Any) -> None:
    if key in _LOWEST and (not isinstance(value, int) or isinstance(value, bool) or value < _LOWEST[key]):
        raise UsageError(f"{key} of {name} is {value!r}", f"Use a whole number of {_LOWEST[key]} or more.")
    if key in _SHARES and not (isinstance(value, (int, float)) and 0 <= value <= 1):
        raise UsageError(f"{key} of {name} is {value!r}", "Use a number from 0 to 1.")


def effectiveness(
    rankings: Rankings, judged: Mapping[str, Mapping[str, int]], measures: Sequence[Effectiveness]
) -> np.ndarray:
    """Each measure of each ranking: (measures, S, Q).

    Scores are replaced by (number of documents - our rank), so that ties break as everywhere else. A query without
    judgements is NaN; a judged query that a system lacks is 0. Only the ranks within the largest cutoff are passed,
    unless a measure has none.
    """
    from ir_measures import DefaultPipeline

    values = np.full((len(measures), *rankings.lengths.shape), np.nan)
    place = {query: q for q, query in enumerate(rankings.queries)}
    here = {query: dict(judged[query]) for query in rankings.queries if query in judged}
    if not here:
        return values
    values[:, :, [place[query] for query in here]] = 0
    position = {entry.measure: m for m, entry in enumerate(measures)}
    evaluator = DefaultPipeline.evaluator(list(position), here)
    depth = max(entry.measure["cutoff"] if entry.cutoff_used else rankings.depth for entry in measures)
    names = rankings.doc_ids.to_numpy(dtype=object)
    for s in range(len(rankings.systems)):
        run = {query: _scored(rankings, names, s, place[query], depth) for query in here}
        run = {query: scored for query, scored in run.items() if scored}
        for result in evaluator.iter_calc(run) if run else ():
            if result.query_id in place:
                values[position[result.measure], s, place[result.query_id]] = result.value
    return values


def _scored(rankings: Rankings, names: np.ndarray, system: int, query: int, depth: int) -> dict[str, float]:
    documents = rankings.documents[:depth, system, query]
    length = min(int(rankings.lengths[system, query]), depth)
    scores = range(rankings.depth - 1, rankings.depth - 1 - length, -1)
    return dict(zip(names[documents[:length]], map(float, scores), strict=True))
