"""A map in the making: pieces computed on all cores, which can be stopped and gone on with; what is done stays."""

import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import prod
from threading import Event, Lock, Thread
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from fairviz import interrupts
from fairviz.analyses.sensitivity.grid import MAKES_ARRAYS, WITHIN, Branch, Grid
from fairviz.comparison.family import How
from fairviz.comparison.pairs import Pairs, compare_apart, compare_pairs
from fairviz.comparison.points import Points
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import EVIDENCE, Resolved, Selection, aligned_runs, chosen_queries, positions
from fairviz.evaluation.gsr import direction_of, list_genderedness
from fairviz.evaluation.questions import as_asked, ask
from fairviz.evaluation.scores import bias_of, values_at
from fairviz.evaluation.settings import CHOICES, Settings
from fairviz.measures import Question, distance
from fairviz.measures.cwex import mixed, neutral_and_gap
from fairviz.measures.gsr import slope
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.rankings import (
    LabelEvidence,
    Rankings,
    candidate_lists,
    collection_of,
    labelled_beyond,
    no_words,
)
from fairviz.measures.sums import AlignedRankings, judgements_of
from fairviz.statistics.contrasts import EQUAL
from fairviz.statistics.intervals import resampled_means, resampling_weights
from fairviz.study.tables import expanded

Array = np.ndarray
TESTED = ("difference", "ci_low", "ci_high", "spread", "p", "p_corrected")
COLUMNS = (*TESTED, "value_a", "value_b", "effect_size", "win", "queries")
NO_EVIDENCE = ("ties", "unlabelled")  # choices that leave the labels and words of each document as they are
MOST_PLACES = 12  # arrays of so many ways are kept; those of others are made again
TOGETHER = 600  # combinations that are compared at once
_LOCK = Lock()
_HELD: list[Any] = []  # the limit, while anybody works under it
_COUNT: list[int] = [0]
LOG = logging.getLogger("fairviz")
SAMPLE = 60  # combinations of the piece that an estimate is made from
LOOK = 0.1  # seconds between two looks at how far it is


def compared(
    values: Array, question: Question, rankings: Rankings, how: How, query: Array | None = None
) -> dict[str, Array]:
    """Return COLUMNS (N,) by name, of the values of systems that are tested together (N, S, Q).

    Each combination is a family of its own: difference, interval and both p are those of `compare` with B as the
    baseline under its settings. query: x of the queries (Q,) where the measure is a slope. spread: the standard
    deviation of the differences. win: the share of resamples in which A is fairer, a draw for half. queries: those
    that A and B have in common. NaN where there are none, interval and p where there are too few.
    """
    x_of_queries = np.zeros(0) if query is None else query
    points = [Points(rankings.systems, rankings.queries, table, x_of_queries) for table in values]
    if query is None:
        pairs = compare_apart([question] * len(points), points, how)
    else:
        pairs = [compare_pairs([("", question, held)], how)[0] for held in points]
    both = np.where(np.isnan(values[:, :2]).any(axis=1, keepdims=True), np.nan, values[:, :2])  # on common queries
    wins = _chances_of_winning(both, question, query)
    rows = [_row(one, common, win) for one, common, win in zip(pairs, both, wins.tolist(), strict=True)]
    return {name: np.array([row[name] for row in rows], dtype=np.float64) for name in COLUMNS}


def _chances_of_winning(both: Array, question: Question, query: Array | None) -> Array:
    """Return `chance` of A and B on the queries that both have, (N, 2, Q) to (N,)."""
    if query is None:
        distances = distance(resampled_means(both), question)  # (B, N, 2)
    else:
        weights = resampling_weights(len(query))
        slopes = [np.abs(slope(query, table, weights)) for table in both.reshape(-1, len(query))]
        distances = np.stack(slopes, axis=1).reshape(-1, *both.shape[:2])
    return chance(distances[..., 0] - distances[..., 1], question)


def _row(pairs: Pairs, common: Array, win: float) -> dict[str, float]:
    """Return COLUMNS of one combination. common: values of A and B on the queries that both have, (2, Q)."""
    row = {name: float(pairs.columns[name][0, 1]) for name in TESTED}
    row["value_a"], row["value_b"] = replace(pairs.points, values=common).means.tolist()
    row["effect_size"] = effect(row["difference"], row["spread"])
    row["queries"] = int(pairs.queries[0, 1])
    row["win"] = win if row["queries"] else np.nan
    return row


def chance(apart: Array, question: Question) -> Array:
    """Return the share of resampled differences (B, N) in which A is fairer, (N,); those that are 0 count half."""
    ahead = apart * sign(question)
    is_defined = ~np.isnan(ahead)
    with np.errstate(divide="ignore", invalid="ignore"):
        won = (ahead > EQUAL).sum(axis=0) + 0.5 * (np.abs(ahead) <= EQUAL).sum(axis=0)
        return won / np.where(is_defined.any(axis=0), is_defined.sum(axis=0), np.nan)


def effect(difference: float, spread: float) -> float:
    """Return the difference over the standard deviation of the differences: 0 where all are 0, NaN where all are the
    same or there is one."""
    if spread > EQUAL:
        return difference / spread
    return 0.0 if abs(difference) <= EQUAL else np.nan


def sign(question: Question) -> float:
    """Return 1 where a greater difference is in A's favour, -1 where a smaller one is."""
    return 1.0 if question.direction == "higher" else -1.0


class Shared:
    """A cache whose values are computed once for each key, also under concurrent requests; beyond `most` the oldest is
    dropped."""

    def __init__(self, most: int | None = None) -> None:
        self._lock, self._most = Lock(), most
        self._gates: dict[Any, Lock] = {}
        self._places_of: dict[Any, Any] = {}

    def get(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return the value under the key; compute it if missing."""
        with self._lock:
            gate = self._gates.setdefault(key, Lock())
        with gate:
            if key in self._places_of:
                return self._places_of[key]
            value = make()
        with self._lock:
            self._places_of[key] = value
            while self._most is not None and len(self._places_of) > self._most:
                self._places_of.pop(next(iter(self._places_of)))
        return value


class Evidence:
    """Aligned rankings of the systems of a grid, under any settings of it. Safe to share between threads."""

    def __init__(self, grid: Grid) -> None:
        self.grid, self.study = grid, grid.study
        backgrounds = (*grid.choices.get("background", ()), grid.settings.background)
        parameter_backgrounds = [branch.question.background for branch in grid.branches]
        self._names = {str(name) for name in (*backgrounds, *parameter_backgrounds) if name}
        self._parts, self._places = Shared(), Shared(MOST_PLACES)
        # The deepest rank that any combination looks at; None for as deep as the lists are.
        cutoffs = [
            *map(int, grid.choices.get("cutoff", ())),
            *(branch.question.cutoff or 0 for branch in grid.branches),
        ]
        self._depth = None if any(branch.question.cutoff is None for branch in grid.branches) else max(cutoffs)

    def aligned(self, branch: Branch, settings: Settings) -> AlignedRankings:
        """The arrays that the measure is computed from under these settings."""
        resolved = Resolved(self.study, settings)
        part = "labels" if branch.question.family == "labels" else "words"
        key = (part, *_read(resolved, "rankings", part))
        return self._places.get(key, lambda: self._places_of(resolved, part))

    def _places_of(self, resolved: Resolved, part: str) -> AlignedRankings:
        key = ("rankings", *_read(resolved, "rankings"))
        orders, backgrounds = self._parts.get(key, lambda: self._rankings(resolved.settings))
        labels = LabelEvidence(np.full(len(orders.doc_ids), -1, dtype=np.int8))
        words = no_words(orders.doc_ids, self.study.groups)
        key = (part, *_read(resolved, "rankings", part, without=NO_EVIDENCE))
        if part == "labels":
            labels = self._parts.get(key, lambda: resolved.labels(orders))
        else:
            words = self._parts.get(key, lambda: resolved.words(orders))
        rankings = resolved.with_evidence(orders, labels, words)
        for name, lists in backgrounds.items():
            rankings.remembered(("background", name), lambda held=lists: held)  # type: ignore[misc]
        return rankings

    def _rankings(self, settings: Settings) -> tuple[Rankings, dict[str, list[Array]]]:
        study = self.study
        is_read = not self._names.isdisjoint(("collection", "relevant"))
        collection = collection_of(study) if is_read else []
        whole = aligned_runs(study, settings, [*collection, *labelled_beyond(study, collection)] if is_read else [])
        runs = expanded(self.grid.systems, whole.systems)
        rows = positions(whole.systems, runs)
        queries = chosen_queries(study, self.grid.settings)
        columns = positions(whole.queries, queries)
        documents = whole.documents[: self._depth, rows][:, :, columns]
        lengths = whole.lengths[rows][:, columns]
        narrow = Rankings(runs, tuple(queries), whole.doc_ids, np.ascontiguousarray(documents), lengths)
        backgrounds = {}  # the documents by query
        for name in self._names:
            if name == "collection":
                lists = [np.flatnonzero(whole.doc_ids.isin(collection))] * len(whole.queries)
            elif name == "relevant":
                lists = judgements_of(study).relevant(whole)
            elif name == "candidates":
                lists = whole.candidates
            else:
                lists = candidate_lists(whole, whole.rows_of(name.removeprefix("run:")))
            backgrounds[name] = [lists[column] for column in columns]
        return narrow, backgrounds


def _read(resolved: Resolved, *parts: str, without: Sequence[str] = ()) -> tuple:
    """Return the choices, with their values, that these parts of the evidence are made from."""
    values = zip(EVIDENCE, resolved.evidence, strict=True)
    return tuple(
        (name, value)
        for name, value in values
        if name not in without and not set(parts).isdisjoint(CHOICES[name].reads)
    )


@dataclass(frozen=True)
class Piece:
    """A run of one measure's combinations, from start to stop, under one way to count words and lay out lists."""

    branch: int
    start: int
    stop: int


def batches_of(grid: Grid, together: int | None = None) -> list[Piece]:
    """The grid in pieces: measures that rest on the same arrays one after another."""
    pieces, together = [], together or TOGETHER
    for number, branch in enumerate(grid.branches):
        whole, step = _sharing(branch), _in_one_pass(branch)
        length = together // step * step or together
        for first in range(0, branch.count, whole):
            for start in range(first, first + whole, length):
                pieces.append((first // whole, Piece(number, start, min(start + length, first + whole))))
    return [piece for _, piece in sorted(pieces, key=lambda each: each[0])]


def _sharing(branch: Branch) -> int:
    """Return the number of combinations of a measure that share all arrays: words, labels and lists."""
    return prod(len(levels) for name, levels in branch.axes if name not in MAKES_ARRAYS)


def _in_one_pass(branch: Branch) -> int:
    """Return the number of combinations of a measure that come from one pass over ranks."""
    return prod(len(levels) for name, levels in branch.axes if name in WITHIN)


def computed(grid: Grid, evidence: Evidence, piece: Piece) -> dict[str, Array]:
    """COLUMNS of a piece's combinations, (N,) each, in their order."""
    branch = grid.branches[piece.branch]
    settings = grid.settings.changed(**branch.chosen(piece.start))
    rankings = evidence.aligned(branch, settings)
    if branch.question.measure is not None and not branch.question.measure.per_query:
        return _slopes(grid, branch, piece, rankings)
    step = _in_one_pass(branch)
    passes = []
    for first in range(piece.start // step * step, piece.stop, step):
        rows = np.arange(max(first, piece.start), min(first + step, piece.stop))
        passes.append(_pass(branch, grid.settings.changed(**branch.chosen(int(rows[0]))), rankings, rows))
    values = np.concatenate(passes).astype(np.float64, copy=False)
    return _compared(grid, branch.question, rankings, values)


def _slopes(grid: Grid, branch: Branch, piece: Piece, rankings: AlignedRankings) -> dict[str, Array]:
    """COLUMNS of GSR, a slope: each combination for itself."""
    parts = []
    for row in range(piece.start, piece.stop):
        settings = grid.settings.changed(**branch.chosen(row))
        question = ask(branch.text, settings)
        direction = direction_of(settings)
        query, lists, _ = list_genderedness(grid.study, rankings, as_asked(question, settings), direction)
        parts.append(_compared(grid, question, rankings, lists[None], query))
    return {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS}


def _compared(
    grid: Grid, question: Question, rankings: AlignedRankings, values: Array, query: Array | None = None
) -> dict[str, Array]:
    """COLUMNS of values of runs, (N, runs, Q): of a stochastic system, its mean over the draws is compared."""
    by_system = Selection(grid.study, rankings, grid.systems, rankings.lists.queries).take(values)
    return compared(by_system, question, replace(rankings.lists, systems=grid.systems), grid.how, query)


def _pass(branch: Branch, settings: Settings, rankings: AlignedRankings, rows: Array) -> Array:
    """The values of combinations that differ in nothing but cutoff and alpha, from one pass over ranks, (N, S, Q)."""
    levels, codes = dict(branch.axes), {name: every[rows] for name, every in branch.codes.items()}
    question = ask(branch.text, settings)
    cutoffs, at = np.array([question.cutoff]), np.zeros(len(rows), dtype=np.int64)
    if "cutoff" in levels:
        distinct_codes, at = np.unique(codes["cutoff"], return_inverse=True)
        cutoffs = np.array(levels["cutoff"], dtype=np.int64)[distinct_codes]
    bias = bias_of(rankings, settings, int(cutoffs.max()))
    if "alpha" not in levels:
        return _at(rankings, question, settings, cutoffs, bias)[at]
    distinct_codes, which = np.unique(codes["alpha"], return_inverse=True)
    alphas = np.array(levels["alpha"], dtype=np.float64)[distinct_codes]
    if question.name == "CWEx":
        return _mixed(rankings, alphas, bias, cutoffs)[at, which]
    variants = [question.changed(alpha=alpha) for alpha in alphas.tolist()]
    return np.stack([_at(rankings, variant, settings, cutoffs, bias) for variant in variants], axis=1)[at, which]


def _at(rankings: AlignedRankings, question: Question, settings: Settings, cutoffs: Array, bias: PositionBias) -> Array:
    order = np.unique(cutoffs)  # sums over ranks are made for ascending cutoffs
    return values_at(rankings, question, settings, order, bias)[np.searchsorted(order, cutoffs)]


def _mixed(rankings: AlignedRankings, alphas: Array, bias: PositionBias, cutoffs: Array) -> Array:
    """CWEx mixes two parts for every alpha, (C, L, S, Q)."""
    neutral, gap = (part[:, None] for part in neutral_and_gap(rankings, bias, cutoffs))
    values = mixed(alphas[:, None, None], neutral, gap)
    return np.where(rankings.lists.lengths == 0, np.nan, values)


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Compute products of matrices in the calling thread. The limit is the process's: the last context to exit removes
    it."""
    with _LOCK:
        if not _COUNT[0]:
            _HELD.append(threadpool_limits(1, user_api="blas"))
        _COUNT[0] += 1
    try:
        yield
    finally:
        with _LOCK:
            _COUNT[0] -= 1
            if not _COUNT[0]:
                _HELD.pop().restore_original_limits()


def cores() -> int:
    """Return the number of cores available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Work:
    """The combinations of a grid, as far as they are computed. Mutable; safe to read while it runs.

    columns: COLUMNS (N,) by name, over all combinations of the grid, NaN where not yet computed. done (N,). problem:
    the error that ended it early.
    """

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.columns: dict[str, Array] = {name: np.full(grid.count, np.nan) for name in COLUMNS}
        self.done = np.zeros(grid.count, dtype=bool)
        self.problem: Exception | None = None
        self._open = batches_of(grid)[::-1]  # the next one is the last of the list
        self._evidence = Evidence(grid)
        self._lock, self._stopped = Lock(), Event()
        self._threads: list[Thread] = []

    @property
    def finished(self) -> int:
        """The number of computed combinations."""
        return int(self.done.sum())

    @property
    def whole(self) -> bool:
        """True if all combinations are computed."""
        return bool(self.done.all())

    @property
    def running(self) -> bool:
        """True while it is being computed."""
        return any(thread.is_alive() for thread in self._threads)

    def stop(self) -> None:
        """Lets the pieces that are begun be finished, and begins no other."""
        self._stopped.set()

    def start(self, workers: int | None = None) -> None:
        """Computes in the background what is not yet computed, where it is not being computed already."""
        if self.running or self.whole:
            return
        self._stopped.clear()
        self.problem = None
        self._threads = [Thread(target=self._work, name=f"combinations {number}", daemon=True)
                         for number in range(workers or cores())]  # fmt: skip
        for thread in self._threads:
            thread.start()

    def wait(self) -> None:
        """Returns when nothing is being computed any more."""
        for thread in self._threads:
            thread.join()

    def run(self, told: Callable[[int, int], object] = lambda done, count: None, workers: int | None = None) -> None:
        """Compute the missing combinations; `told(done, total)` is called now and then.

        Ctrl-C, or `stop`, ends it after the pieces that are begun. Raises FairvizError as `evaluate` does.
        """
        with interrupts.checked() as check:
            self.start(workers)
            try:
                for thread in self._threads:
                    while thread.is_alive():
                        thread.join(LOOK)
                        check()
                        told(self.finished, self.grid.count)
            finally:
                self.stop()
                self.wait()
        if self.problem is not None:
            raise self.problem

    def estimate(self) -> float:
        """Seconds that all of it would take, from a piece that is computed now, twice.

        The first time pays for words and lists, which each other way to count and lay out costs as well; the second
        time for combinations alone.
        """
        small = batches_of(self.grid, SAMPLE)[0]
        spent = []
        for _ in range(2):
            began = time.perf_counter()
            self._keep(small, computed(self.grid, self._evidence, small))
            spent.append(time.perf_counter() - began)
        sharing = [_sharing(branch) for branch in self.grid.branches]
        ways = len({(piece.branch, piece.start // sharing[piece.branch]) for piece in self._open})
        rate = spent[1] / (small.stop - small.start)
        return (max(spent[0] - spent[1], 0.0) * ways + rate * self.grid.count) / cores()

    def _work(self) -> None:
        try:
            self._compute()
        except FairvizError as error:
            self._end(error)
        except Exception as error:
            LOG.exception("a sensitivity analysis failed")
            self._end(error)

    def _compute(self) -> None:
        """Compute one open piece after another until none is left, or the work is stopped."""
        with one_thread_each():
            while not self._stopped.is_set() and (piece := self._next()) is not None:
                self._keep(piece, computed(self.grid, self._evidence, piece))

    def _next(self) -> Piece | None:
        with self._lock:
            return self._open.pop() if self._open else None

    def _end(self, error: Exception) -> None:
        self.problem = error
        self.stop()

    def _keep(self, piece: Piece, columns: dict[str, Array]) -> None:
        first = self.grid.starts[piece.branch]
        rows = slice(first + piece.start, first + piece.stop)
        with self._lock:
            for name, values in columns.items():
                self.columns[name][rows] = values
            self.done[rows] = True
