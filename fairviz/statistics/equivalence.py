"""Whether a difference is too small to matter, and the minimum detectable difference.

Both go by Student's t: an estimate (N,), its standard error (N,) and its degrees of freedom (N,). A paired difference
has n - 1 of them, the slope of a GSR n - 2.
"""

import numpy as np

from fairviz.statistics.paired import EQUAL

Array = np.ndarray


def mean_error(differences: Array) -> float:
    """Standard error of the mean of differences (Q,), standard deviation / sqrt(n); NaN with fewer than two."""
    known = differences[~np.isnan(differences)]
    return float(known.std(ddof=1) / np.sqrt(len(known))) if len(known) >= 2 else np.nan


def slope_error(x: Array, differences: Array) -> float:
    """Standard error of the least-squares slope of differences on x, (Q,) each; NaN with fewer than three points or
    equal x."""
    from scipy.stats import linregress

    both = ~(np.isnan(x) | np.isnan(differences))
    x, differences = x[both], differences[both]
    if len(x) < 3 or np.ptp(x) <= EQUAL:
        return np.nan
    return float(linregress(x, differences).stderr) if np.ptp(differences) > EQUAL else 0.0


def equivalence_p(difference: Array, error: Array, freedom: Array, margin: Array) -> Array:
    """p of two one-sided t tests (TOST; Schuirmann 1987), (N,) each to (N,): the larger p of difference <= -margin and
    of difference >= margin.

    Below alpha the difference lies within the margin, which is to say that its interval at 1 - 2 alpha does. Where all
    queries differ by the same, t says nothing: p is then 1 / 2^n inside the margin, the chance of one sign under
    random signs, and 1 outside. NaN where error is NaN.
    """
    from scipy.special import stdtr

    with np.errstate(divide="ignore", invalid="ignore"):
        p = stdtr(np.maximum(freedom, 1), (np.abs(difference) - margin) / error)
    flat = error <= EQUAL * np.maximum(np.abs(difference), 1)
    signs = np.where(np.abs(difference) < margin, 0.5 ** (freedom + 1.0), 1.0)
    return np.where(np.isnan(error) | np.isnan(difference), np.nan, np.where(flat, signs, p))


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
