"""The note on labelled ranks beside measures of labels."""

from collections.abc import Sequence

from fairviz.evaluation.choices import chosen_queries, chosen_systems
from fairviz.evaluation.missing import near_miss_note, unanswered_note
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.speakers import labels_note
from fairviz.measures import Question
from fairviz.study.record import Study
from fairviz.ui.kept.tables import scores


def coverage_note(study: Study, settings: Settings, questions: Sequence[Question]) -> str:
    """`1,170 of 1,170 ranks labelled: gold (people).`, the number of unanswered queries, and ids that nearly
    join; empty for none of these.

    One measure for each cutoff is evaluated: all measures of labels look at the same places.
    """
    unanswered = unanswered_note(study, chosen_systems(study, settings), chosen_queries(study, settings))
    texts = tuple(question.text for question in questions if question.per_query)
    near = near_miss_note(study, scores(study, texts, settings)) if texts else ""
    by_cutoff = {question.cutoff: question.text for question in questions if question.family == "labels"}
    if not by_cutoff:
        return " ".join(filter(None, (unanswered, near)))
    note = labels_note(study, settings, scores(study, tuple(by_cutoff.values()), settings))
    return " ".join(filter(None, (note[:1].upper() + note[1:], unanswered, near)))
