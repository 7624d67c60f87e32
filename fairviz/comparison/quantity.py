"""The record of a number of a system that a gate compares and that is not a mean of values by query, such as the share
of documents that are never shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from fairviz.comparison.mover_rows import DOCUMENT_COLUMNS, QUERY_COLUMNS
from fairviz.evaluation.settings import Settings
from fairviz.measures.record import Direction
from fairviz.study.record import Study

Pair = tuple[str, str]  # baseline and candidate


@dataclass(frozen=True)
class Contrast:
    """A quantity of the baseline and of the candidate, with the intervals of the candidate's value and of the
    difference, candidate minus baseline; ends are NaN where there is none.

    queries: the number that the intervals rest on. is_enough: whether these are enough for a verdict. warning: the
    reason if not.
    """

    baseline_value: float
    value: float
    value_interval: tuple[float, float]
    difference: float
    difference_interval: tuple[float, float]
    queries: int
    is_enough: bool = True
    warning: str = ""


def no_movers(*_: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the tables of a quantity that is not a sum over queries and documents: no rows."""
    return pd.DataFrame(columns=list(QUERY_COLUMNS)), pd.DataFrame(columns=list(DOCUMENT_COLUMNS))


@dataclass(frozen=True)
class QuantityKind:
    """A kind of quantity.

    name: the words in front of its argument in a condition, `never shown`. argument: the noun for the argument in
    messages. example: a condition. direction: the fairer one, as of a measure. read(argument, settings) returns the
    argument as `contrast` takes it and the canonical text of the quantity; it raises ValueError, with the reason or
    without one, for what cannot be read. contrast(study, settings, pair, argument, level) returns a Contrast, over the
    queries that both systems answer. movers(study, settings, pair, argument, below, most) returns QUERY_COLUMNS and
    DOCUMENT_COLUMNS without `condition`: the `most` queries that move the difference most, below or above 0, and of
    each at most `most` documents.
    """

    name: str
    argument: str
    example: str
    direction: Direction
    read: Callable[[str, Settings], tuple[Any, str]]
    contrast: Callable[[Study, Settings, Pair, Any, float], Contrast]
    movers: Callable[[Study, Settings, Pair, Any, bool, int], tuple[pd.DataFrame, pd.DataFrame]] = no_movers

    @property
    def form(self) -> str:
        """The remedy for a condition on this quantity that cannot be read."""
        name = f"{self.name} {self.argument}".rstrip()
        return f"Write '{name} rises by X', or 'falls by', 'worse by', 'better by', 'below', 'above': {self.example!r}."


@dataclass(frozen=True)
class Quantity:
    """A quantity as a condition names it. text: canonical, for the column `measure`."""

    kind: QuantityKind = field(compare=False)
    argument: Any
    text: str

    @property
    def name(self) -> str:
        return self.kind.name

    @property
    def direction(self) -> Direction:
        return self.kind.direction

    @property
    def parameters(self) -> Mapping[str, Any]:
        """No parameters: those of measures."""
        return {}
