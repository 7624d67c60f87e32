"""The effect of every label: the change of the difference of two systems if it were another, in closed form.

A document is at most once in a list, so that another label moves its weight from one sum of the list to another, and
the new value of the list follows from the sums. The mean over queries changes by the sum of those changes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from fairviz.analyses.label_effects.lists import Lists, lists_of, pair_of
from fairviz.analyses.label_effects.replacing import uncertainty
from fairviz.comparison.atlas import fairness
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.measures.record import OpenList, OuterRange, Reach
from fairviz.measures.sums import AlignedRankings
from fairviz.statistics.contrasts import is_equal, sign_of
from fairviz.study.record import Study

Array = np.ndarray
MANY = 8  # above this number of cells per value, whole tables are added
MOST_PLACES = 10  # unlabelled documents for which all labellings are tried
TOGETHER = 200_000  # labellings computed at once


def relabelled_means(lists: Lists) -> tuple[Array, Array]:
    """Return each system's mean over queries, (S,), and its mean if one document had another label, (S, 1 + G, D); NaN
    without any defined query.
    """
    weight, count = lists.sums(lists.codes)
    value = lists.values(weight, count)  # (L,)
    total = np.zeros((len(lists.systems), len(lists.names), len(lists.doc_ids)))  # change of the sum of values
    defined = np.zeros_like(total)  # change of the number of defined lists
    starts = np.searchsorted(lists.place_list, np.arange(len(value) + 1))
    for start, stop in pairwise(starts[:: max(lists.shape[1], 1)]):  # one system at a time
        row, document = lists.place_list[start:stop], lists.place_document[start:stop]
        share, codes, at = lists.place_weight[start:stop], lists.codes[document], np.arange(stop - start)
        weights, counts, old = weight[:, row], count[:, row], value[row]  # (2 + G, n), …, (n,)
        weights[codes + 1, at] -= share
        counts[codes + 1, at] -= 1
        cells = row // lists.shape[1] * (len(lists.names) * len(lists.doc_ids)) + document
        for code in range(len(lists.names)):
            without = weights[code + 1].copy(), counts[code + 1].copy()
            weights[code + 1] += share
            counts[code + 1] += 1
            new = np.where(codes == code, old, lists.values(weights, counts))
            weights[code + 1], counts[code + 1] = without
            its_cells = cells + code * len(lists.doc_ids)
            _scatter(total, its_cells, np.nan_to_num(new) - np.nan_to_num(old))
            _scatter(defined, its_cells, np.isnan(old).astype(np.float64) - np.isnan(new))
    by_query = value.reshape(lists.shape)
    sums, numbers = np.nansum(by_query, axis=1), (~np.isnan(by_query)).sum(axis=1)
    return _ratio(sums, numbers), _ratio(sums[:, None, None] + total, numbers[:, None, None] + defined)


def _scatter(table: Array, at: Array, values: Array) -> None:
    """Add the values to cells of the table; cells may repeat."""
    if not len(at):
        return
    first, last = int(at.min()), int(at.max()) + 1
    flat = table.reshape(-1)
    if last - first <= MANY * len(at):
        flat[first:last] += np.bincount(at - first, values, minlength=last - first)
    else:
        np.add.at(flat, at, values)


def _ratio(total: Array, defined: Array) -> Array:
    return np.divide(total, defined, out=np.full(np.shape(total), np.nan), where=defined > 0.5)


def label_effects(
    study: Study,
    settings: Settings,
    measure: str,
    first: str,
    second: str,
    *,
    rankings: AlignedRankings | None = None,
) -> pd.DataFrame:
    """Return the effect of each document's label on mean(first) - mean(second), for the documents of either system.

    Means are over the queries that both answer. Returns doc_id, label ("" without one), to (the label that changes the
    difference most), effect (that change), uncertainty (entropy of the voters' labels over its largest value; 1 with
    fewer than two labels, 0 after adjudication), priority = |effect| · uncertainty, and reverses (whether this label
    alone changes which system is fairer); by priority, then |effect|, then id. effect is NaN if the measure is
    undefined before or after every change. Raises: see `what_if`; and if the systems share no query.
    """
    lists = pair_of(study, settings, measure, (first, second), rankings)
    before, after = relabelled_means(lists)  # (2,), (2, 1 + G, D)
    change = (after[0] - after[1]) - (before[0] - before[1])  # (1 + G, D)
    code, at = np.arange(len(lists.names))[:, None], np.arange(len(lists.doc_ids))
    best = np.where(code == lists.codes, -2.0, np.nan_to_num(np.abs(change), nan=-1.0)).argmax(axis=0)  # (D,)
    effect, doubt = change[best, at], uncertainty(study, lists.doc_ids, settings)
    names = np.array([*lists.names, ""], dtype=object)  # the code -1 takes the last
    table = pd.DataFrame(
        {
            "doc_id": lists.doc_ids,
            "label": pd.Series(names[lists.codes], dtype="str"),
            "to": pd.Series(names[best], dtype="str"),
            "effect": effect,
            "uncertainty": doubt,
            "priority": np.abs(effect) * doubt,
            "reverses": sign_of(fairness_lead(lists, before)) * sign_of(fairness_lead(lists, after[:, best, at])) < 0,
        }
    )
    size, urgency = (np.nan_to_num(np.abs(values), nan=-1.0) for values in (effect, table["priority"].to_numpy()))
    return table.iloc[np.lexsort((at, -size, -urgency))].reset_index(drop=True)


def fairness_lead(lists: Lists, means: Array) -> Array:
    """Return how much fairer the first of two systems is, (2, …) to (…); 0 for ties, NaN if one has no mean."""
    first, second = (fairness(lists.question, mean) for mean in means)
    tied = first == second  # also where a ratio of 0 makes both infinitely unfair
    leads = np.subtract(first, second, out=np.zeros(np.shape(first)), where=~tied)
    return np.where(is_equal(leads), 0.0, leads)


def what_if(
    study: Study,
    settings: Settings,
    measure: str,
    changes: Mapping[str, str],
    *,
    rankings: AlignedRankings | None = None,
) -> pd.DataFrame:
    """Return each system's mean of a measure of labels, with the original labels and with these documents relabelled.

    changes: document to label. Returns system, before, after, difference, rank_before, rank_after in the settings'
    order of systems; rank 1 is fairest (for a measure that only describes, highest), ties share the better rank, NaN if
    the mean is undefined. Raises FairvizError for an unknown label or document.
    """
    lists = lists_of(study, settings, measure, rankings)
    rows = lists.doc_ids.get_indexer(pd.Index(list(changes), dtype="str"))
    codes = lists.codes.copy()
    for row, (doc_id, label) in zip(rows, changes.items(), strict=True):
        code = lists.code_of(label)
        if row >= 0:
            codes[row] = code
        elif not _is_known(study, lists, doc_id):
            raise FairvizError(f"the study {study.name!r} has no document {doc_id!r}", "Check the id.")
    before, after = lists.means(lists.codes), lists.means(codes)
    return pd.DataFrame(
        {
            "system": pd.Series(lists.systems, dtype="str"),
            "before": before,
            "after": after,
            "difference": after - before,
            "rank_before": pd.Series(fairness(lists.question, before)).rank(ascending=False, method="min"),
            "rank_after": pd.Series(fairness(lists.question, after)).rank(ascending=False, method="min"),
        }
    )


def _is_known(study: Study, lists: Lists, doc_id: str) -> bool:
    """Return whether the document is in any run, among the documents, or labelled."""
    if doc_id in lists.rankings.lists.doc_ids:
        return True
    return bool((study.documents["doc_id"] == doc_id).any() or (study.labels["doc_id"] == doc_id).any())


@dataclass(frozen=True)
class Choices:
    """Contributions of some lists to a system's mean: for each possible number of defined lists (O,), the smallest
    and the largest sum of their values (O,).
    """

    defined: Array
    low: Array
    high: Array


def label_bounds(
    study: Study, settings: Settings, measure: str, *, rankings: AlignedRankings | None = None, most: int = MOST_PLACES
) -> pd.DataFrame:
    """Return the range of each system's mean over all labellings of unlabelled documents: system, low, high, exact.

    Lists that share unlabelled documents are treated together. If they have up to `most` such documents, all labellings
    are tried: exact. Otherwise each list is treated separately, and one with more than `most` unlabelled places gets
    the outer bound of its measure (the measure's whole range, if its record has none): the true range is inside, and
    exact is False. Exposure and ExposureGap are sums and always exact. Rankings that a labelling leaves undefined are
    left out. NaN if no labelling has a value. Raises: see `what_if`.
    """
    lists = lists_of(study, settings, measure, rankings)
    queries, sums = len(lists.queries), lists.sums(lists.codes)
    rows = []
    for system in range(len(lists.systems)):
        weight, count = (each[:, system * queries : (system + 1) * queries] for each in sums)
        labelled = lists.values(weight, count)[count[0] == 0]
        total = np.array([np.nansum(labelled)])
        choices = [Choices(np.array([(~np.isnan(labelled)).sum()]), total, total)]
        is_open = (lists.place_list // queries == system) & (lists.codes[lists.place_document] < 0)
        row, document, share = (
            each[is_open] for each in (lists.place_list % queries, lists.place_document, lists.place_weight)
        )
        gap, exact = Gaps(lists, weight, count, row, document, share), True
        for members, documents in gap.groups():
            if lists.measure.outer is not None and lists.measure.outer.additive:
                choices += [gap.outer(member) for member in members]
            elif len(documents) <= most:
                choices.append(gap.tried(members))
            else:
                exact = False
                choices += [gap.tried([one]) if gap.count[0, one] <= most else gap.outer(one) for one in members]
        rows.append((lists.systems[system], _extreme(choices, 1), _extreme(choices, -1), exact))
    kinds = {"system": "str", "low": "float64", "high": "float64", "exact": "bool"}
    return pd.DataFrame(rows, columns=list(kinds)).astype(kinds)


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
        lists, rankings, parameters = self.lists, self.lists.rankings, self.lists.question.parameters
        weight, count, share = self.weight[1:, row], self.count[1:, row], self.share[self.row == row]
        attention = float(weight.sum() + share.sum())
        if attention <= 0:
            return OuterRange(np.nan, np.nan, True)
        if lists.measure.outer is None:
            return OuterRange(*lists.measure.range(Reach(parameters, rankings.targets, attention)), True)
        open_list = OpenList(parameters, weight, count, share, lists.names, rankings.protected, rankings.targets)
        return lists.measure.outer.compute(open_list)

    def tried(self, members: list[int]) -> Choices:
        """Return the range over every labelling of the documents of these lists."""
        mine = np.isin(self.row, members)
        documents, column = np.unique(self.document[mine], return_inverse=True)
        labels, defined_parts, total_parts = len(self.lists.names), [], []
        for start in range(0, labels ** len(documents), TOGETHER):
            number = np.arange(start, min(start + TOGETHER, labels ** len(documents)))  # (X,)
            codes = number // labels ** np.arange(len(documents))[:, None] % labels  # (U, X)
            values = []
            for row in members:  # under each labelling of its unlabelled places, (X,)
                share, own = self.share[self.row == row], codes[column[self.row[mine] == row]]  # (u,), (u, X)
                weight, count = np.zeros((2, labels + 1, len(number)))
                for code in range(labels):
                    weight[code + 1] = self.weight[code + 1, row] + share @ (own == code)
                    count[code + 1] = self.count[code + 1, row] + (own == code).sum(axis=0)
                values.append(self.lists.values(weight, count))
            defined_parts.append((~np.isnan(values)).sum(axis=0))
            total_parts.append(np.nansum(values, axis=0))
        defined, total = np.concatenate(defined_parts), np.concatenate(total_parts)
        numbers = np.unique(defined)
        by_number = [total[defined == number] for number in numbers]
        return Choices(
            numbers, np.array([each.min() for each in by_number]), np.array([each.max() for each in by_number])
        )


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
