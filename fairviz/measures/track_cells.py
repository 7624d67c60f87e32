"""The TREC Fair Ranking track over the intersection of attributes: shares of cells, targets and distances of them.

A cell is one level of each attribute. Attributes with a background (regions and gender) come first, each with its level
unknown at 0, and make A heads; the others make T tails; the key of a cell is head * T + tail. The track of 2022 has 11
million cells and a document a few of them, so that only those are stored.

Axis letters: D documents, A heads, N cells that some document has. As the track's published code of 2022 has it
(Task1Alignment, Task2Alignment, wptrec.metrics); its overview: arXiv:2302.05558.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product

import numpy as np

from fairviz.measures.track_awrf import track_discount

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of documents: those of document d are at starts[d] to starts[d + 1] of keys and shares."""

    starts: Array
    keys: Array
    shares: Array

    def summed(self, documents: Array, weights: Array) -> tuple[Array, Array]:
        """Return the keys of the cells of these documents (n,), each once, and the sum of their shares times weights.

        >>> cells_of([{0: 1.0}, {0: 0.5, 3: 0.5}]).summed(np.array([0, 1]), np.array([1.0, 2.0]))
        (array([0, 3]), array([2., 1.]))
        """
        counts = np.diff(self.starts)[documents]
        places = _ranges(self.starts[documents], counts)
        keys, inverse = np.unique(self.keys[places], return_inverse=True)
        return keys, np.bincount(inverse, self.shares[places] * np.repeat(weights, counts), minlength=len(keys))


def _ranges(starts: Array, counts: Array) -> Array:
    """Return start, start + 1, … of each range in sequence."""
    offsets = np.cumsum(counts) - counts
    return np.arange(counts.sum()) + np.repeat(starts - offsets, counts)


def cells_of(levels: Sequence[Mapping[int, float]]) -> Cells:
    """Return the cells of one attribute, from the share of each document in its levels."""
    counts = np.array([len(row) for row in levels], dtype=np.int64)
    keys = np.array([level for row in levels for level in row], dtype=np.int64)
    shares = np.array([share for row in levels for share in row.values()], dtype=np.float64)
    return Cells(np.concatenate([[0], np.cumsum(counts)]), keys, shares)


def cross(first: Cells, second: Cells, size: int) -> Cells:
    """Return the cells of two attributes together: key first * size + second, share first times second.

    >>> both = cross(cells_of([{1: 1.0}]), cells_of([{0: 0.25, 2: 0.75}]), 3)
    >>> both.keys.tolist(), both.shares.tolist()
    ([3, 5], [0.25, 0.75])
    """
    documents = np.repeat(np.arange(len(first.starts) - 1), np.diff(first.starts))  # of each cell of the first
    times = np.diff(second.starts)[documents]
    left, right = np.repeat(np.arange(len(first.keys)), times), _ranges(second.starts[documents], times)
    ends = np.cumsum(np.diff(first.starts) * np.diff(second.starts))
    keys = first.keys[left] * size + second.keys[right]
    return Cells(np.concatenate([[0], ends]), keys, first.shares[left] * second.shares[right])


@dataclass(frozen=True, eq=False)
class CellTarget:
    """The target share of every cell: `weights` (A,) of its head times the share of its tail among the head's mass, or
    among all mass where the relevant documents have none of this head.

    keys, masses (N,): of the cells of relevant documents, by rising key; size: T.
    """

    keys: Array
    masses: Array
    weights: Array
    size: int

    @cached_property
    def _heads(self) -> Array:
        """The mass of each head, (A,)."""
        return np.bincount(self.keys // self.size, self.masses, minlength=len(self.weights))

    @cached_property
    def _tails(self) -> tuple[Array, Array]:
        """The tails of relevant documents, by rising number, and their shares of all mass."""
        tails, inverse = np.unique(self.keys % self.size, return_inverse=True)
        masses = np.bincount(inverse, self.masses)
        return tails, masses / masses.sum()

    @property
    def total(self) -> float:
        """The sum over all cells."""
        return float(self.weights.sum())

    def at(self, keys: Array) -> Array:
        """Return the target of these cells, (n,)."""
        heads = keys // self.size
        mass = self._heads[heads]
        inside = _looked_up(keys, self.keys, self.masses) / np.where(mass > 0, mass, 1)
        return self.weights[heads] * np.where(mass > 0, inside, _looked_up(keys % self.size, *self._tails))

    @property
    def squared(self) -> float:
        """The sum of squares over all cells."""
        heads, has_mass = self.keys // self.size, self.masses > 0
        inside = (self.weights[heads] * self.masses)[has_mass] / self._heads[heads][has_mass]
        outside = self.weights[self._heads == 0] ** 2
        return float((inside**2).sum() + outside.sum() * (self._tails[1] ** 2).sum())


def _looked_up(keys: Array, sorted_keys: Array, values: Array) -> Array:
    """Return the value of each key, from the values of sorted keys; 0 for another key."""
    places = np.minimum(np.searchsorted(sorted_keys, keys), len(sorted_keys) - 1)
    return np.where(sorted_keys[places] == keys, values[places], 0.0)


def cell_target(keys: Array, masses: Array, backgrounds: Sequence[Array], size: int) -> CellTarget:
    """Return the target from the mass of relevant documents in cells, mixed with the backgrounds in equal parts.

    backgrounds: of each attribute of the heads, its level unknown first, which is not read. Heads with the same known
    attributes keep their mass together: half of it stays, half is spread by the product of these attributes'
    backgrounds. A head without any known attribute keeps its mass.

    >>> target = cell_target(np.array([0, 1]), np.array([0.5, 0.5]), [np.array([0.0, 0.5, 0.5])], 1)
    >>> target.at(np.arange(3)).tolist()  # unknown stays; (1/2 + 1/2 · 1/2) / 2 and 1/8
    [0.5, 0.375, 0.125]
    """
    shape = [len(background) for background in backgrounds]
    heads = np.bincount(keys // size, masses, minlength=int(np.prod(shape))).reshape(shape)
    for case in product((True, False), repeat=len(shape)):  # whether each attribute is known
        if any(case):
            where = tuple(slice(1, None) if is_known else 0 for is_known in case)
            parts = [background[1:] for background, is_known in zip(backgrounds, case, strict=True) if is_known]
            heads[where] = (heads[where] + reduce(np.multiply.outer, parts) * heads[where].sum()) / 2
    return CellTarget(keys, masses, heads.ravel(), size)


def cell_awrf(keys: Array, amounts: Array, target: CellTarget) -> float:
    """Return 1 - the Jensen-Shannon divergence, in nats, of exposure in cells (n,) from the target; 1 is fair.

    A cell without exposure adds its target times ln 2 to twice the divergence. NaN without exposure or target.

    >>> half = cell_target(np.array([1]), np.array([1.0]), [np.array([0.0, 0.5, 0.5])], 1)  # 3/4 and 1/4
    >>> round(cell_awrf(np.array([1]), np.array([2.0]), half), 4)  # ln(8/7) + 3/4 ln(6/7) + 1/4 ln 2, halved
    0.9044
    """
    from scipy.special import rel_entr

    if not amounts.sum() > 0 or not target.total > 0:
        return float("nan")
    shares, wished = amounts / amounts.sum(), target.at(keys) / target.total
    middle = (shares + wished) / 2
    inside = rel_entr(shares, middle).sum() + rel_entr(wished, middle).sum()
    return float(1 - (inside + np.log(2) * (1 - wished.sum())) / 2)


def cell_expected_exposure(keys: Array, amounts: Array, target: CellTarget, length: int) -> tuple[float, float, float]:
    """Return the track's EE-L, EE-D and EE-R of the mean exposure in cells (n,) of a system's sequences, against the
    target of all attention to `length` ranks. EE-L = EE-D - 2 EE-R + the target's squares.

    >>> half = cell_target(np.array([1]), np.array([1.0]), [np.array([0.0, 0.5, 0.5])], 1)  # 3/4 and 1/4
    >>> cell_expected_exposure(np.array([1]), np.array([1.0]), half, 2)  # 1.5 and 0.5 are wished
    (0.5, 1.0, 1.5)
    """
    attention = track_discount(length).sum()
    disparity, relevance = float((amounts**2).sum()), float((amounts * target.at(keys)).sum() * attention)
    return disparity - 2 * relevance + target.squared * float(attention) ** 2, disparity, relevance
