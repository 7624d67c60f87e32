"""Error rate of a family under the null, simultaneous coverage of its intervals, and power, by single-step maxT.

`python -m benchmarks.error_rates FILE [REPLICATIONS]` simulates the cells that the file lacks and prints the tables;
`… FILE 0` prints them. A cell is a shape of values, a number of systems and of queries, and a correlation of systems.
Cells are stored as they are made, so that a stopped run resumes. Axis letters: R replications, S systems, Q queries,
P pairs, C contrasts, B draws.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.simulated import SHAPES, Shape
from fairviz.home.json_lines import append, read_records
from fairviz.statistics.contrasts import SLACK, folded, folded_interval
from fairviz.statistics.references import FEW, LEAST, SMALL, SMALL_FAMILY, resampled_counts, signs, widened

Array = np.ndarray
QUERIES, SYSTEMS, CORRELATIONS = (10, 20, 40, 200), (2, 3, 4, 7, 12), (0.0, 0.5, 0.95)
REPLICATIONS, DRAWS, ALPHA = 5000, 999, 0.05
BATCH = 10  # replications that share their draws
EFFECT = 0.8  # standard deviations of a pair's differences, for power
TINY = 1e-12


@dataclass(frozen=True, eq=False)
class Simulated:
    """The maxT intervals of all pairs in each replication: low and high, (R, P).

    Of the first pair's difference, value, and how far its interval reaches below and above it, (R,); plain: half the
    width of the interval by random signs and the pair's own skewness alone.
    """

    low: Array
    high: Array
    value: Array
    below: Array
    above: Array
    plain: Array


def intervals(values: Array, seed: int, shape: Shape, draws: int = DRAWS, alpha: float = ALPHA) -> Simulated:
    """Return what `compare_blocks` gives on each of R replications with these draws and seed.

    values: (R, S, Q), all defined. Draws are float32 here, which the tests of fairviz are not.
    """
    _, systems, queries = values.shape
    means = values.mean(axis=2)
    residuals = values - means[:, :, None]
    if shape.logarithm:
        residuals, means = residuals / means[:, :, None], np.log(means)
    signed = (-1, 1) if shape.folded else (-1,)
    first, second = pairs_of(systems)
    moments = [_moments(residuals, sign) for sign in signed]
    squared_skewness = np.stack([skewness**2 for _, skewness in moments])  # (signs, R, P), NaN where flat
    varies = ~np.isnan(squared_skewness)
    median = np.zeros(len(values))
    has_any = varies.any(axis=(0, 2))
    median[has_any] = np.nanmedian(squared_skewness[:, has_any], axis=(0, 2))
    critical = _critical(_largest(residuals, signs(queries, draws, seed), signed), queries, alpha)[:, None]
    is_small = varies.sum(axis=(0, 2)) <= FEW

    ends, parts = [], []
    for (deviation, _), own, sign in zip(moments, squared_skewness, signed, strict=True):
        value, own = means[:, first] + sign * means[:, second], np.nan_to_num(own)
        error = deviation / np.sqrt(queries - 1)
        counted = (1 + SMALL / queries) * np.maximum(own, median[:, None])
        below = widened(critical, counted / (18 * queries)) * error
        plain = widened(critical, own / (18 * queries)) * error
        above = below.copy()
        if is_small.any():
            scale = (1 + SMALL_FAMILY / queries) * error
            low, high = _tails(residuals, (first, second), sign, deviation, seed, draws, alpha)
            wide = (1 + SMALL_FAMILY / queries) * below
            below = np.where(is_small[:, None], np.maximum(wide, scale * high), below)
            above = np.where(is_small[:, None], np.maximum(wide, -scale * low), above)
        ends.append((value - below, value + above))
        parts.append((value[:, 0], below[:, 0], above[:, 0], plain[:, 0]))
    low, high = folded_interval(*ends) if shape.folded else ends[0]
    return Simulated(low, high, *parts[0])


def pairs_of(systems: int) -> tuple[Array, Array]:
    """Return the places of both systems of each pair, (P,) each."""
    first, second = np.array(list(combinations(range(systems), 2))).T
    return first, second


def _moments(residuals: Array, sign: int) -> tuple[Array, Array]:
    """Return the standard deviation (over n) and the skewness of all contrasts, (R, P) each, NaN where flat.

    Moments of a pair follow from products of systems: (x + sy)³ = x³ + sy³ + 3s·x²y + 3·xy².
    """
    queries, (first, second) = residuals.shape[2], pairs_of(residuals.shape[1])
    turned = residuals.transpose(0, 2, 1)
    inner, mixed = residuals @ turned / queries, (residuals * residuals) @ turned / queries
    squares = inner[:, first, first] + inner[:, second, second] + 2 * sign * inner[:, first, second]
    cubes = mixed[:, first, first] + sign * mixed[:, second, second]
    cubes += 3 * (sign * mixed[:, first, second] + mixed[:, second, first])
    squares = np.where(squares > TINY, squares, np.nan)
    return np.sqrt(np.nan_to_num(squares)), cubes / squares**1.5


def _largest(residuals: Array, table: Array, signed: tuple[int, ...]) -> Array:
    """Return the largest share of a contrast's sum of squares that its drawn mean explains, (R, B)."""
    count, systems, queries = residuals.shape
    sums = residuals.reshape(-1, queries).astype(np.float32) @ table.T.astype(np.float32)
    sums = sums.reshape(count, systems, len(table))
    inner = residuals @ residuals.transpose(0, 2, 1)
    largest = np.zeros((count, len(table)), dtype=np.float32)
    for sign, (a, b) in product(signed, combinations(range(systems), 2)):
        squares = np.maximum(inner[:, a, a] + inner[:, b, b] + 2 * sign * inner[:, a, b], TINY)
        drawn = sums[:, a] + sums[:, b] if sign > 0 else sums[:, a] - sums[:, b]
        drawn *= drawn
        drawn *= (1 / (queries * squares)).astype(np.float32)[:, None]
        np.maximum(largest, drawn, out=largest)
    return largest


def _critical(shares: Array, queries: int, alpha: float) -> Array:
    """Return c of each replication, (R,): the draw of the largest |t| above which p ≤ alpha.

    shares: (R, B) of the sum of squares that a drawn mean explains; t² = (Q − 1)·s / (1 − s) rises with it.
    """
    count = int(alpha * (shares.shape[1] + 1) * (1 + SLACK))
    share = np.partition(shares, -count, axis=1)[:, -count].astype(np.float64)
    return np.sqrt((queries - 1) * share / np.maximum(1 - share, SLACK))


def _tails(
    residuals: Array, pair: tuple[Array, Array], sign: int, deviation: Array, seed: int, draws: int, alpha: float
) -> tuple[Array, Array]:
    """Return both ends of t under resampled queries, equal tails, of all contrasts, (R, P) each."""
    (count, _, queries), tail = residuals.shape, (int(alpha * (draws + 1) * (1 + SLACK)) - 1) // 2
    table = resampled_counts(queries, draws, seed).T.astype(np.float32) / queries
    points = residuals[:, pair[0]] + sign * residuals[:, pair[1]]
    points = (points / np.where(deviation > 0, deviation, 1.0)[:, :, None]).astype(np.float32).reshape(-1, queries)
    means, squares = points @ table, (points * points) @ table
    least = max(LEAST[0], LEAST[1] / queries) ** 2
    t = np.partition(means / np.sqrt(np.maximum(squares - means * means, least) / (queries - 1)), (tail - 1, -tail))
    return t[:, tail - 1].reshape(count, -1), t[:, -tail].reshape(count, -1)


class Cell(NamedTuple):
    """Shares of replications. error: a family without differences shows one; coverage: all intervals hold the true
    values; power: a difference of EFFECT of the first two systems is shown, up or down; plain: the same by random signs
    and the pair's own skewness alone. replications: their number."""

    shape: str
    systems: int
    queries: int
    correlation: float
    error: float
    coverage: float
    power: float
    plain: float
    replications: int = REPLICATIONS


def cell(name: str, systems: int, queries: int, correlation: float, replications: int = REPLICATIONS) -> Cell:
    """Simulate one cell, with new draws for every few replications."""
    shape, (first, second) = SHAPES[name], pairs_of(systems)
    generator = np.random.default_rng([list(SHAPES).index(name), systems, queries, int(100 * correlation)])
    true = shape.estimates(systems)
    u, v = true[first] - true[second], true[first] + true[second]
    apart, counts = (folded(u, v) if shape.folded else u), np.zeros(4)
    shift = EFFECT * _deviation(shape, generator, correlation)
    for start in range(0, replications, BATCH):
        seed = int(generator.integers(2**31))
        values = shape.draw(generator, (min(BATCH, replications - start), systems, queries), correlation)
        ours = intervals(values, seed, shape)
        missed = ((ours.low > apart + TINY) | (ours.high < apart - TINY)).any(axis=1)
        errors = missed  # intervals of means move with them, so that one run serves both
        if shape.folded:
            null = intervals(shape.under_null(values), seed, shape)
            errors = ((null.low > TINY) | (null.high < -TINY)).any(axis=1)
        off = ours.value - u[0]
        shown = [(off + shift > ours.below).sum() + (shift - off > ours.above).sum()]
        shown.append((off + shift > ours.plain).sum() + (shift - off > ours.plain).sum())
        counts += errors.sum(), (~missed).sum(), shown[0] / 2, shown[1] / 2
    return Cell(name, systems, queries, correlation, *(counts / replications).tolist(), replications)


def _deviation(shape: Shape, generator: np.random.Generator, correlation: float) -> float:
    """Return the standard deviation of the differences of the first two systems."""
    values = shape.draw(generator, (1, 2, 100_000), correlation)[0]
    values = values / values.mean(axis=1, keepdims=True) if shape.logarithm else values
    return float((values[0] - values[1]).std())


def cells() -> Iterator[tuple[str, int, int, float]]:
    """Yield what every cell is of, small ones first."""
    for queries, systems, name, correlation in product(QUERIES, SYSTEMS, SHAPES, CORRELATIONS):
        yield name, systems, queries, correlation


def run(path: Path, replications: int = REPLICATIONS) -> None:
    """Compute the cells that the file does not hold yet, and add each as a line."""
    held = {row[:4] for row in read(path)}
    for key in cells():
        if key not in held:
            append(path, cell(*key, replications)._asdict(), 0o644)


def read(path: Path) -> list[Cell]:
    """Return the cells of a file."""
    return [Cell(**row) for row in read_records(path).rows]


WORST: dict[str, Callable[[list[float]], float]] = {"error": max, "coverage": min, "power": min, "plain": min}


def table_of(found: list[Cell], field: str) -> list[str]:
    """Return one figure as the lines of a table: of shapes by queries, the worst over correlations for each number of
    systems; * where correlations or replications are missing."""
    lines = ["| | " + " | ".join(f"{count} queries" for count in QUERIES) + " |", "|---" * (len(QUERIES) + 1) + "|"]
    for name in SHAPES:
        parts = []
        for queries, size in product(QUERIES, SYSTEMS):
            rows = [row for row in found if row[:3] == (name, size, queries)]
            whole = len(rows) == len(CORRELATIONS) and min(row.replications for row in rows) >= REPLICATIONS
            worst = WORST[field]([getattr(row, field) for row in rows]) if rows else 0.0
            parts.append(f"{worst:.3f}".removeprefix("0") + "*" * (not whole) if rows else "–")
        cells = [" ".join(parts[start : start + len(SYSTEMS)]) for start in range(0, len(parts), len(SYSTEMS))]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def missed(found: list[Cell]) -> list[str]:
    """Return a line for each cell from 20 queries on whose error is above .06, or .07 for a pair alone."""
    return [
        f"{row.shape}, {row.systems} systems, {row.queries} queries, correlation {row.correlation:g}: {row.error:.3f}"
        for row in found
        if row.queries >= 20 and row.error > (0.07 if row.systems == 2 else 0.06)
    ]


if __name__ == "__main__":
    stored, count = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else REPLICATIONS
    if count:
        run(stored, count)
    for heading in WORST:
        print("\n".join(["", heading, "", *table_of(read(stored), heading)]))
    print("\n".join(["", "missed", "", *missed(read(stored))]))
