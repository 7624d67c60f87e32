"""The order of values that may differ by rounding, and how far two orders of the same items agree: Kendall's tau-b,
the AP correlation, and tau of the first k."""

import numpy as np

from fairviz.statistics.contrasts import sign_of

Array = np.ndarray


def largest_first(values: Array) -> Array:
    """Return the order of values (N,), the largest first and NaN last; those equal up to rounding stay in their order.

    >>> largest_first(np.array([0.3, np.nan, 0.1 + 0.2, 0.4])).tolist()
    [3, 0, 2, 1]
    """
    return np.argsort(-np.round(values, 12), kind="stable")


def kendall_tau(first: Array, second: Array) -> Array:
    """Return Kendall's tau-b of each row of two arrays, (N, S) to (N,) in [-1, 1]; NaN where all of a row tie.

    An item that is NaN in either row is left out of both.
    """
    one, two = np.triu_indices(first.shape[1], k=1)
    x, y = (sign_of(table[:, one] - table[:, two]) for table in (first, second))
    if (undefined := np.isnan(x) | np.isnan(y)).any():
        x, y = (np.where(undefined, 0.0, signs) for signs in (x, y))
    with np.errstate(invalid="ignore"):
        return (x * y).sum(axis=1) / np.sqrt((x != 0).sum(axis=1) * (y != 0).sum(axis=1))


def ap_correlation(values: Array, truth: Array) -> Array:
    """Return the AP correlation of each row of values with the truth, (N, S) to (N,) in [-1, 1]; NaN below two items.

    Smaller values stand first. Of every item but the first in the order by `values`, the share of the items above it
    that the truth has above it too is averaged: 2 / (S - 1) · Σ C(i) / (i - 1) - 1, so that slips at the top cost most.
    Yilmaz, Aslam and Robertson (2008), equation 2. Not symmetric. Ties in `values`: the mean over all their orders;
    pairs that tie in the truth are half right. With ties the greatest value is below 1.

    By hand: the truth is A B C D. B A C D: (0/1 + 2/2 + 3/3) · 2/3 - 1 = 1/3; A B D C: (1 + 2/2 + 2/3) · 2/3 - 1 = 7/9.
    Kendall's tau is 2/3 for both.

    >>> ap_correlation(np.array([[2, 1, 3, 4], [1, 2, 4, 3]]), np.array([[1, 2, 3, 4]] * 2)).round(4).tolist()
    [0.3333, 0.7778]
    """
    size = values.shape[1]
    if size < 2:
        return np.full(len(values), np.nan)
    order = sign_of(values[:, :, None] - values[:, None, :])  # (N, S, S): 1 where the second stands above the first
    right = (1 + sign_of(truth[:, :, None] - truth[:, None, :])) / 2  # 1 where it is above in truth, 1/2 for a tie
    above, tied = (order > 0).sum(axis=2), (order == 0).sum(axis=2)  # (N, S); the item itself is among the tied
    correct = np.where(order > 0, right, 0.0).sum(axis=2)
    # A tied item has each rank of its group equally often: 1 / (i - 1) adds up to a difference of harmonic numbers.
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, size + 1))])
    inverse = harmonic[above + tied - 1] - harmonic[np.maximum(above - 1, 0)]
    shares = np.where(above > 0, correct * inverse + (tied - above * inverse) / 2, (tied - 1) / 2)
    return 2 / (size - 1) * (shares / tied).sum(axis=1) - 1


def top_tau(first: Array, second: Array, top: int) -> Array:
    """Return tau of the items within the first `top` places of either order, (N, S) to (N,) in [-1, 1]; NaN for one.

    Smaller values stand first; items that tie for the last place are all within. Of the pairs of these items, those in
    the same order less those in the other one, over all pairs. An item outside an order's top stands behind all within;
    two outside have no order there, and count for neither side. 1 - 2 K / pairs with K of Fagin, Kumar and Sivakumar
    (2003), section 3.1, p = 1/2. Of two tops of k without a common item it is -k / (2k - 1).

    >>> top_tau(np.array([[1, 2, 3, 4]]), np.array([[2, 1, 3, 4]]), 2).tolist()
    [-1.0]
    """
    signs, within = [], []
    for values in (first, second):
        rank = (sign_of(values[:, :, None] - values[:, None, :]) > 0).sum(axis=2)  # how many stand above
        within.append(rank < top)
        shown = np.where(rank < top, values, np.inf)
        is_pair = np.isfinite(shown[:, :, None]) | np.isfinite(shown[:, None, :])
        with np.errstate(invalid="ignore"):
            apart = np.where(is_pair, shown[:, :, None] - shown[:, None, :], 0.0)
        signs.append(np.where(np.isinf(apart), np.sign(apart), sign_of(np.where(np.isinf(apart), 0.0, apart))))
    either = within[0] | within[1]
    pairs = either[:, :, None] & either[:, None, :] & ~np.eye(first.shape[1], dtype=bool)
    total = pairs.sum(axis=(1, 2))
    with np.errstate(invalid="ignore"):
        return np.where(pairs, signs[0] * signs[1], 0.0).sum(axis=(1, 2)) / np.where(total > 0, total, np.nan)
