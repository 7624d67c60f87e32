"""Documents in the order of their length."""

import numpy as np

from fairviz.rankers.record import Collection, Found, Lister, Parameters, Ranker


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    """Return a function from a query to all documents with their scores, higher for a better one."""
    names = collection.texts.names
    lengths = np.array([len(text) for text in collection.texts.texts], dtype=np.float64)
    return lambda query: Found(names, lengths)


LONGEST = Ranker(name="longest", summary="the longest text first, whatever the query", prepare=_prepare)
