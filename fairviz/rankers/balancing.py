"""Swaps that even out the exposure of the genders at a bounded loss: what `balanced` and `oracle` share.

Axis letters: N documents of the list, k ranks looked at, G gender groups. A code is a label: -1 none, 0 neutral,
1 … G the gender groups.
"""

from dataclasses import dataclass

import numpy as np

Array = np.ndarray
LEAST = 1e-12  # what counts as less: sums of different order differ by less than this


@dataclass(frozen=True, eq=False)
class Balance:
    """What is evened out and what may be lost.

    codes (N,): the labels of the documents in the list's order. gains (N,): what each is worth at rank 1, 0 or more.
    weights (k,): position bias of the ranks; discounts (k,): by which gains are weighed. targets (G,): wished shares of
    exposure. loss: the share of the list's own discounted gain that may go.
    """

    codes: Array
    gains: Array
    weights: Array
    discounts: Array
    targets: Array
    loss: float

    def gap(self, exposures: Array) -> Array:
        """Σ over groups of |exposure - target · the exposure of all groups|, (…) for exposures (…, G)."""
        wished = self.targets * exposures.sum(axis=-1, keepdims=True)
        return np.abs(exposures - wished).sum(axis=-1)


def discounts(cutoff: int) -> Array:
    """1 / log2(1 + rank) for ranks 1 to the cutoff, (k,): as nDCG discounts."""
    return 1 / np.log2(np.arange(2, cutoff + 2))


def balanced_order(balance: Balance) -> Array:
    """The list reordered, as places of its documents, best first, (N,).

    Greedy: of all swaps of a document within the k ranks with one below it, the one that lessens the gap most, until
    none lessens it within the loss; of equal ones the one that loses least, then the highest ranks. A document without
    a label neither moves nor is moved, and never comes into the k ranks. In the end documents of one label take the
    list's own order within k, where the loss allows it, and what left them stands behind them in that order. The gap
    is never larger than before, and the loss never larger than allowed.

    >>> codes, gains = np.array([2, 2, 1, 1]), 1 / np.log2(np.arange(2, 6))
    >>> balanced_order(Balance(codes, gains, np.ones(2), discounts(2), np.array([0.5, 0.5]), 0.2)).tolist()
    [0, 2, 1, 3]
    """
    order = np.arange(len(balance.codes))
    top = min(len(balance.weights), len(order))
    least = (1 - balance.loss) * _gained(balance, order, top) - LEAST
    while (swap := _best_swap(balance, order, top, least)) is not None:
        order[list(swap)] = order[list(swap[::-1])]
    tidy = _tidied(order, balance.codes, top)
    order = tidy if _gained(balance, tidy, top) >= least else order
    return np.concatenate([order[:top], np.sort(order[top:])])


def _tidied(order: Array, codes: Array, top: int) -> Array:
    """The order with the documents of each label within the top in the list's own order; exposure stays as it is."""
    tidy = order.copy()
    for code in range(int(codes.max(initial=-1)) + 1):
        ranks = np.flatnonzero(codes[order[:top]] == code)
        tidy[ranks] = np.sort(order[ranks])
    return tidy


def _gained(balance: Balance, order: Array, top: int) -> float:
    return float(balance.discounts[:top] @ balance.gains[order[:top]])


def _best_swap(balance: Balance, order: Array, top: int, least: float) -> tuple[int, int] | None:
    """The two ranks, counted from 0, whose swap lessens the gap most and leaves a gain of `least`; None if none."""
    codes, gains = balance.codes[order], balance.gains[order]
    groups = np.arange(1, len(balance.targets) + 1)
    weights, discount = (_padded(values[:top], len(order)) for values in (balance.weights, balance.discounts))
    exposures = weights @ (codes[:, None] == groups)  # (G,)
    moved = weights[:top, None] - weights  # (k, N): the attention that passes from one document to the other
    ours, theirs = (codes[:top, None] == groups)[:, None], (codes[:, None] == groups)[None]
    gaps = balance.gap(exposures + moved[..., None] * (theirs.astype(float) - ours))  # (k, N)
    gained = discount @ gains + (discount[:top, None] - discount) * (gains - gains[:top, None])
    below = np.arange(len(order)) > np.arange(top)[:, None]
    labelled = (codes >= 0) & (codes[:top, None] >= 0)
    allowed = below & labelled & (gained >= least) & (gaps < balance.gap(exposures) - LEAST)
    if not allowed.any():
        return None
    near = allowed & (gaps <= gaps[allowed].min() + LEAST)
    best = near & (gained >= gained[near].max() - LEAST)
    row, column = divmod(int(best.argmax()), len(order))
    return row, column


def _padded(values: Array, length: int) -> Array:
    return np.concatenate([values, np.zeros(length - len(values))])
