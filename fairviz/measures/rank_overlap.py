"""Rank-biased overlap: how far two lists agree, the top counting most.

Webber, Moffat, Zobel: A Similarity Measure for Indefinite Rankings (ACM TOIS 28, 2010), extrapolated, equation 32.
"""

from collections.abc import Hashable, Sequence

import numpy as np

from fairviz.errors import UsageError

Array = np.ndarray
PERSISTENCE = 0.9  # the TExFAIR paper's choice, after Webber and others
Names = Sequence[Hashable]


def rank_biased_overlap(first: Names, second: Names, p: float = PERSISTENCE) -> float:
    """RBO of two lists without repetitions, best first, as if what is seen of them went on for ever. Range [0, 1].

    X(d) documents are in both first d ranks, s and l are the lengths of the shorter and the longer list:

        (1 - p) / p · (Σ_{d=1..l} X(d)/d · p^d + Σ_{d=s+1..l} X(s) (d - s)/(s d) · p^d)
            + ((X(l) - X(s)) / l + X(s) / s) · p^l

    1 is identical, 0 disjoint; 0 where one list is empty, NaN where both are. Raises UsageError for p outside ]0, 1[.

    >>> rank_biased_overlap("abc", "abc"), rank_biased_overlap("abc", "xyz")
    (1.0, 0.0)
    >>> round(rank_biased_overlap("ab", "ba", 0.5), 12)  # X = 0, 2: 1 · (0 + 2/2 · 1/4) + 2/2 · 1/4
    0.5
    """
    weights = _weights(len(first), len(second), p)
    if not weights.size:
        return float("nan") if len(first) == len(second) else 0.0
    place = {name: rank for rank, name in enumerate(second)}
    met = [max(rank, place[name]) for rank, name in enumerate(first) if name in place]
    common = np.bincount(np.array(met, dtype=np.int64), minlength=len(weights)).cumsum()  # X (l,)
    return min(1.0, float(weights @ common))


def _weights(first: int, second: int, p: float) -> Array:
    """What each X(d) counts, (l,), none below 0; empty where a list is."""
    if not 0 < p < 1:
        raise UsageError(f"p is {p:g}", "Use a number between 0 and 1, such as 0.9.")
    short, long = sorted((first, second))
    if not short:
        return np.zeros(0)
    depth = np.arange(1, long + 1)
    share = (1 - p) / p * p**depth / depth
    weights = share.copy()
    weights[short - 1] += (share * (depth - short))[short:].sum() / short + p**long * (1 / short - 1 / long)
    weights[long - 1] += p**long / long
    return weights


def overlap_over_ties(
    first: Names, second: Names, first_scores: Array, second_scores: Array, p: float = PERSISTENCE
) -> tuple[float, float]:
    """The smallest and the largest RBO over all orders of documents with equal scores, in either list.

    scores: of the documents in their order, equal ones next to one another. Exact: no X(d) counts less than 0, and one
    order of the ties makes every X(d) as large as it can be. It has the documents of a tie in the order of the other
    list, those that it lacks last; what is tied in both lists stands alike in both. The reverse of all that, in the
    second list but for what is tied in both, makes every X(d) as small as it can be.

    >>> [round(x, 3) for x in overlap_over_ties("ab", "ba", np.array([1, 1]), np.array([1, 1]), 0.5)]
    [0.5, 1.0]
    """
    groups = [_groups(first, first_scores), _groups(second, second_scores)]
    bounds = []
    for sign in (-1, 1):
        one = _ordered(first, groups[0], groups[1], sign, 1)
        other = _ordered(second, groups[1], groups[0], sign, sign)
        bounds.append(rank_biased_overlap(one, other, p))
    return bounds[0], bounds[1]


def _groups(names: Names, scores: Array) -> dict[Hashable, int]:
    """The number of the tie that each document is in, from the top."""
    numbers = np.concatenate([[0], np.cumsum(np.diff(np.asarray(scores)) != 0)])
    return dict(zip(names, numbers[: len(names)].tolist(), strict=True))


def _ordered(
    names: Names, own: dict[Hashable, int], other: dict[Hashable, int], sign: int, alike: int
) -> list[Hashable]:
    """The list with its ties in the order of the other list (sign 1) or against it (-1); what is tied in both by name,
    upwards (alike 1) or downwards (-1)."""
    absent = max(other.values(), default=0) + 1
    by_name = {name: place for place, name in enumerate(sorted(names, key=str))}
    return sorted(names, key=lambda name: (own[name], sign * other.get(name, absent), alike * by_name[name]))
