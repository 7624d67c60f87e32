"""The share of each choice in the variance over a grid: a functional analysis of variance.

Every measure weighs the same, and within it every defined combination. A choice that a measure does not read is varied
there too, without effect, so that the whole is one full factorial grid. Where all of it is defined the main effects are
orthogonal: a choice's share is the variance of its levels' means (its first-order Sobol index), and what no single
choice carries is interaction. Where combinations are undefined the choices are no longer independent of one another:
then a choice's share is what it adds to the variance that an additive model of the choices explains, averaged over all
orders in which they can enter it (Lindeman, Merenda and Gold; Shapley's value of each choice), and what that model
leaves is interaction. On a full grid both are the same. All shares are 0 or more and sum to 1.

Axis letters: N combinations, P levels of all choices together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

Array = np.ndarray
NOTHING = 1e-24  # a variance this small, against the square of the values, is rounding
APART = 1e-9  # of two choices' levels that are not independent


@dataclass(frozen=True)
class Part:
    """One measure's combinations. values (N,): NaN where undefined. codes: of each choice that the measure reads, the
    level in each combination, (N,)."""

    values: Array
    codes: dict[str, Array]


@dataclass(frozen=True)
class Shares:
    """alone: each choice's share of the variance, by name. together: what is left, the interactions; all sum to 1.
    totals: each choice's share with every interaction that it takes part in, only where the grid is full. variance: of
    the values; shares are empty where it is 0. full: whether every combination is defined."""

    alone: dict[str, float]
    together: float
    totals: dict[str, float]
    variance: float
    full: bool


@dataclass(frozen=True)
class Moments:
    """The moments to which an additive model is fitted: the levels' covariances (P, P), those with the values (P,), the
    position of each choice's levels, and the variance of the values."""

    spans: dict[str, slice]
    levels: Array
    values: Array
    variance: float


def shares_of(parts: Sequence[Part], sizes: dict[str, int]) -> Shares:
    """The shares of the choices in `sizes` (name to number of levels); the measure is one where there are several
    parts, under the name `measure`."""
    full = all(not np.isnan(part.values).any() for part in parts)
    defined = []
    for part in parts:
        if (there := ~np.isnan(part.values)).any():
            defined.append(Part(part.values[there], {name: codes[there] for name, codes in part.codes.items()}))
    if not defined:
        return Shares({}, 0.0, {}, 0.0, full)
    counts = {"measure": len(defined), **sizes}
    moments = _moments(defined, {name: count for name, count in counts.items() if count > 1})
    square = float(np.mean([(part.values**2).mean() for part in defined]))
    if moments.variance <= NOTHING * max(square, 1e-300):
        return Shares({}, 0.0, {}, 0.0, full)
    alone = _alone(moments)
    totals = {name: _total(defined, name, square) / moments.variance for name in moments.spans} if full else {}
    return Shares(alone, 1 - sum(alone.values()), totals, moments.variance, full)


def _moments(parts: Sequence[Part], counts: dict[str, int]) -> Moments:
    ends = np.cumsum([*counts.values()], dtype=np.int64).tolist()
    spans = {name: slice(end - counts[name], end) for name, end in zip(counts, ends, strict=True)}
    width = sum(counts.values())
    second, first, crossed = np.zeros((width, width)), np.zeros(width), np.zeros(width)
    mean = float(np.mean([part.values.mean() for part in parts]))
    for number, part in enumerate(parts):
        levels = {name: _indicators(part, number, name, count) for name, count in counts.items()}
        apart = part.values - mean
        for name, row in spans.items():
            one = levels[name]
            first[row] += one.mean(axis=0) / len(parts)
            crossed[row] += (one[0] * apart.mean() if len(one) == 1 else one.T @ apart / len(apart)) / len(parts)
            for other, column in spans.items():
                second[row, column] += _jointly(one, levels[other], name == other) / len(parts)
    variance = float(np.mean([((part.values - mean) ** 2).mean() for part in parts]))
    return Moments(spans, second - np.outer(first, first), crossed, variance)


def _indicators(part: Part, number: int, name: str, count: int) -> Array:
    """The level of a choice in each combination, as 0 and 1: (N, levels), or one row for all combinations; a choice
    that the measure does not read has equal weights in all levels. number: of the measure."""
    if name == "measure":
        return np.eye(count)[[number]]
    return np.eye(count)[part.codes[name]] if name in part.codes else np.full((1, count), 1 / count)


def _jointly(one: Array, other: Array, same: bool) -> Array:
    """The mean product of two choices' levels."""
    if same:
        return np.diag(one.mean(axis=0))
    if len(one) == len(other) and len(one) > 1:
        return one.T @ other / len(one)
    return np.outer(one.mean(axis=0), other.mean(axis=0))


def _alone(moments: Moments) -> dict[str, float]:
    """The share of each choice in what an additive model explains: where the choices' levels are independent, what it
    explains alone; else the mean of its gains over all orders of choices."""
    names = [*moments.spans]
    between = moments.levels.copy()
    for span in moments.spans.values():
        between[span, span] = 0
    if np.abs(between).max(initial=0.0) < APART:
        return {name: _explained(moments, [name]) for name in names}
    sets = [chosen for count in range(len(names) + 1) for chosen in combinations(names, count)]
    explained = {frozenset(chosen): _explained(moments, chosen) for chosen in sets}
    shares = {}
    for name in names:
        gains = 0.0
        for chosen, before in explained.items():
            if name not in chosen:
                weight = 1 / (len(names) * comb(len(names) - 1, len(chosen)))
                gains += weight * (explained[chosen | {name}] - before)
        shares[name] = max(gains, 0.0)
    return shares


def _explained(moments: Moments, chosen: Sequence[str]) -> float:
    """The share of the variance that an additive model of these choices explains."""
    if not chosen:
        return 0.0
    places = np.concatenate([np.arange(len(moments.values))[moments.spans[name]] for name in chosen])
    crossed = moments.values[places]
    fitted = np.linalg.lstsq(moments.levels[np.ix_(places, places)], crossed, rcond=1e-10)[0]
    return float(min(max(crossed @ fitted / moments.variance, 0.0), 1.0))


def _total(parts: Sequence[Part], name: str, square: float) -> float:
    """The variance over the levels of a choice, all else equal: its mean over the other choices. square: the values'
    mean square."""
    if name == "measure":
        return float(square - np.mean([_product(one, other) for one in parts for other in parts]))
    within = []  # of each measure; 0 where it does not read the choice
    for part in parts:
        others = np.zeros(len(part.values), dtype=np.int64)  # one number for each combination of the others' levels
        for other, codes in part.codes.items():
            if other != name:
                others = np.unique(others * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[1]
        mean = np.bincount(others, part.values) / np.bincount(others)
        within.append(((part.values - mean[others]) ** 2).mean() if name in part.codes else 0.0)
    return float(np.mean(within))


def _product(one: Part, other: Part) -> float:
    """The mean product of two measures' values over the choices that both read; over the others each has its mean."""
    shared = [name for name in one.codes if name in other.codes]
    means = []
    for part in (one, other):
        index = np.zeros(len(part.values), dtype=np.int64)
        for name in shared:
            size = 1 + max(int(each.codes[name].max()) for each in (one, other))
            index = index * size + part.codes[name]
        count = np.bincount(index)
        means.append(np.bincount(index, part.values) / np.maximum(count, 1))
    return float((means[0] * means[1]).sum() / max((np.bincount(index) > 0).sum(), 1))
