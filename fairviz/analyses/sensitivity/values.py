"""The values of the systems under a run of a measure's combinations: cutoffs from one pass, alphas mixed.

Axis letters: N combinations, C cutoffs, L levels of alpha, Q queries.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from fairviz.analyses.sensitivity.differences import COLUMNS, compared
from fairviz.analyses.sensitivity.evidence import Evidence
from fairviz.analyses.sensitivity.grid import EVIDENCE, WITHIN, Branch, Grid
from fairviz.evaluation.choices import Selection
from fairviz.evaluation.gsr import direction_of, list_genderedness
from fairviz.evaluation.questions import as_asked, ask
from fairviz.evaluation.scores import bias_of, values_at
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.cwex import mixed, neutral_and_gap
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.sums import AlignedRankings

Array = np.ndarray
IN_TEXT = ("background", "tau", "cutoff", "alpha")  # choices that a measure's text holds
TOGETHER = 600  # combinations that are compared at once


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
        whole = _size(branch, EVIDENCE, without=True)  # combinations that share all arrays
        step = _size(branch, WITHIN)  # combinations that come from one pass over ranks
        length = together // step * step or together
        for first in range(0, branch.count, whole):
            for start in range(first, first + whole, length):
                pieces.append((first // whole, Piece(number, start, min(start + length, first + whole))))
    return [piece for _, piece in sorted(pieces, key=lambda each: each[0])]


def _size(branch: Branch, names: Sequence[str], without: bool = False) -> int:
    sizes = [len(levels) for name, levels in branch.axes if (name in names) != without]
    return int(np.prod(sizes, dtype=np.int64))


def computed(grid: Grid, evidence: Evidence, piece: Piece) -> dict[str, Array]:
    """COLUMNS of a piece's combinations, (N,) each, in their order."""
    branch = grid.branches[piece.branch]
    settings = grid.settings.changed(**branch.chosen(piece.start))
    places = evidence.places(branch, settings)
    if branch.question.measure is not None and not branch.question.measure.per_query:
        return _slopes(grid, branch, piece, places)
    step = _size(branch, WITHIN)
    passes = []
    for first in range(piece.start // step * step, piece.stop, step):
        rows = np.arange(max(first, piece.start), min(first + step, piece.stop))
        passes.append(_pass(branch, grid.settings.changed(**branch.chosen(int(rows[0]))), places, rows))
    values = np.concatenate(passes).astype(np.float64, copy=False)
    return _compared(grid, branch.question, places, values)


def _compared(
    grid: Grid, question: Question, places: AlignedRankings, values: Array, query: Array | None = None
) -> dict[str, Array]:
    """COLUMNS of values of runs, (N, runs, Q): of a stochastic system, its mean over the draws is compared."""
    by_system = Selection(grid.study, places, grid.systems, places.rankings.queries).take(values)
    return compared(by_system, question, replace(places.rankings, systems=grid.systems), grid.how, query)


def _slopes(grid: Grid, branch: Branch, piece: Piece, places: AlignedRankings) -> dict[str, Array]:
    """GSR of each combination of a piece."""
    parts = []
    for row in range(piece.start, piece.stop):
        settings = grid.settings.changed(**branch.chosen(row))
        question = ask(branch.text, settings)
        direction = direction_of(settings)
        query, lists, _ = list_genderedness(grid.study, places, as_asked(question, settings), direction)
        parts.append(_compared(grid, question, places, lists[None], query))
    return {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS}


def _pass(branch: Branch, settings: Settings, places: AlignedRankings, rows: Array) -> Array:
    """The values of combinations that differ in nothing but cutoff and alpha, from one pass over ranks, (N, S, Q)."""
    levels, codes = dict(branch.axes), dict(zip(branch.names, branch.codes(rows), strict=True))
    question = ask(branch.text, settings)
    cutoffs, at = np.array([question.cutoff]), np.zeros(len(rows), dtype=np.int64)
    if "cutoff" in levels:
        distinct_codes, at = np.unique(codes["cutoff"], return_inverse=True)
        cutoffs = np.array(levels["cutoff"], dtype=np.int64)[distinct_codes]
    bias = bias_of(places, settings, int(cutoffs.max()))
    if "alpha" not in levels:
        return _at(places, question, settings, cutoffs, bias)[at]
    distinct_codes, which = np.unique(codes["alpha"], return_inverse=True)
    alphas = np.array(levels["alpha"], dtype=np.float64)[distinct_codes]
    if question.name == "CWEx":
        return _mixed(places, alphas, bias, cutoffs)[at, which]
    variants = [question.changed(alpha=alpha) for alpha in alphas.tolist()]
    return np.stack([_at(places, variant, settings, cutoffs, bias) for variant in variants], axis=1)[at, which]


def _at(places: AlignedRankings, question: Question, settings: Settings, cutoffs: Array, bias: PositionBias) -> Array:
    order = np.unique(cutoffs)  # sums over ranks are made for ascending cutoffs
    return values_at(places, question, settings, order, bias)[np.searchsorted(order, cutoffs)]


def _mixed(places: AlignedRankings, alphas: Array, bias: PositionBias, cutoffs: Array) -> Array:
    """CWEx mixes two parts for every alpha, (C, L, S, Q)."""
    neutral, gap = (part[:, None] for part in neutral_and_gap(places, bias, cutoffs))
    values = mixed(alphas[:, None, None], neutral, gap)
    return np.where(places.rankings.lengths == 0, np.nan, values)


def texts_of(branch: Branch, settings: Settings) -> dict[tuple, str]:
    """Return the measure's canonical text by the levels of its parameters: alpha, cutoff, tau and background."""
    axes = [(name, levels) for name, levels in branch.axes if name in IN_TEXT]
    names = [name for name, _ in axes]
    return {
        found: ask(branch.text, settings.changed(**dict(zip(names, found, strict=True)))).text
        for found in product(*(levels for _, levels in axes))
    }
