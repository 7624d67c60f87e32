"""The effect of every label: the change of the difference of two systems after a flip, in closed form.

A document is at most once in a list, so that a flip moves its weight from one sum of the list to another, and the new
value of the list follows from the sums. The mean over queries changes by the sum of those changes.
"""

from itertools import pairwise

import numpy as np
import pandas as pd

from fairviz.analyses.label_effects.annotations import uncertainty
from fairviz.analyses.label_effects.lists import Lists, fairness, pair_of
from fairviz.evaluation.settings import Settings
from fairviz.measures.sums import AlignedRankings
from fairviz.statistics.contrasts import is_equal, sign_of
from fairviz.study.record import Study

Array = np.ndarray
MANY = 8  # above this number of cells per value, whole tables are added


class Moves:
    """Effects of relabelling each document on each system's sum over queries.

    total and defined (S, 1 + G, D): change of the sum of values, and of the number of defined lists, if the document's
    label became this one. Mutable: `flip` changes a label and updates only the lists with the document.
    """

    def __init__(self, lists: Lists) -> None:
        self.lists, self.codes = lists, lists.codes.copy()
        self.weight, self.count = lists.sums(self.codes)
        self.value = lists.values(self.weight, self.count)  # (L,)
        self.total = np.zeros((len(lists.systems), len(lists.names), len(lists.doc_ids)))
        self.defined = np.zeros_like(self.total)
        self._starts = np.searchsorted(lists.place_list, np.arange(len(self.value) + 1))
        for start, stop in pairwise(self._starts[:: max(lists.shape[1], 1)]):
            self._add(np.arange(start, stop), 1)

    def sums(self) -> tuple[Array, Array]:
        """Return each system's sum of values over queries, and the number of defined ones, (S,) each."""
        value = self.value.reshape(self.lists.shape)
        return np.nansum(value, axis=1), (~np.isnan(value)).sum(axis=1)

    def means(self) -> Array:
        """Return each system's mean under the current labels, (S,)."""
        return _ratio(*self.sums())

    def means_after(self) -> Array:
        """Return each system's mean if one document were relabelled, (S, 1 + G, D); NaN without any defined query."""
        total, defined = self.sums()
        return _ratio(total[:, None, None] + self.total, defined[:, None, None] + self.defined)

    def flip(self, document: int, code: int) -> None:
        """Change the document's label permanently."""
        lists = self.lists
        touched = lists.place_list[lists.incidence[[document]].indices]
        places = np.concatenate([np.arange(self._starts[row], self._starts[row + 1]) for row in touched])
        self._add(places, -1)
        self.codes[document] = code
        at = (self.codes[lists.place_document[places]] + 1, lists.place_list[places])
        self.weight[:, touched], self.count[:, touched] = 0, 0
        np.add.at(self.weight, at, lists.place_weight[places])
        np.add.at(self.count, at, 1)
        self.value[touched] = lists.values(self.weight[:, touched], self.count[:, touched])
        self._add(places, 1)

    def _add(self, places: Array, sign: int) -> None:
        """Add (or subtract, for sign -1) the effects of all labels at these places."""
        lists = self.lists
        row, document, weight = lists.place_list[places], lists.place_document[places], lists.place_weight[places]
        codes, at = self.codes[document], np.arange(len(places))
        weights, count, old_values = self.weight[:, row], self.count[:, row], self.value[row]  # (2 + G, n), …, (n,)
        weights[codes + 1, at] -= weight
        count[codes + 1, at] -= 1
        cells = row // lists.shape[1] * (len(lists.names) * len(lists.doc_ids)) + document
        for code in range(len(lists.names)):
            without = weights[code + 1].copy(), count[code + 1].copy()
            weights[code + 1] += weight
            count[code + 1] += 1
            new_values = np.where(codes == code, old_values, lists.values(weights, count))
            weights[code + 1], count[code + 1] = without
            cell_indices = cells + code * len(lists.doc_ids)
            _scatter(self.total, cell_indices, sign * (np.nan_to_num(new_values) - np.nan_to_num(old_values)))
            _scatter(
                self.defined, cell_indices, sign * (np.isnan(old_values).astype(np.float64) - np.isnan(new_values))
            )


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
    places: AlignedRankings | None = None,
) -> pd.DataFrame:
    """Return the effect of each document's label on mean(first) - mean(second), for the documents of either system.

    Means are over the queries that both answer. Returns doc_id, label ("" without one), to (the label that changes the
    difference most), effect (that change), uncertainty (entropy of the voters' labels over its largest value; 1 with
    fewer than two labels, 0 after adjudication), priority = |effect| · uncertainty, and reverses (whether this flip
    alone changes which system is fairer); by priority, then |effect|, then id. effect is NaN if the measure is
    undefined before or after every flip. Raises: see `what_if`; and if the systems share no query.
    """
    lists = pair_of(study, settings, measure, (first, second), places)
    moves = Moves(lists)
    before, after = moves.means(), moves.means_after()  # (2,), (2, 1 + G, D)
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
    first, second = (np.asarray(fairness(lists, mean)) for mean in means)
    tied = first == second  # also where a ratio of 0 makes both infinitely unfair
    leads = np.subtract(first, second, out=np.zeros(np.shape(first)), where=~tied)
    return np.where(is_equal(leads), 0.0, leads)
