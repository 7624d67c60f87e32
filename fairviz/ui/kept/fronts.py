"""The cache of achievable fronts."""

from fairviz.comparison.pareto_front import Achievable, achievable, front_choice
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.study.record import Study
from fairviz.ui.kept.entries import Entries, kept
from fairviz.ui.kept.tables import SCORES

_ENTRIES = Entries("fronts", session=8, spinner="Computing the best orders of each query …")


@kept(_ENTRIES, reads=SCORES)
def front(study: Study, question: Question, settings: Settings) -> Achievable:
    """Return the achievable front of a distance, and the distances of the systems shown."""
    return achievable(study, front_choice(question, settings), settings)
