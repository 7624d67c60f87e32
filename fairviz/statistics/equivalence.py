"""The minimum detectable difference of a number of queries, by Student's t.

An estimate has a standard error (N,) and degrees of freedom (N,).
"""

import numpy as np

from fairviz.statistics.contrasts import EQUAL

Array = np.ndarray


def power_of(difference: float, error: float, freedom: float, alpha: float) -> float:
    """The chance that a two-sided t test at alpha finds this difference, where its error is as given."""
    from scipy.special import nctdtr, stdtrit

    critical, centre = stdtrit(freedom, 1 - alpha / 2), abs(difference) / error
    wrong_side = nctdtr(freedom, centre, -critical)  # NaN where it is too small for scipy to compute
    return float(1 - nctdtr(freedom, centre, critical) + np.nan_to_num(wrong_side))


def detectable(error: Array, freedom: Array, alpha: float | Array, power: float) -> Array:
    """Return the smallest difference that a two-sided t test at alpha finds with this power, (N,): in units of the
    measure.

    alpha: one level, or one for each difference (N,). It solves for the non-centrality of t, as statsmodels' TTestPower
    does for the effect size, and multiplies by the error. NaN where error is NaN or 0 (queries that all differ by the
    same have no spread), and where alpha is NaN or 0.
    """
    out = np.full(len(error), np.nan)
    levels = np.broadcast_to(np.asarray(alpha, dtype=np.float64), len(error))
    centres: dict[tuple[float, float], float] = {}
    for place in np.flatnonzero((error > EQUAL) & (freedom >= 1) & (levels > 0)):
        key = (float(freedom[place]), float(levels[place]))
        if key not in centres:
            centres[key] = _centre(*key, power)
        out[place] = centres[key] * error[place]
    return out


def _centre(freedom: float, alpha: float, power: float) -> float:
    """The non-centrality at which the test has this power."""
    from scipy.optimize import brentq

    def lacking(centre: float) -> float:
        return power_of(centre, 1.0, freedom, alpha) - power

    above = 1.0
    while lacking(above) < 0:
        above *= 2
    return float(brentq(lacking, 0.0, above))
