"""Time of comparing twelve systems over 1,765 queries by every measure: maxT, randomisation, margin and power."""

import time
from collections.abc import Callable

import pandas as pd

from benchmarks.synthetic import made_up
from fairviz.evaluation.compare import comparison
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.measures import MEASURES
from fairviz.statistics.signs import signs

SIZE = (12, 1765, 100)


def every_measure() -> pd.DataFrame:
    """The scores of every measure that has a value for a query, and of nDCG."""
    names = [name for name, measure in MEASURES.items() if measure.per_query]
    return evaluate(made_up(*SIZE), [*names, "nDCG"])


def timed(work: Callable[[], object]) -> float:
    """Seconds of one run that finds no signs in memory: what takes longest is kept after it."""
    signs.cache_clear()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def run() -> list[str]:
    """The report, line by line."""
    scores = every_measure()
    measures = scores["measure"].nunique()
    comparison(
        scores.groupby("measure", observed=True).head(24_000), margin=0.01, power=0.8
    )  # imports are not measured
    means = timed(lambda: summarise(scores))
    pairs = timed(lambda: comparison(scores))
    single = timed(lambda: comparison(scores, tests="holm(statistic='randomisation')"))
    more = timed(lambda: comparison(scores, margin=0.01, power=0.8))
    return [
        f"Comparing {SIZE[0]} systems over {SIZE[1]:,} queries by {measures} measures, all pairs",
        f"  intervals of all means: {means:.2f} s; maxT with 10,000 draws: {pairs:.2f} s",
        f"  randomisation tests with Holm: {single:.2f} s; maxT with equivalence and power: {more:.2f} s",
    ]


if __name__ == "__main__":
    print("\n".join(run()), flush=True)
