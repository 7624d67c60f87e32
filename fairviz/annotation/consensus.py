"""One label for each document from several annotators' labels, and the quality control of annotators."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.annotation.agreement import count_texts, read_votes, records
from fairviz.annotation.agreement.dawid_skene import Fit, fit
from fairviz.errors import FairvizError, use_one_of

CONSENSUSES = ("majority", "dawid-skene")
MOST_FAILED = 0.2


@dataclass(frozen=True, eq=False)
class Quality:
    """The labels of the annotators who passed, and the record of all who answered test questions: annotator,
    test_questions, failed, failed_share, dropped."""

    labels: pd.DataFrame
    record: pd.DataFrame

    @property
    def dropped(self) -> tuple[str, ...]:
        """The annotators whose labels are left out."""
        return tuple(self.record.loc[self.record["dropped"], "annotator"])


def consensus(labels: pd.DataFrame, method: str) -> pd.DataFrame:
    """Return the consensus of these votes as an annotator of its own: doc_id, annotator, label.

    labels: as `voters.voting_labels` returns them; answers to test questions are left out. `majority`: the most
    frequent label, of one label that label; a document with tied votes has no row. `dawid-skene`: the most probable
    label under Dawid and Skene's model of each annotator's confusions (Dawid and Skene 1979). Rows in the order in
    which documents first appear. Raises FairvizError for an unknown method.
    """
    if method not in CONSENSUSES:
        raise FairvizError(f"unknown consensus {method!r}", use_one_of(CONSENSUSES, method))
    votes = read_votes(labels)
    if method == "majority" or not votes.doc_ids:
        is_decided = votes.winners >= 0
        doc_ids = np.array(votes.doc_ids, dtype=object)[is_decided]
        label_names = np.array(votes.labels, dtype=object)[votes.winners[is_decided]]
    else:
        most_probable = fit(votes).posterior.idxmax(axis=1)
        doc_ids, label_names = most_probable.index.to_numpy(), most_probable.to_numpy()
    return pd.DataFrame({"doc_id": doc_ids, "annotator": method, "label": label_names}).astype("str")


def quality_control(labels: pd.DataFrame, limit: float = MOST_FAILED) -> Quality:
    """Drop the annotators who fail more than `limit` of the test questions: the CWEx paper's section 3.2.

    A test question is a row with the right answer in the column `test_label`; annotators without any stay.
    """
    record = records(labels)[["annotator", "test_questions", "failed", "failed_share"]]
    record = record[record["test_questions"] > 0].reset_index(drop=True)
    record["dropped"] = record["failed_share"] > limit
    dropped = record.loc[record["dropped"], "annotator"]
    return Quality(labels[~labels["annotator"].isin(dropped)] if len(dropped) else labels, record)


def open_ties(labels: pd.DataFrame) -> pd.DataFrame:
    """Return the documents with tied votes: doc_id, said (the number of votes by label, as text). labels: as of
    `consensus`."""
    votes = read_votes(labels)
    is_tied = votes.winners < 0
    vote_texts = pd.Series(count_texts(votes.counts[is_tied], votes.labels), dtype="str")
    return pd.DataFrame(
        {"doc_id": pd.Series(np.array(votes.doc_ids, dtype=object)[is_tied], dtype="str"), "said": vote_texts}
    )


def dawid_skene(labels: pd.DataFrame) -> Fit:
    """Return Dawid and Skene's model of these votes, fitted until it converges. labels: as of `consensus`.

    Raises FairvizError without votes.
    """
    votes = read_votes(labels)
    if not votes.doc_ids:
        raise FairvizError("there are no labels to fit Dawid and Skene's model to", "Name annotators who gave labels.")
    return fit(votes)
