"""Annotators' labels of each document: shares of labels, their entropy, and the voters."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.annotation import consensus
from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.agreement import entropy, label_counts, ordinary, right_answers
from fairviz.annotation.voters import voters_of
from fairviz.study.record import Study

Array = np.ndarray


def votes(study: Study, doc_ids: pd.Index, annotators: Sequence[str] | None = None) -> Array:
    """Return how many of the voters (or of the named annotators) gave each document each label, (D, 1 + G), neutral
    first.

    An adjudicated document counts only its decision, unless annotators are named. Answers to test questions do not
    count; a document that was only a test question counts its right answer once.
    """
    names, labels = (study.neutral, *study.groups), study.labels
    voting = _voting(study, annotators)
    counts = label_counts(ordinary(voting), doc_ids, names) + label_counts(right_answers(voting), doc_ids, names)
    if annotators is not None:
        return counts
    decided = label_counts(labels[labels["annotator"] == ADJUDICATED], doc_ids, names)
    return np.where(decided.sum(axis=1, keepdims=True) > 0, decided, counts)


def posterior(study: Study, doc_ids: pd.Index, values: Array, annotators: Sequence[str] | None = None) -> Array:
    """Return the probabilities (D, 1 + G), neutral first, under Dawid and Skene's model of these annotators' labels.

    values (D, 1 + G): votes. A document with fewer than two votes keeps them: a single label has no uncertainty.
    """
    if not (values.sum(axis=1) > 1).any():
        return values
    probabilities = consensus.posterior(study.labels, voters_of(study, annotators))
    likely = (
        probabilities.reindex(index=doc_ids, columns=[study.neutral, *study.groups])
        .fillna(0.0)
        .to_numpy(dtype=np.float64)
    )
    return np.where((values.sum(axis=1, keepdims=True) > 1) & (likely.sum(axis=1, keepdims=True) > 0), likely, values)


def uncertainty(study: Study, doc_ids: pd.Index, annotators: Sequence[str] | None = None) -> Array:
    """Return the entropy of the voters' labels over its largest value, log(1 + G), in [0, 1], (D,).

    1 with fewer than two labels. 0 for adjudicated documents and for documents that were only test questions.
    """
    counts = votes(study, doc_ids, annotators)
    entropies = np.where(counts.sum(axis=1) < 2, 1.0, entropy(counts))
    entropies = np.where(doc_ids.isin(right_answers(_voting(study, annotators))["doc_id"]), 0.0, entropies)
    if annotators is not None:
        return entropies
    decided = doc_ids.isin(study.labels.loc[study.labels["annotator"] == ADJUDICATED, "doc_id"])
    return np.where(decided, 0.0, entropies)


def _voting(study: Study, annotators: Sequence[str] | None) -> pd.DataFrame:
    """Return the labels of the voters, or of the named annotators."""
    return study.labels[study.labels["annotator"].isin(voters_of(study, annotators))]
