"""Rankers from other packages, and functions of a query and texts as rankers."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from fairviz.installed import LAYERS, contained
from fairviz.parameters import Parameter, check_record
from fairviz.rankers.candidates import top_of_run
from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query, Ranker

ScorePairs = Callable[[str, Sequence[str]], Any]


def adopt(record: Any, package: str) -> Ranker:
    """Return the record with its package, and a `prepare` whose faults name it.

    Raises ValueError, with the reason, for a record that cannot be used.
    """
    check_record(record, Ranker)
    if record.layer and record.layer not in LAYERS:
        raise ValueError(f"its layer is {record.layer!r}, and not one of {', '.join(LAYERS)}")
    owner = f"{record.name} (package {package})" if package else record.name
    summary = f"{record.summary} (package {package})" if package else record.summary
    return replace(record, package=package, summary=summary, prepare=partial(_prepared, record.prepare, owner))


def _prepared(
    prepare: Callable[[Collection, Parameters], Lister], owner: str, collection: Collection, parameters: Parameters
) -> Lister:
    return partial(contained, contained(prepare, owner, collection, parameters), owner)


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
