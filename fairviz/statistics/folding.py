"""Differences of distances from a fairest value: |a| − |b|, by way of a − b and a + b.

A measure that is fairest at 0 orders systems by |a|, one that is fairest at 1 by |ln a|. With u = a − b and v = a + b,
|a| − |b| = sign(uv)·min(|u|, |v|). It is 0 where either is 0, so a test rejects both, and the larger p counts.
"""

import numpy as np

Array = np.ndarray


def folded(u: Array, v: Array) -> Array:
    """Return |a| − |b|, of any shape.

    >>> float(folded(np.array(0.1 - -0.1), np.array(0.1 + -0.1)))  # equally far from 0
    0.0
    >>> float(folded(np.array(3.0 - 1.0), np.array(3.0 + 1.0)))
    2.0
    """
    return np.sign(u) * np.sign(v) * np.minimum(np.abs(u), np.abs(v))


def folded_interval(u: tuple[Array, Array], v: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return the range of |a| − |b| for u and v within their intervals, (P,) each.

    In each quadrant the difference is monotone in u and in v, so its ends are at corners of the rectangle, or 0 where
    an axis cuts it.
    """
    corners = np.stack([folded(x, y) for x in u for y in v])
    touched = ((u[0] <= 0) & (u[1] >= 0)) | ((v[0] <= 0) & (v[1] >= 0))
    low, high = corners.min(axis=0), corners.max(axis=0)
    return np.where(touched, np.minimum(low, 0.0), low), np.where(touched, np.maximum(high, 0.0), high)
