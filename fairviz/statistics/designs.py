"""Samples of items that people are to label, drawn with known probabilities."""

import numpy as np

Array = np.ndarray
UNIFORM = 0.1  # share of the budget that is spread evenly: a machine may be wrong where it is sure


def probabilities(weights: Array, uncertainty: Array, budget: int) -> Array:
    """Return the probability of each item to be drawn (D,), above 0 and up to 1; they sum to the budget, D at most.

    0.9 of the budget in proportion to |weight| · uncertainty, 0.1 evenly. Items that would be above 1 are certain, and
    the rest of the budget goes to the others by the same rule. weights (D,); uncertainty (D,), at least 0.

    >>> probabilities(np.array([8.0, 1.0, 1.0]), np.ones(3), 2).round(3)
    array([1. , 0.5, 0.5])
    """
    size, count = np.abs(weights) * uncertainty, len(weights)
    even = np.full(count, 1 / count)
    share = (1 - UNIFORM) * size / size.sum() + UNIFORM * even if size.sum() > 0 else even
    result, is_certain = np.zeros(count), np.zeros(count, dtype=bool)
    while not is_certain.all():
        rest = min(budget, count) - is_certain.sum()
        result = np.where(is_certain, 1.0, rest * share / share[~is_certain].sum())
        if not (result[~is_certain] > 1).any():
            break
        is_certain |= result > 1
    return np.minimum(result, 1.0)


def draw_fixed(chance: Array, seed: int) -> Array:
    """Return whether each item is drawn (D,): as many as the probabilities sum to, which is a whole number.

    Systematic sampling in random order (Hartley and Rao 1962). Equal seeds draw equal items.

    >>> int(draw_fixed(np.full(10, 0.3), seed=1).sum())
    3
    """
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(chance))
    ends = np.cumsum(chance[order])
    points = np.arange(round(float(ends[-1]))) + generator.random()
    is_drawn = np.zeros(len(chance), dtype=bool)
    is_drawn[order[np.minimum(np.searchsorted(ends, points, side="right"), len(chance) - 1)]] = True
    return is_drawn


def expected_error(values: Array, chance: Array, multiple: float = 1.0) -> float:
    """Return about the standard error of Σ values / chance over drawn items, in a draw of fixed size (Hájek 1964).

    values, chance: (D,), of all items, or of a fair part of them, `multiple` times fewer.

    >>> round(expected_error(np.array([0.0, 1.0, 0.0, 1.0]), np.full(4, 0.5)), 3)
    1.0
    """
    spread = chance * (1 - chance)
    if not spread.sum() > 0:
        return 0.0
    centre = ((1 - chance) * values).sum() / spread.sum()
    each = np.divide(values, chance, out=np.zeros(len(values)), where=chance > 0)
    return float(np.sqrt(multiple * (spread * (each - centre) ** 2).sum()))
