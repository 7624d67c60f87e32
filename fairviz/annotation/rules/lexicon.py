"""`lexicon`: neutral by NFaiRR's neutrality, else the gender whose words prevail."""

import numpy as np

from fairviz.annotation.rules.record import Array, Rule, prevailing

TAU = 1


def label(counts: Array, tau: int = TAU) -> Array:
    """Return neutral where ω is 1 (at most tau words, or equal shares), else the prevailing group; codes (D,)."""
    return np.where(counts.sum(axis=1) <= tau, 0, prevailing(counts))


LEXICON = Rule("lexicon", "neutral where NFaiRR's ω is 1 (τ = 1), else the gender whose words prevail", label)
