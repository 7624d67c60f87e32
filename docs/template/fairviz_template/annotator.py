"""Labels by the pronouns of a text."""

import re
from collections.abc import Sequence

import numpy as np

from fairviz.annotation.annotators.record import Labelled, Method, Values, Work, labelled

PRONOUNS = (re.compile(r"\b(she|her|hers)\b", re.I), re.compile(r"\b(he|him|his)\b", re.I))


def _label(work: Work, values: Values, others: Sequence[Labelled]) -> Labelled:
    """Return a code for each text: 0 neutral, 1 for the study's first group, 2 for its second."""
    counts = np.array([[len(pronoun.findall(text)) for pronoun in PRONOUNS] for text in work.texts]).reshape(-1, 2)
    return labelled(np.where(counts[:, 0] == counts[:, 1], 0, 1 + counts.argmax(axis=1)))


PRONOUN = Method(name="pronoun", summary="the gender of which a text has more pronouns, else neutral", label=_label)
