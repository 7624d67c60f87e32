"""What a ranker is: a name, its parameters, and how it finds and scores documents for one query."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fairviz.number_texts import shortest
from fairviz.rankers.analysis import analyser

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.study.study import Study

EDITED = ", edited"  # in the name of a run whose list somebody has changed by hand
Tokens = list[str]
Parameters = Mapping[str, Any]
Part = Literal["queries", "documents", "runs", "qrels", "labels"]


@dataclass(frozen=True)
class Query:
    """One query: its id, its text, and the terms that lexical rankers search for."""

    query_id: str
    text: str
    terms: Tokens


@dataclass(frozen=True)
class Found:
    """The documents of one list before it is cut: ids (N,) and scores (N,), in any order, higher scores first."""

    documents: np.ndarray
    scores: np.ndarray


@dataclass(frozen=True, eq=False)
class Texts:
    """The D documents that have text: ids (D,), and title and text of each as one."""

    names: np.ndarray
    texts: list[str]

    @cached_property
    def terms(self) -> list[Tokens]:
        """The terms of each document, as lexical rankers see it."""
        terms = analyser()
        return [terms(text) for text in self.texts]

    def scored(self, scores: np.ndarray, kept: np.ndarray) -> Found:
        """The documents of the mask `kept` (D,) with their scores."""
        return Found(self.names[kept], scores[kept])


def silent(*_: object) -> None:
    """Hears a message or progress, and keeps it to itself."""


@dataclass(frozen=True, eq=False)
class Collection:
    """What a ranker works on.

    runs: those of the study and those made before it in the same call. say(sentence) takes what a person should
    know; encoding(done, in all) hears of texts that a model has worked through.
    """

    study: "Study"
    texts: Texts
    runs: "pd.DataFrame"
    say: Callable[[str], None] = field(default=silent)
    encoding: Callable[[int, int], None] = field(default=silent)


Lister = Callable[[Query], Found]


@dataclass(frozen=True)
class RankerParameter:
    """What a ranker takes: a number in [low, high], or a text where the default is one.

    required: the default will not do, and a person must give a value. whole: only whole numbers will do. named: the
    run's name tells a value that is not the default.
    """

    name: str
    default: float | str
    low: float = 0.0
    high: float = 0.0
    help: str = ""
    required: bool = False
    whole: bool = False
    named: bool = True

    @property
    def is_text(self) -> bool:
        """Whether it takes a text."""
        return isinstance(self.default, str)

    @property
    def shown(self) -> str:
        """The default as it is written on the command line: k1=0.9, model='minilm'."""
        usual = self.default
        return f"{self.name}={repr(usual) if isinstance(usual, str) else shortest(usual)}"


@dataclass(frozen=True)
class Ranker:
    """A ranker of documents.

    prepare(collection, parameters) learns the collection and gives a function from a query to what it finds: all
    documents that belong into the list, with scores. needs: parts of the study. nothing: why a list may be empty,
    said of queries.
    """

    name: str
    summary: str
    prepare: Callable[[Collection, Parameters], Lister]
    parameters: tuple[RankerParameter, ...] = ()
    needs: tuple[Part, ...] = ("queries", "documents")
    nothing: str = "match no document"
