"""Coverage of the 95 % interval of a distance from the achievable front, and error rates of paired tests of two.

`python -m benchmarks.front_distances` prints the table. Queries are drawn from a population with a known distance: of
random fronts, or the queries of newswire. Under the null a second system is moved until both are equally far.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from fairviz.comparison.pareto_front import achievable, front_choice
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.settings import Settings
from fairviz.statistics.fronts import QueryFronts, distance_values, point_along, query_fronts, upper_front
from fairviz.statistics.intervals import mean_interval

Array = np.ndarray
QUERIES, REPLICATIONS, WEIGHTS = (10, 20, 40, 200), 1000, (0.2, 0.5, 0.8)


@dataclass(frozen=True, eq=False)
class Population:
    """Queries with their fronts, (V, 2) each, and the values of two systems, (N, 2) each."""

    fronts: list[Array]
    first: Array
    second: Array

    def drawn(self, places: Array) -> QueryFronts:
        """Return the fronts of queries by their places."""
        return query_fronts([self.fronts[place] for place in places])

    def equally_far(self, weight: float) -> "Population":
        """Return the population with the second system moved in effectiveness until both distances are equal."""
        reference = point_along(query_fronts(self.fronts).points, weight)[0]
        target = np.linalg.norm(self.first.mean(axis=0) - reference)
        lower = np.array([0.0, self.second.mean(axis=0)[1] - reference[1] + 0.5 * target])
        second, along = self.second - lower, np.array([1.0, 0.0])
        apart = second.mean(axis=0) - reference
        shift = brentq(lambda step: np.linalg.norm(apart + step * along) - target, -5, -apart[0])
        return Population(self.fronts, self.first, second + shift * along)


def random_population(seed: int = 0, queries: int = 4000) -> Population:
    """Return queries with fronts of twelve uniform points, and two systems whose lists are skewed away from them."""
    generator = np.random.default_rng(seed)
    fronts = [upper_front(generator.random((12, 2))) for _ in range(queries)]
    middles = np.array([front.mean(axis=0) for front in fronts])
    systems = [middles * generator.beta(2, 1, (queries, 2)) * factor for factor in (0.9, 0.7)]
    return Population(fronts, *systems)


def newswire_population(first: str = "bm25", second: str = "w2v_add", cutoff: int = Settings.cutoff) -> Population:
    """Return the queries of newswire with nDCG and CWEx of two systems."""
    settings = Settings(cutoff=cutoff)
    held = achievable(open_study("newswire"), front_choice("DPFR", settings), settings)
    return Population(list(held.fronts[0]), *(held.values[held.systems.index(name)] for name in (first, second)))


def rates(population: Population, queries: int, weight: float, replications: int = REPLICATIONS) -> tuple[float, float]:
    """Return the coverage of the first system's interval, and how often a test of equal distances rejects at .05."""
    population = population.equally_far(weight)
    true = distance_values(query_fronts(population.fronts), population.first, weight).mean()
    generator, covered, rejected = np.random.default_rng(queries), 0, 0
    for _ in range(replications):
        places = generator.integers(0, len(population.fronts), queries)
        fronts = population.drawn(places)
        first, second = (distance_values(fronts, values[places], weight)
                         for values in (population.first, population.second))  # fmt: skip
        low, high = mean_interval(np.stack([first, first - second]))
        covered += low[0] <= true <= high[0]
        rejected += not low[1] <= 0 <= high[1]
    return covered / replications, rejected / replications


def run(replications: int = REPLICATIONS) -> list[str]:
    """Return the lines of the table: coverage and error rate in each cell."""
    lines = ["| | " + " | ".join(f"{queries} queries" for queries in QUERIES) + " |", "|---" * (len(QUERIES) + 1) + "|"]
    for name, population in (("random", random_population()), ("newswire", newswire_population())):
        for weight in WEIGHTS:
            cells = [" ".join(f"{rate:.3f}"[1:] for rate in rates(population, queries, weight, replications))
                     for queries in QUERIES]  # fmt: skip
            lines.append(f"| {name}, weight {weight:g} | " + " | ".join(cells) + " |")
    return lines


if __name__ == "__main__":
    print("\n".join(run()), flush=True)
