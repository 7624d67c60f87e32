"""One label for each document from several annotators' labels, and the quality control of annotators."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.agreement import (
    TEST_LABEL,
    count_texts,
    majority,
    ordinary,
    read_votes,
    records,
    right_answers,
)
from fairviz.annotation.dawid_skene import Fit, fit
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


def consensus(
    labels: pd.DataFrame, method: str, annotators: Sequence[str] | None = None, *, everyone: bool = False
) -> pd.DataFrame:
    """Return the consensus of these annotators (default all but adjudications) as an annotator of its own: doc_id,
    annotator, label.

    `majority`: the most frequent label; a document with tied votes has no row. `dawid-skene`: the most probable label
    under Dawid and Skene's model of each annotator's confusions (Dawid and Skene 1979). Annotators who fail
    `quality_control` do not vote, unless `everyone` does. Answers to test questions are not votes: a document that was
    only a test question gets the right answer. Rows in the order in which documents first appear. Raises FairvizError
    for an unknown method.
    """
    if method not in CONSENSUSES:
        raise FairvizError(f"unknown consensus {method!r}", use_one_of(CONSENSUSES, method))
    labels = _voting(labels, annotators, everyone)
    if not len(labels):
        return labels[["doc_id", "annotator", "label"]]
    answers = right_answers(labels)
    label_of_document = pd.concat(
        [_voted(labels, method), pd.Series(answers["label"].to_numpy(), index=answers["doc_id"])]
    )
    order = labels["doc_id"].drop_duplicates()
    label_of_document = label_of_document.reindex(order).dropna()
    return pd.DataFrame(
        {"doc_id": label_of_document.index.astype("str"), "annotator": method, "label": label_of_document.to_numpy()}
    ).astype({"annotator": "str", "label": "str"})  # fmt: skip


def quality_control(labels: pd.DataFrame, limit: float = MOST_FAILED) -> Quality:
    """Drop the annotators who fail more than `limit` of the test questions: the CWEx paper's section 3.2.

    A test question is a row with the right answer in the column `test_label`; annotators without any stay.
    """
    record = records(labels)[["annotator", "test_questions", "failed", "failed_share"]]
    record = record[record["test_questions"] > 0].reset_index(drop=True)
    record["dropped"] = record["failed_share"] > limit
    dropped = record.loc[record["dropped"], "annotator"]
    return Quality(labels[~labels["annotator"].isin(dropped)] if len(dropped) else labels, record)


def open_ties(labels: pd.DataFrame, annotators: Sequence[str] | None = None, *, everyone: bool = False) -> pd.DataFrame:
    """Return the documents with tied votes: doc_id, said (the number of votes by label, as text). Answers to test
    questions are not votes."""
    labels = _voting(labels, annotators, everyone)
    votes = read_votes(labels)
    counts = votes.counts()
    is_tied = majority(counts) < 0
    vote_texts = pd.Series(count_texts(counts[is_tied], votes.labels), dtype="str")
    return pd.DataFrame(
        {"doc_id": pd.Series(np.array(votes.doc_ids, dtype=object)[is_tied], dtype="str"), "said": vote_texts}
    )


def dawid_skene(labels: pd.DataFrame, annotators: Sequence[str] | None = None, *, everyone: bool = False) -> Fit:
    """Return Dawid and Skene's model, fitted until it converges; answers to test questions are left out.

    Raises FairvizError without labels.
    """
    labels = ordinary(_voting(labels, annotators, everyone))
    if not len(labels):
        raise FairvizError("there are no labels to fit Dawid and Skene's model to", "Name annotators who gave labels.")
    return fit(labels)


def rounds_note(labels: pd.DataFrame, annotators: Sequence[str] | None = None, *, everyone: bool = False) -> str:
    """Return the ending of the fit of Dawid and Skene's model; empty without votes."""
    labels = ordinary(_voting(labels, annotators, everyone))
    return fit(labels).ending if len(labels) else ""


def posterior(labels: pd.DataFrame, annotators: Sequence[str] | None = None) -> pd.DataFrame:
    """Return the probability of each label (columns) for each document (index doc_id) under Dawid and Skene's model."""
    return dawid_skene(labels, annotators).posterior


def _voting(labels: pd.DataFrame, annotators: Sequence[str] | None, everyone: bool) -> pd.DataFrame:
    """Return the labels of these annotators (default all but adjudications), without those who fail the test
    questions."""
    is_vote = labels["annotator"] != ADJUDICATED if annotators is None else labels["annotator"].isin(annotators)
    labels = labels if is_vote.all() else labels[is_vote]
    return labels if everyone or TEST_LABEL not in labels else quality_control(labels).labels


def _voted(labels: pd.DataFrame, method: str) -> pd.Series:
    """Return the label of each document by this method, without documents with tied votes."""
    votes = ordinary(labels)
    if method == "majority" or not len(votes):
        return _majority(votes)
    return dawid_skene(votes, everyone=True).posterior.idxmax(axis=1)


def _majority(labels: pd.DataFrame) -> pd.Series:
    votes = read_votes(labels)
    winners = majority(votes.counts())
    documents, names = (np.array(texts, dtype=object) for texts in (votes.doc_ids, votes.labels))
    return pd.Series(names[winners[winners >= 0]], index=documents[winners >= 0], dtype="str")
