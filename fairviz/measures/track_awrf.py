"""AWRF as the TREC Fair Ranking track computes it: soft groups, targets by topic, and the track's discount.

Axis letters: K ranks, S systems, Q queries, G groups, D documents. Unlike the measure AWRF a document may belong to
several groups in parts, each query has its own target, and 1 is fair.

Ekstrand, McDonald, Raj, Johnson: Overview of the TREC 2021 Fair Ranking Track, and of the TREC 2022 Fair Ranking Track
(arXiv:2302.05558); the code that the track published with them.
"""

import numpy as np

Array = np.ndarray
BACKGROUND = {"female": 0.495, "male": 0.495, "non-binary": 0.01}  # the track's wish for gender in all topics


def track_discount(depth: int) -> Array:
    """Attention at ranks 1..depth, (K,): 1 / log2(max(rank, 2)), so that the first two ranks have the same.

    >>> track_discount(4).round(4).tolist()
    [1.0, 1.0, 0.6309, 0.5]
    """
    return 1 / np.log2(np.maximum(np.arange(1, depth + 1, dtype=np.float64), 2))


def split(memberships: Array) -> Array:
    """Memberships (D, G) with each row adding up to 1: a document's attention is shared out among its groups.

    A row of zeros (a document of which nothing is known) stays one.
    """
    total = memberships.sum(axis=1, keepdims=True)
    return memberships / np.where(total > 0, total, 1)


def soft_exposure(documents: Array, memberships: Array, cutoff: int) -> Array:
    """Attention that each group receives in the top `cutoff`, (S, Q, G).

    documents (K, S, Q): places in memberships (D, G), -1 below the end of a list.
    """
    padded = np.concatenate([memberships, np.zeros((1, memberships.shape[1]))])  # -1 takes the last
    received = np.zeros((*documents.shape[1:], memberships.shape[1]))
    for weight, at_rank in zip(track_discount(cutoff), documents, strict=False):
        received += weight * padded[at_rank]
    return received


def mixed_target(relevant: Array, background: Array, known: Array) -> Array:
    """The track's target of a topic, (G,): for the known groups half what the relevant documents have and half the
    background, which together keep the known share; an unknown share stays as it is.

    relevant (D, G): memberships of the documents judged relevant. background (G,): 0 for unknown. known (G,): whether
    a group is a known one. NaN where nothing is relevant.

    >>> two = np.array([[1.0, 0, 0], [0, 0, 1]])  # one female, one unknown
    >>> mixed_target(two, np.array([0.5, 0.5, 0]), np.array([True, True, False])).tolist()
    [0.375, 0.125, 0.5]
    """
    counted = relevant[relevant.sum(axis=1) > 0]
    if not len(counted):
        return np.full(relevant.shape[1], np.nan)
    shares = counted.mean(axis=0)
    mixed = (shares + background * shares[known].sum()) / 2
    return np.where(known, mixed, shares)


def track_awrf(exposure: Array, target: Array) -> Array:
    """1 less the Jensen-Shannon divergence, in natural units, of exposure (…, G) from its target: 1 is fair, (…).

    Both are scaled to add up to 1 first. At least 1 - ln 2 = 0.307. NaN where a list gives no group any attention, or
    the topic has no target.

    >>> round(float(track_awrf(np.array([1.0, 0.0]), np.array([0.5, 0.5]))), 4)  # 1 - ln 2 * 0.3113
    0.7842
    """
    from scipy.special import rel_entr

    shares, wished = _scaled(exposure), _scaled(target)
    middle = (shares + wished) / 2
    return 1 - (rel_entr(shares, middle) + rel_entr(wished, middle)).sum(axis=-1) / 2


def _scaled(amounts: Array) -> Array:
    """Amounts (…, G) that add up to 1; NaN where there is none."""
    total = amounts.sum(axis=-1, keepdims=True)
    return amounts / np.where(total > 0, total, np.nan)


def track_ndcg(gains: Array, relevant: Array, ideal: int) -> Array:
    """The track's nDCG, (S, Q): gains (K, S, Q) of 0 and 1 under its discount, over that of the best list.

    relevant (Q,): how many documents are relevant; the best list has them all, `ideal` at the most. NaN without any.
    """
    sums = np.concatenate([[0.0], np.cumsum(track_discount(max(ideal, 1)))])
    best = sums[np.minimum(relevant, ideal)]  # (Q,)
    found = np.tensordot(track_discount(len(gains)), gains, axes=1)
    return found / np.where(best > 0, best, np.nan)
