"""Labels of one group, of both, and of both of which one lies below the cutoff."""

from fairviz.evaluation.settings import Settings
from tests.checks.cases import LABELS, Case, labelled, sound


def _without(kind: str) -> Case:
    return Case(sound(labels=labelled({"ann": {key: label for key, label in LABELS.items() if key != kind}})))


def triggers() -> Case:
    return _without("f")._replace(says="48 labelled documents within the cutoff is female (the protected group)")


def triggers_for_the_other_group() -> Case:
    return _without("m")._replace(says="within the cutoff is male: no system")


def triggers_below_the_cutoff() -> Case:
    return Case(sound(), Settings(cutoff=1), "male: no system")


def passes() -> Case:
    return Case(sound())


def passes_without_neutral_documents() -> Case:
    return _without("n")
