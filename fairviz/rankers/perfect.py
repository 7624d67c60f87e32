"""The GSR paper's baseline: all and only the relevant documents of each query."""

import numpy as np

from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query, Ranker


def _prepare(collection: Collection, _: Parameters) -> Lister:
    qrels = collection.study.qrels
    relevant = qrels[qrels["relevance"] > 0]
    groups = {str(name): rows for name, rows in relevant.groupby("query_id", sort=False)}
    no_documents = Found(np.zeros(0, dtype=object), np.zeros(0))

    def find(query: Query) -> Found:
        if query.query_id not in groups:
            return no_documents
        rows = groups[query.query_id]
        return Found(rows["doc_id"].to_numpy(dtype=object), rows["relevance"].to_numpy(dtype=float))

    return find


PERFECT = Ranker(
    name="perfect",
    summary="from qrels: all and only relevant documents, the most relevant first, equal ones by doc_id",
    prepare=_prepare,
    needs=("qrels",),
    nothing="have no relevant document",
)
