"""Labels that are no independent votes: answers to test questions, and labels given with a suggestion in view.

An answer to a test question is a row of labels with the right answer in the column `test_label`; what is right was
known in advance, so that agreement on it shows nothing. A row with a label in the column `suggested` was given by
a person who saw that label. Both are part of the annotator's labels; no coefficient of agreement and no vote uses them.
"""

import numpy as np
import pandas as pd

from fairviz.study.loaders.labels import TEST_LABEL
from fairviz.words.sentences import counted

Array = np.ndarray
SUGGESTED = "suggested"  # column of labels: the label that the annotator was shown


def is_test(labels: pd.DataFrame) -> Array:
    """Return a mask of the rows that are answers to test questions, (V,)."""
    return _is_filled(labels, TEST_LABEL)


def ordinary(labels: pd.DataFrame) -> pd.DataFrame:
    """Return the labels that are independent votes; the table itself where all are."""
    mask = is_ordinary(labels)
    return labels if mask.all() else labels[mask]


def is_ordinary(labels: pd.DataFrame) -> Array:
    """Return a mask of the rows that are independent votes, (V,)."""
    return ~(is_test(labels) | _is_filled(labels, SUGGESTED))


def left_out_text(labels: pd.DataFrame) -> str:
    """Return `3 test questions are left out (9 answers): …`, and the number of labels with a suggestion in view; empty
    where all labels are ordinary."""
    is_answer, sentences = is_test(labels), []
    is_suggested = _is_filled(labels, SUGGESTED) & ~is_answer
    if is_answer.any():
        subject = counted(labels.loc[is_answer, "doc_id"].nunique(), "test question is", "test questions are")
        sentences.append(
            f"{subject} left out ({counted(int(is_answer.sum()), 'answer')}): what is right was known "
            "before, so they count in no coefficient and no vote."
        )
    if is_suggested.any():
        subject = counted(int(is_suggested.sum()), "label was", "labels were")
        sentences.append(f"{subject} given with a suggestion in view, and count in no coefficient and no vote.")
    return " ".join(sentences)


def _is_filled(labels: pd.DataFrame, column: str) -> Array:
    if column not in labels:
        return np.zeros(len(labels), dtype=bool)
    return (labels[column].fillna("") != "").to_numpy(dtype=bool)
