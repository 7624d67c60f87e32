"""Voters' labels of each document: their counts, Dawid and Skene's probabilities, and their entropy."""

import numpy as np
import pandas as pd

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.agreement import entropy, label_counts
from fairviz.annotation.voters import dawid_skene, votes_of, voting_labels
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study

Array = np.ndarray


def votes(study: Study, doc_ids: pd.Index, settings: Settings) -> Array:
    """Return how many of the voters gave each document each label, (D, 1 + G), neutral first.

    Where the annotator is `adjudicated`, an adjudicated document counts only its decision.
    """
    names = (study.neutral, *study.groups)
    counts = votes_of(study, settings.voters).counts_of(doc_ids, names)
    if chosen_annotator(study, settings) != ADJUDICATED:
        return counts
    decided = label_counts(study.labels[study.labels["annotator"] == ADJUDICATED], doc_ids, names)
    return np.where(decided.sum(axis=1, keepdims=True) > 0, decided, counts)


def posterior(study: Study, doc_ids: pd.Index, values: Array, settings: Settings) -> Array:
    """Return the probabilities (D, 1 + G), neutral first, under Dawid and Skene's model of the voters' labels.

    values (D, 1 + G): votes. A document with fewer than two votes keeps them: a single label has no uncertainty.
    """
    if not (values.sum(axis=1) > 1).any():
        return values
    probabilities = dawid_skene(voting_labels(study, settings.voters)).posterior
    likely = (
        probabilities.reindex(index=doc_ids, columns=[study.neutral, *study.groups])
        .fillna(0.0)
        .to_numpy(dtype=np.float64)
    )
    return np.where((values.sum(axis=1, keepdims=True) > 1) & (likely.sum(axis=1, keepdims=True) > 0), likely, values)


def uncertainty(study: Study, doc_ids: pd.Index, settings: Settings) -> Array:
    """Return the entropy of the voters' labels over its largest value, log(1 + G), in [0, 1], (D,).

    1 with fewer than two labels; 0 for adjudicated documents, which need no other label.
    """
    counts = votes(study, doc_ids, settings)
    is_decided = doc_ids.isin(study.labels.loc[study.labels["annotator"] == ADJUDICATED, "doc_id"])
    return np.where(is_decided, 0.0, np.where(counts.sum(axis=1) < 2, 1.0, entropy(counts)))
