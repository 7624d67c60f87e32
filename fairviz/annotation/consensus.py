"""One label a document out of several annotators' labels; and which annotators are good enough to take part."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.agreement import (
    TEST_LABEL,
    majority,
    ordinary,
    read_votes,
    records,
    right_answers,
    told,
)
from fairviz.annotation.dawid_skene import Fit, fit
from fairviz.errors import FairvizError

CONSENSUSES = ("majority", "dawid-skene")
MOST_FAILED = 0.2


@dataclass(frozen=True, eq=False)
class Quality:
    """The labels of those who passed, and the record of all who answered test questions: annotator, test_questions,
    failed, failed_share, dropped."""

    labels: pd.DataFrame
    record: pd.DataFrame

    @property
    def dropped(self) -> tuple[str, ...]:
        """The annotators whose labels are left out."""
        return tuple(self.record.loc[self.record["dropped"], "annotator"])


def consensus(
    labels: pd.DataFrame, method: str, annotators: Sequence[str] | None = None, *, everyone: bool = False
) -> pd.DataFrame:
    """The consensus of these annotators (default all but a reader's decisions) as an annotator of its own: doc_id,
    annotator, label.

    `majority`: the most frequent label; a tie is left open, so the document has no row. `dawid-skene`: the most
    probable label under Dawid and Skene's model of each annotator's confusions (Dawid and Skene 1979).
    Those who fail `quality_control` do not vote, unless `everyone` does. Answers to test questions do not vote: a
    document that was nothing else to these annotators gets the right answer, which was known before. Rows in the order
    in which documents first appear. Raises FairvizError for an unknown method.
    """
    if method not in CONSENSUSES:
        raise FairvizError(f"unknown consensus {method!r}", f"Use one of {', '.join(CONSENSUSES)}.")
    labels = _voting(labels, annotators, everyone)
    if not len(labels):
        return labels[["doc_id", "annotator", "label"]]
    known = right_answers(labels)
    chosen = pd.concat([_voted(labels, method), pd.Series(known["label"].to_numpy(), index=known["doc_id"])])
    order = labels["doc_id"].drop_duplicates()
    chosen = chosen.reindex(order).dropna()
    return pd.DataFrame(
        {"doc_id": chosen.index.astype("str"), "annotator": method, "label": chosen.to_numpy()}
    ).astype({"annotator": "str", "label": "str"})  # fmt: skip


def quality_control(labels: pd.DataFrame, limit: float = MOST_FAILED) -> Quality:
    """Drops the annotators who fail more than `limit` of the test questions: the CWEx paper's section 3.2.

    A test question is a row whose column `test_label` holds the right answer; who answered none stays. Without such
    a column nobody is dropped.
    """
    record = records(labels)[["annotator", "test_questions", "failed", "failed_share"]]
    record = record[record["test_questions"] > 0].reset_index(drop=True)
    record["dropped"] = record["failed_share"] > limit
    out = record.loc[record["dropped"], "annotator"]
    return Quality(labels[~labels["annotator"].isin(out)] if len(out) else labels, record)


def open_ties(labels: pd.DataFrame, annotators: Sequence[str] | None = None, *, everyone: bool = False) -> pd.DataFrame:
    """The documents that a majority vote leaves open for an expert: doc_id, said (how many gave which label). Answers
    to test questions do not vote."""
    labels = _voting(labels, annotators, everyone)
    votes = read_votes(labels)
    counts = votes.counts()
    left = majority(counts) < 0
    said = pd.Series(told(counts[left], votes.labels), dtype="str")
    return pd.DataFrame({"doc_id": pd.Series(np.array(votes.doc_ids, dtype=object)[left], dtype="str"), "said": said})


def dawid_skene(labels: pd.DataFrame, annotators: Sequence[str] | None = None, *, everyone: bool = False) -> Fit:
    """Return Dawid and Skene's model, fitted until it converges; answers to test questions are left out.

    Raises FairvizError where there is no other label.
    """
    labels = ordinary(_voting(labels, annotators, everyone))
    if not len(labels):
        raise FairvizError("there are no labels to fit Dawid and Skene's model to", "Name annotators who gave labels.")
    return fit(labels)


def rounds_note(labels: pd.DataFrame, annotators: Sequence[str] | None = None, *, everyone: bool = False) -> str:
    """How the fit of Dawid and Skene's model ended; empty where nobody gave a label that votes."""
    labels = ordinary(_voting(labels, annotators, everyone))
    return fit(labels).ending if len(labels) else ""


def posterior(labels: pd.DataFrame, annotators: Sequence[str] | None = None) -> pd.DataFrame:
    """The probability of each label (columns) for each document (index doc_id) under Dawid and Skene's model."""
    return dawid_skene(labels, annotators).posterior


def _voting(labels: pd.DataFrame, annotators: Sequence[str] | None, everyone: bool) -> pd.DataFrame:
    """The labels of the annotators named, without those who fail the test questions; of all where none is named, but
    for a reader's decisions."""
    voting = labels["annotator"] != ADJUDICATED if annotators is None else labels["annotator"].isin(annotators)
    labels = labels if voting.all() else labels[voting]
    return labels if everyone or TEST_LABEL not in labels else quality_control(labels).labels


def _voted(labels: pd.DataFrame, method: str) -> pd.Series:
    """The label that the votes give each document, without those that they leave open."""
    asked = ordinary(labels)
    if method == "majority" or not len(asked):
        return _majority(asked)
    return _most_probable(dawid_skene(asked, everyone=True))


def _majority(labels: pd.DataFrame) -> pd.Series:
    votes = read_votes(labels)
    won = majority(votes.counts())
    documents, names = (np.array(texts, dtype=object) for texts in (votes.doc_ids, votes.labels))
    return pd.Series(names[won[won >= 0]], index=documents[won >= 0], dtype="str")


def _most_probable(model: Fit) -> pd.Series:
    return model.posterior.idxmax(axis=1)
