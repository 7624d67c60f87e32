"""Shared parts of rerankers: the lists of one run as aligned arrays, and an order of each list as a new run.

Axis letters: Q queries, K ranks, N documents of one list, G gender groups, D documents.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fairviz.annotation.rules import lexicon_of
from fairviz.annotation.voters import counted_annotator, labels_of
from fairviz.errors import FairvizError, UsageError
from fairviz.measures.position_bias import MAX_CUTOFF, PositionBias, position_bias
from fairviz.measures.rankings import align_runs, label_evidence, no_words, targets, words_of
from fairviz.measures.sums import AlignedRankings
from fairviz.parameters import Parameter
from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query
from fairviz.study.record import Study
from fairviz.study.tables import ranked
from fairviz.words.sentences import out_of

Array = np.ndarray

NOTHING = "are not in the run"
RUN = Parameter("run", "", help="the run whose lists are reordered", required=True)
CUTOFF = Parameter("k", 10.0, "how many ranks are looked at", 1.0, MAX_CUTOFF, whole=True)
ANNOTATOR = Parameter("annotator", "", help="whose labels count; empty for the study's default")
BIAS = Parameter("position_bias", "log2", help="attention by rank: log2, reciprocal, rbp(p=0.8), linear or uniform")


@dataclass(frozen=True, eq=False)
class InputList:
    """The list of a run for one query, best first.

    documents (N,): row numbers in every evidence; names (N,): their ids; scores (N,): the run's own, falling.
    """

    query_id: str
    documents: Array
    names: Array
    scores: Array

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def shares(self) -> Array:
        """The scores scaled from 0, the list's lowest, to 1, its highest, (N,); all 1 where they are equal.

        >>> InputList("q", np.arange(3), np.array(["a", "b", "c"]), np.array([5.0, 4.0, 1.0])).shares.tolist()
        [1.0, 0.75, 0.0]
        """
        lowest, highest = self.scores.min(initial=np.inf), self.scores.max(initial=-np.inf)
        if not highest > lowest:
            return np.ones(len(self.scores))
        return (self.scores - lowest) / (highest - lowest)


@dataclass(frozen=True, eq=False)
class RunLists:
    """The lists of one run, and the evidence on their documents. places: one system, (K, 1, Q)."""

    places: AlignedRankings
    scores: Mapping[str, Array]

    def input_list(self, query_id: str) -> InputList | None:
        """Return the list of a query, or None where the run has none."""
        rankings = self.places.rankings
        if query_id not in self.scores:
            return None
        documents = rankings.list_of(rankings.systems[0], query_id)
        return InputList(query_id, documents, rankings.doc_ids.to_numpy(dtype=object)[documents], self.scores[query_id])


Reorder = Callable[[InputList], Array]


def reordered(lists: RunLists, reorder: Reorder) -> Lister:
    """Return every list in a new order: reorder(list) returns the places of its documents, best first, (N,)."""

    def find(query: Query) -> Found:
        input_list = lists.input_list(query.query_id)
        if input_list is None:
            return Found(np.zeros(0, dtype=object), np.zeros(0))
        return Found(input_list.names[reorder(input_list)], np.arange(len(input_list), 0, -1, dtype=np.float64))

    return find


def lists_of(collection: Collection, ranker: str, run: str) -> RunLists:
    """Return the lists of the run of this name, without labels and words. Raises UsageError for an unknown run.

    Tied scores are ordered by the file's rank, then by doc_id.
    """
    systems = [str(system) for system in collection.runs["system"].cat.categories]
    if run not in systems:
        raise UsageError(
            f"{collection.study.name} has no run {run!r} for {ranker}", f"Its runs are {', '.join(systems) or 'none'}."
        )
    rows = ranked(collection.runs[collection.runs["system"] == run])
    scores = {
        str(query): part.to_numpy(dtype=np.float64)
        for query, part in rows.groupby("query_id", observed=True, sort=False)["score"]
    }
    study, rankings = collection.study, align_runs(rows)
    places = AlignedRankings(
        rankings,
        label_evidence(pd.DataFrame(), rankings.doc_ids, study.neutral, study.groups),
        no_words(rankings.doc_ids, study.groups),
        study.groups,
        study.neutral,
        study.groups.index(study.protected),
        targets(study),
    )
    return RunLists(places, scores)


def with_labels(lists: RunLists, study: Study, annotator: str) -> RunLists:
    """Return the lists with the labels of the annotator; empty for the study's default.

    Raises FairvizError where the labels are not genders, and for an unknown annotator.
    """
    if study.label_kind != "gender":
        raise FairvizError(
            f"the labels of {study.name} are not genders (labels = 'other' in study.toml)",
            "Add labels.csv with the columns doc_id, annotator, label.",
        )
    labels = labels_of(study, counted_annotator(study, annotator))
    evidence = label_evidence(labels, lists.places.rankings.doc_ids, study.neutral, study.groups)
    return RunLists(replace(lists.places, labels=evidence), lists.scores)


def with_words(lists: RunLists, study: Study, tokenizer: str) -> RunLists:
    """Return the lists with the gender words of their documents, by the study's own word list or else the built-in one.

    Raises FairvizError where no document has text or the word list lacks a group.
    """
    if study.word_counts is None and (not study.has("documents") or study.documents["text"].isna().all()):
        raise FairvizError(
            f"{study.name} has no text of documents to count gender words in",
            "Add documents.tsv with the columns doc_id and text.",
        )
    words = words_of(study, lists.places.rankings.doc_ids, lexicon_of(study), tokenizer)
    return RunLists(replace(lists.places, words=words), lists.scores)


def bias_of(ranker: str, parameters: Parameters) -> PositionBias:
    """Return the position bias of the parameters, up to rank k. Raises UsageError for an unknown one."""
    try:
        return position_bias(parameters["position_bias"], int(parameters["k"]))
    except UsageError as error:
        raise UsageError(
            f"{ranker} cannot take position_bias={parameters['position_bias']}: {error.message}",
            "Use log2, reciprocal, rbp(p=0.8), linear or uniform.",
        ) from error


def report_unlabelled(collection: Collection, system: str, lists: RunLists, cutoff: int) -> None:
    """Report the number of places within the cutoff that have a document without a label, if any."""
    top = lists.places.rankings.documents[:cutoff]
    is_filled = top >= 0
    count = int((lists.places.labels.codes[top[is_filled]] < 0).sum())
    if count:
        collection.say(
            f"{system}: {out_of(count, is_filled.sum(), 'place')} within rank {cutoff:,} hold a document without a "
            "label; it keeps its rank."
        )
