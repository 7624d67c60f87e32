"""The achievable Pareto front of effectiveness and fairness, and the distance of systems from it (DPFR).

The front is of means over queries: the best orders of each query's candidates at every weight of the two quantities.
Axis letters: S systems, Q queries, R rows of candidates (one, or one a system), V points of a front.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from fairviz.comparison.front_choice import FrontChoice, front_choice
from fairviz.comparison.points import Points
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.achievable import query_front
from fairviz.evaluation.candidate_orders import CandidateOrders
from fairviz.evaluation.candidate_sets import candidate_sets, needs_collection
from fairviz.evaluation.choices import Resolved, judgements
from fairviz.evaluation.scores import bias_of, values_of
from fairviz.evaluation.selection import Selection, positions, selection_of
from fairviz.evaluation.settings import Settings
from fairviz.measures.front_distance import NAME
from fairviz.measures.rankings import targets
from fairviz.measures.sums import AlignedRankings
from fairviz.statistics.fronts import QueryFronts, distance_values, point_along, query_fronts
from fairviz.statistics.intervals import mean_interval
from fairviz.study.record import Study
from fairviz.words.sentences import counted

Array = np.ndarray
Progress = Callable[[int, int], None]
KEYS = ("system", "query_id", "measure")


@dataclass(frozen=True, eq=False)
class Achievable:
    """Both measures of systems, and the achievable front of the same queries.

    systems and queries: names, S and Q. values: effectiveness and fairness of each list, (S, Q, 2), fairness in units
    of its range and the higher the fairer; NaN where either is undefined. fronts: of all systems, or one a system.
    unit: the width of the fairness measure's range. exact: whether all fronts are; else they are inside the achievable
    ones, and distances are too small.
    """

    choice: FrontChoice
    systems: tuple[str, ...]
    queries: tuple[str, ...]
    values: Array
    fronts: tuple[QueryFronts, ...]
    unit: float
    exact: bool

    def over(self, queries: Sequence[str]) -> "Achievable":
        """Return the values and fronts of these queries alone, those that have a front. Raises FairvizError if none
        has."""
        is_selected = np.isin(self.queries, list(queries))
        if not is_selected.any():
            raise FairvizError(f"none of these queries has an order with a value of {self.choice.question.text}")
        names = tuple(name for name, selected in zip(self.queries, is_selected, strict=True) if selected)
        fronts = tuple(fronts.of(is_selected) for fronts in self.fronts)
        return replace(self, queries=names, values=self.values[:, is_selected], fronts=fronts)

    @property
    def front(self) -> Array:
        """Corners of the front of means over all queries in both measures' own numbers, (V, 2).

        Of the first system, where each has its own candidates.
        """
        return self.in_own_units(self.fronts[0].points)

    @property
    def middle(self) -> Array:
        """The reference point of all queries in both measures' own numbers, (2,)."""
        return self.in_own_units(point_along(self.fronts[0].points, self.choice.weight)[0])

    @property
    def note(self) -> str:
        """The number of queries, and whether the front is exact, in one or two sentences."""
        way = "exact" if self.exact else "searched. It is inside the achievable one, so distances tend to be too small"
        return f"{self.choice.question.text}: front of {counted(len(self.queries), 'query')}, {way}."

    def in_own_units(self, points: Array) -> Array:
        """Return points (…, 2) with fairness in the measure's own numbers."""
        return points * np.array([1.0, self.choice.sign * self.unit])

    def of_system(self, system: str) -> tuple[Array, QueryFronts]:
        """Return a system's defined values, (n, 2), and the fronts of the same queries."""
        place = self.systems.index(system)
        defined = ~np.isnan(self.values[place]).any(axis=1)
        return self.values[place][defined], self.fronts[place % len(self.fronts)].of(defined)

    @cached_property
    def points(self) -> Points:
        """Contributions of each query to the distance of each system, (S, Q): the mean is the distance."""
        table = np.full(self.values.shape[:2], np.nan)
        for row, system in enumerate(self.systems):
            values, fronts = self.of_system(system)
            if len(values):
                defined = ~np.isnan(self.values[row]).any(axis=1)
                table[row, defined] = distance_values(fronts, values, self.choice.weight)
        return Points(self.systems, self.queries, table, np.zeros(0))

    def reference(self, system: str) -> Array:
        """Return the reference point of a system's queries in both measures' own numbers, (2,)."""
        _, fronts = self.of_system(system)
        if not len(fronts.starts):
            return np.full(2, np.nan)
        return self.in_own_units(point_along(fronts.points, self.choice.weight)[0])


def achievable(
    study: Study,
    choice: FrontChoice,
    settings: Settings,
    places: AlignedRankings | None = None,
    progress: Progress | None = None,
) -> Achievable:
    """Return both measures of the systems shown and the achievable front of their queries.

    progress(done, in all): of queries. Raises FairvizError if the study lacks what a measure needs or no query has a
    front, UsageError for a fairness measure of unlimited range.
    """
    resolved, questions = Resolved(study, settings), [choice.effectiveness, choice.fairness]
    resolved.refuse_missing(questions)
    collection = needs_collection(questions, settings, choice.candidates)
    places = resolved.aligned(places, collection=collection)
    selection, unit = selection_of(study, settings, places), choice.unit(targets(study))
    effect, fairness = (values_of(study, places, question, settings)[0] for question in questions)
    values = selection.take(np.stack([effect, choice.sign * fairness / unit]))  # (2, S, Q)
    rows, exact = _fronts(study, choice, settings, selection, unit, progress)
    has_front = np.array([all(len(front) for front in fronts) for fronts in zip(*rows, strict=True)], dtype=bool)
    if not has_front.any():
        raise FairvizError(f"no query of {study.name} has an order with a value of {choice.question.text}")
    fronts = tuple(query_fronts([row[place] for place in np.flatnonzero(has_front)]) for row in rows)
    names = tuple(name for name, kept in zip(selection.queries, has_front, strict=True) if kept)
    both = np.where(np.isnan(values).any(axis=0), np.nan, values)
    return Achievable(choice, selection.systems, names, both.transpose(1, 2, 0)[:, has_front], fronts, unit, exact)


def _fronts(
    study: Study,
    choice: FrontChoice,
    settings: Settings,
    selection: Selection,
    unit: float,
    progress: Progress | None,
) -> tuple[list[list[Array]], bool]:
    """Return the front of each query, (V, 2), by row of candidates, and whether all are exact."""
    places = selection.places
    columns = positions(places.rankings.queries, selection.queries)
    rows = candidate_sets(study, places, choice.candidates)
    if len(rows) > 1:
        rows = [_of_system(rows, places.rankings.rows_of(name)) for name in selection.systems]
    judged, exact = judgements(study), True
    fronts: list[list[Array]] = []
    by_labels: dict[tuple, Array] = {}
    deepest = max(choice.effectiveness.cutoff or 0, choice.fairness.cutoff or 0)
    bias = bias_of(places, settings, deepest)
    background = choice.fairness.parameters.get("background")
    backgrounds = None if background is None else places.background(background)
    for row in rows:
        fronts.append([])
        for column in columns.tolist():
            query = places.rankings.queries[column]
            if progress:
                progress(len(fronts[-1]) + (len(fronts) - 1) * len(columns), len(rows) * len(columns))
            if not len(row[column]) or not judged.get(query):
                fronts[-1].append(np.zeros((0, 2)))
                continue
            orders = CandidateOrders(
                places, choice.effectiveness, choice.fairness, bias, query, row[column], judged[query],
                None if backgrounds is None else backgrounds[column], choice.sign, unit, by_labels,
            )  # fmt: skip
            front, is_exact = query_front(orders, _lists(places, column, row[column]))
            exact &= is_exact
            fronts[-1].append(front)
    return fronts, exact


def _of_system(rows: list[list[Array]], draws: list[int]) -> list[Array]:
    """Return the candidates of a system by query: those of its list, or of all its draws."""
    if len(draws) == 1:
        return rows[draws[0]]
    return [np.unique(np.concatenate(parts)) for parts in zip(*(rows[draw] for draw in draws), strict=True)]


def _lists(places: AlignedRankings, column: int, candidates: Array) -> list[Array]:
    """Return the documents of each system's list for a query, where all are candidates."""
    rankings = places.rankings
    lists = [rankings.documents[: rankings.lengths[row, column], row, column] for row in range(len(rankings.systems))]
    return [listed for listed in lists if len(listed) and np.isin(listed, candidates).all()]


def front_scores(answer: Achievable) -> pd.DataFrame:
    """Return the contributions of queries as rows of a scores table, by system and query."""
    system, query = np.indices(answer.points.values.shape).reshape(2, -1)
    columns = {"system": (system, answer.systems), "query_id": (query, answer.queries),
               "measure": (np.zeros_like(system), (answer.choice.question.text,))}  # fmt: skip
    named = {name: pd.Categorical.from_codes(codes, pd.Index(list(names), dtype="str"))
             for name, (codes, names) in columns.items()}  # fmt: skip
    return pd.DataFrame(named | {"value": answer.points.values.ravel()})


def with_fronts(
    study: Study, settings: Settings, scores: pd.DataFrame, measures: Sequence[str], progress: Progress | None = None
) -> tuple[pd.DataFrame, list[str]]:
    """Return the scores followed by the contributions to distances from fronts, and a note on each front.

    measures: texts of these distances. progress(done, in all): of each front's queries. Raises UsageError for scores
    that people's labels correct.
    """
    if measures and settings.corrected_by:
        raise UsageError(f"{NAME} is of lists, which --corrected-by does not correct", "Leave one of the two out.")
    answers = [achievable(study, front_choice(text, settings), settings, progress=progress) for text in measures]
    if not answers:
        return scores, []
    parts = (scores, *map(front_scores, answers))
    joined = pd.concat([part.astype(dict.fromkeys(KEYS, "str")) for part in parts], ignore_index=True)
    return joined.astype(dict.fromkeys(KEYS, "category")), [answer.note for answer in answers]


def distance_table(answer: Achievable, level: float = 0.95) -> pd.DataFrame:
    """Return `front_distances` of fronts that are computed."""
    low, high = mean_interval(answer.points.values, level)
    means = np.array([answer.in_own_units(_mean(answer.of_system(name)[0])) for name in answer.systems]).reshape(-1, 2)
    references = np.array([answer.reference(name) for name in answer.systems]).reshape(-1, 2)
    columns = {
        "system": pd.array(answer.systems, dtype="str"),
        "measure": pd.array([answer.choice.question.text] * len(answer.systems), dtype="str"),
        "value": answer.points.means,
        "ci_low": np.maximum(low, 0.0),
        "ci_high": high,
        "queries": (~np.isnan(answer.points.values)).sum(axis=1),
        "effectiveness": means[:, 0],
        "fairness": means[:, 1],
        "reference_effectiveness": references[:, 0],
        "reference_fairness": references[:, 1],
        "exact": answer.exact,
    }
    return pd.DataFrame(columns)


def _mean(values: Array) -> Array:
    return values.mean(axis=0) if len(values) else np.full(2, np.nan)
