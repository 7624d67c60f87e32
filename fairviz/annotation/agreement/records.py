"""One annotator's record, and the documents on which annotators part."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from fairviz.annotation.agreement.known_answers import is_test
from fairviz.annotation.agreement.votes import Array, Votes, entropy, every_vote, majority, read_votes, told
from fairviz.study.loaders.labels import TEST_LABEL


def records(labels: pd.DataFrame, voters: Sequence[str] | None = None) -> pd.DataFrame:
    """annotator, labels, with_majority, compared, test_questions, failed, failed_share; annotators as they appear.

    with_majority: how often the annotator gave the label that most `voters` (default all annotators) gave, over the
    `compared` documents, which two voters or more labelled and which are no tie; an annotator's own vote counts. Test
    questions are rows whose column `test_label` holds the right answer; they are among the labels, and neither elect
    nor are compared. Shares of nothing are NaN.
    """
    votes, tested = every_vote(labels), is_test(labels)
    electing = ~tested if voters is None else ~tested & labels["annotator"].isin(voters).to_numpy()
    expected = np.where(tested, -1, _majority(votes, electing)[votes.document])
    right = expected == votes.label
    wrong = tested & (labels[TEST_LABEL] != labels["label"]).to_numpy() if TEST_LABEL in labels else tested
    size = len(votes.annotators)
    compared = np.bincount(votes.annotator[expected >= 0], minlength=size)
    tests = np.bincount(votes.annotator[tested], minlength=size)
    failed = np.bincount(votes.annotator[wrong], minlength=size)
    return pd.DataFrame(
        {
            "annotator": pd.Series(votes.annotators, dtype="str"),
            "labels": np.bincount(votes.annotator, minlength=size),
            "with_majority": _share(np.bincount(votes.annotator[right], minlength=size), compared),
            "compared": compared,
            "test_questions": tests,
            "failed": failed,
            "failed_share": _share(failed, tests),
        }
    )


def disagreements(labels: pd.DataFrame, domain: Sequence[str] = ()) -> pd.DataFrame:
    """doc_id, entropy, votes, said: the documents with two votes or more that are not alike, most divided first.

    entropy: of the shares of votes, divided by the logarithm of the number of labels, in (0, 1]. said: how many gave
    which label, as text. Documents that are equally divided stay in order of appearance.
    """
    votes = read_votes(labels, domain)
    counts = votes.counts()
    total = counts.sum(axis=1)
    spread = entropy(counts)
    divided = np.flatnonzero((total >= 2) & (counts.max(axis=1, initial=0) < total))
    order = divided[np.argsort(-spread[divided].round(12), kind="stable")]
    return pd.DataFrame(
        {
            "doc_id": pd.Series([votes.doc_ids[place] for place in order], dtype="str"),
            "entropy": spread[order],
            "votes": total[order],
            "said": pd.Series(told(counts[order], votes.labels), dtype="str"),
        }
    )


def confused(labels: pd.DataFrame, domain: Sequence[str] = ()) -> pd.DataFrame:
    """first, second, documents: which two labels annotators gave to the same document, and to how many, most first."""
    votes = read_votes(labels, domain)
    given = (votes.counts() > 0).astype(np.int64)  # (D, L)
    both = given.T @ given  # (L, L)
    first, second = np.triu_indices(len(votes.labels), k=1)
    order = np.argsort(-both[first, second], kind="stable")
    order = order[both[first, second][order] > 0]
    names = np.array(votes.labels, dtype=object)
    frame = pd.DataFrame({"first": names[first[order]], "second": names[second[order]]}).astype("str")
    return frame.assign(documents=both[first, second][order])


def _majority(votes: Votes, electing: Array) -> Array:
    """The majority of those votes (V,) that elect, by document, (D,); -1 for a tie or fewer than two of them."""
    chosen = replace(votes, document=votes.document[electing], annotator=votes.annotator[electing],
                     label=votes.label[electing])  # fmt: skip
    counts = chosen.counts()
    return np.where(counts.sum(axis=1) >= 2, majority(counts), -1)


def _share(part: Array, whole: Array) -> Array:
    return np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
