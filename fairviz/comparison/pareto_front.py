"""The parts of a distance from the achievable front: two measures, a reference point and candidates."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from fairviz.comparison.points import Points
from fairviz.errors import FairvizError, UsageError, expect, use_one_of
from fairviz.evaluation.choices import Resolved, Selection, judgements, positions, selection_of
from fairviz.evaluation.questions import ask, chosen_settings
from fairviz.evaluation.scores import bias_of, check_level, values_of
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.front_distance import FORM, NAME, ORDERING
from fairviz.measures.rankings import Rankings, targets
from fairviz.measures.record import Reach
from fairviz.measures.sums import AlignedRankings
from fairviz.orders.achievable import CandidateOrders, query_front
from fairviz.orders.candidates import SOURCES, CandidateSource, candidate_sets, needs_collection
from fairviz.statistics.fronts import QueryFronts, distance_values, point_along, query_fronts
from fairviz.statistics.intervals import mean_interval
from fairviz.study.record import Study
from fairviz.words.sentences import counted

Array = np.ndarray
Progress = Callable[[int, int], None]
KEYS = ("system", "query_id", "measure")


@dataclass(frozen=True)
class FrontChoice:
    """Both measures of a front, the reference point as a share of its length from the most effective end, and the
    candidates of each list."""

    question: Question
    effectiveness: Question
    fairness: Question
    weight: float
    candidates: CandidateSource

    @property
    def sign(self) -> int:
        """1 if more of the fairness measure is fairer, -1 if less is."""
        return -1 if self.fairness.direction == "lower" else 1

    def unit(self, shares: Array) -> float:
        """Return the width of the range of the fairness measure; see `range`."""
        low, high = self.range(shares)
        return high - low

    def worst(self, shares: Array) -> float:
        """Return the least fair value in units of the range, the higher the fairer."""
        low, high = self.range(shares)
        return self.sign * (low if self.sign > 0 else high) / (high - low)

    def range(self, shares: Array) -> tuple[float, float]:
        """Return both ends of the range of the fairness measure, for these target shares of the genders.

        Raises UsageError for a range without an end.
        """
        measure, parameters = self.fairness.measure, dict(self.fairness.parameters)
        if "background" in parameters:
            parameters["background"] = None  # the candidates: no list goes beyond their best order
        low, high = measure.range(Reach(parameters, shares)) if measure else (0.0, np.inf)
        if not np.isfinite(high - low):
            raise UsageError(f"{self.fairness.text} has no largest value, so that a distance has no unit", ORDERING)
        return float(low), float(high)


def front_choice(measure: str | Question, settings: Settings) -> FrontChoice:
    """Return the parts of `DPFR(nDCG,CWEx)` under these settings. Raises UsageError for another measure, or for unknown
    candidates."""
    expect("measure", measure, (str, Question), FORM)
    question = ask(measure, settings)
    if question.name != NAME:
        raise UsageError(f"{question.text} is not a distance from the front", f"Use {NAME} or {NAME}(nDCG,CWEx).")
    candidates = question.parameters["candidates"]
    if candidates not in SOURCES:
        raise UsageError(f"candidates of {NAME} is {candidates!r}", use_one_of(SOURCES, str(candidates)))
    return FrontChoice(question, **question.parameters)


@dataclass(frozen=True, eq=False)
class Achievable:
    """Both measures of systems, and the achievable front of the same queries.

    systems and queries: names, S and Q. values: effectiveness and fairness of each list, (S, Q, 2), fairness in units
    of its range and the higher the fairer; NaN where one is undefined. answered (S, Q): whether the system has a list.
    fronts: by row of candidates (one of all systems, or one a system) and query, (V, 2); of no point where no order has
    a value. unit: the width of the fairness measure's range; worst: its least fair value in this unit. exact: whether
    the fronts of each row are; else they are inside the achievable ones, and distances are too small.
    """

    choice: FrontChoice
    systems: tuple[str, ...]
    queries: tuple[str, ...]
    values: Array
    answered: Array
    fronts: tuple[tuple[Array, ...], ...]
    unit: float
    worst: float
    exact: tuple[bool, ...]

    def over(self, queries: Sequence[str]) -> "Achievable":
        """Return the values and fronts of these queries alone. Raises FairvizError if none has a front."""
        is_selected = np.isin(self.queries, list(queries))
        names = tuple(name for name, selected in zip(self.queries, is_selected, strict=True) if selected)
        rows = tuple(tuple(row[place] for place in np.flatnonzero(is_selected)) for row in self.fronts)
        if not any(len(front) for row in rows for front in row):
            raise FairvizError(f"none of these queries has an order with a value of {self.choice.question.text}")
        values, answered = self.values[:, is_selected], self.answered[:, is_selected]
        return replace(self, queries=names, fronts=rows, values=values, answered=answered)

    @cached_property
    def of_all(self) -> QueryFronts:
        """The fronts of the queries that have one; of the first system, where each has its own candidates."""
        return query_fronts([front for front in self.fronts[0] if len(front)])

    @property
    def front(self) -> Array:
        """Corners of the front of means over the queries of `of_all` in both measures' own numbers, (V, 2)."""
        return self.in_own_units(self.of_all.points)

    @property
    def middle(self) -> Array:
        """The reference point of all queries in both measures' own numbers, (2,)."""
        return self.in_own_units(point_along(self.of_all.points, self.choice.weight)[0])

    @property
    def note(self) -> str:
        """The number of queries, and whether all fronts are exact, in one or two sentences."""
        way = (
            "exact"
            if all(self.exact)
            else "searched. It is inside the achievable one, so distances tend to be too small"
        )
        return f"{self.choice.question.text}: front of {counted(len(self.of_all.starts), 'query')}, {way}."

    def in_own_units(self, points: Array) -> Array:
        """Return points (…, 2) with fairness in the measure's own numbers."""
        return points * np.array([1.0, self.choice.sign * self.unit])

    def of_system(self, system: str) -> tuple[Array, Array, QueryFronts]:
        """Return the queries of a system's distance as a mask, (Q,), its values there, (n, 2), and their fronts.

        A query that it does not answer counts with effectiveness 0 and the least fair value, so that leaving out those
        in which it is weak brings it no nearer.
        """
        place = self.systems.index(system)
        fronts = self.fronts[place % len(self.fronts)]
        effect, fairness = self.values[place].T
        has_front = np.array([len(front) > 0 for front in fronts]) & ~np.isnan(effect)
        has_both = has_front & ~np.isnan(fairness)
        is_taken = has_both | (has_front & ~self.answered[place] & has_both.any())
        values = np.stack([effect, np.where(np.isnan(fairness), self.worst, fairness)], axis=1)[is_taken]
        return is_taken, values, query_fronts([fronts[query] for query in np.flatnonzero(is_taken)])

    @cached_property
    def points(self) -> Points:
        """Contributions of each query to the distance of each system, (S, Q): the mean is the distance."""
        table = np.full(self.values.shape[:2], np.nan)
        for row, system in enumerate(self.systems):
            is_taken, values, fronts = self.of_system(system)
            if len(values):
                table[row, is_taken] = distance_values(fronts, values, self.choice.weight)
        return Points(self.systems, self.queries, table, np.zeros(0))

    def reference(self, system: str) -> Array:
        """Return the reference point of a system's queries in both measures' own numbers, (2,)."""
        _, _, fronts = self.of_system(system)
        if not len(fronts.starts):
            return np.full(2, np.nan)
        return self.in_own_units(point_along(fronts.points, self.choice.weight)[0])


def achievable(
    study: Study,
    choice: FrontChoice,
    settings: Settings,
    rankings: AlignedRankings | None = None,
    progress: Progress | None = None,
) -> Achievable:
    """Return both measures of the systems shown and the achievable front of the study's queries.

    progress(done, in all): of queries. Raises FairvizError if the study lacks what a measure needs or no query has a
    front, UsageError for a fairness measure of unlimited range.
    """
    resolved, questions = Resolved(study, settings), [choice.effectiveness, choice.fairness]
    resolved.refuse_missing(questions)
    collection = needs_collection(questions, settings, choice.candidates)
    rankings = resolved.aligned(rankings, collection=collection)
    selection, unit = selection_of(study, settings, rankings), choice.unit(targets(study))
    effect, fairness = (values_of(study, rankings, question, settings)[0] for question in questions)
    values = selection.take(np.stack([effect, choice.sign * fairness / unit]))  # (2, S, Q)
    rows, exact = _fronts(study, choice, settings, selection, unit, progress)
    if not any(len(front) for row in rows for front in row):
        raise FairvizError(f"no query of {study.name} has an order with a value of {choice.question.text}")
    answered = selection.take(rankings.lists.lengths > 0)
    worst = choice.worst(targets(study))
    return Achievable(
        choice, selection.systems, selection.queries, values.transpose(1, 2, 0), answered, rows, unit, worst, exact
    )


def _fronts(
    study: Study,
    choice: FrontChoice,
    settings: Settings,
    selection: Selection,
    unit: float,
    progress: Progress | None,
) -> tuple[tuple[tuple[Array, ...], ...], tuple[bool, ...]]:
    """Return the front of each query, (V, 2), by row of candidates, and whether all of a row are exact.

    With the candidates `run`, a query that a system does not answer has those of the study, which it could have ranked.
    """
    rankings, ranked = selection.rankings, selection.rankings.lists
    columns = positions(ranked.queries, selection.queries)
    rows = candidate_sets(study, rankings, choice.candidates)
    own = [place for place, name in enumerate(ranked.systems) if name not in ranked.added]
    own = own or list(range(len(ranked.systems)))
    runs = [own]
    if choice.candidates == "run":
        runs = [ranked.rows_of(name) for name in selection.systems]
        rows = [_of_system(rows, draws, ranked.candidates) for draws in runs]
        runs = [sorted({*own, *draws}) for draws in runs]
    judged = judgements(study)
    by_labels: dict[tuple, Array] = {}
    deepest = max(choice.effectiveness.cutoff or 0, choice.fairness.cutoff or 0)
    bias = bias_of(rankings, settings, deepest)
    background = choice.fairness.background
    backgrounds = rankings.background(background) if background else None
    fronts: list[tuple[Array, ...]] = []
    exact: list[bool] = []
    for row, starts in zip(rows, runs, strict=True):
        of_row: list[Array] = []
        is_exact = True
        for column in columns.tolist():
            query = ranked.queries[column]
            if progress:
                progress(len(of_row) + len(fronts) * len(columns), len(rows) * len(columns))
            if not len(row[column]) or not judged.get(query):
                of_row.append(np.zeros((0, 2)))
                continue
            orders = CandidateOrders(
                rankings, choice.effectiveness, choice.fairness, bias, query, row[column], judged[query],
                None if backgrounds is None else backgrounds[column], choice.sign, unit, by_labels,
            )  # fmt: skip
            front, front_is_exact = query_front(orders, _whole_lists(ranked, column, row[column], starts))
            is_exact &= front_is_exact
            of_row.append(front)
        fronts.append(tuple(of_row))
        exact.append(is_exact)
    return tuple(fronts), tuple(exact)


def _of_system(rows: Sequence[Sequence[Array]], draws: Sequence[int], of_study: Sequence[Array]) -> list[Array]:
    """Return the candidates of a system by query: those of its list, or of all its draws, and where it has none those
    of the study."""
    if len(draws) == 1:
        own = list(rows[draws[0]])
    else:
        own = [np.unique(np.concatenate(parts)) for parts in zip(*(rows[draw] for draw in draws), strict=True)]
    return [documents if len(documents) else others for documents, others in zip(own, of_study, strict=True)]


def _whole_lists(rankings: Rankings, column: int, candidates: Array, runs: Sequence[int]) -> list[Array]:
    """Return the documents of the list of each of these runs for a query, where all are candidates."""
    lists = [rankings.documents[: rankings.lengths[run, column], run, column] for run in runs]
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
    values = [answer.of_system(name)[1] for name in answer.systems]
    points = [each.mean(axis=0) if len(each) else np.full(2, np.nan) for each in values]
    means = np.array([answer.in_own_units(point) for point in points]).reshape(-1, 2)
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
        "exact": [answer.exact[place % len(answer.exact)] for place in range(len(answer.systems))],
    }
    return pd.DataFrame(columns)


def achievable_front(
    study: Study, measure: str = NAME, settings: Settings | None = None, **choices: object
) -> pd.DataFrame:
    """Return the achievable front of effectiveness and fairness, the most effective point first.

    Parameters
    ----------
    study : Study
        With judgements.
    measure : str
        As `DPFR(nDCG,CWEx)`; plain `DPFR` is of the settings' effectiveness and CWEx.
    settings : Settings, optional
        The choices behind the values; the defaults if None.
    **choices
        Fields of Settings to change.

    Returns
    -------
    DataFrame
        A row a corner of the front: weight (of fairness in its unit, from which the point is the best), effectiveness
        and fairness (means over queries), and exact (whether the front is; else it is inside the achievable one).

    Raises
    ------
    FairvizError
        If the study lacks what a measure needs, or no query has a front.
    UsageError
        For a fairness measure of unlimited range, and for candidates='run', with which each system has its own front.

    Examples
    --------
    >>> import fairviz
    >>> fairviz.achievable_front(fairviz.open_study("football"), "DPFR(nDCG@4,CWEx@4)").round(2).values.tolist()
    [[0.0, 1.0, -0.06, True]]
    """
    settings = chosen_settings(study, settings, choices)
    choice = front_choice(measure, settings)
    if choice.candidates == "run":
        raise UsageError("with candidates='run' each system has a front of its own", "Use 'study' or 'judged'.")
    answer = achievable(study, choice, settings)
    edges = answer.of_all.edges
    weights = np.append(0.0, -edges[:, 0] / (edges[:, 1] - edges[:, 0]))
    effect, fairness = answer.front.T
    return pd.DataFrame({"weight": weights, "effectiveness": effect, "fairness": fairness, "exact": answer.exact[0]})


def front_distances(
    study: Study,
    measure: str = NAME,
    settings: Settings | None = None,
    *,
    level: float = 0.95,
    per_query: bool = False,
    **choices: object,
) -> pd.DataFrame:
    """Return each system's distance from the achievable front (DPFR), with its interval.

    Parameters
    ----------
    study : Study
        Of S systems and Q queries, with judgements.
    measure : str
        As for `achievable_front`, with the reference point as a share of the front's length from the most effective
        end, and the candidates: `DPFR(nDCG,CWEx,weight=0.3,candidates='run')`.
    settings : Settings, optional
        The choices behind the values; the defaults if None.
    level : float
        Of the intervals, between 0 and 1.
    per_query : bool
        Whether to return S · Q rows of system, query_id, measure and value for `compare`. A query's value is its
        contribution to the distance, not a distance.
    **choices
        Fields of Settings to change.

    Returns
    -------
    DataFrame
        S rows: system, measure, value (Euclidean distance from the reference point, fairness in units of its range),
        ci_low and ci_high (Student's t over the queries' contributions, 0 at the least), queries, effectiveness
        and fairness (of the point whose distance it is: a query that the system leaves unanswered counts with 0 and the
        least fair value), reference_effectiveness, reference_fairness and exact.

    Raises
    ------
    FairvizError
        If the study lacks what a measure needs, or no query has a front.
    UsageError
        For a fairness measure of unlimited range.

    Examples
    --------
    >>> import fairviz
    >>> table = fairviz.front_distances(fairviz.open_study("football"), "DPFR(nDCG@4,CWEx@4)")
    >>> table[["system", "value"]].round(2).values.tolist()
    [['left', 0.17], ['right', 0.47]]
    """
    check_level(level)
    expect("per_query", per_query, bool, "Use True or False.")
    settings = chosen_settings(study, settings, choices)
    answer = achievable(study, front_choice(measure, settings), settings)
    return front_scores(answer) if per_query else distance_table(answer, level)
