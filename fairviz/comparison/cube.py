"""The results of `summarise` and `comparison` at every stop of a slider, computed together, so that a page can follow
the pointer.

Axis letters: T stops, M measures, S systems.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from fairviz.comparison.compare import Comparison, answered, check_choices
from fairviz.comparison.family import How
from fairviz.comparison.pairs import Pairs, compare_apart, compare_pairs
from fairviz.comparison.points import Points
from fairviz.errors import UsageError
from fairviz.evaluation.choices import Selection, aligned, chosen_systems, refuse_missing, selection_of
from fairviz.evaluation.questions import ask, measures_of, wants_collection
from fairviz.evaluation.scores import (
    bias_of,
    effectiveness_of,
    evaluate,
    share,
    summarise,
    summary_table,
    values_at,
    values_of,
)
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slider_settings import at_stops, follows, stops
from fairviz.measures import Question
from fairviz.measures.cwex import mixed, neutral_and_gap
from fairviz.measures.sums import AlignedRankings
from fairviz.statistics.contrasts import Mixture
from fairviz.statistics.intervals import mean_interval, mean_over_queries
from fairviz.study.record import Study

Array = np.ndarray
Answer = tuple[Mapping[str, Array], Sequence[Pairs]]
COLUMNS = ("value", "ci_low", "ci_high", "queries", "undefined", "coverage")


@dataclass(frozen=True, eq=False)
class Cube:
    """One slider's answers.

    stops (T,): the settings at each; present: which of them are the present ones. questions (T,): the measures there,
    (M,) each. columns: those of `summarise` by name, (T, M, S).
    """

    slider: str
    stops: tuple[Settings, ...]
    present: int
    systems: tuple[str, ...]
    questions: tuple[tuple[Question, ...], ...]
    columns: Mapping[str, Array]
    how: How
    _pairs: tuple[tuple[Pairs, ...], ...] = field(repr=False)  # (M,), each (T,)
    _beside: tuple[tuple[Pairs, ...], ...] = field(default=(), repr=False)  # of measures of the family not shown
    fixed: frozenset[str] = frozenset()  # texts of measures of the family that the slider does not move

    def summary(self, stop: int) -> pd.DataFrame:
        """Return the table of `summarise` for the settings of this stop."""
        places, texts = self._distinct(stop)
        columns = {name: array[stop, places] for name, array in self.columns.items()}
        return summary_table(self.systems, texts, columns)

    def comparison(self, stop: int) -> Comparison:
        """Return what `comparison` gives for the settings of this stop."""
        places, texts = self._distinct(stop)
        pairs = [self._pairs[place][stop] for place in places]
        how = self.how
        if how.tests.family == "measures":
            present, stop_settings = self.stops[self.present], [self.stops[stop]]
            chosen = [
                text if text in self.fixed else at_stops(text, present, self.slider, stop_settings)[0].text
                for text in how.chosen
            ]
            how = replace(how, chosen=tuple(dict.fromkeys(chosen)))
            beside = {held[stop].text: held[stop] for held in self._beside if held[stop].text in how.beside(texts)}
            pairs = compare_pairs([("", held.question, held.points) for held in (*pairs, *beside.values())], how)
        return Comparison(tuple(pairs), how).showing(texts)

    def _distinct(self, stop: int) -> tuple[list[int], list[str]]:
        """Places and texts of the measures at a stop: two that are one there count once."""
        first: dict[str, int] = {}
        for place, question in enumerate(self.questions[stop]):
            first.setdefault(question.text, place)
        return list(first.values()), list(first)


@dataclass(frozen=True, eq=False)
class Slice:
    """One measure along a slider. questions (T,): the measure with its parameters at each stop. columns: COLUMNS by
    name, (T, S), and pairs (T,); of one stop alone where the slider does not move the measure."""

    questions: tuple[Question, ...]
    systems: tuple[str, ...]
    columns: Mapping[str, Array]
    pairs: tuple[Pairs, ...]


def cube(
    study: Study,
    measures: Sequence[str],
    settings: Settings,
    slider: str,
    *,
    rankings: AlignedRankings | None = None,
    how: How | None = None,
) -> Cube:
    """Return the results at every stop of a slider (see `stops`), with every other setting unchanged.

    measures: as texts, under the present settings. A measure whose alpha or cutoff is that of the settings moves with
    that slider; one with its own does not. rankings: as `evaluate` takes them. how: the choices of the comparison.
    Beyond EXACT_PLACES places values are within 1e-6 of those of `evaluate`, else within rounding.

    Raises: see these functions; UsageError for an unknown slider.
    """
    questions = [ask(measure, settings) for measure in measures_of(measures)]
    refuse_missing(study, questions, settings)
    rankings = aligned(study, settings, rankings, collection=wants_collection(questions, settings))
    how, stop_settings = how or How(), _stops(study, settings, slider)
    check_choices(how, "", chosen_systems(study, settings))
    texts = [question.text for question in questions]
    slices, beside = (
        [slice_of(study, measure, settings, slider, how, rankings, stop_settings) for measure in part]
        for part in (questions, [text for text in how.chosen if text not in texts])
    )
    return joined(study, settings, slider, slices, how, stop_settings, beside)


def _stops(study: Study, settings: Settings, slider: str) -> tuple[Settings, ...]:
    stop_settings = stops(study, settings, slider)
    if not stop_settings:
        raise UsageError(
            f"there is no slider {slider!r} under the position bias {settings.position_bias!r}",
            "Set position_bias='rbp(p=0.8)'.",
        )
    return stop_settings


def slice_of(
    study: Study,
    measure: str | Question,
    settings: Settings,
    slider: str,
    how: How,
    rankings: AlignedRankings,
    stops: tuple[Settings, ...] | None = None,
) -> Slice:
    """Return one measure of a cube, for `joined`; the arguments are those of `cube`, already checked. stops: the stops,
    where they are computed already."""
    stops = stops or _stops(study, settings, slider)
    questions, present = at_stops(measure, settings, slider, stops), stops.index(settings)
    selection = selection_of(study, settings, rankings)
    question = questions[present]
    if question.per_query:
        columns, pairs = _values(selection, questions, stops, present, slider, how)
    elif follows(question, settings, slider):
        columns, pairs = _slopes(selection, questions, stops, how)
    else:
        columns, pairs = _slopes(selection, [question], [settings], how)
    return Slice(questions, selection.systems, columns, tuple(pairs))


def joined(
    study: Study,
    settings: Settings,
    slider: str,
    slices: Sequence[Slice],
    how: How,
    stops: tuple[Settings, ...] | None = None,
    beside: Sequence[Slice] = (),
    fixed: frozenset[str] = frozenset(),
) -> Cube:
    """The cube of the measures' slices, all made of this study under settings that differ by the slider's own value.

    beside: slices of measures that are in the same family of tests and are not shown. fixed: texts of measures of the
    family that the slider does not move, whatever their parameters.
    """
    stops = stops or _stops(study, settings, slider)
    systems = tuple(chosen_systems(study, settings))
    shape = len(stops), len(systems)
    columns = {
        name: np.stack([np.broadcast_to(held.columns[name], shape) for held in slices], axis=1)
        if slices
        else np.zeros((len(stops), 0, len(systems)))
        for name in COLUMNS
    }
    questions = tuple(tuple(held.questions[place] for held in slices) for place in range(len(stops)))
    pairs, others = (
        tuple(held.pairs if len(held.pairs) > 1 else held.pairs * len(stops) for held in part)
        for part in (slices, beside)
    )
    return Cube(slider, stops, stops.index(settings), systems, questions, columns, how, pairs, others, fixed)


@dataclass(frozen=True)
class SliderValues:
    """values (T, S, Q), and the share of places with a label (T, S), NaN for a
    measure that uses no labels. mixture: of the values, where a few parts make them, (T · S, K) and (K, Q)."""

    values: Array
    coverage: Array
    mixture: Mixture | None = None


def _over_alpha(selection: Selection, questions: Sequence[Question], stops: Sequence[Settings]) -> SliderValues:
    """Return CWEx, which mixes two parts of each query."""
    cutoffs = np.array([questions[0].cutoff])
    bias = bias_of(selection.rankings, stops[0], int(cutoffs[0]))
    parts = _take(selection, np.stack(neutral_and_gap(selection.rankings, bias, cutoffs))[:, 0])  # (2, S, Q)
    alphas = np.array([question.parameters["alpha"] for question in questions])
    systems = np.eye(parts.shape[1])
    of_parts = [mixed(alphas[:, None, None], *part) for part in ((systems, 0 * systems), (0 * systems, systems))]
    weights = np.concatenate(of_parts, axis=2)
    mixture = Mixture(weights.reshape(-1, weights.shape[2]), np.concatenate(parts))
    return SliderValues(mixed(alphas[:, None, None], *parts), _coverage(selection, questions[0], cutoffs), mixture)


def _over_cutoff(selection: Selection, questions: Sequence[Question], stops: Sequence[Settings]) -> SliderValues:
    """Sums over ranks are made for every cutoff in one pass."""
    cutoffs = np.array([question.cutoff for question in questions])
    if questions[0].measure is None:
        tables = effectiveness_of(selection.study, selection.rankings, questions)
    else:
        tables = values_at(selection.rankings, questions[0], stops[0], cutoffs)
    return SliderValues(_take(selection, tables), _coverage(selection, questions[0], cutoffs))


def _over_bias(selection: Selection, questions: Sequence[Question], stops: Sequence[Settings]) -> SliderValues:
    """Sums over ranks are made for all position biases in one pass."""
    question, cutoffs = questions[0], np.array([questions[0].cutoff])
    biases = tuple(bias_of(selection.rankings, stop, int(cutoffs[0])) for stop in stops)
    tables = [
        values_at(selection.rankings, question, stop, cutoffs, replace(bias, together=biases))[0]
        for stop, bias in zip(stops, biases, strict=True)
    ]
    return SliderValues(_take(selection, np.stack(tables)), _coverage(selection, question, cutoffs))


def _coverage(selection: Selection, question: Question, cutoffs: Array) -> Array:
    """The share of places with a label at each cutoff, (C, S); NaN for a measure that uses no labels."""
    if question.family != "labels":
        return np.full((len(cutoffs), len(selection.systems)), np.nan)
    labelled, places = selection.rankings.known_places("label", selection.rankings.labelled, cutoffs)
    return share(_take(selection, labelled).sum(axis=-1), _take(selection, places).sum(axis=-1))


def _take(selection: Selection, table: Array) -> Array:
    """Return (…, S, Q) of the whole study for the systems and queries shown, as float64; copied only if needed."""
    lists = selection.rankings.lists
    is_whole = (lists.systems, lists.queries) == (selection.systems, selection.queries)
    return np.ascontiguousarray(table if is_whole else selection.take(table), dtype=np.float64)


_WAYS: dict[str, Callable[[Selection, Sequence[Question], Sequence[Settings]], SliderValues]] = {
    "alpha": _over_alpha,
    "cutoff": _over_cutoff,
    "bias": _over_bias,
    "p": _over_bias,
}


def _values(
    selection: Selection, questions: Sequence[Question], stops: Sequence[Settings], present: int, slider: str, how: How
) -> Answer:
    """Return the columns and the pairs of a measure that has a value for each query."""
    found = _values_along(selection, questions, stops, present, slider)
    low, high = mean_interval(found.values, how.level)
    defined = (~np.isnan(found.values)).sum(axis=-1)
    columns = {
        "value": mean_over_queries(found.values),
        "ci_low": low,
        "ci_high": high,
        "queries": defined,
        "undefined": len(selection.queries) - defined,
        "coverage": found.coverage,
    }
    return columns, _tested(selection, questions, found, how)


def _values_along(
    selection: Selection, questions: Sequence[Question], stops: Sequence[Settings], present: int, slider: str
) -> SliderValues:
    """Return the values of a measure with its question at each stop; of one stop where the slider does not move it."""
    settings, question = stops[present], questions[present]
    if follows(question, settings, slider):
        return _WAYS[slider](selection, questions, stops)
    values, labelled, places = _take(selection, values_of(selection.study, selection.rankings, question, settings))
    coverage = share(np.nansum(labelled, axis=-1), np.nansum(places, axis=-1))
    return SliderValues(values[None], coverage[None])


def _tested(selection: Selection, questions: Sequence[Question], found: SliderValues, how: How) -> list[Pairs]:
    """Return the pairs at each stop, (T,). Where all measures are one family, `Cube.comparison` tests them together,
    and only what it needs for that is kept here."""
    questions = questions[: len(found.values)]
    points = [Points(selection.systems, selection.queries, table, np.zeros(0)) for table in found.values]
    if how.tests.family == "measures":
        return [
            Pairs(question.text, question, table, {}, np.zeros((0, 0)), 0, "")
            for question, table in zip(questions, points, strict=True)
        ]
    return compare_apart(questions, points, how, found.mixture)


def _slopes(selection: Selection, questions: Sequence[Question], stops: Sequence[Settings], how: How) -> Answer:
    """GSR, which is a slope over queries at each stop."""
    tables: list[pd.DataFrame] = []
    pairs: list[Pairs] = []
    for question, stop in zip(questions, stops, strict=True):
        scores = evaluate(selection.study, question, stop, rankings=selection.rankings)
        tables.append(summarise(scores))
        pairs += answered(scores, how)
    return {name: np.stack([table[name].to_numpy() for table in tables]) for name in COLUMNS}, pairs
