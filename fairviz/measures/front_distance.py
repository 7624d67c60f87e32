"""DPFR: the distance of a system from the achievable front of effectiveness and fairness.

It is a distance of means over queries and has no value for one ranking: `fairviz.comparison.pareto_front` computes it.
"""

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np

from fairviz.errors import UsageError
from fairviz.measures.grammar import Question
from fairviz.measures.record import Measure

NAME = "DPFR"
EFFECTIVENESS, FAIRNESS, WEIGHT, CANDIDATES = "nDCG", "CWEx", 0.5, "study"
FORM = f"Write {NAME} or {NAME}(nDCG,CWEx,weight=0.5,candidates='study')."
INSTEAD = "Use `fairviz compare`, `gate` or `bench`, or fairviz.front_distances in Python."
ORDERING = "Use CWEx, NFaiRR, TExFAIR, AWRF or AbsExposureGap."
_TEXT = re.compile(rf"\s*{NAME}\s*(?:\((?P<inside>.*)\))?\s*", re.DOTALL | re.IGNORECASE)
_COMMA = re.compile(r",(?![^()]*\))")  # none within brackets


def _no_compute(*_: object) -> np.ndarray:
    raise ValueError(f"{NAME} is computed from two measures, not from rankings")


DPFR = Measure(
    name=NAME,
    summary="distance of a system's effectiveness and fairness from the achievable front",
    compute=_no_compute,
    parameters=(),
    needs=(),
    direction="lower",
    bounds=(0.0, sqrt(2)),
    formula=r"\lVert(\bar e,\bar f)-P_w\rVert_2",
    paper="Rampisela, Ruotsalo, Maistro, Lioma: Joint Evaluation of Fairness and Relevance in Recommender Systems with "
    "Pareto Frontier. WWW 2025. doi:10.1145/3696410.3714589",
    equation="its definition of DPFR, as its public code computes it",
    decided="The front is of means over queries, from the candidates of each query. The reference point is at the "
    "share w of the front's length, interpolated; the public code takes the nearest computed point.",
    example="Front from (1, 0) to (0.4, 0.8), w = 0.5: P = (0.7, 0.4). A system at (0.7, 0.1) has 0.3.",
)


def is_front(text: str) -> bool:
    """Return whether the text is a distance from the achievable front.

    >>> is_front("DPFR(nDCG,CWEx)"), is_front("CWEx")
    (True, False)
    """
    return _TEXT.fullmatch(text) is not None


def front_question(text: str, read: Callable[[str], Question], effectiveness: str = EFFECTIVENESS) -> Question:
    """Return `DPFR`, `DPFR(NFaiRR)` or `DPFR(P@5,CWEx,weight=0.3,candidates='run')` as a Question.

    read: from the text of a measure to its Question. effectiveness: the measure of effectiveness where the text has
    none. Parameters: effectiveness and fairness (Questions), weight and candidates. Raises UsageError for what cannot
    be read and for measures that have no front.
    """
    match = _TEXT.fullmatch(text)
    if match is None:
        raise UsageError(f"cannot read {text!r}", FORM)
    parameters: dict[str, Any] = {"weight": WEIGHT, "candidates": CANDIDATES}
    for part in filter(None, map(str.strip, _COMMA.split(match["inside"] or ""))):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if name in ("weight", "candidates"):
            parameters[name] = _literal(value, text)
            continue
        question = read(part)
        name = "effectiveness" if question.measure is None else "fairness"
        if name in parameters:
            raise UsageError(f"{text!r} names two measures of {name}", FORM)
        parameters[name] = question
    effect = parameters["effectiveness"] = parameters.get("effectiveness") or read(effectiveness)
    fairness = parameters["fairness"] = parameters.get("fairness") or read(FAIRNESS)
    _check(effect, fairness, parameters["weight"])
    of_fairness = fairness.measure or DPFR
    record = replace(DPFR, needs=of_fairness.needs, uses_bias=of_fairness.uses_bias)
    return Question(NAME, _canonical(parameters), parameters, fairness.cutoff, record)


def _literal(value: str, text: str) -> object:
    """Return the value of a parameter in the text of a measure. Raises UsageError for one that is not a literal."""
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError) as error:
        raise UsageError(f"cannot read {value!r} in {text!r}", FORM) from error


def _check(effect: Question, fairness: Question, weight: object) -> None:
    """Raise UsageError for two measures that have no front, and for a weight outside [0, 1]."""
    if fairness.direction not in ("higher", "lower") or not fairness.per_query:
        raise UsageError(f"{fairness.text} does not order single lists by fairness, so that it has no front", ORDERING)
    if effect.cutoff is None or fairness.cutoff is None:
        raise UsageError(f"{effect.text} has no cutoff, so that a front would order whole lists", "Use nDCG, P or AP.")
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= 1:
        raise UsageError(f"weight of {NAME} is {weight!r}", "Use a number from 0 (effectiveness) to 1 (fairness).")


def _canonical(parameters: Mapping[str, Any]) -> str:
    """Return the text of the measure with its two measures, and with the parameters that are not the default."""
    parts = [parameters["effectiveness"].text, parameters["fairness"].text]
    if parameters["weight"] != WEIGHT:
        parts.append(f"weight={parameters['weight']:g}")
    if parameters["candidates"] != CANDIDATES:
        parts.append(f"candidates={parameters['candidates']!r}")
    return f"{NAME}({','.join(parts)})"
