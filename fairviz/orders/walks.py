"""Orders of documents: every order of few, swaps, and a climb from swap to swap.

Axis letters: N documents, X orders. An order is a permutation of positions in an original list, best first.
"""

from collections.abc import Callable
from itertools import permutations

import numpy as np

Array = np.ndarray
LEAST = 1e-12  # what counts as more: sums of different order differ by less than this
MOST_SWAPS = 100


def swaps_within(order: Array, top: int) -> tuple[Array, Array]:
    """Return every order that results from a swap with one of the top ranks, (X, N), and both ranks, from 0, (X, 2).

    >>> swaps_within(np.array([0, 1, 2]), 1)[0].tolist()
    [[1, 0, 2], [2, 1, 0]]
    """
    first, second = np.nonzero(np.arange(len(order)) > np.arange(top)[:, None])
    orders = np.tile(order, (len(first), 1))
    rows = np.arange(len(first))
    orders[rows, first], orders[rows, second] = order[second], order[first]
    return orders, np.column_stack([first, second])


def climb(start: Array, top: int, progress: Callable[[Array], tuple[Array, Array]]) -> list[Array]:
    """Return the orders from the start on, each after the swap that gains most, until none gains.

    progress: from orders to what they gain and their effectiveness, which decides ties, (X,) each.
    """
    way, current = [start], float(progress(start[None])[0][0])
    for _ in range(MOST_SWAPS):
        if np.isposinf(current) or len(start) < 2:
            break
        orders, _ = swaps_within(way[-1], top)
        gains, effects = progress(orders)
        if not gains.max() > current + LEAST:
            break
        nearest = np.flatnonzero(gains >= gains.max() - LEAST)
        best = nearest[np.argmax(effects[nearest] >= effects[nearest].max() - LEAST)]
        way.append(orders[best])
        current = float(gains[best])
    return way


def all_orders(length: int, top: int | None = None) -> Array:
    """Return every order of a short list, (length!, length), the original one first; or of its first ranks, (X, top).

    >>> all_orders(3, 1).tolist()
    [[0], [1], [2]]
    """
    top = length if top is None else top
    return np.array(list(permutations(range(length), top)), dtype=np.int64).reshape(-1, top)
