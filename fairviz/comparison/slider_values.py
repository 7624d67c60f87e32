"""The values of one measure at the stops of a slider: what is the same at all of them is computed once.

Axis letters: T stops, or one where the measure does not move; S systems, Q queries.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairviz.evaluation.choices import Selection
from fairviz.evaluation.scores import bias_of, effectiveness_of, share, values_at, values_of
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slider_settings import follows
from fairviz.measures import Question
from fairviz.measures.cwex import mixed, neutral_and_gap
from fairviz.statistics.contrasts import Mixture

Array = np.ndarray


@dataclass(frozen=True)
class SliderValues:
    """values (T, S, Q), and the share of places with a label (T, S), NaN for a
    measure that uses no labels. mixture: of the values, where a few parts make them, (T · S, K) and (K, Q)."""

    values: Array
    coverage: Array
    mixture: Mixture | None = None


def values_along(
    selection: Selection, questions: Sequence[Question], stops: Sequence[Settings], present: int, slider: str
) -> SliderValues:
    """Return the values of a measure that has one for each query, with its question at each stop."""
    settings, question = stops[present], questions[present]
    if not follows(question, settings, slider):
        values, labelled, places = _take(selection, values_of(selection.study, selection.places, question, settings))
        coverage = share(np.nansum(labelled, axis=-1), np.nansum(places, axis=-1))
        return SliderValues(values[None], coverage[None])
    return _WAYS[slider](selection, questions, stops)


def _over_alpha(selection: Selection, questions: Sequence[Question], stops: Sequence[Settings]) -> SliderValues:
    """Return CWEx, which mixes two parts of each query."""
    cutoffs = np.array([questions[0].cutoff])
    bias = bias_of(selection.places, stops[0], int(cutoffs[0]))
    parts = _take(selection, np.stack(neutral_and_gap(selection.places, bias, cutoffs))[:, 0])  # (2, S, Q)
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
        tables = effectiveness_of(selection.study, selection.places, questions)
    else:
        tables = values_at(selection.places, questions[0], stops[0], cutoffs)
    return SliderValues(_take(selection, tables), _coverage(selection, questions[0], cutoffs))


def _over_bias(selection: Selection, questions: Sequence[Question], stops: Sequence[Settings]) -> SliderValues:
    """Sums over ranks are made for all position biases in one pass."""
    question, cutoffs = questions[0], np.array([questions[0].cutoff])
    biases = tuple(bias_of(selection.places, stop, int(cutoffs[0])) for stop in stops)
    tables = [
        values_at(selection.places, question, stop, cutoffs, replace(bias, together=biases))[0]
        for stop, bias in zip(stops, biases, strict=True)
    ]
    return SliderValues(_take(selection, np.stack(tables)), _coverage(selection, question, cutoffs))


def _coverage(selection: Selection, question: Question, cutoffs: Array) -> Array:
    """The share of places with a label at each cutoff, (C, S); NaN for a measure that uses no labels."""
    if question.family != "labels":
        return np.full((len(cutoffs), len(selection.systems)), np.nan)
    labelled, places = selection.places.known_places("label", selection.places.labelled, cutoffs)
    return share(_take(selection, labelled).sum(axis=-1), _take(selection, places).sum(axis=-1))


def _take(selection: Selection, table: Array) -> Array:
    """Return (…, S, Q) of the whole study for the systems and queries shown, as float64; copied only if needed."""
    rankings = selection.places.rankings
    is_whole = (rankings.systems, rankings.queries) == (selection.systems, selection.queries)
    return np.ascontiguousarray(table if is_whole else selection.take(table), dtype=np.float64)


_WAYS: dict[str, Callable[[Selection, Sequence[Question], Sequence[Settings]], SliderValues]] = {
    "alpha": _over_alpha,
    "cutoff": _over_cutoff,
    "bias": _over_bias,
    "p": _over_bias,
}
