"""Lists that a measure tells apart, and lists that it does not."""

from fairviz.evaluation.settings import Settings
from tests.checks.cases import LABELS, Case, labelled, sound


def triggers() -> Case:
    """Every labelled document is female, so that shares of exposure are 0 or 1."""
    return Case(sound(labels=labelled({"ann": dict.fromkeys(LABELS, "female")})), says="in 100 % of the lists")


def passes() -> Case:
    return Case(sound(), Settings(cutoff=5))
