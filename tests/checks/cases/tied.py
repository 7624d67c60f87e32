"""Scores that order every document, and scores that are all the same."""

from fairviz.evaluation.settings import Settings
from tests.checks.cases import Case, sound


def triggers() -> Case:
    runs = sound().runs
    return Case(sound(runs=runs.assign(score=1.0)), Settings(cutoff=3), "could lead in place of")


def passes() -> Case:
    return Case(sound(), Settings(cutoff=3))
