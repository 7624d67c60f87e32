"""The share of each choice in the variance over a grid: a functional analysis of variance.

Every measure weighs the same, and within it every defined combination. A choice that a measure does not read is varied
there too, without effect, so that the whole is one full factorial grid. Where all of it is defined the main effects are
orthogonal: a choice's share is the variance of its levels' means (its first-order Sobol index), and what no single
choice carries is interaction. Where combinations are undefined the choices are no longer independent of one another:
then a choice's share is what it adds to the variance that an additive model of the choices explains, averaged over all
orders in which they can enter it (Lindeman, Merenda and Gold; Shapley's value of each choice), and what that model
leaves is interaction. On a full grid both are the same. All shares are 0 or more and sum to 1.

Axis letters: N combinations, F choices, P levels of all choices together.
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


def shares_of(parts: Sequence[Part], sizes: dict[str, int]) -> Shares:
    """The shares of the choices in `sizes` (name to number of levels); the measure is one where there are several
    parts, under the name `measure`."""
    defined_parts = [Part(part.values[is_defined], {name: codes[is_defined] for name, codes in part.codes.items()})
                     for part in parts if (is_defined := ~np.isnan(part.values)).any()]  # fmt: skip
    full = all(not np.isnan(part.values).any() for part in parts)
    sizes = {name: size for name, size in sizes.items() if size > 1}
    if not defined_parts:
        return Shares({}, 0.0, {}, 0.0, full)
    moments = _moments(defined_parts, sizes)
    if moments.variance <= NOTHING * max(moments.square, 1e-300):
        return Shares({}, 0.0, {}, 0.0, full)
    alone = _alone(moments)
    together = 1 - sum(alone.values())
    totals = _totals(defined_parts, moments.names, moments.variance) if full else {}
    return Shares(alone, together, totals, moments.variance, full)


@dataclass(frozen=True)
class Moments:
    """The moments to which an additive model is fitted: the levels' covariances (P, P), those with the values (P,), the
    position of each choice's levels, and the variance and mean square of the values."""

    names: tuple[str, ...]
    spans: tuple[slice, ...]
    levels: Array
    values: Array
    variance: float
    square: float


def _moments(parts: Sequence[Part], sizes: dict[str, int]) -> Moments:
    names = (*(["measure"] if len(parts) > 1 else []), *sizes)
    counts = [len(parts) if name == "measure" else sizes[name] for name in names]
    ends = np.cumsum(counts)
    spans = tuple(slice(int(end - count), int(end)) for end, count in zip(ends, counts, strict=True))
    width = int(ends[-1]) if len(ends) else 0
    second, first, crossed = np.zeros((width, width)), np.zeros(width), np.zeros(width)
    mean = float(np.mean([part.values.mean() for part in parts]))
    variance = float(np.mean([((part.values - mean) ** 2).mean() for part in parts]))
    for number, part in enumerate(parts):
        levels = _levels(part, number, names, counts)
        once = [block.mean(axis=0) for block in levels]
        first += np.concatenate(once) / len(parts) if once else 0
        apart = part.values - mean
        crossed += np.concatenate([_with_values(block, apart) for block in levels]) / len(parts) if once else 0
        for row, one in zip(spans, levels, strict=True):
            for column, other in zip(spans, levels, strict=True):
                second[row, column] += _jointly(one, other, row == column) / len(parts)
    square = float(np.mean([(part.values**2).mean() for part in parts]))
    return Moments(names, spans, second - np.outer(first, first), crossed, variance, square)


def _levels(part: Part, number: int, names: Sequence[str], counts: Sequence[int]) -> list[Array]:
    """Return the level of each choice in each combination, as 0 and 1: (N, levels); a choice that the measure does not
    read has equal weights in all levels."""
    levels = []
    for name, count in zip(names, counts, strict=True):
        if name == "measure":
            levels.append(np.eye(count)[[number]])
        elif name in part.codes:
            levels.append(np.eye(count)[part.codes[name]])
        else:
            levels.append(np.full((1, count), 1 / count))
    return levels


def _with_values(block: Array, values: Array) -> Array:
    return block[0] * values.mean() if len(block) == 1 else block.T @ values / len(values)


def _jointly(one: Array, other: Array, same: bool) -> Array:
    """The mean product of two choices' levels."""
    if same:
        return np.diag(one.mean(axis=0))
    if len(one) == len(other) and len(one) > 1:
        return one.T @ other / len(one)
    return np.outer(one.mean(axis=0), other.mean(axis=0))


def _alone(moments: Moments) -> dict[str, float]:
    """The share of each choice in what an additive model explains."""
    several = range(len(moments.names))
    if _independent(moments):
        return {moments.names[one]: _explained(moments, [one]) for one in several}
    explained = {chosen: _explained(moments, chosen) for count in range(len(moments.names) + 1)
                 for chosen in combinations(several, count)}  # fmt: skip
    shares = {}
    for one in several:
        gains = 0.0
        for chosen in explained:
            if one not in chosen:
                weight = 1 / (len(moments.names) * comb(len(moments.names) - 1, len(chosen)))
                gains += weight * (explained[tuple(sorted((*chosen, one)))] - explained[chosen])
        shares[moments.names[one]] = max(gains, 0.0)
    return shares


def _independent(moments: Moments) -> bool:
    off = moments.levels.copy()
    for span in moments.spans:
        off[span, span] = 0
    return bool(np.abs(off).max(initial=0.0) < APART)


def _explained(moments: Moments, chosen: Sequence[int]) -> float:
    """The share of the variance that an additive model of these choices explains."""
    if not len(chosen):
        return 0.0
    places = np.concatenate([np.arange(moments.spans[one].start, moments.spans[one].stop) for one in chosen])
    crossed = moments.values[places]
    fitted = np.linalg.lstsq(moments.levels[np.ix_(places, places)], crossed, rcond=1e-10)[0]
    return float(min(max(crossed @ fitted / moments.variance, 0.0), 1.0))


def _totals(parts: Sequence[Part], names: Sequence[str], variance: float) -> dict[str, float]:
    """Return the share of each choice with its interactions: the mean variance over its levels, all else equal."""
    totals = {}
    for name in names:
        part_variance = _over_measures(parts) if name == "measure" else np.mean([_within(part, name) for part in parts])
        totals[name] = float(part_variance) / variance
    return totals


def _within(part: Part, name: str) -> float:
    """The mean over all other choices of the variance over this one's levels; 0 where the measure does not read it."""
    if name not in part.codes:
        return 0.0
    others = _group([codes for other, codes in part.codes.items() if other != name], len(part.values))
    count = np.bincount(others)
    mean = np.bincount(others, part.values) / count
    return float(((part.values - mean[others]) ** 2).mean())


def _group(codes: Sequence[Array], rows: int) -> Array:
    """One number for each combination of codes, (N,)."""
    numbers = np.zeros(rows, dtype=np.int64)
    for column in codes:
        numbers = np.unique(numbers * (int(column.max(initial=0)) + 1) + column, return_inverse=True)[1]
    return numbers


def _over_measures(parts: Sequence[Part]) -> float:
    """The mean over all other choices of the variance over the measures."""
    square = np.mean([(part.values**2).mean() for part in parts])
    product = np.mean([_product(one, other) for one in parts for other in parts])
    return float(square - product)


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
