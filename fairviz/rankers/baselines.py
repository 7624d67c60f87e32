"""Baselines: `perfect`, the GSR paper's all and only the relevant documents of each query, and `random`."""

import zlib

import numpy as np

from fairviz.parameters import Parameter
from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query, Ranker, list_scores


def _prepare_perfect(collection: Collection, _: Parameters) -> Lister:
    qrels = collection.study.qrels
    relevant = qrels[qrels["relevance"] > 0].set_index("doc_id").groupby("query_id", sort=False)["relevance"]
    return list_scores({str(name): dict(zip(grades.index, grades, strict=True)) for name, grades in relevant})


def _prepare_random(collection: Collection, parameters: Parameters) -> Lister:
    names = np.sort(collection.texts.names.astype(str)).astype(object)
    seed = int(parameters["seed"])

    def find(query: Query) -> Found:
        generator = np.random.default_rng([seed, zlib.crc32(query.query_id.encode())])
        return Found(names, generator.random(len(names)))

    return find


PERFECT = Ranker(
    name="perfect",
    summary="from qrels: all and only relevant documents, the most relevant first, equal ones by doc_id",
    prepare=_prepare_perfect,
    needs=("qrels",),
    nothing="have no relevant document",
)
RANDOM = Ranker(
    name="random",
    summary="an order drawn by lot, the same for the same seed, query and documents",
    prepare=_prepare_random,
    parameters=(Parameter("seed", 0.0, "another seed draws another order", 0.0, 2**31 - 1, whole=True),),
)
