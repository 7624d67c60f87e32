"""Rankers from other packages, and functions of a query and texts as rankers."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from fairviz.errors import PackageError, value_text
from fairviz.installed import LAYERS, Owner, origin, owner_of
from fairviz.parameters import Parameter, check_record
from fairviz.rankers.lexical import top_of_run
from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query, Ranker
from fairviz.words.sentences import counted

ScorePairs = Callable[[str, Sequence[str]], Any]


def adopt(record: Ranker) -> Ranker:
    """Return the record with a `prepare` whose lists are checked.

    Raises ValueError, with the reason, for a record that cannot be used.
    """
    check_record(record)
    if record.layer and record.layer not in LAYERS:
        raise ValueError(f"its layer is {record.layer!r}, and not one of {', '.join(LAYERS)}")
    summary = f"{record.summary} ({origin(record.package)})" if record.package else record.summary
    return replace(record, summary=summary, prepare=partial(_prepared, record.prepare, owner_of(record)))


def _prepared(
    prepare: Callable[[Collection, Parameters], Lister], owner: Owner, collection: Collection, parameters: Parameters
) -> Lister:
    """Return the ranker's function from a query to its list, which raises PackageError for what is no list."""
    find = prepare(collection, parameters)
    if not callable(find):
        raise PackageError(f"{owner} prepares {value_text(find)}", "Return a function from a query to its list.")
    known = collection.known

    def checked(query: Query) -> Found:
        found = find(query)
        if reason := _fault(found, known):
            where = f"query {query.query_id!r}"
            raise PackageError(f"{owner} gives {where} {reason}", "Correct it: nothing of its run is stored.")
        return Found(np.asarray(found.documents, dtype=object), np.asarray(found.scores, dtype=np.float64))

    return checked


def _fault(found: Any, known: frozenset[str]) -> str:
    """Return why a list of a ranker cannot be used; empty if it can.

    >>> _fault(Found(np.array(["a", "b"]), np.array([1.0])), frozenset("ab"))
    '2 documents and 1 score'
    """
    if not isinstance(found, Found):
        return f"{type(found).__name__}, and not {Found.__module__}.Found"
    documents, scores = np.asarray(found.documents, dtype=object), np.asarray(found.scores)
    if documents.ndim != 1 or scores.ndim != 1:
        return f"documents of shape {documents.shape} and scores of shape {scores.shape}, and not two lists"
    if len(documents) != len(scores):
        return f"{counted(len(documents), 'document')} and {counted(len(scores), 'score')}"
    if len(scores) and scores.dtype.kind not in "fiub":
        return f"scores of the type {scores.dtype}"
    names = documents.tolist()
    if strangers := [name for name in names if not isinstance(name, str) or name not in known]:
        return f"the document {strangers[0]!r}, which the study does not have"
    if len(set(names)) < len(names):
        return f"the document {next(name for name, count in Counter(names).items() if count > 1)!r} twice"
    if not np.isfinite(scores.astype(np.float64)).all():
        bad = int(np.flatnonzero(~np.isfinite(scores.astype(np.float64)))[0])
        return f"the score {scores[bad]} for {names[bad]!r}"
    return ""


def ranker_of(name: str, score: ScorePairs) -> Ranker:
    """Return a function of a query's text and documents' texts as a ranker.

    The function returns a score for each text, higher for a better one. The ranker scores every document, or with
    run='bm25' the first n of that run's lists.
    """
    return Ranker(
        name=name,
        summary="a function of a query and texts",
        prepare=partial(_by_function, name, score),
        parameters=(
            Parameter("run", "", help="the run whose top it reorders; empty for every document"),
            Parameter("n", 100.0, "how many documents of each list it reads", 1.0, 10_000.0, whole=True),
        ),
        needs=("queries", "documents", "runs"),
        nothing="have no document with text in that run",
        bench=("",),
    )


def _by_function(name: str, score: ScorePairs, collection: Collection, parameters: Parameters) -> Lister:
    texts, run = collection.texts, str(parameters["run"])
    top = top_of_run(collection, name, run, int(parameters["n"])) if run else {}

    def find(query: Query) -> Found:
        names = texts.names.tolist()
        if run:
            names = [document for document in top.get(query.query_id, []) if document in texts.by_name]
        if not names or not query.text.strip():
            return Found(np.array([], dtype=object), np.array([]))
        scores = np.asarray(score(query.text, [texts.by_name[document] for document in names]), dtype=np.float64)
        if scores.shape != (len(names),) or not np.isfinite(scores).all():
            raise ValueError(f"it returns {scores.shape} scores, and {len(names):,} finite ones are needed")
        return Found(np.array(names, dtype=object), scores)

    return find
