"""Time of comparing twelve systems over 1,765 queries by every measure: maxT, randomisation, margin and power."""

import time
from collections.abc import Callable

import pandas as pd

from benchmarks.synthetic import made_up
from fairviz.comparison.compare import comparison
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.measures import MEASURES
from fairviz.statistics.references import DRAWS, signs

SIZE = (12, 1765, 100)


def every_measure() -> pd.DataFrame:
    """The scores of every measure that has a value for a query, and of nDCG."""
    names = [name for name, measure in MEASURES.items() if measure.per_query]
    return evaluate(made_up(*SIZE), [*names, "nDCG"])


def timed(work: Callable[[], object]) -> float:
    """Return the seconds of one run that finds nothing in memory: what takes longest is kept after it."""
    signs.cache_clear()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def run() -> list[str]:
    """Return the report, line by line."""
    scores = every_measure()
    measures = scores["measure"].nunique()
    comparison(
        scores.groupby("measure", observed=True).head(24_000), margin=0.01, power=0.8
    )  # imports are not measured
    means = timed(lambda: summarise(scores))
    pairs = timed(lambda: comparison(scores))
    drawn = timed(lambda: comparison(scores, tests="holm(statistic='randomisation')"))
    more = timed(lambda: comparison(scores, margin=0.01, power=0.8))
    return [
        f"Comparing {SIZE[0]} systems over {SIZE[1]:,} queries by {measures} measures",
        f"  {means:.2f} s for intervals of all means, {pairs:.2f} s for all 66 pairs of each measure by maxT with "
        f"{DRAWS:,} draws",
        f"  randomisation tests with as many draws: {drawn:.2f} s",
        f"  maxT with equivalence and minimum detectable differences: {more:.2f} s",
    ]


if __name__ == "__main__":
    print("\n".join(run()), flush=True)
