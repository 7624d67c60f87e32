"""Confidence of a machine against its accuracy, and the work that a threshold leaves to people."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.annotation.voters import labels_beside
from fairviz.errors import FairvizError, UsageError, use_one_of
from fairviz.statistics.intervals import share_interval
from fairviz.study.record import Study

CONFIDENCE = "confidence"  # column of labels
BINS = 10
COLUMNS = ("low", "high", "documents", "confidence", "accuracy", "accuracy_low", "accuracy_high")


@dataclass(frozen=True, eq=False)
class Calibration:
    """bins: COLUMNS, a row for each tenth of confidence with documents. error: the expected calibration error, the mean
    over documents of |accuracy − confidence| of their bin. documents: labelled by both, with a confidence."""

    bins: pd.DataFrame
    error: float
    documents: int


def with_confidence(study: Study) -> tuple[str, ...]:
    """Return the annotators whose labels have a confidence."""
    if CONFIDENCE not in study.labels:
        return ()
    rows = study.labels[_numbers(study.labels).notna()]
    return tuple(rows["annotator"].astype("str").drop_duplicates())


def calibration(study: Study, annotator: str, reference: str, voters: Sequence[str] = ()) -> Calibration:
    """Return the accuracy of an annotator by its confidence, against a reference; intervals are exact (Clopper and
    Pearson 1934). voters: of a consensus. Raises FairvizError for an annotator without confidence, and without
    documents in common."""
    both = _both(study, annotator, reference, voters)
    place = np.clip(np.ceil(both[CONFIDENCE] * BINS) - 1, 0, BINS - 1).astype(int)
    rows = []
    for number, part in both.groupby(place):
        right, count = int(part["right"].sum()), len(part)
        ends = share_interval(right, count)
        rows.append([number / BINS, (number + 1) / BINS, count, part[CONFIDENCE].mean(), right / count, *ends])
    bins = pd.DataFrame(rows, columns=list(COLUMNS))
    gaps = (bins["accuracy"] - bins["confidence"]).abs()
    return Calibration(bins, float((gaps * bins["documents"]).sum() / len(both)), len(both))


def left_to_people(
    study: Study,
    annotator: str,
    reference: str,
    threshold: float,
    price: float = 0.0,
    voters: Sequence[str] = (),
) -> pd.Series:
    """Return the outcome where people label all documents with a confidence below the threshold, 0 to 1.

    Returns labels (to be given by people), cost (labels · price), kept (documents left to the machine), accuracy,
    accuracy_low and accuracy_high (of those left, against the reference), and checked (how many of these it has).
    """
    if not 0 <= threshold <= 1:
        raise UsageError(f"threshold is {threshold}", "Use a number from 0 to 1.")
    own = _own(study, annotator)
    both = _both(study, annotator, reference, voters)
    below, sure = int((own[CONFIDENCE] < threshold).sum()), both[both[CONFIDENCE] >= threshold]
    right, count = int(sure["right"].sum()), len(sure)
    accuracy = (right / count, *share_interval(right, count)) if count else (np.nan, np.nan, np.nan)
    names = ("labels", "cost", "kept", "accuracy", "accuracy_low", "accuracy_high", "checked")
    return pd.Series([below, below * price, len(own) - below, *accuracy, count], index=list(names))


def _numbers(labels: pd.DataFrame) -> pd.Series:
    return pd.to_numeric(labels[CONFIDENCE], errors="coerce")


def _own(study: Study, annotator: str) -> pd.DataFrame:
    names = with_confidence(study)
    if annotator not in names:
        raise FairvizError(
            f"the labels of {annotator} have no confidence",
            use_one_of(names, annotator) if names else "llm(samples=5) and logprob store one.",
        )
    own = study.labels[study.labels["annotator"] == annotator]
    return own.assign(**{CONFIDENCE: _numbers(own).clip(0, 1)}).dropna(subset=[CONFIDENCE])


def _both(study: Study, annotator: str, reference: str, voters: Sequence[str]) -> pd.DataFrame:
    """Return the annotator's labels with a confidence that the reference labelled too, with the column `right`."""
    others = labels_beside(study, reference, annotator, voters)[["doc_id", "label"]].rename(columns={"label": "true"})
    both = _own(study, annotator).merge(others, on="doc_id")
    if not len(both):
        raise FairvizError(f"{annotator} and {reference} labelled no document in common", "Choose another reference.")
    return both.assign(right=both["label"].astype("str") == both["true"].astype("str"))
