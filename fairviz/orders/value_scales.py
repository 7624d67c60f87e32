"""The scale of a mean: what random orders give, and the worst and the best that any order gives, in one table."""

from collections.abc import Sequence

import pandas as pd

from fairviz.evaluation import validation
from fairviz.evaluation.choices import aligned
from fairviz.evaluation.questions import questions_of
from fairviz.evaluation.settings import Settings
from fairviz.measures.sums import AlignedRankings
from fairviz.orders.candidate_sets import CandidateSource, needs_collection
from fairviz.orders.chance import beside, chance
from fairviz.orders.ranges import ranges
from fairviz.study.record import Study

COLUMNS = ("value", "worst", "best", "worst_is", "best_is", "place", "queries", "narrow")


def value_scales(
    study: Study,
    measures: str | Sequence[str],
    settings: Settings | None = None,
    *,
    candidates: CandidateSource = "study",
    places: AlignedRankings | None = None,
    **choices: object,
) -> pd.DataFrame:
    """Return each system's mean with its chance band and its range, over the same candidates.

    Returns system, measure, value, worst, best, worst_is, best_is, place, queries and narrow of `fairviz.ranges`, and
    chance, chance_low, chance_high (the band of the mean) and outside (queries whose value is outside their own band)
    of `fairviz.chance`. A stochastic system has a range and no band: NaN. Raises: see `fairviz.chance`.

    >>> import fairviz
    >>> football = fairviz.open_study("football")
    >>> table = value_scales(football, "CWEx@4", candidates="run").set_index("system")
    >>> bool((table["worst"] <= table["chance"]).all() and (table["chance"] <= table["best"]).all())
    True
    """
    settings = validation.chosen_settings(study, settings, choices)
    questions = questions_of(validation.measures_of(measures), settings)
    places = aligned(study, settings, places, collection=needs_collection(questions, settings, candidates))
    texts = [question.text for question in questions]
    reach = ranges(study, texts, settings, candidates=candidates, places=places)
    bands = chance(study, texts, settings, candidates=candidates, places=places)
    return beside(reach[["system", "measure", *COLUMNS]], bands)
