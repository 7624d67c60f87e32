"""Neutral documents moved up by a weight, as maximal marginal relevance weighs novelty against relevance.

Carbonell and Goldstein (SIGIR 1998) choose rank by rank the document with the largest λ · relevance - (1 - λ) ·
redundancy; here neutrality takes the place of novelty.
"""

import numpy as np

from fairviz.errors import UsageError
from fairviz.measures.neutrality import neutrality
from fairviz.measures.sums import Places
from fairviz.rankers.record import Collection, Lister, Parameters, Ranker, RankerParameter
from fairviz.rankers.reordering import NOTHING, RUN, InputList, lists_of, reordered, with_words

Array = np.ndarray
OF = ("document", "list")
WEIGHT = RankerParameter("weight", 0.3, 0.0, 1.0, "of neutrality; the rest weighs the run's score")
WHOSE = RankerParameter(
    "of",
    "document",
    help="whose neutrality: document, as NFaiRR counts it; or list, which each document may even out, as TExFAIR",
)
TAU = RankerParameter("tau", 1.0, 0.0, 1e6, "gender words that a neutral document may hold", whole=True)
TOKENIZER = RankerParameter("tokenizer", "word", help="word or whitespace")


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    if parameters["of"] not in OF:
        raise UsageError(f"neutral cannot take of={parameters['of']}", f"Use {' or '.join(OF)}.")
    lists = lists_of(collection, "neutral", parameters["run"])
    lists = with_words(lists, collection.study, parameters["tokenizer"])
    places, weight = lists.places, parameters["weight"]
    omega = neutrality(places, int(parameters["tau"]))
    without = int((~places.words.known).sum())
    if without:
        collection.say(f"neutral: {without:,} documents of the run have no text; they keep their rank.")

    def order(held: InputList) -> Array:
        fixed = ~places.words.known[held.documents]
        relevance = (1 - weight) * held.shares
        if parameters["of"] == "document":
            gained = relevance + weight * np.nan_to_num(omega[held.documents])
            return kept_in_place(np.argsort(-gained, kind="stable"), fixed)
        return _one_by_one(places, held, relevance, weight, fixed)

    return reordered(lists, order)


def kept_in_place(order: Array, fixed: Array) -> Array:
    """The order with the fixed documents (N,) at their own ranks, and the others in its order around them.

    >>> kept_in_place(np.array([3, 1, 0, 2]), np.array([False, True, False, False])).tolist()
    [3, 1, 0, 2]
    >>> kept_in_place(np.array([3, 1, 0, 2]), np.array([True, False, False, False])).tolist()
    [0, 3, 1, 2]
    """
    placed = np.arange(len(order))
    placed[~fixed] = order[~fixed[order]]
    return placed


def _one_by_one(places: Places, held: InputList, relevance: Array, weight: float, fixed: Array) -> Array:
    """Rank by rank the document with the largest relevance + weight · neutrality of the list that ends with it; of
    equal ones the first of the run's list. Fixed documents keep their rank. O(N²)."""
    words = places.words
    share = words.counts[held.documents] / np.maximum(words.tokens[held.documents], 1)[:, None]  # (N, G)
    attention = 1 / np.log2(np.arange(2, len(held) + 2))
    placed, left = np.arange(len(held)), np.flatnonzero(~fixed)
    exposure = np.zeros(share.shape[1])
    for rank in np.flatnonzero(~fixed):
        gained = relevance[left] + weight * list_neutrality(exposure + attention[rank] * share[left], places.targets)
        best = int(np.argmax(gained >= gained.max() - 1e-12))
        placed[rank] = left[best]
        exposure = exposure + attention[rank] * share[left[best]]
        left = np.delete(left, best)
    return placed


def list_neutrality(exposures: Array, targets: Array) -> Array:
    """1 less how far the genders' shares of word exposure (…, G) lie from their targets (G,), in [0, 1]; 1 without
    gender words. TExFAIR without RBDF over its largest value.

    >>> list_neutrality(np.array([[1.0, 1.0], [3.0, 1.0], [0.0, 2.0], [0.0, 0.0]]), np.array([0.5, 0.5])).tolist()
    [1.0, 0.5, 0.0, 1.0]
    """
    total = exposures.sum(axis=-1, keepdims=True)
    shares = np.divide(exposures, total, out=np.broadcast_to(targets, exposures.shape).copy(), where=total > 0)
    return 1 - np.abs(shares - targets).sum(axis=-1) / (2 * (1 - targets.min()))


NEUTRAL = Ranker(
    name="neutral",
    summary="another run reordered by (1 − weight) · its score (from 0 to 1 in each list) + weight · neutrality of "
    "the words, in the manner of maximal marginal relevance; sees words, no judgements",
    prepare=_prepare,
    parameters=(RUN, WEIGHT, WHOSE, TAU, TOKENIZER),
    needs=("runs",),
    nothing=NOTHING,
)
