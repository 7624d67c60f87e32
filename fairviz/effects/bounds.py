"""The smallest and the largest value that any labelling of the unlabelled documents could give."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from fairviz.effects.lists import Lists, lists_of
from fairviz.evaluation.settings import Settings
from fairviz.measures.outer import OpenList, OuterRange
from fairviz.measures.record import Reach
from fairviz.measures.sums import Places
from fairviz.study.study import Study

Array = np.ndarray
MOST_PLACES = 10  # unlabelled documents whose every labelling is tried
TOGETHER = 200_000  # labellings computed at once


@dataclass(frozen=True)
class Choices:
    """What some lists can add to a system's mean: for each possible number of lists with a value (O,), the smallest
    and the largest sum of their values (O,)."""

    defined: Array
    low: Array
    high: Array


def label_bounds(
    study: Study, settings: Settings, measure: str, *, places: Places | None = None, most: int = MOST_PLACES
) -> pd.DataFrame:
    """The range of each system's mean over all labellings of documents without a label: system, low, high, exact.

    Lists that share unlabelled documents are looked at together. All labellings are tried where there are at most
    `most` such documents among them: exact. Where there are more, each list stands for itself, and one with more than
    `most` unlabelled places gets the outer bound of its measure (the measure's whole range, where its record has
    none): the true range lies within, and exact is False. Exposure and ExposureGap are exact always, being sums. Each
    labelling leaves out the rankings that it leaves undefined. NaN where no labelling gives a value. Raises as what_if.
    """
    lists = lists_of(study, settings, measure, places)
    rows = [_system(lists, system, most) for system in range(len(lists.systems))]
    table = pd.DataFrame(rows, columns=["low", "high", "exact"])
    table.insert(0, "system", pd.Series(lists.systems, dtype="str"))
    return table.astype({"low": "float64", "high": "float64", "exact": "bool"})


def _system(lists: Lists, system: int, most: int) -> tuple[float, float, bool]:
    """Low, high and whether they are exact, for one system."""
    queries = len(lists.queries)
    weight, count = (sums[:, system * queries : (system + 1) * queries] for sums in lists.sums(lists.codes))
    known = lists.values(weight, count)[count[0] == 0]
    value = np.nansum(known)
    parts = [Choices(np.array([(~np.isnan(known)).sum()]), np.array([value]), np.array([value]))]
    here = (lists.place_list // queries == system) & (lists.codes[lists.place_document] < 0)
    gap = Gaps(
        lists, weight, count, lists.place_list[here] % queries, lists.place_document[here], lists.place_weight[here]
    )
    exact = True
    for members, documents in gap.groups():
        if lists.measure.outer is not None and lists.measure.outer.additive:
            parts += [gap.outer(row) for row in members]
        elif len(documents) <= most:
            parts.append(gap.tried(members))
        else:
            exact = False
            parts += [gap.tried([row]) if gap.size(row) <= most else gap.outer(row) for row in members]
    return _extreme(parts, 1), _extreme(parts, -1), exact


@dataclass(frozen=True, eq=False)
class Gaps:
    """The places of one system's lists that have no label. weight, count (2 + G, Q): sums of its lists; row, document
    and share (N,): query, document and p of every such place."""

    lists: Lists
    weight: Array
    count: Array
    row: Array
    document: Array
    share: Array

    def size(self, row: int) -> int:
        """How many places of the list have no label."""
        return int(self.count[0, row])

    def groups(self) -> list[tuple[list[int], Array]]:
        """Lists that share documents without a label, and those documents; each list once."""
        queries = self.weight.shape[1]
        shape = (queries + len(self.lists.doc_ids),) * 2
        edges = sparse.csr_array((np.ones(len(self.row)), (self.row, queries + self.document)), shape=shape)
        _, component = connected_components(edges, directed=False)
        members: dict[int, list[int]] = {}
        for row in np.unique(self.row).tolist():
            members.setdefault(int(component[row]), []).append(row)
        return [(rows, np.unique(self.document[np.isin(self.row, rows)])) for rows in members.values()]

    def outer(self, row: int) -> Choices:
        """A range that holds whatever the list can be."""
        found = self._outer_range(row)
        if np.isnan(found.low):
            return Choices(np.array([0]), np.array([0.0]), np.array([0.0]))
        if found.undefined:
            return Choices(np.array([0, 1]), np.array([0.0, found.low]), np.array([0.0, found.high]))
        return Choices(np.array([1]), np.array([found.low]), np.array([found.high]))

    def _outer_range(self, row: int) -> OuterRange:
        lists, places, parameters = self.lists, self.lists.places, self.lists.question.parameters
        weight, count, share = self.weight[1:, row], self.count[1:, row], self.share[self.row == row]
        if weight.sum() + share.sum() <= 0:
            return OuterRange(np.nan, np.nan, True)
        if lists.measure.outer is None:
            attention = float(weight.sum() + share.sum())
            return OuterRange(*lists.measure.range(Reach(parameters, places.targets, attention)), True)
        held = OpenList(parameters, weight, count, share, lists.names, places.protected, places.targets)
        return lists.measure.outer.compute(held)

    def tried(self, members: list[int]) -> Choices:
        """The range over every labelling of the documents of these lists."""
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
        """Values of the list under labellings (u, X) of its unlabelled places, (X,)."""
        share = self.share[self.row == row]  # (u,)
        held = [codes == code for code in range(len(self.lists.names))]
        nothing = np.zeros(codes.shape[1])
        weight = [nothing, *(base + share @ there for base, there in zip(self.weight[1:, row], held, strict=True))]
        count = [nothing, *(base + there.sum(axis=0) for base, there in zip(self.count[1:, row], held, strict=True))]
        return self.lists.values(np.stack(weight), np.stack(count))


def _by_number(defined: Array, total: Array) -> Choices:
    """The smallest and largest total for each number of defined lists that occurs."""
    numbers = np.unique(defined)
    low = [total[defined == number].min() for number in numbers]
    high = [total[defined == number].max() for number in numbers]
    return Choices(numbers, np.array(low), np.array(high))


def _extreme(parts: list[Choices], sign: int) -> float:
    """The smallest mean (sign 1) or the largest (sign -1) that one choice in each part gives; NaN where none does,
    infinite where a part has no end.

    A mean is a ratio of two sums over parts. Dinkelbach (1967): from a ratio that some choice gives, the choice that
    minimises sum - ratio · number in each part gives a smaller one, until none is smaller.
    """
    sums = [sign * (part.low if sign > 0 else part.high) for part in parts]
    if any(np.isneginf(values).any() for values in sums):
        return -sign * np.inf
    chosen = [int(part.defined.argmax()) for part in parts]
    best = np.inf
    while True:
        number = sum(int(part.defined[at]) for part, at in zip(parts, chosen, strict=True))
        total_sum = sum(float(total[at]) for total, at in zip(sums, chosen, strict=True))
        if number == 0 or not total_sum / number < best:
            return sign * best + 0.0 if np.isfinite(best) else np.nan
        best = total_sum / number
        chosen = [int((total - best * part.defined).argmin()) for part, total in zip(parts, sums, strict=True)]
