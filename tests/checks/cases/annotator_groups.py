"""Four readers of one group and three of another, who call the documents something else, or the same."""

from fairviz.evaluation.settings import Settings
from fairviz.study.record import Annotator, Study
from tests.checks.cases import LABELS, Case, labelled, sound

OTHER = {"f": "neutral", "m": "male", "n": "female"}
NORTH, SOUTH = ("ann", "bob", "cyd", "dan"), ("eve", "fay", "gil")
TEAMS = dict.fromkeys(NORTH, "north") | dict.fromkeys(SOUTH, "south")


def _in_teams(of: dict[str, dict[str, str]]) -> Study:
    annotators = {name: Annotator(name, "person", columns=(("team", team),)) for name, team in TEAMS.items()}
    return sound(labels=labelled(of), documents=None, annotators=annotators)


def triggers() -> Case:
    study = _in_teams(dict.fromkeys(NORTH, LABELS) | dict.fromkeys(SOUTH, OTHER))
    return Case(study, Settings(cutoff=2), "with team south alone.")


def passes() -> Case:
    return Case(_in_teams(dict.fromkeys(TEAMS, LABELS)), Settings(cutoff=2))


def does_not_apply() -> Case:
    return Case(sound(documents=None), Settings(cutoff=2), "nnotators.csv has no group of 3 voters or more")
