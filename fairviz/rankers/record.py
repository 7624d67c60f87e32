"""The record of a ranker: its name, parameters, and the function that scores documents for one query; the terms of
texts."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fairviz.installed import Owner, has_layer, read_only
from fairviz.parameters import Parameter
from fairviz.words.tokenizers import written_words

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.study.record import Study

Tokens = tuple[str, ...]
Parameters = Mapping[str, Any]
Part = Literal["queries", "documents", "runs", "qrels", "labels", "words"]
STOP_WORDS = frozenset(  # Lucene's English list, as in bm25s
    re.findall(
        r"\w+",
        """a an and are as at be but by for if in into is it no not of on or such that the their then there these they
        this to was will with""",
    )
)
_POSSESSIVE = re.compile(r"['’]s\b")


def without_possessives(text: str) -> str:
    """Return the text without the possessive 's, which is not a word."""
    return _POSSESSIVE.sub("", text)


def analyser() -> Callable[[str], list[str]]:
    """Return a function from text to terms: lower case, without possessive 's and stop words, Porter's stems."""
    from gensim.parsing.porter import PorterStemmer

    stem = lru_cache(maxsize=500_000)(PorterStemmer().stem)

    def terms(text: str) -> list[str]:
        words = written_words(without_possessives(text.lower()))
        return [stem(word) for word in words if word not in STOP_WORDS]

    return terms


@dataclass(frozen=True)
class Query:
    """One query: its id, its text, and its terms for lexical rankers."""

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
    texts: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", read_only(self.names))
        object.__setattr__(self, "texts", tuple(self.texts))

    @cached_property
    def by_name(self) -> Mapping[str, str]:
        """The text of each document."""
        return MappingProxyType(dict(zip(self.names.tolist(), self.texts, strict=True)))

    @cached_property
    def terms(self) -> tuple[Tokens, ...]:
        """The terms of each document, for lexical rankers."""
        terms = analyser()
        return tuple(tuple(terms(text)) for text in self.texts)

    def scored(self, scores: np.ndarray, is_found: np.ndarray) -> Found:
        """Return the documents of the mask (D,) with their scores (D,)."""
        return Found(self.names[is_found], scores[is_found])

    def by_product(self, vectors: np.ndarray, is_found: np.ndarray, of_queries: Mapping[str, np.ndarray]) -> "Lister":
        """Return a function from a query to the documents of the mask (D,), by the inner product of their vectors
        (D, n) with the query's. of_queries: the vectors by text; a query of another text has no list."""

        def find(query: Query) -> Found:
            if query.text not in of_queries:
                return Found(self.names[:0], np.zeros(0))
            return self.scored(vectors @ of_queries[query.text], is_found)

        return find


def silent(*_: object) -> None:
    """Ignore a message or progress."""


@dataclass(frozen=True, eq=False)
class Collection:
    """The input of a ranker.

    runs: those of the study and those made earlier in the same call. say(sentence) receives messages for the user;
    encoding(done, in all) the number of texts read by a model.
    """

    study: "Study"
    texts: Texts
    runs: "pd.DataFrame"
    say: Callable[[str], None] = field(default=silent)
    encoding: Callable[[int, int], None] = field(default=silent)

    @cached_property
    def known(self) -> frozenset[str]:
        """The documents that a list may have: those with text, those of the study, and those of runs."""
        return frozenset((*self.texts.names, *self.study.documents["doc_id"], *self.runs["doc_id"].cat.categories))

    def lent(self, owner: Owner) -> "Collection":
        """Return the collection for a ranker of others, whose changes of tables stay with it."""
        return replace(self, study=self.study.lent(owner), runs=self.runs.copy(deep=False))


Lister = Callable[[Query], Found]


def list_scores(scores_by_query: Mapping[str, Mapping[str, float]]) -> Lister:
    """Return a function from a query to its documents with these scores; none for another query."""

    def find(query: Query) -> Found:
        scores = scores_by_query.get(query.query_id, {})
        return Found(np.array([*scores], dtype=object), np.array([*scores.values()], dtype=np.float64))

    return find


@dataclass(frozen=True)
class Ranker:
    """A ranker of documents.

    prepare(collection, parameters) indexes the collection and returns a function from a query to all documents of its
    list, with scores. A re-ranker's first parameter is `run`, the run that it reorders. needs: parts of the study;
    words: gender words in its documents. nothing: the reason of empty lists, as the predicate of "queries". mitigates:
    parameters that mitigate if they are not at their defaults; extent: others without effect unless one of these is
    set. unread(texts, wordings, parameters), of a ranker that reads texts with a model: those that it has not read yet;
    without it, or None, the time of reading is unknown. wordings: other wordings of documents, which it may read too.
    bench: the parameters of each variant that the mitigation bench offers, a re-ranker's without its run. layer:
    that it needs, of `fairviz.installed.LAYERS`. package: that of others from which it comes, with its version, set
    when it is loaded.
    """

    name: str
    summary: str
    prepare: Callable[[Collection, Parameters], Lister]
    parameters: tuple[Parameter, ...] = ()
    needs: tuple[Part, ...] = ("queries", "documents")
    nothing: str = "match no document"
    mitigates: tuple[str, ...] = ()
    extent: tuple[str, ...] = ()
    bench: tuple[str, ...] = ()
    unread: Callable[[Sequence[str], Sequence[str], Parameters], Sequence[str] | None] | None = None
    layer: str = ""
    package: str = ""

    @property
    def is_installed(self) -> bool:
        """True if the layer that it needs is installed."""
        return not self.layer or has_layer(self.layer)

    @property
    def reorders(self) -> bool:
        """True for a re-ranker, which reorders the run of its first parameter."""
        return bool(self.parameters) and self.parameters[0].name == "run"

    def variants(self, run: str) -> tuple[str, ...]:
        """Return what the mitigation bench offers of this ranker, as texts; a re-ranker reorders the run."""
        own = [f"run={run!r}"] if self.reorders else []
        return tuple(f"{self.name}({','.join([*own, *filter(None, [variant])])})" for variant in self.bench)
