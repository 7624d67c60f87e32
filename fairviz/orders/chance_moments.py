"""Means, variances and exact bands of weighted sums under a random order of the candidates.

Axis letters: C cutoffs, N random lists, D documents, M candidates of all lists together.
"""

from dataclasses import dataclass

import numpy as np

from fairviz.measures import Question
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.record import WeightedSum
from fairviz.orders.random_lists import RandomLists
from fairviz.statistics.intervals import hypergeometric_ends, permutation_moments

Array = np.ndarray
EQUAL = 1e-12  # relative difference up to which weights of ranks are equal


@dataclass(frozen=True, eq=False)
class Moments:
    """mean and deviation (the standard one) of the value in each list, (C, N), NaN without a closed form; low and high:
    the exact band, NaN where the weights are unequal or the candidates have more than two numbers."""

    mean: Array
    deviation: Array
    low: Array
    high: Array


@dataclass(frozen=True, eq=False)
class _Numbers:
    """The numbers of each list's candidates, (N,): their mean, sum of squared deviations, least, greatest, how many are
    the greatest, and whether there are no others."""

    mean: Array
    squares: Array
    least: Array
    greatest: Array
    marked: Array
    two_valued: Array


def moments(lists: RandomLists, question: Question, bias: PositionBias, cutoffs: Array, level: float = 0.95) -> Moments:
    """Return the moments of a measure in random lists, NaN for a measure that is not a weighted sum, and for lists with
    a candidate without evidence, unless it counts as neutral."""
    shape = len(cutoffs), len(lists.length)
    weighted = question.measure.weighted if question.measure else None
    places = lists.places
    has_evidence = places.labelled if question.family == "labels" else places.words.known
    whole = np.array(
        [places.unlabelled == "neutral" or bool(has_evidence[candidates].all()) for candidates in lists.candidates],
        dtype=bool,
    )
    whole = np.flatnonzero(whole & (lists.length > 0)) if weighted else np.zeros(0, dtype=np.int64)
    out = Moments(*(np.full(shape, np.nan) for _ in range(4)))
    if weighted is None or not len(whole):
        return out
    values = _numbers(lists, whole, weighted.numbers(places, question.parameters))
    sums, squares, equal = _weight_sums(weighted, bias, cutoffs, lists.length[whole])
    divisor = _divisor(lists, whole, question, bias, cutoffs)
    sizes = lists.sizes[whole]
    mean, variance = permutation_moments(sums, squares, values.mean, values.squares, sizes)
    out.mean[:, whole], out.deviation[:, whole] = mean / divisor, np.sqrt(variance) / divisor
    reached = np.minimum(cutoffs[:, None], lists.length[whole])  # (C, n)
    exact = equal & values.two_valued
    for end, marked in zip((out.low, out.high), _marked_ends(sizes, values.marked, reached, level), strict=True):
        total = reached * values.least + (values.greatest - values.least) * marked
        end[:, whole] = np.where(exact, sums / reached * total / divisor, np.nan)
    return out


def _marked_ends(sizes: Array, marked: Array, reached: Array, level: float) -> tuple[Array, Array]:
    sizes, marked = (np.broadcast_to(part, reached.shape) for part in (sizes, marked))
    low, high = hypergeometric_ends(sizes.ravel(), marked.ravel(), reached.ravel(), level)
    return low.reshape(reached.shape), high.reshape(reached.shape)


def _numbers(lists: RandomLists, whole: Array, numbers: Array) -> _Numbers:
    """Return the numbers (D,) of the candidates of these lists."""
    sizes, count = lists.sizes[whole], len(whole)
    owner = np.repeat(np.arange(count), sizes)  # (M,)
    values = numbers[np.concatenate([lists.candidates[number] for number in whole.tolist()])].astype(np.float64)
    mean = np.bincount(owner, values, count) / sizes
    greatest, least = np.full(count, -np.inf), np.full(count, np.inf)
    np.maximum.at(greatest, owner, values)
    np.minimum.at(least, owner, values)
    is_greatest = values == greatest[owner]
    others = np.bincount(owner[~is_greatest & (values != least[owner])], minlength=count)
    squares = np.bincount(owner, (values - mean[owner]) ** 2, count)
    return _Numbers(mean, squares, least, greatest, np.bincount(owner[is_greatest], minlength=count), others == 0)


def _weight_sums(
    weighted: WeightedSum, bias: PositionBias, cutoffs: Array, lengths: Array
) -> tuple[Array, Array, Array]:
    """Return Σ w and Σ w² over the ranks of each list within each cutoff, and whether all w are equal: (C, n) each."""
    distinct, at = np.unique(lengths, return_inverse=True)
    rows = []
    for cutoff in cutoffs.tolist():
        curves = [weighted.weights(bias.weights(cutoff)[:length]) for length in distinct.tolist()]
        rows.append([(w.sum(), (w * w).sum(), np.ptp(w) <= EQUAL * np.abs(w).max()) for w in curves])
    table = np.array(rows, dtype=np.float64)[:, at]  # (C, n, 3)
    return table[..., 0], table[..., 1], table[..., 2] > 0


def _divisor(lists: RandomLists, whole: Array, question: Question, bias: PositionBias, cutoffs: Array) -> Array | float:
    """Return the divisor of each list, (C, n): that of any order of its candidates, as all have evidence."""
    weighted = question.measure.weighted if question.measure else None
    if weighted is None or weighted.divisor is None:
        return 1.0
    documents = np.full((len(whole), int(lists.length[whole].max()), 1), -1, dtype=np.int32)
    for row, number in enumerate(whole.tolist()):
        length = int(lists.length[number])
        documents[row, :length, 0] = lists.candidates[number][:length]
    return weighted.divisor(lists.with_orders(whole, documents), question.parameters, bias, cutoffs)[:, 0]
