"""The candidates of a reranker: the top of another run's lists."""

import numpy as np

from fairviz.errors import UsageError
from fairviz.rankers.lexical import BM25
from fairviz.rankers.record import Collection, Query, analyser
from fairviz.study.tables import ranked


def top_of_run(collection: Collection, ranker: str, system: str, n: int) -> dict[str, list[str]]:
    """Return the first n documents of each list of the run, by query. Raises UsageError for an unknown run."""
    systems = [str(name) for name in collection.runs["system"].cat.categories]
    if system not in systems:
        raise UsageError(
            f"{collection.study.name} has no run {system!r} for {ranker}",
            f"Its runs are {', '.join(systems)}."
            if systems
            else f'Name a ranker before it: --with "bm25,{ranker}(…)".',
        )
    lists = ranked(collection.runs[collection.runs["system"] == system])
    lists = lists[lists["rank"] <= n]
    top: dict[str, list[str]] = {}
    for query, name in zip(lists["query_id"].tolist(), lists["doc_id"].tolist(), strict=True):
        top.setdefault(query, []).append(name)
    return top


def texts_of_top(collection: Collection, ranker: str, run: str, n: int) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return the text of each query, and for each query with text the documents with text of `_top_or_bm25`."""
    query_texts = dict(zip(collection.study.queries["query_id"], collection.study.queries["text"], strict=True))
    top = {
        query: [name for name in names if name in collection.texts.by_name]
        for query, names in _top_or_bm25(collection, ranker, run, n).items()
        if query_texts.get(query, "").strip()
    }
    return query_texts, top


def _top_or_bm25(collection: Collection, ranker: str, run: str, n: int) -> dict[str, list[str]]:
    """Return the first n documents of each list of the run; for a missing run `bm25`, of BM25 with tied scores by name.
    Raises UsageError for another unknown run."""
    if run != BM25.name or run in collection.runs["system"].cat.categories:
        return top_of_run(collection, ranker, run, n)
    find = BM25.prepare(collection, {parameter.name: parameter.default for parameter in BM25.parameters})
    terms, queries = analyser(), collection.study.queries
    top: dict[str, list[str]] = {}
    for query_id, text in zip(queries["query_id"], queries["text"], strict=True):
        hits = find(Query(query_id, text, tuple(terms(text))))
        order = np.lexsort((hits.documents.astype(str), -hits.scores))[:n]
        if len(order):
            top[query_id] = hits.documents[order].tolist()
    return top
