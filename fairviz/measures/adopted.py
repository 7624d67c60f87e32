"""Measures from other packages, and functions of a ranked list as measures."""

import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from math import inf
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import PackageError
from fairviz.installed import contained, origin, owner_of
from fairviz.measures.contributions import OneList
from fairviz.measures.position_bias import PositionBias, position_bias
from fairviz.measures.rankings import LabelEvidence, Rankings, WordEvidence
from fairviz.measures.record import Measure, Reach
from fairviz.measures.sums import AlignedRankings
from fairviz.parameters import check_record

Array = np.ndarray
_NAME = re.compile(r"[A-Za-z][A-Za-z_0-9]*")
_NEEDS = {"labels", "documents", "queries", "qrels"}
_DIRECTIONS = ("higher", "lower", "zero", "one", "none")


def adopt(record: Measure) -> Measure:
    """Return the record with an array function whose values are checked.

    Raises ValueError, with the reason, for a record that cannot be used. That of a package is tried on two lists of two
    systems, which may raise FairvizError.
    """
    check_record(record)
    if not set(record.needs) <= _NEEDS or record.direction not in _DIRECTIONS:
        raise ValueError(f"needs are of {', '.join(sorted(_NEEDS))}; directions {', '.join(_DIRECTIONS)}")
    if not record.per_query:
        raise ValueError("it has no value for one query")
    parameters = {parameter.name: parameter.default for parameter in record.parameters}
    low, high = record.range(Reach(parameters, np.array([0.5, 0.5]), 1.0))
    if not low <= high:
        raise ValueError(f"its bounds are {low:g} and {high:g}")
    adopted = replace(record, compute=_Checked(record))
    if not record.package:
        return adopted
    _try(adopted, parameters)
    return replace(adopted, summary=f"{record.summary} ({origin(record.package)})")


def _try(measure: Measure, parameters: Mapping[str, Any]) -> None:
    """Compute the measure on two lists of two systems. Raises FairvizError."""
    documents = np.array([[[0, 1], [2, 0]], [[1, -1], [0, 3]], [[2, -1], [1, -1]]])  # (K, S, Q)
    lists = Rankings(
        systems=("a", "b"),
        queries=("q1", "q2"),
        doc_ids=pd.Index(["d1", "d2", "d3", "d4"]),
        documents=documents,
        lengths=np.array([[3, 1], [3, 2]]),
    )
    labels = LabelEvidence(np.array([1, 2, 0, -1]))
    words = WordEvidence(
        counts=np.array([[1, 0], [0, 2], [0, 0], [0, 0]]),
        tokens=np.array([5, 8, 3, 0]),
        known=np.array([True, True, True, False]),
        in_collection=np.ones(4, dtype=bool),
    )
    measure.compute(AlignedRankings(lists, labels, words), parameters, position_bias("log2", 3), np.array([1, 3]))


class _Checked:
    """The array function of a measure of others, whose values are numbers of the wanted shape, within its bounds.

    The first values of each study are computed twice, to find a measure that is random: once more for each study and
    process, and nothing after it.
    """

    def __init__(self, record: Measure) -> None:
        self._record, self._owner = record, owner_of(record)
        self._repeated: set[Any] = set()  # the studies of which values were computed twice

    def __call__(
        self, rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array
    ) -> Array:
        """Return the values (C, S, Q). Raises PackageError for others than a measure has."""
        values = self._values(rankings, parameters, bias, cutoffs)
        study = rankings.made_of[:1]
        if study not in self._repeated:
            again = self._values(rankings, parameters, bias, cutoffs)
            if not np.allclose(values, again, rtol=1e-9, atol=1e-12, equal_nan=True):
                raise self._refusal("other values in the second call than in the first", "Draw from a fixed seed.")
            self._repeated.add(study)
        return values

    def _values(
        self, rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array
    ) -> Array:
        shape = (len(cutoffs), *rankings.shape)
        values = contained(np.asarray, self._owner, self._record.compute(rankings, parameters, bias, cutoffs))
        if values.shape != shape or values.dtype.kind not in "fiub":
            raise self._refusal(f"{values.dtype} of shape {values.shape}", f"Numbers of shape {shape} are needed.")
        values = values.astype(np.float64)
        if np.isinf(values).any():
            raise self._refusal("an infinite value", "NaN stands for a list where it is undefined.")
        attention = float(bias.weights(int(cutoffs.max())).sum())
        low, high = contained(self._record.range, self._owner, Reach(parameters, rankings.targets, attention))
        outside = values[(values < low - _slack(low)) | (values > high + _slack(high))]
        if len(outside):
            raise self._refusal(
                f"the value {outside[0]:g}", f"Its bounds are {low:g} and {high:g}: correct them or the value."
            )
        return values

    def _refusal(self, what: str, remedy: str) -> PackageError:
        return PackageError(f"{self._owner} gives {what}", remedy)


def _slack(end: float) -> float:
    """Return the rounding beside an end of a range that is not outside it."""
    return 1e-9 * max(1.0, abs(end)) if np.isfinite(end) else 0.0


def measure_of(function: Callable[[pd.DataFrame], float]) -> Measure:
    """Return a function of a ranked list as a measure, which has the function's name.

    The function receives a table of the list down to the cutoff, best first: rank, doc_id, attention (of the position
    bias), label (None without one), words (NaN without text), and for each gender group its words, as `female_words`.
    It returns a number, NaN where the measure is undefined. An attribute `direction` of the function
    is that of a Measure.

    >>> def share_unlabelled(ranking):
    ...     return ranking["label"].isna().mean()
    >>> measure_of(share_unlabelled).name
    'share_unlabelled'
    """
    name = getattr(function, "__name__", "")
    text = " ".join((getattr(function, "__doc__", "") or "").split("\n\n")[0].split())
    make = _measure if isinstance(function, Hashable) else _measure.__wrapped__
    return make(
        function,
        name if _NAME.fullmatch(name) else "function",
        text.rstrip(".") or "a function of a ranked list",
        getattr(function, "direction", "none"),
    )


@lru_cache(maxsize=256)
def _measure(function: Callable[[pd.DataFrame], float], name: str, summary: str, direction: Any) -> Measure:
    """Return the function as a measure, the same one for the same function: its values are then checked once."""
    return Measure(
        name=name,
        summary=summary,
        compute=partial(_of_lists, function),
        parameters=(),
        needs=(),
        direction=direction,
        bounds=(-inf, inf),
        formula=r"\text{a function of a ranked list}",
        paper="a function of the user",
        equation="none",
        decided="Nothing.",
        example="none",
    )


def _of_lists(
    function: Callable[[pd.DataFrame], float],
    rankings: AlignedRankings,
    parameters: Mapping[str, Any],
    bias: PositionBias,
    cutoffs: Array,
) -> Array:
    """Return the function's value of every list at every cutoff, (C, S, Q); NaN for an empty list."""
    values = np.full((len(cutoffs), *rankings.shape), np.nan)
    for system, query in zip(*np.nonzero(rankings.lists.lengths), strict=True):
        for place, cutoff in enumerate(cutoffs.tolist()):
            value = function(table_of(OneList(rankings, parameters, bias, cutoff, int(system), int(query))))
            if not isinstance(value, Real):
                raise ValueError(f"it returns {type(value).__name__}, not a number")
            values[place, system, query] = float(value)
    return values


def table_of(ranking: OneList) -> pd.DataFrame:
    """Return the ranks of a list, with the evidence on each: see `measure_of`."""
    rankings, has_text = ranking.rankings, ranking.known
    names = np.array([rankings.neutral, *rankings.groups, None], dtype=object)
    counts = np.where(has_text[:, None], ranking.counts, np.nan)
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(ranking.documents) + 1),
            "doc_id": rankings.lists.doc_ids.to_numpy()[ranking.documents],
            "attention": ranking.weights,
            "label": pd.Series(names[ranking.codes], dtype="str"),
            "words": np.where(has_text, rankings.words.tokens[ranking.documents], np.nan),
            **{f"{group}_words": counts[:, place] for place, group in enumerate(rankings.groups)},
        }
    )
