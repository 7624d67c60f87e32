"""Records of annotators, and the documents on which they disagree."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.annotation.agreement.known_answers import is_ordinary, is_test
from fairviz.annotation.agreement.votes import Array, count_texts, entropy, every_vote, majority, read_votes
from fairviz.study.loaders.labels import TEST_LABEL


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


def disagreements(labels: pd.DataFrame, domain: Sequence[str] = ()) -> pd.DataFrame:
    """Return doc_id, entropy, votes, said: the documents with different votes, most divided first.

    entropy: of the shares of votes, divided by the logarithm of the number of labels, in (0, 1]. said: the number of
    votes by label, as text. Equally divided documents stay in order of appearance.
    """
    votes = read_votes(labels, domain)
    counts, entropies = votes.counts, entropy(votes.counts)
    divided = np.flatnonzero(votes.is_disputed)
    order = divided[np.argsort(-entropies[divided].round(12), kind="stable")]
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
