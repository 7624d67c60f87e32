"""Coefficients of all annotators: percent agreement, Fleiss, Krippendorff, Gwet."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.annotation.agreement.coefficients import COEFFICIENTS, interval, resample_coefficients, tally
from fairviz.annotation.agreement.votes import read_votes
from fairviz.statistics.bootstrap import RESAMPLES

COLUMNS = ("coefficient", "value", "ci_low", "ci_high", "documents", "annotators", "votes")


def overall(
    labels: pd.DataFrame, domain: Sequence[str] = (), resamples: int = RESAMPLES, seed: int = 0
) -> pd.DataFrame:
    """Return coefficient, value, ci_low, ci_high, documents (with two votes or more), annotators, votes (of all).

    domain: the possible labels, which Gwet's AC1 counts. Answers to test questions are left out. NaN where undefined;
    NaN bounds with fewer than two documents.
    """
    votes = read_votes(labels, domain)
    counts = votes.counts()
    pairable = int((counts.sum(axis=1) >= 2).sum())
    counts_of_all = (pairable, len(np.unique(votes.annotator)), len(votes.label))
    if not pairable:
        return pd.DataFrame(
            [(name, np.nan, np.nan, np.nan, *counts_of_all) for name in COEFFICIENTS], columns=list(COLUMNS)
        )
    patterns, multiplicity = np.unique(counts, axis=0, return_counts=True)
    sums = tally(patterns, multiplicity[None])
    resamples_by_name = resample_coefficients(patterns, multiplicity, resamples, seed)
    bounds = {name: interval(resamples_by_name[name]) if pairable > 1 else (np.nan, np.nan) for name in COEFFICIENTS}
    rows = [
        (name, float(coefficient(sums)[0]), *bounds[name], *counts_of_all) for name, coefficient in COEFFICIENTS.items()
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))
