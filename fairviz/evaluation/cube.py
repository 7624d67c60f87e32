"""The answers at every stop of one slider, so that a page can follow the hand: what `summarise` and `comparison` say
at each, computed together.

Axis letters: T stops, M measures, S systems.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from fairviz.errors import UsageError
from fairviz.evaluation import given
from fairviz.evaluation.along import Shown, along, shown
from fairviz.evaluation.choices import aligned
from fairviz.evaluation.compare import Comparison, answered, assembled, check_choices
from fairviz.evaluation.pairs import How, Pairs, value_pairs
from fairviz.evaluation.scores import evaluate, summarise, summary_table, wants_collection
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.stops import at_stops, follows
from fairviz.evaluation.stops import stops as stops
from fairviz.measures import Question
from fairviz.measures.bootstrap import interval_of, mean_over_queries
from fairviz.measures.sums import Places
from fairviz.study.study import Study

Array = np.ndarray
Answer = tuple[tuple[Pairs | None, ...], Mapping[str, Array]]
COLUMNS = ("value", "ci_low", "ci_high", "queries", "undefined", "coverage")


@dataclass(frozen=True, eq=False)
class Cube:
    """One slider's answers.

    stops (T,): the settings at each; present: which of them are the present ones. measures (T,): the texts of the
    measures there, (M,) each. mean, low, high, queries, undefined and coverage: (T, M, S), as `summarise` has them.
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
    how: How
    correction: str
    _pairs: tuple[tuple[Pairs | None, ...], ...] = field(repr=False)  # (M,), each (T,)

    def summary(self, stop: int) -> pd.DataFrame:
        """What `summarise` gives for the settings of this stop."""
        kept, texts = self._kept(stop)
        arrays = (self.mean, self.low, self.high, self.queries, self.undefined, self.coverage)
        columns = {name: array[stop, kept] for name, array in zip(COLUMNS, arrays, strict=True)}
        return summary_table(self.systems, texts, columns)

    def comparison(self, stop: int) -> Comparison:
        """What `comparison` gives for the settings of this stop: one family of tests."""
        kept, texts = self._kept(stop)
        found = [(text, self._pairs[place][stop]) for place, text in zip(kept, texts, strict=True)]
        pairs = [(text, held) for text, held in found if held is not None]
        return assembled(pairs, self.how.test, self.correction, self.how.level)

    def _kept(self, stop: int) -> tuple[list[int], list[str]]:
        """Places and texts of the measures at a stop: two that are one there count once."""
        first: dict[str, int] = {}
        for place, text in enumerate(self.measures[stop]):
            first.setdefault(text, place)
        return list(first.values()), list(first)


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
    """The answers at every stop of a slider (`stops` says which), every other setting as it is.

    measures: as they are asked for under the present settings. One whose alpha or cutoff is the settings' own moves
    with that slider; another that is written out holds still. places, baseline, test, correction: as `evaluate` and
    `comparison` take them. Beyond EXACT_PLACES places values are within 1e-6 of theirs, else within rounding.

    Raises what these raise, and UsageError for a slider that is not there.
    """
    found = stops(study, settings, slider)
    if not found:
        raise UsageError(
            f"there is no slider {slider!r} under the position bias {settings.position_bias!r}",
            "Set position_bias='rbp(p=0.8)'.",
        )
    present, asked = found.index(settings), [at_stops(text, settings, slider, found) for text in given.texts(measures)]
    questions = [each[present] for each in asked]
    given.refuse_missing(study, questions, settings)
    held = shown(study, settings, aligned(study, settings, places, collection=wants_collection(questions, settings)))
    how = How(baseline, test)
    check_choices(how, correction, held.systems)
    answers = [_answer(held, each, found, present, slider, how) for each in asked]
    tables = [_joined([columns[name] for _, columns in answers], len(found), len(held.systems)) for name in COLUMNS]
    texts = tuple(tuple(each[place].text for each in asked) for place in range(len(found)))
    pairs = tuple(rows * (len(found) // len(rows)) for rows, _ in answers)
    return Cube(slider, found, present, held.systems, texts, *tables, how, correction, pairs)


def _joined(columns: Sequence[Array], stops: int, systems: int) -> Array:
    """A column (T or 1, S) of each measure as one array, (T, M, S)."""
    if not columns:
        return np.zeros((stops, 0, systems))
    return np.stack([np.broadcast_to(column, (stops, systems)) for column in columns], axis=1)


def _answer(
    held: Shown, questions: Sequence[Question], stops: Sequence[Settings], present: int, slider: str, how: How
) -> Answer:
    """The pairs and the summary's columns (T, S) of one measure; of one stop where it does not move."""
    question = questions[present]
    if question.measure is not None and not question.measure.per_query:
        moving = follows(question, stops[present], slider)
        return _slopes(held, questions if moving else [question], stops if moving else [stops[present]], how)
    found = along(held, questions, stops, present, slider)
    low, high = interval_of(found.values, found.drawn, how.level)
    defined = (~np.isnan(found.values)).sum(axis=-1)
    columns = {
        "value": mean_over_queries(found.values),
        "ci_low": low,
        "ci_high": high,
        "queries": defined,
        "undefined": len(held.queries) - defined,
        "coverage": found.coverage,
    }
    return tuple(value_pairs(held.systems, found.values, question, how, found.drawn)), columns


def _slopes(held: Shown, questions: Sequence[Question], stops: Sequence[Settings], how: How) -> Answer:
    """As _answer for GSR, which is a slope over queries at each stop."""
    tables, pairs = [], []
    for question, stop in zip(questions, stops, strict=True):
        scores = evaluate(held.study, [question.text], stop, places=held.places)
        tables.append(summarise(scores))
        pairs += [made for _, made in answered(scores, how)] or [None]
    return tuple(pairs), {name: np.stack([table[name].to_numpy() for table in tables]) for name in COLUMNS}
