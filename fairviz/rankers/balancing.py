"""Swaps that balance the exposure of the genders at a bounded loss, for `balanced` and `oracle`.

Axis letters: N documents of the list, k ranks up to the cutoff, G gender groups. A code is a label: -1 none, 0 neutral,
1 … G the gender groups.
"""

from dataclasses import dataclass

import numpy as np

Array = np.ndarray
LEAST = 1e-12  # smallest difference that counts: sums in different orders differ by less


@dataclass(frozen=True, eq=False)
class Balance:
    """One list with its targets and its bound of loss.

    codes (N,): the labels of the documents in the list's order. gains (N,): each document's gain at rank 1, 0 or more.
    weights (k,): position bias of the ranks; discounts (k,): of the gains. targets (G,): target shares of exposure.
    loss: the share of the list's own discounted gain that may be lost.
    """

    codes: Array
    gains: Array
    weights: Array
    discounts: Array
    targets: Array
    loss: float

    def gap(self, exposures: Array) -> Array:
        """Return Σ over groups of |exposure - target · the exposure of all groups|, (…) for exposures (…, G)."""
        target_exposures = self.targets * exposures.sum(axis=-1, keepdims=True)
        return np.abs(exposures - target_exposures).sum(axis=-1)


def discounts(cutoff: int) -> Array:
    """Return 1 / log2(1 + rank) for ranks 1 to the cutoff, (k,): nDCG's discounts."""
    return 1 / np.log2(np.arange(2, cutoff + 2))


def balanced_order(balance: Balance) -> Array:
    """Return the list reordered, as places of its documents, best first, (N,).

    Greedy: of all swaps of a document within the k ranks with one below it, the one that reduces the gap most, until
    none reduces it within the loss; tied swaps by the smallest loss, then the highest ranks. Documents without a label
    keep their ranks. In the end documents of one label take the list's own order within k, where the loss allows it,
    and the documents below k follow in that order. The gap never grows, and the loss never exceeds its bound.

    >>> codes, gains = np.array([2, 2, 1, 1]), 1 / np.log2(np.arange(2, 6))
    >>> balanced_order(Balance(codes, gains, np.ones(2), discounts(2), np.array([0.5, 0.5]), 0.2)).tolist()
    [0, 2, 1, 3]
    """
    order = np.arange(len(balance.codes))
    top = min(len(balance.weights), len(order))
    least_gain = (1 - balance.loss) * _total_gain(balance, order, top) - LEAST
    while (swap := _best_swap(balance, order, top, least_gain)) is not None:
        order[list(swap)] = order[list(swap[::-1])]
    tidied_order = _tidy(order, balance.codes, top)
    order = tidied_order if _total_gain(balance, tidied_order, top) >= least_gain else order
    return np.concatenate([order[:top], np.sort(order[top:])])


def _tidy(order: Array, codes: Array, top: int) -> Array:
    """Return the order with the top documents of each label in the list's own order; exposure is unchanged."""
    tidied_order = order.copy()
    for code in range(int(codes.max(initial=-1)) + 1):
        ranks = np.flatnonzero(codes[order[:top]] == code)
        tidied_order[ranks] = np.sort(order[ranks])
    return tidied_order


def _total_gain(balance: Balance, order: Array, top: int) -> float:
    return float(balance.discounts[:top] @ balance.gains[order[:top]])


def _best_swap(balance: Balance, order: Array, top: int, least: float) -> tuple[int, int] | None:
    """Return the two ranks, from 0, whose swap reduces the gap most and leaves a gain of `least`; None if none does."""
    codes, gains = balance.codes[order], balance.gains[order]
    groups = np.arange(1, len(balance.targets) + 1)
    weights, discount = (_pad(values[:top], len(order)) for values in (balance.weights, balance.discounts))
    exposures = weights @ (codes[:, None] == groups)  # (G,)
    moved_weights = weights[:top, None] - weights  # (k, N): the attention moved by each swap
    upper_groups, lower_groups = (codes[:top, None] == groups)[:, None], (codes[:, None] == groups)[None]
    gaps = balance.gap(exposures + moved_weights[..., None] * (lower_groups.astype(float) - upper_groups))  # (k, N)
    gains_after = discount @ gains + (discount[:top, None] - discount) * (gains - gains[:top, None])
    is_below = np.arange(len(order)) > np.arange(top)[:, None]
    is_labelled = (codes >= 0) & (codes[:top, None] >= 0)
    is_allowed = is_below & is_labelled & (gains_after >= least) & (gaps < balance.gap(exposures) - LEAST)
    if not is_allowed.any():
        return None
    has_least_gap = is_allowed & (gaps <= gaps[is_allowed].min() + LEAST)
    is_best = has_least_gap & (gains_after >= gains_after[has_least_gap].max() - LEAST)
    row, column = divmod(int(is_best.argmax()), len(order))
    return row, column


def _pad(values: Array, length: int) -> Array:
    return np.concatenate([values, np.zeros(length - len(values))])
