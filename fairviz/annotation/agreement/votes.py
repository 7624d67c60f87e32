"""Labels as votes: arrays of codes (document, annotator, label), without answers to test questions and labels that were
given with a suggestion in view; records of annotators; and Dawid and Skene's model.

An answer to a test question is a row of labels with the right answer in the column `test_label`; what is right was
known in advance, so that agreement on it shows nothing. A row with a label in the column `suggested` was given by
a person who saw that label. Both are part of the annotator's labels; no coefficient of agreement and no vote uses them.
A person's second label of a document is in the column `label_again` of the row of the first, which alone is a vote.
Axis letters: V votes, D documents, W annotators, L labels.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from fairviz.statistics.intervals import share_interval
from fairviz.statistics.orders import largest_first
from fairviz.study.loaders.labels import LABEL_AGAIN, TEST_LABEL
from fairviz.words.sentences import counted

Array = np.ndarray
SUGGESTED = "suggested"  # column of labels: the label that the annotator was shown
SMALLEST = 1e-10  # probability of a label that was never given, as in crowd-kit
CHANGE = 1e-9  # largest change of a posterior probability in the last round
ROUNDS = 5_000


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


def records(labels: pd.DataFrame, voters: Sequence[str] | None = None) -> pd.DataFrame:
    """Return annotator, labels, with_majority, compared, test_questions, failed, failed_share, by order of appearance.

    with_majority: the share of the `compared` documents on which the annotator agrees with the majority of the other
    voters (default all annotators). A majority needs two votes and no tie; two voters are compared with each other.
    Test questions are rows with the right answer in the column `test_label`; they count in `labels`, and are neither
    votes nor compared. Shares of nothing are NaN.
    """
    votes, is_answer = every_vote(labels), is_test(labels)
    names = votes.annotators if voters is None else tuple(voters)
    is_voter = labels["annotator"].isin(names).to_numpy()
    is_own = is_ordinary(labels)
    is_vote = is_voter & is_own
    others = votes.at(is_vote).counts[votes.document]  # (V, L)
    others[np.flatnonzero(is_vote), votes.label[is_vote]] -= 1
    needed = np.where(is_voter & (len(names) == 2), 1, 2)
    expected = np.where(~is_own | (others.sum(axis=1) < needed), -1, majority(others))
    agrees = expected == votes.label
    is_failed = is_answer & (labels[TEST_LABEL] != labels["label"]).to_numpy() if TEST_LABEL in labels else is_answer
    size = len(votes.annotators)
    compared = np.bincount(votes.annotator[expected >= 0], minlength=size)
    tests = np.bincount(votes.annotator[is_answer], minlength=size)
    failed = np.bincount(votes.annotator[is_failed], minlength=size)
    return pd.DataFrame(
        {
            "annotator": pd.Series(votes.annotators, dtype="str"),
            "labels": np.bincount(votes.annotator, minlength=size),
            "with_majority": _share(np.bincount(votes.annotator[agrees], minlength=size), compared),
            "compared": compared,
            "test_questions": tests,
            "failed": failed,
            "failed_share": _share(failed, tests),
        }
    )


def with_themselves(labels: pd.DataFrame, domain: Sequence[str] = ()) -> pd.DataFrame:
    """Return annotator, documents, value, ci_low, ci_high: how often each annotator gave the same label again to a
    document shown twice.

    documents: those with a label and a second one, in the column `label_again`. value: the share with equal labels. Its
    95 % interval is exact (Clopper and Pearson): a few documents that all agree do not make it narrow. Annotators with
    such documents, in order of appearance. domain: not used, so that the table is made as the others.
    """
    rows = ordinary(labels)
    rows = rows[_is_filled(rows, LABEL_AGAIN)]
    same = rows["label"] == rows[LABEL_AGAIN] if len(rows) else pd.Series(dtype=bool)
    counts = same.groupby(rows["annotator"], sort=False).agg(["size", "sum"])
    ends = [share_interval(equal, documents) for documents, equal in counts.to_numpy().tolist()]
    return pd.DataFrame(
        {
            "annotator": pd.Series(counts.index, dtype="str"),
            "documents": counts["size"].to_numpy(dtype=np.int64),
            "value": (counts["sum"] / counts["size"]).to_numpy(dtype=np.float64),
            "ci_low": np.array([low for low, _ in ends], dtype=np.float64),
            "ci_high": np.array([high for _, high in ends], dtype=np.float64),
        }
    )


def disagreements(labels: pd.DataFrame, domain: Sequence[str] = ()) -> pd.DataFrame:
    """Return doc_id, entropy, votes, said: the documents with different votes, most divided first.

    entropy: of the shares of votes, divided by the logarithm of the number of labels, in (0, 1]. said: the number of
    votes by label, as text. Equally divided documents stay in order of appearance.
    """
    votes = read_votes(labels, domain)
    counts, entropies = votes.counts, entropy(votes.counts)
    divided = np.flatnonzero(votes.is_disputed)
    order = divided[largest_first(entropies[divided])]
    return pd.DataFrame(
        {
            "doc_id": pd.Series([votes.doc_ids[place] for place in order], dtype="str"),
            "entropy": entropies[order],
            "votes": counts[order].sum(axis=1),
            "said": pd.Series(count_texts(counts[order], votes.labels), dtype="str"),
        }
    )


def confused(labels: pd.DataFrame, domain: Sequence[str] = ()) -> pd.DataFrame:
    """Return first, second, documents: pairs of labels and the number of documents with both, most frequent first."""
    votes = read_votes(labels, domain)
    has_label = (votes.counts > 0).astype(np.int64)  # (D, L)
    common = has_label.T @ has_label  # (L, L)
    first, second = np.triu_indices(len(votes.labels), k=1)
    order = np.argsort(-common[first, second], kind="stable")
    order = order[common[first, second][order] > 0]
    names = np.array(votes.labels, dtype=object)
    frame = pd.DataFrame({"first": names[first[order]], "second": names[second[order]]}).astype("str")
    return frame.assign(documents=common[first, second][order])


def _share(part: Array, whole: Array) -> Array:
    return np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)


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
