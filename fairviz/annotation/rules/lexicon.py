"""`lexicon`: neutral by NFaiRR's neutrality, else the gender whose words prevail."""

import numpy as np

from fairviz.annotation.rules.record import Array, Rule, prevailing
from fairviz.errors import FairvizError
from fairviz.study.record import Study
from fairviz.words.counting import GSR_LEXICON, Lexicon

TAU = 1


def lexicon_of(study: Study) -> Lexicon:
    """Return the study's own word list, or else the built-in one. Raises FairvizError where it lacks words of a group
    of the study."""
    lexicon = study.lexicon or GSR_LEXICON
    lacking = [group for group in study.groups if group not in lexicon.groups]
    if lacking:
        raise FairvizError(
            f"the word list {lexicon.name!r} has no words of the group {lacking[0]!r}",
            "Add lexicon.csv with the columns word, group.",
        )
    return lexicon


def label(counts: Array, tau: int = TAU) -> Array:
    """Return neutral where ω is 1 (at most tau words, or equal shares), else the prevailing group; codes (D,)."""
    return np.where(counts.sum(axis=1) <= tau, 0, prevailing(counts))


LEXICON = Rule("lexicon", "neutral where NFaiRR's ω is 1 (τ = 1), else the gender whose words prevail", label)
