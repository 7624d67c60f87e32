"""Labels of a rule, of people, and of both."""

from fairviz.evaluation.settings import Settings
from fairviz.study.record import Annotator, Study
from tests.checks.cases import LABELS, Case, labelled, sound


def _labelled_by(**kinds: str) -> Study:
    """The sound study with the same labels by each of these annotators."""
    annotators = {name: Annotator(name, kind) for name, kind in kinds.items()}
    return sound(labels=labelled(dict.fromkeys(kinds, LABELS)), annotators=annotators)


def triggers() -> Case:
    return Case(_labelled_by(words="rule"), says="The labels of words (rule) count, which no people corrected")


def triggers_beside_a_person() -> Case:
    return Case(
        _labelled_by(ann="person", bot="model"), Settings(annotator="bot"), "labels of bot (language model) count"
    )


def passes() -> Case:
    return Case(_labelled_by(ann="person", bot="model"), Settings(annotator="bot", corrected_by="ann"))
