"""Soft membership: a document that belongs to several groups in shares, as rows of a labels table.

A labels file has one row for each group of such a document, with a column `share`; the shares of a document by one
annotator sum to 1. In memory each document has one row: its label is the group of the largest share, and the columns
`share of GROUP` hold the shares, missing for a document with one label.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError

SHARE = "share"
TOLERANCE = 1e-5  # of the sum of shares: three thirds written with six decimals are whole
_KEY = ["doc_id", "annotator"]


def share_column(group: str) -> str:
    """Return the name of the column that holds the shares of a group."""
    return f"share of {group}"


def shares_of(labels: pd.DataFrame, groups: Sequence[str]) -> np.ndarray | None:
    """Return the shares of each row, (N, G), scaled to sum to 1; NaN for a row with one label, None if all have one.

    groups: neutral first.
    """
    if not any(share_column(group) in labels for group in groups):
        return None
    columns = [labels.get(share_column(group), pd.Series(np.nan, index=labels.index)) for group in groups]
    shares = np.stack([pd.to_numeric(column, errors="coerce").to_numpy(np.float64) for column in columns], axis=1)
    total = np.nansum(shares, axis=1, keepdims=True)
    if not (total > 0).any():
        return None
    return np.where(total > 0, np.nan_to_num(shares) / np.where(total > 0, total, 1), np.nan)


def groups_without_label(labels: pd.DataFrame, groups: Sequence[str]) -> list[str]:
    """Return the groups that no document has as its label, or as a share of it."""
    named = set(labels["label"].unique())
    shared = {group for group in groups if (labels.get(share_column(group), pd.Series([0.0])) > 0).any()}
    return [group for group in groups if group not in named | shared]


def share_defects(labels: pd.DataFrame) -> list[tuple[int, str]]:
    """Return the position of each defective row, and the defect. labels: doc_id, annotator, label, share."""
    shares = _numbers(labels)
    invalid = np.flatnonzero(~((shares >= 0) & (shares <= 1)))
    if len(invalid):
        return [(row, "the share is not a number from 0 to 1") for row in invalid.tolist()]
    repeated = np.flatnonzero(labels.duplicated([*_KEY, "label"]).to_numpy())
    if len(repeated):
        return [
            (row, f"a second share of {labels['label'].iloc[row]!r} for this document") for row in repeated.tolist()
        ]
    codes, first = _documents(labels)
    sums = np.bincount(codes, shares)
    wrong = np.flatnonzero(np.abs(sums - 1) > TOLERANCE)
    return [(int(first[code]), f"the shares of this document sum to {sums[code]:.6g}, and not to 1") for code in wrong]


def in_one_row(labels: pd.DataFrame, groups: Sequence[str]) -> pd.DataFrame:
    """Return one row for each document and annotator, in the order of their first rows.

    labels: doc_id, annotator, label, share, without defects; groups: neutral first. The label is the group of the
    largest share, the first of equal ones in the order of `groups`. Other columns are those of the first row.
    """
    shares, (codes, first) = _numbers(labels), _documents(labels)
    table = np.zeros((len(first), len(groups)))
    np.add.at(table, (codes, pd.Index(groups).get_indexer(pd.Index(labels["label"]))), shares)
    rows = labels.drop(columns=SHARE).iloc[first].reset_index(drop=True)
    rows["label"] = pd.Series(np.array(groups, dtype=object)[table.argmax(axis=1)], dtype="str")
    is_soft = table.max(axis=1) < 1 - TOLERANCE
    if not is_soft.any():
        return rows
    columns = np.where(is_soft[:, None], table, np.nan)
    return rows.assign(**{share_column(group): columns[:, place] for place, group in enumerate(groups)})


def with_shares(labels: pd.DataFrame, groups: Sequence[str]) -> pd.DataFrame:
    """Return a labels table with a column `share` as `in_one_row` does, another table unchanged.

    Raises FairvizError for a defective row.
    """
    if SHARE not in labels:
        return labels
    for row, defect in share_defects(labels):
        document = labels["doc_id"].iloc[row]
        raise FairvizError(f"document {document!r} in the labels table: {defect}", REMEDY)
    return in_one_row(labels, groups)


REMEDY = "Give each group of a document one row, with shares from 0 to 1 that sum to 1."


def _numbers(labels: pd.DataFrame) -> np.ndarray:
    """Return the shares, (N,): 1 for an empty cell, NaN for any other text that is not a number."""
    values = labels[SHARE]
    empty = values.isna() | (values.astype("str").str.strip() == "")
    return np.where(empty, 1.0, pd.to_numeric(values, errors="coerce").to_numpy(np.float64))


def _documents(labels: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return a number for each row's document and annotator, (N,), and the first row of each number."""
    keys = pd.MultiIndex.from_frame(labels[_KEY])
    codes, _ = pd.factorize(keys)
    return codes, np.unique(codes, return_index=True)[1]
