"""The sentence that stands beside every figure of labels: how many places have one, and whose labels they are."""

from collections.abc import Sequence

from fairviz.evaluation.settings import Settings
from fairviz.evaluation.speakers import labels_note
from fairviz.measures import Question
from fairviz.study.record import Study
from fairviz.ui.kept import tables


def note(study: Study, settings: Settings, questions: Sequence[Question]) -> str:
    """`1,170 of 1,170 places, labels: gold (people).`; empty where none of the questions is a measure of labels.

    One measure for each cutoff is asked: all measures of labels look at the same places.
    """
    by_cutoff = {question.cutoff: question.text for question in questions if question.family == "labels"}
    if not by_cutoff:
        return ""
    told = labels_note(study, settings, tables.scores(study, tuple(by_cutoff.values()), settings))
    return told[:1].upper() + told[1:]
