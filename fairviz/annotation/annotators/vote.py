"""`vote`: what most of several annotators say."""

from collections.abc import Sequence

import numpy as np

from fairviz.annotation.agreement.votes import majority
from fairviz.annotation.annotators.record import Labelled, Method, Values, Work, labelled


def _label(work: Work, _: Values, others: Sequence[Labelled]) -> Labelled:
    """The label with the most votes; the first-named of the tied annotators decides a tie."""
    codes = np.array([other.codes for other in others])  # (A, D)
    counts = np.array([(codes == code).sum(axis=0) for code in range(len(work.classes))]).T  # (D, C)
    tied = counts == counts.max(axis=1, initial=1)[:, None]
    first = np.full(len(work.texts), -1)
    for said in reversed(codes):
        leads = (said >= 0) & tied[np.arange(len(said)), np.maximum(said, 0)]
        first = np.where(leads, said, first)
    chosen = majority(counts)
    chosen = np.where(chosen >= 0, chosen, first)
    found = labelled(chosen)
    found.outcomes[chosen < 0] = "unanswered"
    return found


VOTE = Method(
    "vote",
    "what most of the annotators in its brackets say, the first-named where they are tied",
    _label,
    votes=True,
)
