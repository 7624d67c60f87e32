"""Dawid and Skene's model of annotators, fitted by expectation and maximisation until no probability changes.

Axis letters: D documents, W annotators, L labels.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.annotation.agreement.votes import Votes
from fairviz.words.sentences import counted

Array = np.ndarray

SMALLEST = 1e-10  # probability of a label that was never given, as in crowd-kit
CHANGE = 1e-9  # largest change of a posterior probability in the last round
ROUNDS = 5_000


@dataclass(frozen=True, eq=False)
class Fit:
    """Dawid and Skene's model of a labels table.

    posterior: the probability that each label (columns) is the true one of each document (index doc_id); rows sum to
    1. confusions: annotator, true, said, probability; over `said` they sum to 1. priors: the frequency of each label.
    rounds: their number. converged: whether the last one changed no probability by more than CHANGE.
    """

    posterior: pd.DataFrame
    confusions: pd.DataFrame
    priors: pd.Series
    rounds: int
    converged: bool

    @property
    def ending(self) -> str:
        """A sentence on the end of the fit, without a full stop."""
        if self.converged:
            return f"Dawid and Skene's model converged after {counted(self.rounds, 'round')}"
        return f"Dawid and Skene's model did not converge in {self.rounds:,} rounds: check its labels"


def fit(votes: Votes) -> Fit:
    """Return the fit to the documents, annotators and labels with votes.

    It starts from each document's shares of labels, which are sorted. Dawid and Skene (1979), equations 2.3 to 2.5.
    """
    from scipy.sparse import csr_array

    given = sorted({votes.labels[code] for code in np.unique(votes.label)})
    label = pd.Index(given).get_indexer(pd.Index(np.array(votes.labels, dtype=object)[votes.label]))
    annotator_places, annotator = np.unique(votes.annotator, return_inverse=True)
    document_places, document = np.unique(votes.document, return_inverse=True)
    annotators = pd.Index([votes.annotators[place] for place in annotator_places])
    doc_ids = pd.Index([votes.doc_ids[place] for place in document_places], name="doc_id")
    count, ones = len(doc_ids), np.ones(len(label))
    cells = csr_array(
        (ones, (document, annotator * len(given) + label)), shape=(count, len(annotators) * len(given))
    )  # (D, W·L)
    shares = csr_array((ones, (document, label)), shape=(count, len(given))).toarray()
    posterior, rounds, change = shares / shares.sum(axis=1, keepdims=True), 0, np.inf
    while change > CHANGE and rounds < ROUNDS:
        previous, posterior = posterior, _expected(cells, posterior)
        rounds, change = rounds + 1, float(np.abs(posterior - previous).max())
    confusions = _tidy(_confusions(cells, posterior), annotators, pd.Index(given))
    table = pd.DataFrame(posterior, index=doc_ids, columns=pd.Index(given))
    return Fit(table, confusions, pd.Series(posterior.mean(axis=0), index=given), rounds, change <= CHANGE)


def _expected(votes, posterior: Array) -> Array:
    """Return the probability of each true label of each document (D, L), from a posterior (D, L)."""
    labels = posterior.shape[1]
    errors = _confusions(votes, posterior).reshape(-1, labels)  # (W·L, L)
    logarithm = votes @ np.log(errors) + np.log(np.maximum(posterior.mean(axis=0), SMALLEST))
    likelihood = np.exp(logarithm - logarithm.max(axis=1, keepdims=True))
    return likelihood / likelihood.sum(axis=1, keepdims=True)


def _confusions(votes, posterior: Array) -> Array:
    """Return each annotator's probability of a label given the true one, (W, L said, L true); over `said` they sum to
    1."""
    labels = posterior.shape[1]
    counts = np.maximum((votes.T @ posterior).reshape(-1, labels, labels), SMALLEST)
    return counts / counts.sum(axis=1, keepdims=True)


def _tidy(confusions: Array, annotators: pd.Index, names: pd.Index) -> pd.DataFrame:
    """Return the confusions (W, L said, L true) as annotator, true, said, probability."""
    index = pd.MultiIndex.from_product([annotators, names, names], names=["annotator", "true", "said"])
    table = index.to_frame(index=False).astype("str")
    return table.assign(probability=confusions.swapaxes(1, 2).ravel())
