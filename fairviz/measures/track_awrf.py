"""The TREC Fair Ranking track's AWRF: soft groups, targets by topic, and the track's discount.

Axis letters: K ranks, S systems, Q queries, G groups, D documents. Unlike the measure AWRF a document may belong to
several groups in parts, each query has its own target, and 1 is fair.

Ekstrand, McDonald, Raj, Johnson: Overview of the TREC 2021 Fair Ranking Track, and of the TREC 2022 Fair Ranking Track
(arXiv:2302.05558); the track's published code.
"""

import numpy as np

Array = np.ndarray
BACKGROUND = {"female": 0.495, "male": 0.495, "non-binary": 0.01}  # the track's target for gender in all topics


def track_discount(depth: int) -> Array:
    """Return the attention at ranks 1..depth, (K,): 1 / log2(max(rank, 2)), equal for the first two ranks.

    >>> track_discount(4).round(4).tolist()
    [1.0, 1.0, 0.6309, 0.5]
    """
    return 1 / np.log2(np.maximum(np.arange(1, depth + 1, dtype=np.float64), 2))


def split(memberships: Array) -> Array:
    """Return memberships (D, G) with rows that sum to 1: a document's attention is split among its groups.

    A row of zeros (a document without evidence) remains zero.
    """
    total = memberships.sum(axis=1, keepdims=True)
    return memberships / np.where(total > 0, total, 1)


def soft_exposure(documents: Array, memberships: Array, cutoff: int) -> Array:
    """Return the attention that each group receives in the top `cutoff`, (S, Q, G).

    documents (K, S, Q): places in memberships (D, G), -1 below the end of a list.
    """
    padded = np.concatenate([memberships, np.zeros((1, memberships.shape[1]))])  # -1 reads the last
    received = np.zeros((*documents.shape[1:], memberships.shape[1]))
    for weight, at_rank in zip(track_discount(cutoff), documents, strict=False):
        received += weight * padded[at_rank]
    return received


def mixed_target(relevant: Array, background: Array, values: Array) -> Array:
    """Return the track's target of a topic, (G,): the mean of the relevant documents' shares and the background.

    The known groups keep their total share, which scales the background; an unknown share is unchanged. relevant
    (D, G): memberships of the relevant documents. background (G,): 0 for unknown. values (G,): mask of known groups.
    NaN without relevant documents.

    >>> two = np.array([[1.0, 0, 0], [0, 0, 1]])  # one female, one unknown
    >>> mixed_target(two, np.array([0.5, 0.5, 0]), np.array([True, True, False])).tolist()
    [0.375, 0.125, 0.5]
    """
    assigned = relevant[relevant.sum(axis=1) > 0]
    if not len(assigned):
        return np.full(relevant.shape[1], np.nan)
    shares = assigned.mean(axis=0)
    mixed = (shares + background * shares[values].sum()) / 2
    return np.where(values, mixed, shares)


def track_awrf(exposure: Array, target: Array) -> Array:
    """Return 1 - the Jensen-Shannon divergence, in nats, of exposure (…, G) from its target: 1 is fair, (…).

    Both are first scaled to sum to 1. At least 1 - ln 2 = 0.307. NaN for a list without attention to any group and for
    a topic without a target.

    >>> round(float(track_awrf(np.array([1.0, 0.0]), np.array([0.5, 0.5]))), 4)  # 1 - ln 2 * 0.3113
    0.7842
    """
    from scipy.special import rel_entr

    shares, wished = _scale(exposure), _scale(target)
    middle = (shares + wished) / 2
    return 1 - (rel_entr(shares, middle) + rel_entr(wished, middle)).sum(axis=-1) / 2


def _scale(amounts: Array) -> Array:
    """Return amounts (…, G) scaled to sum to 1; NaN if all are 0."""
    total = amounts.sum(axis=-1, keepdims=True)
    return amounts / np.where(total > 0, total, np.nan)


def work_exposure(levels: Array) -> Array:
    """Return the target exposure of relevant documents by their level of work, (J,): those of a level share the
    attention to their ranks in the best list, the most work (level 0) first.

    >>> work_exposure(np.array([1, 0, 1])).round(4).tolist()  # 1, and the mean of 1 and 0.6309
    [0.8155, 1.0, 0.8155]
    """
    attention = np.concatenate([[0.0], np.cumsum(track_discount(len(levels)))])
    counts = np.bincount(levels, minlength=1)
    ends = np.cumsum(counts)
    shares = (attention[ends] - attention[ends - counts]) / np.maximum(counts, 1)
    return shares[levels]


def exposure_target(relevant: Array, exposure: Array, background: Array, values: Array) -> Array:
    """Return the target share of each group in expected exposure, (G,): as `mixed_target`, of memberships (J, G)
    weighted by their documents' exposure (J,). NaN where no such document has a group."""
    shares = exposure @ relevant
    mixed = (shares + background * shares[values].sum()) / 2
    return _scale(np.where(values, mixed, shares))


def track_expected_exposure(exposure: Array, target: Array, length: int) -> tuple[Array, Array, Array]:
    """Return the track's EE-L, EE-D and EE-R, (…) each: of a system's mean exposure of groups (…, G) over its
    sequences, against the target shares (…, G) of all attention to `length` ranks.

    >>> [value.round(4).item() for value in track_expected_exposure(np.array([2.0, 0.0]), np.array([0.5, 0.5]), 2)]
    [2.0, 4.0, 2.0]
    """
    wanted = target * track_discount(length).sum()
    apart = exposure - wanted
    return (apart**2).sum(axis=-1), (exposure**2).sum(axis=-1), (exposure * wanted).sum(axis=-1)


def track_ndcg(gains: Array, relevant: Array, ideal: int) -> Array:
    """Return the track's nDCG, (S, Q): gains (K, S, Q) of 0 and 1 under its discount, over that of the best list.

    relevant (Q,): number of relevant documents; the best list has them all, at most `ideal`. NaN without any.
    """
    sums = np.concatenate([[0.0], np.cumsum(track_discount(max(ideal, 1)))])
    best = sums[np.minimum(relevant, ideal)]  # (Q,)
    discounted_gains = np.tensordot(track_discount(len(gains)), gains, axes=1)
    return discounted_gains / np.where(best > 0, best, np.nan)
