"""`vote`: the majority label of several annotators."""

from collections.abc import Sequence

import numpy as np

from fairviz.annotation.agreement.votes import majority
from fairviz.annotation.annotators.record import Labelled, Method, Values, Work, labelled


def _label(work: Work, _: Values, others: Sequence[Labelled]) -> Labelled:
    """Return the label with the most votes; the first-named of the tied annotators decides a tie."""
    codes = np.array([other.codes for other in others])  # (A, D)
    counts = np.array([(codes == code).sum(axis=0) for code in range(len(work.classes))]).T  # (D, C)
    is_most = counts == counts.max(axis=1, initial=1)[:, None]
    first_labels = np.full(len(work.texts), -1)
    for labels in reversed(codes):
        is_leading = (labels >= 0) & is_most[np.arange(len(labels)), np.maximum(labels, 0)]
        first_labels = np.where(is_leading, labels, first_labels)
    winners = majority(counts)
    winners = np.where(winners >= 0, winners, first_labels)
    result = labelled(winners)
    result.outcomes[winners < 0] = "unanswered"
    return result


VOTE = Method(
    "vote",
    "what most of the annotators in its brackets say, the first-named where they are tied",
    _label,
    votes=True,
)
