"""Coverage of three 95 % intervals of one system's mean: Student's t, the percentile bootstrap and BCa.

`python -m benchmarks.mean_intervals` prints the table. Axis letters: R replications, Q queries, B resamples.
"""

import numpy as np
from scipy.special import ndtr, ndtri

from benchmarks.simulated import OBSERVED, SHAPES
from fairviz.statistics.intervals import mean_interval

Array = np.ndarray
NAMES = ("normal", "lognormal alike", "lognormal unlike", "ratio", *OBSERVED)  # of SHAPES
QUERIES, REPLICATIONS, RESAMPLES, BATCH, TAIL = (3, 5, 10, 20, 40, 200), 5000, 999, 100, 0.025


def bootstraps(values: Array, weights: Array) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Return the percentile interval and the BCa interval of each mean, (R,) ends: values (R, Q), weights (B, Q)."""
    means = np.sort(values @ weights.T / values.shape[1], axis=1)
    mean = values.mean(axis=1, keepdims=True)
    below = ((means < mean).mean(axis=1) + (means <= mean).mean(axis=1)) / 2
    ends = np.clip(below, 0.5 / len(weights), 1 - 0.5 / len(weights))
    bias, apart = ndtri(ends), mean - values
    squares = np.maximum((apart**2).sum(axis=1), 1e-300)
    acceleration = -(apart**3).sum(axis=1) / (6 * squares**1.5)  # of the jackknife
    shares = []
    for z in (ndtri(TAIL), -ndtri(TAIL)):
        shares.append(ndtr(bias + (bias + z) / (1 - acceleration * (bias + z))))
    percentile = tuple(np.quantile(means, [TAIL, 1 - TAIL], axis=1))
    places = [np.clip((share * len(weights)).round().astype(int), 0, len(weights) - 1) for share in shares]
    rows = np.arange(len(means))
    return (percentile[0], percentile[1]), (means[rows, places[0]], means[rows, places[1]])


def coverage(name: str, queries: int, replications: int = REPLICATIONS) -> tuple[float, float, float]:
    """Return how often each interval holds the true mean of the second system of a shape, the more skewed one."""
    shape, generator, hits = SHAPES[name], np.random.default_rng([NAMES.index(name), queries]), np.zeros(3)
    true = shape.means(2)[1]
    for start in range(0, replications, BATCH):
        values = shape.draw(generator, (min(BATCH, replications - start), 2, queries), 0.0)[:, 1]
        weights = generator.multinomial(queries, np.full(queries, 1 / queries), size=RESAMPLES).astype(np.float64)
        held = (mean_interval(values), *bootstraps(values, weights))
        hits += [((low <= true) & (true <= high)).sum() for low, high in held]
    t, percentile, bca = (hits / replications).tolist()
    return t, percentile, bca


def run() -> list[str]:
    """Return the lines of the table: t, percentile and BCa in each cell."""
    lines = ["| | " + " | ".join(f"{queries} queries" for queries in QUERIES) + " |", "|---" * (len(QUERIES) + 1) + "|"]
    for name in NAMES:
        cells = [" ".join(f"{share:.3f}"[1:] for share in coverage(name, queries)) for queries in QUERIES]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


if __name__ == "__main__":
    print("\n".join(run()), flush=True)
