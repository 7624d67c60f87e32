"""The exact extremes of a measure of labels over all orders of the candidates of each list.

Such a measure depends only on the label at each rank, so that all lists of a depth share one table: every sequence of
labels, evaluated by the measure itself, with the smallest and the largest value for each number of documents by label.
A list's extremes are over the numbers that its candidates allow. Ranks of equal attention are interchangeable.

Axis letters: T kinds of documents (labels, and without one), N sequences, C numbers of documents by kind, L lists.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations_with_replacement
from math import comb, prod

import numpy as np
import pandas as pd

from fairviz.evaluation.scores import bias_of, values_at
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question, distance
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.rankings import LabelEvidence, Rankings, no_words
from fairviz.measures.sums import AlignedRankings
from fairviz.orders.tied_orders import ends_by_record

Array = np.ndarray
MOST_SEQUENCES = 5_000_000  # some seconds for a measure; ten ranks of four kinds have 1,048,576
_PLACES_AT_ONCE = 3_000_000  # few enough for sums in float64 (see EXACT_PLACES)
_CACHED_PLACES = 1_000_000
_CHECKED_AT_ONCE = 20_000_000


@dataclass(frozen=True, eq=False)
class Composed:
    """The extremes by numbers of documents: counts (C, T); low, high and nearest (smallest distance) (C,)."""

    counts: Array
    low: Array
    high: Array
    nearest: Array

    def over(self, available: Array) -> Array:
        """Return low, high and nearest of lists with these numbers of candidates by kind, (L, T): (3, L)."""
        ends = np.full((3, len(available)), np.nan)
        step = max(1, _CHECKED_AT_ONCE // max(self.counts.size, 1))
        for start in range(0, len(available), step):
            lists = slice(start, start + step)
            possible = (self.counts[None] <= available[lists, None]).all(axis=2)  # (L, C)
            for row, (values, extreme) in enumerate(
                ((self.low, np.fmin), (self.high, np.fmax), (self.nearest, np.fmin))
            ):
                ends[row, lists] = extreme.reduce(np.where(possible, values, np.nan), axis=1, initial=np.nan)
        return ends


def sequence_extremes(
    places: AlignedRankings, question: Question, settings: Settings, available: Array, depths: Array
) -> tuple[Array, Array]:
    """Return low, high and nearest of each list, (3, L), and a mask of those that are computed, (L,).

    available (L, 1 + G + 1): the candidates by label, neutral first and those without one last. depths (L,): number of
    ranks. A list of more than MOST_SEQUENCES sequences is not computed, and none for a measure that depends on more
    than labels.
    """
    ends, computed = np.full((3, len(depths)), np.nan), np.zeros(len(depths), dtype=bool)
    if not ends_by_record(question).by_label:
        return ends, computed
    available, kinds = _kinds(places, available)
    cutoff = question.cutoff or settings.cutoff
    bias = bias_of(places, settings, cutoff)
    for depth in np.unique(depths[depths > 0]).tolist():
        lists = depths == depth
        present = available[lists].any(axis=0)
        blocks = _blocks(bias.weights(cutoff)[:depth])
        if not present.any() or _number(blocks, int(present.sum())) > MOST_SEQUENCES:
            computed[lists] |= not present.any()
            continue
        composed = _composed(places, question, settings, bias, kinds[present], blocks)
        ends[:, lists] = composed.over(np.minimum(available[lists][:, present], depth))
        computed |= lists
    return ends, computed


def _kinds(places: AlignedRankings, available: Array) -> tuple[Array, Array]:
    """Return the candidates by kind, (L, T), and each kind's label, (T,), under the policy for unlabelled documents."""
    codes = np.append(np.arange(1 + len(places.groups)), -1)
    if places.unlabelled == "skip":
        return available, codes
    labelled = available[:, :-1].copy()
    if places.unlabelled == "neutral":
        labelled[:, 0] += available[:, -1]
    return labelled, codes[:-1]


def _blocks(weights: Array) -> list[Array]:
    """Return the ranks of equal weight, counted from 0."""
    numbers = np.unique(weights, return_inverse=True)[1]
    return [np.flatnonzero(numbers == number) for number in range(int(numbers.max()) + 1)]


def _number(blocks: list[Array], kinds: int) -> int:
    """Return the number of sequences; more than MOST_SEQUENCES if numbers of documents do not fit 64 bits."""
    if (sum(map(len, blocks)) + 1) ** kinds >= 2**62:
        return MOST_SEQUENCES + 1
    return prod(comb(len(ranks) + kinds - 1, len(ranks)) for ranks in blocks)


def _composed(
    places: AlignedRankings,
    question: Question,
    settings: Settings,
    bias: PositionBias,
    kinds: Array,
    blocks: list[Array],
) -> Composed:
    """Evaluate every sequence of labels of one depth."""
    cutoff = np.array([question.cutoff or settings.cutoff])
    parts = []
    for sequences, counts, number in _sequences(places, kinds, blocks, bias.weights(int(cutoff[0]))):
        values = values_at(sequences, question, settings, cutoff, bias)[0, :, 0]  # (N,)
        ordered = values[number.order]
        parts.append(
            Composed(
                counts,
                np.fmin.reduceat(ordered, number.first),
                np.fmax.reduceat(ordered, number.first),
                np.fmin.reduceat(distance(ordered, question), number.first),
            )
        )
    return reduce(_joined, parts)


def _joined(one: Composed, other: Composed) -> Composed:
    counts, place = np.unique(np.concatenate([one.counts, other.counts]), axis=0, return_inverse=True)
    order = np.argsort(place.ravel(), kind="stable")
    first = np.searchsorted(place.ravel()[order], np.arange(len(counts)))
    low, high, nearest = (
        extreme.reduceat(np.concatenate([getattr(one, name), getattr(other, name)])[order], first)
        for name, extreme in (("low", np.fmin), ("high", np.fmax), ("nearest", np.fmin))
    )
    return Composed(counts, low, high, nearest)


@dataclass(frozen=True, eq=False)
class _Numbering:
    """The sequences (N,) ordered by their numbers of documents, and the first place of each of these, (C,)."""

    order: Array
    first: Array


Part = tuple[AlignedRankings, Array, _Numbering]


def _sequences(places: AlignedRankings, kinds: Array, blocks: list[Array], weights: Array) -> Iterable[Part]:
    """Return all sequences in parts, each as lists with their numbers of documents (C, T); few are cached."""
    depth = sum(map(len, blocks))
    parts = (_part(places, kinds, documents) for documents in _documents(blocks, len(kinds)))
    if depth * _number(blocks, len(kinds)) > _CACHED_PLACES:
        return parts
    key = ("label sequences", depth, kinds.tobytes(), weights.tobytes())
    return places.remembered(key, lambda: list(parts))


def _documents(blocks: list[Array], kinds: int) -> Iterator[Array]:
    """Yield the kind at each rank of sequences, (K, N), until all have been."""
    depth, number = sum(map(len, blocks)), _number(blocks, kinds)
    options = [np.array(list(combinations_with_replacement(range(kinds), len(ranks)))) for ranks in blocks]
    step = max(1, _PLACES_AT_ONCE // depth)
    for start in range(0, number, step):
        turn = np.arange(start, min(start + step, number))
        documents = np.empty((depth, len(turn)), dtype=np.int32)
        for ranks, choices in zip(blocks, options, strict=True):
            documents[ranks] = choices[turn % len(choices)].T
            turn = turn // len(choices)
        yield documents


def _part(places: AlignedRankings, kinds: Array, documents: Array) -> Part:
    depth, number = documents.shape
    names = pd.Index([f"kind {kind}" for kind in kinds], dtype="str")
    rankings = Rankings(
        ("sequence",) * number, ("any",), names, documents[:, :, None], np.full((number, 1), depth, dtype=np.int32)
    )
    sequences = replace(
        places, rankings=rankings, labels=LabelEvidence(kinds), words=no_words(names, places.groups), made_of=()
    )
    by_kind = np.stack([(documents == kind).sum(axis=0) for kind in range(len(kinds))], axis=1)  # (N, T)
    code = by_kind @ (depth + 1) ** np.arange(len(kinds), dtype=np.int64)
    order = np.argsort(code, kind="stable")
    first = np.flatnonzero(np.diff(code[order], prepend=-1))
    return sequences, by_kind[order][first], _Numbering(order, first)
