"""Lorenz curves and Gini coefficients of exposure over documents.

Axis letter: N documents.
"""

import numpy as np

Array = np.ndarray


def lorenz(exposures: Array) -> tuple[Array, Array]:
    """Return the Lorenz curve, (N + 1,) each: cumulative shares of documents, those of least exposure first, and of
    exposure, from 0 to 1 (Lorenz, Publications of the American Statistical Association 9, 1905).

    exposures (N,): 0 or more. Shares of exposure are NaN where the sum is 0, and both arrays are empty for no document.

    >>> documents, exposure = lorenz(np.array([3.0, 0.0, 1.0, 0.0]))
    >>> documents.tolist(), exposure.tolist()
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.0, 0.0, 0.25, 1.0])
    """
    count = len(exposures)
    if not count:
        return np.array([]), np.array([])
    running = np.concatenate([[0.0], np.cumsum(np.sort(exposures))])
    total = running[-1]
    return np.arange(count + 1) / count, running / total if total > 0 else np.full(count + 1, np.nan)


def gini(exposures: Array) -> float:
    """Return the Gini coefficient: twice the area between the Lorenz curve and the diagonal, from 0 (all alike) to
    1 − 1 / N (a single document has all exposure); NaN where the sum is 0.

    G = Σ (2 i − N − 1) x₍ᵢ₎ / (N Σ x), x₍₁₎ ≤ … ≤ x₍N₎.

    >>> gini(np.array([3.0, 0.0, 1.0, 0.0]))  # (-3 · 0 − 1 · 0 + 1 · 1 + 3 · 3) / (4 · 4)
    0.625
    """
    total, count = exposures.sum(), len(exposures)
    if not total > 0:
        return np.nan
    places = 2 * np.arange(1, count + 1) - count - 1
    return float((places * np.sort(exposures)).sum() / (count * total))


def thinned(x: Array, y: Array, most: int) -> tuple[Array, Array]:
    """Return at most about this number of points of a curve, ends and the last point of the flat start included."""
    if len(x) <= most:
        return x, y
    flat = int(np.searchsorted(y, 0.0, side="right")) - 1 if y[0] == 0 else 0
    places = np.unique(np.concatenate([np.linspace(0, len(x) - 1, most).astype(int), [max(flat, 0)]]))
    return x[places], y[places]
