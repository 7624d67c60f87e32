"""Labelled ranks of each system."""

from fairviz.evaluation.settings import Settings
from tests.checks.cases import LISTS, QUERIES, Case, sound
from tests.made import runs_of


def _with_third(second: str, **settings: int) -> Case:
    """A third system, whose second documents are others."""
    third = {("third", query): [f"{query}fa", f"{query}{second}"] for query in QUERIES}
    return Case(sound(runs=runs_of(LISTS | third)), Settings(**settings))


def triggers() -> Case:
    return _with_third("new")._replace(says="50 % are labelled in third and 100 % in")


def passes() -> Case:
    return _with_third("mb")


def passes_above_the_cutoff() -> Case:
    return _with_third("new", cutoff=1)
