"""A leader under every choice, and one that an annotator decides."""

from fairviz.evaluation.settings import Settings
from tests.checks.cases import LABELS, Case, labelled, sound

SWAPPED = {"f": "neutral", "m": "male", "n": "female"}


def triggers() -> Case:
    labels = labelled({"ann": LABELS, "bob": SWAPPED})
    says = "with annotator bob, left has the fairest CWEx in place of right. So 1 of"
    return Case(sound(labels=labels, documents=None), Settings(annotator="ann", cutoff=2), says)


def passes() -> Case:
    return Case(sound(documents=None), Settings(cutoff=2))
