"""The smallest and the largest value over all labellings of the unlabelled documents."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from fairviz.analyses.label_effects.lists import Lists, lists_of
from fairviz.evaluation.settings import Settings
from fairviz.measures.record import OpenList, OuterRange, Reach
from fairviz.measures.sums import AlignedRankings
from fairviz.study.record import Study

Array = np.ndarray
MOST_PLACES = 10  # unlabelled documents for which all labellings are tried
TOGETHER = 200_000  # labellings computed at once


@dataclass(frozen=True)
class Choices:
    """Contributions of some lists to a system's mean: for each possible number of defined lists (O,), the smallest
    and the largest sum of their values (O,).
    """

    defined: Array
    low: Array
    high: Array


def label_bounds(
    study: Study, settings: Settings, measure: str, *, places: AlignedRankings | None = None, most: int = MOST_PLACES
) -> pd.DataFrame:
    """Return the range of each system's mean over all labellings of unlabelled documents: system, low, high, exact.

    Lists that share unlabelled documents are treated together. If they have up to `most` such documents, all labellings
    are tried: exact. Otherwise each list is treated separately, and one with more than `most` unlabelled places gets
    the outer bound of its measure (the measure's whole range, if its record has none): the true range is inside, and
    exact is False. Exposure and ExposureGap are sums and always exact. Rankings that a labelling leaves undefined are
    left out. NaN if no labelling has a value. Raises: see `what_if`.
    """
    lists = lists_of(study, settings, measure, places)
    rows = [_system(lists, system, most) for system in range(len(lists.systems))]
    table = pd.DataFrame(rows, columns=["low", "high", "exact"])
    table.insert(0, "system", pd.Series(lists.systems, dtype="str"))
    return table.astype({"low": "float64", "high": "float64", "exact": "bool"})


def _system(lists: Lists, system: int, most: int) -> tuple[float, float, bool]:
    """Return low, high and whether they are exact, for one system."""
    queries = len(lists.queries)
    weight, count = (sums[:, system * queries : (system + 1) * queries] for sums in lists.sums(lists.codes))
    labelled_values = lists.values(weight, count)[count[0] == 0]
    value = np.nansum(labelled_values)
    choices = [Choices(np.array([(~np.isnan(labelled_values)).sum()]), np.array([value]), np.array([value]))]
    is_open = (lists.place_list // queries == system) & (lists.codes[lists.place_document] < 0)
    gap = Gaps(
        lists,
        weight,
        count,
        lists.place_list[is_open] % queries,
        lists.place_document[is_open],
        lists.place_weight[is_open],
    )
    exact = True
    for members, documents in gap.groups():
        if lists.measure.outer is not None and lists.measure.outer.additive:
            choices += [gap.outer(row) for row in members]
        elif len(documents) <= most:
            choices.append(gap.tried(members))
        else:
            exact = False
            choices += [gap.tried([row]) if gap.size(row) <= most else gap.outer(row) for row in members]
    return _extreme(choices, 1), _extreme(choices, -1), exact


@dataclass(frozen=True, eq=False)
class Gaps:
    """The unlabelled places of one system's lists. weight, count (2 + G, Q): sums of its lists; row, document and
    share (N,): query, document and p of every such place.
    """

    lists: Lists
    weight: Array
    count: Array
    row: Array
    document: Array
    share: Array

    def size(self, row: int) -> int:
        """Return the number of unlabelled places of the list."""
        return int(self.count[0, row])

    def groups(self) -> list[tuple[list[int], Array]]:
        """Return the groups of lists that share unlabelled documents, and those documents; each list once."""
        queries = self.weight.shape[1]
        shape = (queries + len(self.lists.doc_ids),) * 2
        edges = sparse.csr_array((np.ones(len(self.row)), (self.row, queries + self.document)), shape=shape)
        _, component = connected_components(edges, directed=False)
        members: dict[int, list[int]] = {}
        for row in np.unique(self.row).tolist():
            members.setdefault(int(component[row]), []).append(row)
        return [(rows, np.unique(self.document[np.isin(self.row, rows)])) for rows in members.values()]

    def outer(self, row: int) -> Choices:
        """Return a range that contains every possible value of the list."""
        value_range = self._outer_range(row)
        if np.isnan(value_range.low):
            return Choices(np.array([0]), np.array([0.0]), np.array([0.0]))
        if value_range.undefined:
            return Choices(np.array([0, 1]), np.array([0.0, value_range.low]), np.array([0.0, value_range.high]))
        return Choices(np.array([1]), np.array([value_range.low]), np.array([value_range.high]))

    def _outer_range(self, row: int) -> OuterRange:
        lists, places, parameters = self.lists, self.lists.places, self.lists.question.parameters
        weight, count, share = self.weight[1:, row], self.count[1:, row], self.share[self.row == row]
        if weight.sum() + share.sum() <= 0:
            return OuterRange(np.nan, np.nan, True)
        if lists.measure.outer is None:
            attention = float(weight.sum() + share.sum())
            return OuterRange(*lists.measure.range(Reach(parameters, places.targets, attention)), True)
        open_list = OpenList(parameters, weight, count, share, lists.names, places.protected, places.targets)
        return lists.measure.outer.compute(open_list)

    def tried(self, members: list[int]) -> Choices:
        """Return the range over every labelling of the documents of these lists."""
        mine = np.isin(self.row, members)
        documents, column = np.unique(self.document[mine], return_inverse=True)
        labels = len(self.lists.names)
        defined, total = [], []
        for start in range(0, labels ** len(documents), TOGETHER):
            number = np.arange(start, min(start + TOGETHER, labels ** len(documents)))  # (X,)
            codes = number // labels ** np.arange(len(documents))[:, None] % labels  # (U, X)
            values = [self._values(row, codes[column[self.row[mine] == row]]) for row in members]
            defined.append((~np.isnan(values)).sum(axis=0))
            total.append(np.nansum(values, axis=0))
        return _by_number(np.concatenate(defined), np.concatenate(total))

    def _values(self, row: int, codes: Array) -> Array:
        """Return the values of the list under labellings (u, X) of its unlabelled places, (X,)."""
        share = self.share[self.row == row]  # (u,)
        has_code = [codes == code for code in range(len(self.lists.names))]
        zeros = np.zeros(codes.shape[1])
        weight = [zeros, *(base + share @ there for base, there in zip(self.weight[1:, row], has_code, strict=True))]
        count = [zeros, *(base + there.sum(axis=0) for base, there in zip(self.count[1:, row], has_code, strict=True))]
        return self.lists.values(np.stack(weight), np.stack(count))


def _by_number(defined: Array, total: Array) -> Choices:
    """Return the smallest and largest total for each number of defined lists that occurs."""
    numbers = np.unique(defined)
    low = [total[defined == number].min() for number in numbers]
    high = [total[defined == number].max() for number in numbers]
    return Choices(numbers, np.array(low), np.array(high))


def _extreme(parts: list[Choices], sign: int) -> float:
    """Return the smallest mean (sign 1) or the largest (sign -1) over one choice in each part.

    NaN if there is none, infinite if a part is unbounded. A mean is a ratio of two sums over parts. Dinkelbach (1967):
    starting from any attainable ratio, the choice that minimises sum - ratio · number in each part has a smaller ratio,
    until none is smaller.
    """
    sums = [sign * (part.low if sign > 0 else part.high) for part in parts]
    if any(np.isneginf(values).any() for values in sums):
        return -sign * np.inf
    indices = [int(part.defined.argmax()) for part in parts]
    best = np.inf
    while True:
        number = sum(int(part.defined[at]) for part, at in zip(parts, indices, strict=True))
        total_sum = sum(float(total[at]) for total, at in zip(sums, indices, strict=True))
        if number == 0 or not total_sum / number < best:
            return sign * best + 0.0 if np.isfinite(best) else np.nan
        best = total_sum / number
        indices = [int((total - best * part.defined).argmin()) for part, total in zip(parts, sums, strict=True)]
