"""Labels as arrays of codes: document, annotator, label."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from fairviz.annotation.agreement.known_answers import ordinary

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Votes:
    """V votes: `document`, `annotator` and `label` are codes (V,) into doc_ids (D), annotators (A) and labels (L).

    counts (D, L): the number of annotators who gave each label to each document. is_shared (D,): two votes or more.
    is_disputed (D,): two different labels or more. winners (D,): the label with the most votes, -1 for a tie.
    """

    doc_ids: tuple[str, ...]
    annotators: tuple[str, ...]
    labels: tuple[str, ...]
    document: Array
    annotator: Array
    label: Array

    @cached_property
    def counts(self) -> Array:
        shape = (len(self.doc_ids), len(self.labels))
        cells = self.document * shape[1] + self.label
        return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)

    @property
    def is_shared(self) -> Array:
        return self.counts.sum(axis=1) >= 2

    @property
    def is_disputed(self) -> Array:
        return (self.counts > 0).sum(axis=1) >= 2

    @cached_property
    def winners(self) -> Array:
        return majority(self.counts)

    @property
    def disputed(self) -> tuple[str, ...]:
        """The documents with two different labels or more."""
        return tuple(np.array(self.doc_ids, dtype=object)[self.is_disputed])

    def at(self, rows: Array) -> "Votes":
        """Return the votes at these places, or of this mask, alone."""
        return replace(self, document=self.document[rows], annotator=self.annotator[rows], label=self.label[rows])

    def counts_of(self, doc_ids: pd.Index, labels: Sequence[str]) -> Array:
        """Return the counts of these documents and labels, (len(doc_ids), len(labels)), 0 without a vote."""
        rows = pd.Index(self.doc_ids, dtype="str").get_indexer(doc_ids)
        columns = pd.Index(self.labels, dtype="str").get_indexer(pd.Index(list(labels), dtype="str"))
        padded = np.pad(self.counts, ((0, 1), (0, 1)))  # the last row and column, of -1, are empty
        return padded[np.ix_(rows, columns)]


def read_votes(labels: pd.DataFrame, domain: Sequence[str] = (), annotators: Sequence[str] = ()) -> Votes:
    """Return the votes of a labels table, one for each row that is `ordinary`.

    domain: the possible labels, in order; other labels of the table follow, sorted. annotators: of the votes, by
    default those of the table in order of appearance, those without an ordinary label among them.
    """
    names = tuple(annotators) or tuple(labels["annotator"].drop_duplicates())
    return every_vote(ordinary(labels), domain, names)


def every_vote(labels: pd.DataFrame, domain: Sequence[str] = (), annotators: Sequence[str] = ()) -> Votes:
    """Return the votes of a labels table, one for each row; else as `read_votes`. Documents in order of appearance."""
    label_names = (*domain, *sorted(set(labels["label"].unique()) - set(domain)))
    names = tuple(annotators) or tuple(labels["annotator"].drop_duplicates())
    document, doc_ids = pd.factorize(labels["doc_id"])
    annotator = pd.Index(names, dtype="str").get_indexer(pd.Index(labels["annotator"]))
    label = pd.Index(label_names, dtype="str").get_indexer(pd.Index(labels["label"]))
    return Votes(tuple(doc_ids), names, label_names, document, annotator, label)


def label_counts(labels: pd.DataFrame, doc_ids: pd.Index, names: Sequence[str]) -> Array:
    """Return the number of rows for each of doc_ids and each of these labels, (D, L); other documents and labels are
    left out."""
    rows = doc_ids.get_indexer(pd.Index(labels["doc_id"], dtype="str"))
    codes = pd.Index(list(names), dtype="str").get_indexer(pd.Index(labels["label"], dtype="str"))
    is_listed = (rows >= 0) & (codes >= 0)
    cells = rows[is_listed] * len(names) + codes[is_listed]
    return np.bincount(cells, minlength=len(doc_ids) * len(names)).reshape(len(doc_ids), len(names))


def majority(counts: Array) -> Array:
    """Return the label with the most votes of each row, (D,) places in the labels; -1 for a tie, and without a vote.

    >>> majority(np.array([[0, 2, 1], [1, 1, 0], [0, 0, 0]])).tolist()
    [1, -1, -1]
    """
    most = counts.max(axis=1, initial=0)
    is_single = (counts == most[:, None]).sum(axis=1) == 1
    return np.where(is_single & (most > 0), counts.argmax(axis=1) if counts.shape[1] else -1, -1)


def count_texts(counts: Array, labels: Sequence[str]) -> list[str]:
    """Return a text for each row of counts (D, L): `female 2, male 1`."""
    return [
        ", ".join(f"{name} {count}" for name, count in zip(labels, row, strict=True) if count)
        for row in counts.tolist()
    ]


def entropy(counts: Array) -> Array:
    """Entropy of the votes of each row over ln L, (D,): 0 where all agree, 1 for even votes, NaN without votes.

    counts (D, L). Two annotators who differ among three labels: ln 2 / ln 3 = 0.63.
    """
    total = counts.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = counts / total[:, None]
        terms = np.where(counts > 0, share * np.log(share), 0.0)
    return np.where(total > 0, np.abs(terms.sum(axis=1)) / np.log(max(counts.shape[1], 2)), np.nan)


def within(
    labels: pd.DataFrame, groups: pd.DataFrame, table: Callable[[pd.DataFrame], pd.DataFrame], column: str = "group"
) -> pd.DataFrame:
    """Return `table` of the labels of each group of documents, concatenated, the group in the first column.

    groups: doc_id, value, and annotator where the groups are of labels; a document may have several values or none.
    Groups in the order of their values. Where the table has a column of that name, `free_name` makes another.
    """
    keys = [name for name in ("doc_id", "annotator") if name in groups]
    parts = [
        (str(value), table(labels.merge(members[keys].drop_duplicates(), on=keys)))
        for value, members in groups.groupby("value", sort=True)
    ]
    parts = parts or [("", table(labels.iloc[:0]).iloc[:0])]
    name = free_name(column, (each for _, part in parts for each in part.columns))
    for value, part in parts:
        part.insert(0, name, pd.Series([value] * len(part), index=part.index, dtype="str"))
    return pd.concat([part for _, part in parts], ignore_index=True)


def free_name(column: str, taken: Iterable[str]) -> str:
    """Return a column name that is not taken: `value (column)` where the table has a `value`."""
    names = set(taken)
    while column in names:
        column = f"{column} (column)"
    return column
