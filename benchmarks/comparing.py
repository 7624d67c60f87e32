"""Time of comparing twelve systems over 1,765 queries by every measure: bootstrap, randomisation, margin and power."""

import time
from collections.abc import Callable

import pandas as pd
from fairviz.evaluation.comparing import comparison

from benchmarks.synthetic import made_up
from fairviz.evaluation.equivalence import extended
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.measures import MEASURES
from fairviz.statistics.bootstrap import resampling_weights

SIZE = (12, 1765, 100)
DRAWN, SIGNS = 10_000, 100_000


def every_measure() -> pd.DataFrame:
    """The scores of every measure that has a value for a query, and of nDCG."""
    names = [name for name, measure in MEASURES.items() if measure.per_query]
    return evaluate(made_up(*SIZE), [*names, "nDCG"])


def timed(work: Callable[[], object]) -> float:
    """Seconds of one run that finds nothing in memory: what takes longest is kept after it."""
    resampling_weights.cache_clear()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def run() -> list[str]:
    """The report, line by line."""
    scores = every_measure()
    measures = scores["measure"].nunique()
    extended(comparison(scores.groupby("measure", observed=True).head(24_000)), 0.01, 0.8)  # imports are not measured
    means = timed(lambda: summarise(scores, resamples=DRAWN))
    pairs = timed(lambda: comparison(scores, "system00", resamples=DRAWN))
    signs = timed(lambda: comparison(scores, "system00", test="randomisation", draws=SIGNS))
    more = timed(lambda: extended(comparison(scores, "system00"), 0.01, 0.8))
    return [
        f"Comparing {SIZE[0]} systems over {SIZE[1]:,} queries by {measures} measures",
        f"  {DRAWN:,} bootstrap draws: {means:.2f} s for intervals of all means, {pairs:.2f} s for those of all "
        "differences to one system, with their t tests",
        f"  randomisation tests with {SIGNS:,} draws of signs: {signs:.2f} s",
        f"  t tests with 1,000 draws, equivalence and power: {more:.2f} s",
    ]


if __name__ == "__main__":
    print("\n".join(run()), flush=True)
