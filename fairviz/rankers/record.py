"""What a ranker is: a name, its parameters, and how it scores every document for one query."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

Tokens = list[str]
Scorer = Callable[[Tokens], np.ndarray]


@dataclass(frozen=True)
class RankerParameter:
    """A number in [low, high] that a ranker takes."""

    name: str
    default: float
    low: float
    high: float
    help: str


@dataclass(frozen=True)
class Ranker:
    """A ranker of documents.

    scorer(documents, parameters) learns the tokens of D documents and gives a function that maps a query's tokens to
    the documents' scores (D,), 0 for a document that does not match. needs: parts of the study.
    """

    name: str
    summary: str
    scorer: Callable[[list[Tokens], Mapping[str, float]], Scorer]
    parameters: tuple[RankerParameter, ...] = ()
    needs: tuple[Literal["queries", "documents"], ...] = ("queries", "documents")
