"""All annotators at once: percent agreement, Fleiss, Krippendorff, Gwet."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.annotation.agreement.coefficients import COEFFICIENTS, RESAMPLES, interval, resampled, tally
from fairviz.annotation.agreement.votes import Array, read_votes

COLUMNS = ("coefficient", "value", "ci_low", "ci_high", "documents", "annotators", "votes")


def overall(
    labels: pd.DataFrame, domain: Sequence[str] = (), resamples: int = RESAMPLES, seed: int = 0
) -> pd.DataFrame:
    """coefficient, value, ci_low, ci_high, documents (with two votes or more), annotators, votes (of all).

    `domain` are the labels that could have been given, which Gwet's AC1 counts. Krippendorff's alpha is the package
    krippendorff's, Fleiss' kappa statsmodels' where every document has equally many votes. NaN where undefined;
    NaN bounds with fewer than two documents.
    """
    votes = read_votes(labels, domain)
    counts = votes.counts()
    pairable = int((counts.sum(axis=1) >= 2).sum())
    size = (pairable, len(votes.annotators), len(labels))
    if not pairable:
        return pd.DataFrame([(name, np.nan, np.nan, np.nan, *size) for name in COEFFICIENTS], columns=list(COLUMNS))
    patterns, multiplicity = np.unique(counts, axis=0, return_counts=True)
    values = _values(patterns, multiplicity)
    drawn = resampled(patterns, multiplicity, resamples, seed)
    bounds = {name: interval(drawn[name]) if pairable > 1 else (np.nan, np.nan) for name in COEFFICIENTS}
    rows = [(name, values[name], *bounds[name], *size) for name in COEFFICIENTS]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _values(patterns: Array, multiplicity: Array) -> dict[str, float]:
    """Each coefficient's value; the packages' own where they cover the case."""
    once = tally(patterns, multiplicity[None])
    values = {name: float(of(once)[0]) for name, of in COEFFICIENTS.items()}
    table = np.repeat(patterns, multiplicity, axis=0)
    if np.isfinite(values["Krippendorff's alpha"]):
        import krippendorff

        values["Krippendorff's alpha"] = float(krippendorff.alpha(value_counts=table, level_of_measurement="nominal"))
    if np.isfinite(values["Fleiss' kappa"]) and (table.sum(axis=1) == table[0].sum()).all():
        from statsmodels.stats.inter_rater import fleiss_kappa

        values["Fleiss' kappa"] = float(fleiss_kappa(table))
    return values
