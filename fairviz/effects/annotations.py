"""What several annotators say of each document: shares of labels, their entropy, and who counts."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.annotation import consensus
from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.agreement import entropy, label_counts, ordinary, right_answers
from fairviz.annotation.electorate import electorate
from fairviz.study.study import Study

Array = np.ndarray


def votes(study: Study, doc_ids: pd.Index, annotators: Sequence[str] | None = None) -> Array:
    """How many of the electorate (or of those named) gave each document each label, (D, 1 + G), neutral first.

    A document that a reader decided is settled: it counts that decision alone, unless annotators are named. Answers to
    test questions are no votes; a document that was nothing else counts its right answer, once.
    """
    names, labels = (study.neutral, *study.groups), study.labels
    voting = _voting(study, annotators)
    given = label_counts(ordinary(voting), doc_ids, names) + label_counts(right_answers(voting), doc_ids, names)
    if annotators is not None:
        return given
    decided = label_counts(labels[labels["annotator"] == ADJUDICATED], doc_ids, names)
    return np.where(decided.sum(axis=1, keepdims=True) > 0, decided, given)


def posterior(study: Study, doc_ids: pd.Index, given: Array, annotators: Sequence[str] | None = None) -> Array:
    """Probabilities (D, 1 + G), neutral first, under Dawid and Skene's model of these annotators' labels.

    given (D, 1 + G): votes. A document of fewer than two votes keeps them: one label is no doubt.
    """
    if not (given.sum(axis=1) > 1).any():
        return given
    found = consensus.posterior(study.labels, electorate(study, annotators))
    likely = found.reindex(index=doc_ids, columns=[study.neutral, *study.groups]).fillna(0.0).to_numpy(dtype=np.float64)
    return np.where((given.sum(axis=1, keepdims=True) > 1) & (likely.sum(axis=1, keepdims=True) > 0), likely, given)


def uncertainty(study: Study, doc_ids: pd.Index, annotators: Sequence[str] | None = None) -> Array:
    """Entropy of the electorate's labels over its largest value, log(1 + G), in [0, 1], (D,).

    1 where fewer than two of them gave a label: nothing speaks for it but one. 0 where a reader decided, and where the
    document was nothing but a test question, whose right answer is known.
    """
    given = votes(study, doc_ids, annotators)
    alone = np.where(given.sum(axis=1) < 2, 1.0, entropy(given))
    alone = np.where(doc_ids.isin(right_answers(_voting(study, annotators))["doc_id"]), 0.0, alone)
    if annotators is not None:
        return alone
    decided = doc_ids.isin(study.labels.loc[study.labels["annotator"] == ADJUDICATED, "doc_id"])
    return np.where(decided, 0.0, alone)


def _voting(study: Study, annotators: Sequence[str] | None) -> pd.DataFrame:
    """The labels of the electorate, or of those named."""
    return study.labels[study.labels["annotator"].isin(electorate(study, annotators))]
