"""The cache of the ranges over all orders of the candidates, and of the scales that have chance bands too."""

from collections.abc import Sequence

import pandas as pd

from fairviz.evaluation.questions import ask, wants_collection
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.orders.candidate_sets import needs_collection
from fairviz.orders.ranges import ranges as candidate_ranges
from fairviz.orders.value_scales import value_scales
from fairviz.study.record import Study
from fairviz.ui.kept import tables
from fairviz.ui.kept.entries import Entries, kept

_ENTRIES = Entries("ranges", session=20)


def ranges(study: Study, measures: Sequence[str], settings: Settings) -> pd.DataFrame:
    """Return the range of each list over all orders of the study's candidates, as `fairviz.ranges` does by query."""
    return _ranges(study, settings, tuple(ask(text, settings).text for text in measures))


@kept(_ENTRIES, reads=tables.SCORES)
def _ranges(study: Study, settings: Settings, texts: tuple[str, ...]) -> pd.DataFrame:
    collection = wants_collection([ask(text, settings) for text in texts], settings)
    places = tables.places(study, settings, collection)
    return candidate_ranges(study, list(texts), settings, places=places, per_query=True)


@kept(_ENTRIES, reads=tables.SCORES)
def scales(study: Study, settings: Settings, questions: tuple[Question, ...], candidates: str) -> pd.DataFrame:
    """Return the table of `value_scales` over these candidates."""
    places = tables.places(study, settings, needs_collection(questions, settings, candidates))
    texts = [question.text for question in questions]
    return value_scales(study, texts, settings, candidates=candidates, places=places)  # type: ignore[arg-type]
