"""All annotators at once: percent agreement, Fleiss, Krippendorff, Gwet."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.annotation.agreement.coefficients import COEFFICIENTS, RESAMPLES, interval, resampled, tally
from fairviz.annotation.agreement.votes import read_votes

COLUMNS = ("coefficient", "value", "ci_low", "ci_high", "documents", "annotators", "votes")


def overall(
    labels: pd.DataFrame, domain: Sequence[str] = (), resamples: int = RESAMPLES, seed: int = 0
) -> pd.DataFrame:
    """coefficient, value, ci_low, ci_high, documents (with two votes or more), annotators, votes (of all).

    `domain` are the labels that could have been given, which Gwet's AC1 counts. Answers to test
    questions are left out. A value and its interval come from the
    same function. NaN where undefined; NaN bounds with fewer than two documents.
    """
    votes = read_votes(labels, domain)
    counts = votes.counts()
    pairable = int((counts.sum(axis=1) >= 2).sum())
    size = (pairable, len(np.unique(votes.annotator)), len(votes.label))
    if not pairable:
        return pd.DataFrame([(name, np.nan, np.nan, np.nan, *size) for name in COEFFICIENTS], columns=list(COLUMNS))
    patterns, multiplicity = np.unique(counts, axis=0, return_counts=True)
    once = tally(patterns, multiplicity[None])
    drawn = resampled(patterns, multiplicity, resamples, seed)
    bounds = {name: interval(drawn[name]) if pairable > 1 else (np.nan, np.nan) for name in COEFFICIENTS}
    rows = [(name, float(of(once)[0]), *bounds[name], *size) for name, of in COEFFICIENTS.items()]
    return pd.DataFrame(rows, columns=list(COLUMNS))
