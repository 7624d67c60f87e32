"""The answers at every stop of one slider, so that a page can follow the hand: what `summarise` and `comparison` say
at each, computed together."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from fairviz.evaluation import given
from fairviz.evaluation.choices import aligned
from fairviz.evaluation.compare import Comparison, comparison
from fairviz.evaluation.scores import ask, evaluate, summarise, wants_collection
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.stops import at_stops
from fairviz.evaluation.stops import stops as stops
from fairviz.measures.sums import Places
from fairviz.study.study import Study

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Cube:
    """One slider's answers. Axis letters: T stops, M measures, S systems.

    stops (T,): the settings at each; present: which of them are the present ones. measures (T,): the texts of the
    measures there, (M,) each. mean, low, high, coverage (T, M, S) as `summarise` has them; queries and undefined
    (T, M, S) counts.
    """

    slider: str
    stops: tuple[Settings, ...]
    present: int
    systems: tuple[str, ...]
    measures: tuple[tuple[str, ...], ...]
    mean: Array
    low: Array
    high: Array
    queries: Array
    undefined: Array
    coverage: Array
    _summaries: tuple[pd.DataFrame, ...] = field(repr=False)
    _comparisons: tuple[Comparison, ...] = field(repr=False)

    def summary(self, stop: int) -> pd.DataFrame:
        """What `summarise` gives at this stop."""
        return self._summaries[stop]

    def comparison(self, stop: int) -> Comparison:
        """What `comparison` gives at this stop."""
        return self._comparisons[stop]


def cube(
    study: Study,
    measures: Sequence[str],
    settings: Settings,
    slider: str,
    *,
    places: Places | None = None,
    baseline: str = "",
    test: str = "t",
    correction: str = "holm",
) -> Cube:
    """The answers at every stop of this slider."""
    found = stops(study, settings, slider)
    places = aligned(
        study, settings, places, collection=wants_collection([ask(t, settings) for t in measures], settings)
    )
    asked = [at_stops(text, settings, slider, found) for text in given.texts(measures)]
    texts = [tuple(questions[place].text for questions in asked) for place in range(len(found))]
    scores = [evaluate(study, list(t), stop, places=places) for t, stop in zip(texts, found, strict=True)]
    summaries = tuple(summarise(table) for table in scores)
    comparisons = tuple(comparison(table, baseline, test=test, correction=correction) for table in scores)
    systems = tuple(dict.fromkeys(summaries[0]["system"]))
    shape = (len(found), len(measures), len(systems))
    columns = ("value", "ci_low", "ci_high", "queries", "undefined", "coverage")
    held = [np.stack([table[name].to_numpy() for table in summaries]).reshape(shape) for name in columns]
    return Cube(slider, found, found.index(settings), systems, tuple(texts), *held, summaries, comparisons)
