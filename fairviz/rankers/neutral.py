"""The ranker `neutral`: another run reordered by score and neutrality, after maximal marginal relevance.

Carbonell and Goldstein (SIGIR 1998) choose rank by rank the document with the largest λ · relevance - (1 - λ) ·
redundancy; here neutrality replaces novelty.
"""

import numpy as np

from fairviz.measures.neutrality import neutrality
from fairviz.measures.sums import AlignedRankings
from fairviz.parameters import Parameter
from fairviz.rankers.record import Collection, Lister, Parameters, Ranker
from fairviz.rankers.reordering import NOTHING, RUN, InputList, lists_of, reordered, with_words
from fairviz.words.tokenizers import TOKENIZERS

Array = np.ndarray
WEIGHT = Parameter("weight", 0.3, "of neutrality; the rest weighs the run's score", 0.0, 1.0)
WHOSE = Parameter(
    "of",
    "document",
    "whose neutrality: document, as NFaiRR counts it; or list, which each document may even out, as TExFAIR",
    choices=("document", "list"),
)
TAU = Parameter("tau", 1.0, "gender words that a neutral document may hold", 0.0, 1e6, whole=True)
TOKENIZER = Parameter("tokenizer", "word", "how text becomes words", choices=TOKENIZERS)


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    lists = lists_of(collection, "neutral", parameters["run"])
    lists = with_words(lists, collection.study, parameters["tokenizer"])
    places, weight = lists.places, parameters["weight"]
    omega = neutrality(places, int(parameters["tau"]))
    textless_count = int((~places.words.known).sum())
    if textless_count:
        collection.say(f"neutral: {textless_count:,} documents of the run have no text; they keep their rank.")

    def reorder(input_list: InputList) -> Array:
        is_fixed = ~places.words.known[input_list.documents]
        relevance = (1 - weight) * input_list.shares
        if parameters["of"] == "document":
            gains = relevance + weight * np.nan_to_num(omega[input_list.documents])
            return keep_fixed(np.argsort(-gains, kind="stable"), is_fixed)
        return _order_greedily(places, input_list, relevance, weight, is_fixed)

    return reordered(lists, reorder)


def keep_fixed(order: Array, is_fixed: Array) -> Array:
    """Return the order with the fixed documents (N,) at their own ranks, and the others in its order around them.

    >>> keep_fixed(np.array([3, 1, 0, 2]), np.array([False, True, False, False])).tolist()
    [3, 1, 0, 2]
    >>> keep_fixed(np.array([3, 1, 0, 2]), np.array([True, False, False, False])).tolist()
    [0, 3, 1, 2]
    """
    places = np.arange(len(order))
    places[~is_fixed] = order[~is_fixed[order]]
    return places


def _order_greedily(
    places: AlignedRankings, input_list: InputList, relevance: Array, weight: float, is_fixed: Array
) -> Array:
    """Choose rank by rank the document with the largest relevance + weight · neutrality of the list that ends with it;
    tied documents in the run's order. Fixed documents keep their rank. O(N²)."""
    words, rows = places.words, input_list.documents
    shares = words.counts[rows] / np.maximum(words.tokens[rows], 1)[:, None]  # (N, G)
    attention = 1 / np.log2(np.arange(2, len(input_list) + 2))
    order, remaining = np.arange(len(input_list)), np.flatnonzero(~is_fixed)
    exposure = np.zeros(shares.shape[1])
    for rank in np.flatnonzero(~is_fixed):
        exposures = exposure + attention[rank] * shares[remaining]
        gains = relevance[remaining] + weight * list_neutrality(exposures, places.targets)
        best = int(np.argmax(gains >= gains.max() - 1e-12))
        order[rank] = remaining[best]
        exposure = exposures[best]
        remaining = np.delete(remaining, best)
    return order


def list_neutrality(exposures: Array, targets: Array) -> Array:
    """Return 1 − the scaled distance of the genders' shares of word exposure (…, G) from their targets (G,), in [0, 1];
    1 without gender words. The distance is TExFAIR without RBDF over its largest value.

    >>> list_neutrality(np.array([[1.0, 1.0], [3.0, 1.0], [0.0, 2.0], [0.0, 0.0]]), np.array([0.5, 0.5])).tolist()
    [1.0, 0.5, 0.0, 1.0]
    """
    total = exposures.sum(axis=-1, keepdims=True)
    shares = np.divide(exposures, total, out=np.broadcast_to(targets, exposures.shape).copy(), where=total > 0)
    return 1 - np.abs(shares - targets).sum(axis=-1) / (2 * (1 - targets.min()))


NEUTRAL = Ranker(
    name="neutral",
    summary="another run reordered by (1 − weight) · its score (0 to 1 in each list) + weight · neutrality of the "
    "words; sees words, no judgements",
    prepare=_prepare,
    parameters=(RUN, WEIGHT, WHOSE, TAU, TOKENIZER),
    needs=("runs", "words"),
    nothing=NOTHING,
    bench=("", "of='list'"),
)
