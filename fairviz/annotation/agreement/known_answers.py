"""Test questions: documents with right answers known in advance, so that agreement on them shows nothing.

An answer to one is a row of labels with the right answer in the column `test_label`. It is part of the annotator's
labels and record; no coefficient of agreement and no vote uses it.
"""

import numpy as np
import pandas as pd

from fairviz.study.loaders.labels import TEST_LABEL
from fairviz.words.sentences import counted

Array = np.ndarray


def is_test(labels: pd.DataFrame) -> Array:
    """Return a mask of the rows that are answers to test questions, (V,)."""
    if TEST_LABEL not in labels:
        return np.zeros(len(labels), dtype=bool)
    return (labels[TEST_LABEL].fillna("") != "").to_numpy(dtype=bool)


def ordinary(labels: pd.DataFrame) -> pd.DataFrame:
    """Return the labels without answers to test questions; the table itself where there are none."""
    is_answer = is_test(labels)
    return labels[~is_answer] if is_answer.any() else labels


def right_answers(labels: pd.DataFrame) -> pd.DataFrame:
    """Return doc_id, label: the right answers of documents that were only test questions here. A document with
    different right answers is left out."""
    is_answer = is_test(labels)
    test_rows = labels.loc[is_answer & ~labels["doc_id"].isin(labels.loc[~is_answer, "doc_id"]).to_numpy()]
    if not len(test_rows):
        return labels.iloc[:0][["doc_id", "label"]]
    answers = test_rows[["doc_id"]].assign(label=test_rows[TEST_LABEL]).drop_duplicates()
    return answers[~answers["doc_id"].duplicated(keep=False)].reset_index(drop=True)


def left_out_text(labels: pd.DataFrame) -> str:
    """Return `3 test questions are left out (9 answers): …`; empty where no row is an answer to one."""
    is_answer = is_test(labels)
    if not is_answer.any():
        return ""
    questions, answers = labels.loc[is_answer, "doc_id"].nunique(), int(is_answer.sum())
    subject = counted(questions, "test question is", "test questions are")
    return (
        f"{subject} left out ({counted(answers, 'answer')}): what is right was known "
        "before, so they count in no coefficient and no vote."
    )
