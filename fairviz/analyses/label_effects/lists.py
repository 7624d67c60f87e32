"""The lists of some systems as an incidence of documents, so that relabelling moves a sum instead of building a study.

Axis letters: S systems, Q queries, L = S · Q lists, N places within the cutoff, D documents at those places, G gender
groups, X hypothetical lists. A label is a code: -1 none, 0 neutral, 1 … G the gender groups. Sums over a list are in
rows of code + 1, so that row 0 is for unlabelled documents.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError, use_one_of
from fairviz.evaluation.choices import Resolved, aligned, chosen_queries, chosen_runs, chosen_systems
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import bias_of
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES, Measure, Question
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.sums import AlignedRankings
from fairviz.statistics.intervals import mean_over_queries
from fairviz.study.record import Study

Array = np.ndarray


@dataclass(frozen=True)
class HypotheticalLists:
    """Hypothetical lists with the two methods of `AlignedRankings` that measures of labels use.

    weight (2 + G, X): sum of p by label; count (2 + G, X): places by label, float. Row 0: without a label.
    """

    weight: Array
    count: Array
    bias: PositionBias
    rankings: AlignedRankings

    @property
    def groups(self) -> tuple[str, ...]:
        return self.rankings.groups

    @property
    def neutral(self) -> str:
        return self.rankings.neutral

    @property
    def protected(self) -> int:
        return self.rankings.protected

    @property
    def targets(self) -> Array:
        return self.rankings.targets

    def label_sums(self, bias: PositionBias, cutoffs: Array) -> Array:
        """Return the sum of p by group, neutral first, (1 + G, 1, 1, X); of ones for another position bias than the
        lists'.
        """
        sums = self.weight if bias is self.bias else self.count
        group_sums = sums[1:]
        if self.rankings.unlabelled == "neutral":
            group_sums = np.concatenate([group_sums[:1] + sums[:1], group_sums[1:]])
        return group_sums[:, None, None, :]

    def exposure(self, bias: PositionBias, cutoffs: Array) -> Array:
        """Return the share of attention by group, neutral first, (1 + G, 1, 1, X); NaN: see `AlignedRankings`."""
        group_sums = self.label_sums(bias, cutoffs)
        total = group_sums.sum(axis=0)
        if self.rankings.unlabelled == "strict":
            total = np.where(self.count[0] > 0, np.nan, total)
        return group_sums / np.where(total > 0, total, np.nan)


@dataclass(frozen=True, eq=False)
class Lists:
    """The places within the cutoff of the lists of some systems for some queries, under one measure of labels.

    systems and doc_ids: names of S and D. place_list, place_document, place_weight (N,): list (system · Q + query),
    document and p of every place, ordered by list. codes (D,): the labels that count.
    """

    rankings: AlignedRankings
    question: Question
    bias: PositionBias
    systems: tuple[str, ...]
    queries: tuple[str, ...]
    doc_ids: pd.Index
    codes: Array
    place_list: Array
    place_document: Array
    place_weight: Array

    @property
    def shape(self) -> tuple[int, int]:
        """(S, Q)."""
        return len(self.systems), len(self.queries)

    @property
    def names(self) -> tuple[str, ...]:
        """The labels by code: neutral, then the gender groups."""
        return (self.rankings.neutral, *self.rankings.groups)

    @property
    def measure(self) -> Measure:
        """The record of the measure. Raises ValueError for a measure of effectiveness."""
        if self.question.measure is None:
            raise ValueError(f"{self.question.text} is not a measure of labels")
        return self.question.measure

    @property
    def nbytes(self) -> int:
        return 4 * self.place_weight.nbytes

    def sums(self, codes: Array, counted: Array | None = None) -> tuple[Array, Array]:
        """Return the sum of p and the number of places by label and list under these labels, each (2 + G, L). counted
        (D,): over these documents only."""
        counted = np.ones(len(codes), dtype=bool) if counted is None else counted
        is_counted = counted[self.place_document]
        rows, lists = 1 + len(self.names), self.shape[0] * self.shape[1]
        at = (codes[self.place_document[is_counted]] + 1) * lists + self.place_list[is_counted]
        weight = np.bincount(at, self.place_weight[is_counted], minlength=rows * lists)
        count = np.bincount(at, minlength=rows * lists).astype(np.float64)
        return weight.reshape(rows, lists), count.reshape(rows, lists)

    def values(self, weight: Array, count: Array) -> Array:
        """Return the measure of hypothetical lists with these sums, (2 + G, X) each, to (X,); NaN if undefined."""
        lists = HypotheticalLists(weight, count, self.bias, self.rankings)
        cutoffs = np.array([self.question.cutoff])
        with np.errstate(divide="ignore", invalid="ignore"):
            result = self.measure.compute(lists, self.question.parameters, self.bias, cutoffs)
        return result[0, 0]

    def means(self, codes: Array) -> Array:
        """Return the mean over queries of each system under these labels, (S,)."""
        return mean_over_queries(self.values(*self.sums(codes)).reshape(self.shape))

    def code_of(self, label: str) -> int:
        """Return the code of the label. Raises FairvizError for a label outside the groups."""
        if label not in self.names:
            raise FairvizError(f"{label!r} is not a label of this study", use_one_of(self.names, label))
        return self.names.index(label)


def lists_of(study: Study, settings: Settings, measure: str, rankings: AlignedRankings | None = None) -> Lists:
    """Return the lists of the settings' systems and queries under `measure`, cached with the places.

    Raises UsageError for a measure that does not use labels, FairvizError if the study lacks data for it.
    """
    question = ask(measure, settings)
    if question.family != "labels":
        names = ", ".join(name for name, record in MEASURES.items() if record.family == "labels")
        raise UsageError(f"{question.text} is not a measure of labels", f"Use one of {names}.")
    reason = Resolved(study, settings).missing_for_label_changes(question)
    if reason:
        raise FairvizError(f"{question.text} cannot be computed for the study {study.name!r}: {reason}")
    rankings = aligned(study, settings, rankings)
    systems, queries = chosen_runs(study, settings), chosen_queries(study, settings)
    key = ("lists", question.text, settings.position_bias, settings.custom_bias, systems, queries)
    return rankings.remembered(key, lambda: _lists(rankings, question, settings, systems, queries))


def pair_of(
    study: Study, settings: Settings, measure: str, pair: tuple[str, str], rankings: AlignedRankings | None
) -> Lists:
    """Return the lists of two different systems for the queries that both answer. Raises: see `lists_of`."""
    if pair[0] == pair[1]:
        raise FairvizError(f"{pair[0]!r} is compared with itself", "Choose two systems.")
    settings = settings.changed(systems=pair)
    rankings = aligned(study, settings, rankings)
    rows = [rankings.lists.row_of(name) for name in chosen_systems(study, settings)]
    queries = chosen_queries(study, settings)
    query_indices = np.flatnonzero((rankings.lists.lengths[rows] > 0).all(axis=0))
    query_names = {rankings.lists.queries[at] for at in query_indices.tolist()}
    lists = lists_of(study, settings, measure, rankings)
    if all(name in query_names for name in queries):
        return lists
    common = tuple(name for name in queries if name in query_names)
    if not common:
        raise FairvizError(f"{pair[0]!r} and {pair[1]!r} have no query in common", "Choose two other systems.")
    return _lists(rankings, lists.question, settings, lists.systems, common)


def _lists(
    rankings: AlignedRankings,
    question: Question,
    settings: Settings,
    systems: tuple[str, ...],
    queries: tuple[str, ...],
) -> Lists:
    lists, cutoff = rankings.lists, question.cutoff or settings.cutoff
    bias = bias_of(rankings, settings, cutoff)
    rows = [lists.row_of(system) for system in systems]
    at = {name: place for place, name in enumerate(lists.queries)}
    columns = [at[name] for name in queries]
    top = lists.documents[:cutoff][:, rows][:, :, columns]  # (k, S, Q)
    by_list = top.reshape(len(top), -1).T  # (L, k)
    place_list, rank = np.nonzero(by_list >= 0)
    documents, compact = np.unique(by_list[place_list, rank], return_inverse=True)
    return Lists(
        rankings,
        question,
        bias,
        systems,
        queries,
        lists.doc_ids[documents],
        rankings.labels.codes[documents].astype(np.int64),
        place_list,
        compact,
        bias.weights(cutoff)[rank],
    )


def codes_under(lists: Lists, labels: pd.DataFrame, doc_ids: pd.Index | None = None) -> Array:
    """Return the code of each document's label, (D,), -1 without one.

    labels: a row per document; doc_ids: documents, by default those of the lists.
    """
    doc_ids = lists.doc_ids if doc_ids is None else doc_ids
    rows = pd.Index(labels["doc_id"], dtype="str").get_indexer(doc_ids)
    if not len(labels):
        return np.full(len(rows), -1)
    codes = labels["label"].map({name: code for code, name in enumerate(lists.names)}).to_numpy(dtype=np.int64)
    return np.where(rows >= 0, codes[rows], -1)
