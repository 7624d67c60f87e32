"""The TREC Fair Ranking track's AWRF: soft groups, targets by topic, and the track's discount; and over the
intersection of attributes: shares of cells, targets and distances of them.

Axis letters: K ranks, S systems, Q queries, G groups, D documents, A heads, N cells that some document has. Unlike the
measure AWRF a document may belong to several groups in parts, each query has its own target, and 1 is fair.

A cell is one level of each attribute. Attributes with a background (regions and gender) come first, each with its level
unknown at 0, and make A heads; the others make T tails; the key of a cell is head * T + tail. The track of 2022 has 11
million cells and a document a few of them, so that only those are stored. The population of each region is the track's
target of geography: data/world-pop.csv of its published code, after Wikipedia's list of continental subregions.

Ekstrand, McDonald, Raj, Johnson: Overview of the TREC 2021 Fair Ranking Track, and of the TREC 2022 Fair Ranking Track
(arXiv:2302.05558); the track's published code (Task1Alignment, Task2Alignment, wptrec.metrics).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product

import numpy as np

Array = np.ndarray
BACKGROUND = {"female": 0.495, "male": 0.495, "non-binary": 0.01}  # the track's target for gender in all topics
POPULATION = {
    "Antarctica": 1_106,
    "Caribbean": 42_517_000,
    "Central America": 167_387_000,
    "Central Asia": 64_370_000,
    "Eastern Africa": 373_202_000,
    "Eastern Asia": 1_620_807_000,
    "Eastern Europe": 294_162_000,
    "Middle Africa": 135_750_000,
    "Northern Africa": 210_002_000,
    "Northern America": 355_361_000,
    "Northern Europe": 100_404_000,
    "Oceania": 38_304_000,
    "South America": 406_740_000,
    "South-eastern Asia": 618_793_000,
    "Southern Africa": 60_425_000,
    "Southern Asia": 1_749_046_000,
    "Southern Europe": 155_827_000,
    "Western Africa": 331_255_000,
    "Western Asia": 245_707_000,
    "Western Europe": 192_060_000,
}
OCEANIA = ("Australia and New Zealand", "Melanesia", "Micronesia", "Polynesia")  # counted as Oceania
NO_REGION = ("UNK", "@UNKNOWN")


def track_discount(depth: int) -> Array:
    """Return the attention at ranks 1..depth, (K,): 1 / log2(max(rank, 2)), equal for the first two ranks.

    >>> track_discount(4).round(4).tolist()
    [1.0, 1.0, 0.6309, 0.5]
    """
    return 1 / np.log2(np.maximum(np.arange(1, depth + 1, dtype=np.float64), 2))


def split(memberships: Array) -> Array:
    """Return memberships (D, G) with rows that sum to 1: a document's attention is split among its groups.

    A row of zeros (a document without evidence) remains zero.
    """
    total = memberships.sum(axis=1, keepdims=True)
    return memberships / np.where(total > 0, total, 1)


def soft_exposure(documents: Array, memberships: Array, cutoff: int) -> Array:
    """Return the attention that each group receives in the top `cutoff`, (S, Q, G).

    documents (K, S, Q): places in memberships (D, G), -1 below the end of a list.
    """
    padded = np.concatenate([memberships, np.zeros((1, memberships.shape[1]))])  # -1 reads the last
    received = np.zeros((*documents.shape[1:], memberships.shape[1]))
    for weight, at_rank in zip(track_discount(cutoff), documents, strict=False):
        received += weight * padded[at_rank]
    return received


def mixed_target(relevant: Array, background: Array, values: Array) -> Array:
    """Return the track's target of a topic, (G,): the mean of the relevant documents' shares and the background.

    The known groups keep their total share, which scales the background; an unknown share is unchanged. relevant
    (D, G): memberships of the relevant documents. background (G,): 0 for unknown. values (G,): mask of known groups.
    NaN without relevant documents.

    >>> two = np.array([[1.0, 0, 0], [0, 0, 1]])  # one female, one unknown
    >>> mixed_target(two, np.array([0.5, 0.5, 0]), np.array([True, True, False])).tolist()
    [0.375, 0.125, 0.5]
    """
    assigned = relevant[relevant.sum(axis=1) > 0]
    if not len(assigned):
        return np.full(relevant.shape[1], np.nan)
    shares = assigned.mean(axis=0)
    mixed = (shares + background * shares[values].sum()) / 2
    return np.where(values, mixed, shares)


def track_awrf(exposure: Array, target: Array) -> Array:
    """Return 1 - the Jensen-Shannon divergence, in nats, of exposure (…, G) from its target: 1 is fair, (…).

    Both are first scaled to sum to 1. At least 1 - ln 2 = 0.307. NaN for a list without attention to any group and for
    a topic without a target.

    >>> round(float(track_awrf(np.array([1.0, 0.0]), np.array([0.5, 0.5]))), 4)  # 1 - ln 2 * 0.3113
    0.7842
    """
    from scipy.special import rel_entr

    shares, wished = _scale(exposure), _scale(target)
    middle = (shares + wished) / 2
    return 1 - (rel_entr(shares, middle) + rel_entr(wished, middle)).sum(axis=-1) / 2


def _scale(amounts: Array) -> Array:
    """Return amounts (…, G) scaled to sum to 1; NaN if all are 0."""
    total = amounts.sum(axis=-1, keepdims=True)
    return amounts / np.where(total > 0, total, np.nan)


def work_exposure(levels: Array) -> Array:
    """Return the target exposure of relevant documents by their level of work, (J,): those of a level share the
    attention to their ranks in the best list, the most work (level 0) first.

    >>> work_exposure(np.array([1, 0, 1])).round(4).tolist()  # 1, and the mean of 1 and 0.6309
    [0.8155, 1.0, 0.8155]
    """
    attention = np.concatenate([[0.0], np.cumsum(track_discount(len(levels)))])
    counts = np.bincount(levels, minlength=1)
    ends = np.cumsum(counts)
    shares = (attention[ends] - attention[ends - counts]) / np.maximum(counts, 1)
    return shares[levels]


def exposure_target(relevant: Array, exposure: Array, background: Array, values: Array) -> Array:
    """Return the target share of each group in expected exposure, (G,): as `mixed_target`, of memberships (J, G)
    weighted by their documents' exposure (J,). NaN where no such document has a group."""
    shares = exposure @ relevant
    mixed = (shares + background * shares[values].sum()) / 2
    return _scale(np.where(values, mixed, shares))


def track_expected_exposure(exposure: Array, target: Array, length: int) -> tuple[Array, Array, Array]:
    """Return the track's EE-L, EE-D and EE-R, (…) each: of a system's mean exposure of groups (…, G) over its
    sequences, against the target shares (…, G) of all attention to `length` ranks.

    >>> [value.round(4).item() for value in track_expected_exposure(np.array([2.0, 0.0]), np.array([0.5, 0.5]), 2)]
    [2.0, 4.0, 2.0]
    """
    wanted = target * track_discount(length).sum()
    apart = exposure - wanted
    return (apart**2).sum(axis=-1), (exposure**2).sum(axis=-1), (exposure * wanted).sum(axis=-1)


def track_ndcg(gains: Array, relevant: Array, ideal: int) -> Array:
    """Return the track's nDCG, (S, Q): gains (K, S, Q) of 0 and 1 under its discount, over that of the best list.

    relevant (Q,): number of relevant documents; the best list has them all, at most `ideal`. NaN without any.
    """
    sums = np.concatenate([[0.0], np.cumsum(track_discount(max(ideal, 1)))])
    best = sums[np.minimum(relevant, ideal)]  # (Q,)
    discounted_gains = np.tensordot(track_discount(len(gains)), gains, axes=1)
    return discounted_gains / np.where(best > 0, best, np.nan)


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
