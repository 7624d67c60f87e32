"""Error rate of a family under the null, and simultaneous coverage of its intervals.

`python -m benchmarks.error_rates FILE` prints the tables. A cell is a shape of values, a number of systems and of
queries, and a correlation of systems. Cells are stored as they are made, so that a stopped run resumes. Axis letters:
R replications, S systems, Q queries, P pairs, C contrasts, B draws.
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
from fairviz.statistics.contrasts import folded, folded_interval
from fairviz.statistics.signs import signs
from fairviz.statistics.simultaneous import MOST_SKEWED

Array = np.ndarray
QUERIES, SYSTEMS, CORRELATIONS = (10, 20, 40, 200), (2, 7, 12), (0.0, 0.5, 0.95)
REPLICATIONS, DRAWS, ALPHA = 5000, 999, 0.05
BATCH = 10  # replications that share a table of signs


@dataclass(frozen=True, eq=False)
class Simulated:
    """The maxT intervals of all pairs in each replication.

    low, high: (R, P). withheld: (R,), whether a family is too skewed for verdicts.
    """

    low: Array
    high: Array
    withheld: Array


def intervals(values: Array, table: Array, shape: Shape, alpha: float = ALPHA) -> Simulated:
    """Return what `compare_blocks` gives on each of R replications.

    values: (R, S, Q), all defined. table: (B, Q) signs. Draws are float32 here, which the tests of fairviz are not.
    """
    queries, means = values.shape[2], values.mean(axis=2)
    residuals = values - means[:, :, None]
    if shape.logarithm:
        residuals, means = residuals / means[:, :, None], np.log(means)
    first, second = pairs_of(values.shape[1])
    largest = _largest(residuals, table, shape.folded)
    critical = _critical(largest, queries, alpha)
    rooms, withheld = [], np.zeros(len(values), dtype=bool)
    for sign in (-1, 1) if shape.folded else (-1,):
        value = means[:, first] + sign * means[:, second]
        half, skewness = _half_widths(residuals, sign, critical)
        withheld |= (skewness**2).mean(axis=1) / np.sqrt(queries) > MOST_SKEWED
        rooms.append((value - half, value + half))
    low, high = folded_interval(*rooms) if shape.folded else rooms[0]
    return Simulated(low, high, withheld & (not shape.folded))


def pairs_of(systems: int) -> tuple[Array, Array]:
    """Return the places of both systems of each pair, (P,) each."""
    first, second = np.array(list(combinations(range(systems), 2))).T
    return first, second


def _largest(residuals: Array, table: Array, both: bool) -> Array:
    """Return the largest share of a contrast's sum of squares that its drawn mean explains, (R, B)."""
    count, systems, queries = residuals.shape
    sums = residuals.reshape(-1, queries).astype(np.float32) @ table.T.astype(np.float32)
    sums = sums.reshape(count, systems, len(table))
    inner = residuals @ residuals.transpose(0, 2, 1)
    largest = np.zeros((count, len(table)), dtype=np.float32)
    for sign, (a, b) in product((-1, 1) if both else (-1,), combinations(range(systems), 2)):
        squares = np.maximum(inner[:, a, a] + inner[:, b, b] + 2 * sign * inner[:, a, b], 1e-12)
        drawn = sums[:, a] + sums[:, b] if sign > 0 else sums[:, a] - sums[:, b]
        drawn *= drawn
        drawn *= (1 / (queries * squares)).astype(np.float32)[:, None]
        np.maximum(largest, drawn, out=largest)
    return largest


def _half_widths(residuals: Array, sign: int, critical: Array) -> tuple[Array, Array]:
    """Return half widths and skewness of all contrasts, (R, P) each: residuals (R, S, Q), critical (R,).

    Moments of a pair follow from products of systems: (x + sy)³ = x³ + sy³ + 3s·x²y + 3·xy².
    """
    queries, (first, second) = residuals.shape[2], pairs_of(residuals.shape[1])
    turned = residuals.transpose(0, 2, 1)
    inner, mixed = residuals @ turned / queries, (residuals * residuals) @ turned / queries
    squares = inner[:, first, first] + inner[:, second, second] + 2 * sign * inner[:, first, second]
    cubes = mixed[:, first, first] + sign * mixed[:, second, second]
    cubes += 3 * (sign * mixed[:, first, second] + mixed[:, second, first])
    squares = np.where(squares > 1e-12, squares, 0.0)
    skewness = np.where(squares > 0, cubes / np.where(squares > 0, squares, 1.0) ** 1.5, 0.0)
    c = critical[:, None]
    wider = c * (1 + skewness**2 / (18 * queries) * np.maximum(c**4 + 2 * c**2 - 3, 0))
    return wider * np.sqrt(squares / (queries - 1)), skewness


def _critical(shares: Array, queries: int, alpha: float) -> Array:
    """Return c of each replication, (R,): the draw of the largest |t| above which p ≤ alpha.

    shares: (R, B) of the sum of squares that a drawn mean explains; t² = (Q − 1)·s / (1 − s) rises with it.
    """
    count = int(alpha * (shares.shape[1] + 1) * (1 + 1e-9))
    share = np.partition(shares, -count, axis=1)[:, -count].astype(np.float64)
    return np.sqrt((queries - 1) * share / np.maximum(1 - share, 1e-9))


class Cell(NamedTuple):
    """Shares of replications. error: a family without differences shows one; coverage: all intervals hold the true
    values; wrong: a verdict that is offered is wrong; withheld: the differences are too skewed for verdicts."""

    shape: str
    systems: int
    queries: int
    correlation: float
    error: float
    coverage: float
    wrong: float
    withheld: float


def cell(name: str, systems: int, queries: int, correlation: float, replications: int = REPLICATIONS) -> Cell:
    """Simulate one cell, with new signs for every few replications."""
    shape, (first, second) = SHAPES[name], pairs_of(systems)
    generator = np.random.default_rng([list(SHAPES).index(name), systems, queries, int(100 * correlation)])
    true = shape.estimates(systems)
    u, v = true[first] - true[second], true[first] + true[second]
    apart, counts = (folded(u, v) if shape.folded else u), np.zeros(4)
    for start in range(0, replications, BATCH):
        table = signs(queries, DRAWS, int(generator.integers(2**31)))
        values = shape.draw(generator, (min(BATCH, replications - start), systems, queries), correlation)
        ours = intervals(values, table, shape)
        missed = ((ours.low > apart) | (ours.high < apart)).any(axis=1)
        errors, null = missed, ours  # intervals of means move with them, so that one run serves both
        if shape.folded:
            null = intervals(shape.under_null(values), table, shape)
            errors = ((null.low > 0) | (null.high < 0)).any(axis=1)
        counts += errors.sum(), (~missed).sum(), (errors & ~null.withheld).sum(), null.withheld.sum()
    return Cell(name, systems, queries, correlation, *(counts / replications).tolist())


def cells() -> Iterator[tuple[str, int, int, float]]:
    """Yield what every cell is of, small ones first."""
    for queries, systems, name, correlation in product(QUERIES, SYSTEMS, SHAPES, CORRELATIONS):
        yield name, systems, queries, correlation


def run(path: Path) -> None:
    """Compute the cells that the file does not hold yet, and add each as a line."""
    held = {row[:4] for row in read(path)}
    for key in cells():
        if key not in held:
            append(path, cell(*key)._asdict(), 0o644)


def read(path: Path) -> list[Cell]:
    """Return the cells of a file."""
    return [Cell(**row) for row in read_records(path).rows]


WORST: dict[str, Callable[[list[float]], float]] = {"error": max, "coverage": min, "wrong": max, "withheld": max}


def table_of(found: list[Cell], field: str) -> list[str]:
    """Return one figure as the lines of a table: of shapes by queries, the worst over correlations for each number of
    systems."""
    lines = ["| | " + " | ".join(f"{count} queries" for count in QUERIES) + " |", "|---" * (len(QUERIES) + 1) + "|"]
    for name in SHAPES:
        parts = []
        for queries, size in product(QUERIES, SYSTEMS):
            rows = [getattr(row, field) for row in found if row[:3] == (name, size, queries)]
            parts.append(f"{WORST[field](rows):.3f}" if rows else "")
        cells = [" ".join(parts[start : start + len(SYSTEMS)]) for start in range(0, len(parts), len(SYSTEMS))]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


if __name__ == "__main__":
    stored = Path(sys.argv[1])
    run(stored)
    for heading in WORST:
        print("\n".join(["", heading, "", *table_of(read(stored), heading)]))
