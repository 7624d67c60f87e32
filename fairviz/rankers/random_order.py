"""The ranker `random`: documents in random order, as a baseline."""

import zlib

import numpy as np

from fairviz.parameters import Parameter
from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query, Ranker


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    names = np.sort(collection.texts.names.astype(str)).astype(object)
    seed = int(parameters["seed"])

    def find(query: Query) -> Found:
        generator = np.random.default_rng([seed, zlib.crc32(query.query_id.encode())])
        return Found(names, generator.random(len(names)))

    return find


RANDOM = Ranker(
    name="random",
    summary="an order drawn by lot, the same for the same seed, query and documents",
    prepare=_prepare,
    parameters=(Parameter("seed", 0.0, "another seed draws another order", 0.0, 2**31 - 1, whole=True),),
)
