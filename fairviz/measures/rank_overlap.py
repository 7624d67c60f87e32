"""Rank-biased overlap: the agreement of two lists, with most weight on the top.

Webber, Moffat, Zobel: A Similarity Measure for Indefinite Rankings (ACM TOIS 28, 2010), extrapolated, equation 32.
"""

from collections.abc import Hashable, Sequence

import numpy as np

from fairviz.errors import UsageError

Array = np.ndarray
PERSISTENCE = 0.9  # the TExFAIR paper's choice, after Webber and others
Names = Sequence[Hashable]


def rank_biased_overlap(first: Names, second: Names, p: float = PERSISTENCE) -> float:
    """Return the RBO of two lists without repetitions, best first, extrapolated to infinite depth. Range [0, 1].

    X(d) documents are in both first d ranks, s and l are the lengths of the shorter and the longer list:

        (1 - p) / p · (Σ_{d=1..l} X(d)/d · p^d + Σ_{d=s+1..l} X(s) (d - s)/(s d) · p^d)
            + ((X(l) - X(s)) / l + X(s) / s) · p^l

    1 is identical, 0 disjoint; 0 if one list is empty, NaN if both are. Raises UsageError for p outside ]0, 1[.

    >>> rank_biased_overlap("abc", "abc"), rank_biased_overlap("abc", "xyz")
    (1.0, 0.0)
    >>> round(rank_biased_overlap("ab", "ba", 0.5), 12)  # X = 0, 2: 1 · (0 + 2/2 · 1/4) + 2/2 · 1/4
    0.5
    """
    if not 0 < p < 1:
        raise UsageError(f"p is {p:g}", "Use a number between 0 and 1, such as 0.9.")
    short, long = sorted((len(first), len(second)))
    if not short:
        return 0.0 if long else float("nan")
    depth = np.arange(1, long + 1)
    share = (1 - p) / p * p**depth / depth
    weights = share.copy()  # of each X(d), (l,), none below 0
    weights[short - 1] += (share * (depth - short))[short:].sum() / short + p**long * (1 / short - 1 / long)
    weights[long - 1] += p**long / long
    place = {name: rank for rank, name in enumerate(second)}
    common_depths = [max(rank, place[name]) for rank, name in enumerate(first) if name in place]
    common = np.bincount(np.array(common_depths, dtype=np.int64), minlength=len(weights)).cumsum()  # X (l,)
    return min(1.0, float(weights @ common))


def overlap_over_ties(
    first: Names, second: Names, first_scores: Array, second_scores: Array, p: float = PERSISTENCE
) -> tuple[float, float]:
    """Return the smallest and the largest RBO over all orders of documents with equal scores, in either list.

    scores: of the documents in their order, equal ones next to one another. Exact: no X(d) has a negative weight, and
    one order of the ties maximises every X(d). It has tied documents in the order of the other list, those missing
    there last, and documents tied in both lists in one order. The reverse, except for documents tied in both in the
    second list, minimises every X(d).

    >>> [round(x, 3) for x in overlap_over_ties("ab", "ba", np.array([1, 1]), np.array([1, 1]), 0.5)]
    [0.5, 1.0]
    """
    groups = [_tie_numbers(first, first_scores), _tie_numbers(second, second_scores)]
    bounds = []
    for sign in (-1, 1):
        first_order = _order_ties(first, groups[0], groups[1], sign, 1)
        second_order = _order_ties(second, groups[1], groups[0], sign, sign)
        bounds.append(rank_biased_overlap(first_order, second_order, p))
    return bounds[0], bounds[1]


def _tie_numbers(names: Names, scores: Array) -> dict[Hashable, int]:
    """Return the number of each document's tie, from the top."""
    numbers = np.concatenate([[0], np.cumsum(np.diff(np.asarray(scores)) != 0)])
    return dict(zip(names, numbers[: len(names)].tolist(), strict=True))


def _order_ties(
    names: Names, own_ties: dict[Hashable, int], other_ties: dict[Hashable, int], sign: int, alike: int
) -> list[Hashable]:
    """Return the list with its ties in the order of the other list (sign 1) or against it (-1).

    Documents tied in both lists are ordered by name, upwards (alike 1) or downwards (-1).
    """
    absent = max(other_ties.values(), default=0) + 1
    by_name = {name: place for place, name in enumerate(sorted(names, key=str))}
    return sorted(names, key=lambda name: (own_ties[name], sign * other_ties.get(name, absent), alike * by_name[name]))
