"""The first documents of each list, for rankers that read a list's top again."""

import numpy as np

from fairviz.errors import UsageError
from fairviz.rankers.analysis import analyser
from fairviz.rankers.bm25 import BM25
from fairviz.rankers.record import Collection, Query
from fairviz.study.tables import ranked


def first_documents(collection: Collection, ranker: str, run: str, n: int) -> dict[str, list[str]]:
    """The first n documents of each list of the run, best first, by query. Raises UsageError where there is no such
    run. ranker: who asks, for the message."""
    held = [str(name) for name in collection.runs["system"].cat.categories]
    if run not in held:
        raise UsageError(
            f"{collection.study.name} has no run {run!r} for {ranker}",
            f"Its runs are {', '.join(held)}." if held else f'Name a ranker before it: --with "bm25,{ranker}(…)".',
        )
    lists = ranked(collection.runs[collection.runs["system"] == run])
    lists = lists[lists["rank"] <= n]
    top: dict[str, list[str]] = {}
    for query, name in zip(lists["query_id"].tolist(), lists["doc_id"].tolist(), strict=True):
        top.setdefault(query, []).append(name)
    return top


def first_of_bm25(collection: Collection, n: int) -> dict[str, list[str]]:
    """The first n documents that BM25 finds for each query, best first, equal ones by name."""
    find = BM25.prepare(collection, {one.name: one.default for one in BM25.parameters})
    terms = analyser()
    top = {}
    for query_id, text in zip(collection.study.queries["query_id"], collection.study.queries["text"], strict=True):
        found = find(Query(query_id, text, terms(text)))
        order = np.lexsort((found.documents.astype(str), -found.scores))[:n]
        top[query_id] = found.documents[order].tolist()
    return top
