"""Test questions: their right answers were known before anybody was asked, so nothing is learnt from agreement on them.

An answer to one is a row of labels whose column `test_label` holds the right answer. It is a label of whoever gave it
and a part of her record; it counts in no coefficient of agreement and in no vote.
"""

import numpy as np
import pandas as pd

from fairviz.study.loaders.labels import TEST_LABEL

Array = np.ndarray


def is_test(labels: pd.DataFrame) -> Array:
    """Which rows are answers to test questions, (V,)."""
    if TEST_LABEL not in labels:
        return np.zeros(len(labels), dtype=bool)
    return (labels[TEST_LABEL].fillna("") != "").to_numpy(dtype=bool)


def ordinary(labels: pd.DataFrame) -> pd.DataFrame:
    """The labels without answers to test questions; the table itself where there are none."""
    tested = is_test(labels)
    return labels[~tested] if tested.any() else labels


def right_answers(labels: pd.DataFrame) -> pd.DataFrame:
    """doc_id, label: the right answers of documents that were only test questions here. A document whose rows name
    different right answers has none."""
    tested = is_test(labels)
    asked = labels.loc[tested & ~labels["doc_id"].isin(labels.loc[~tested, "doc_id"]).to_numpy()]
    if not len(asked):
        return labels.iloc[:0][["doc_id", "label"]]
    known = asked[["doc_id"]].assign(label=asked[TEST_LABEL]).drop_duplicates()
    return known[~known["doc_id"].duplicated(keep=False)].reset_index(drop=True)


def told_left_out(labels: pd.DataFrame) -> str:
    """`3 test questions are left out (9 answers): …`; empty where no row is an answer to one."""
    tested = is_test(labels)
    if not tested.any():
        return ""
    questions, answers = labels.loc[tested, "doc_id"].nunique(), int(tested.sum())
    are = "test question is" if questions == 1 else "test questions are"
    return (
        f"{questions:,} {are} left out ({answers:,} answer{'' if answers == 1 else 's'}): what is right was known "
        "before, so they count in no coefficient and no vote."
    )
