"""Time of a move of each control, against per-query Python loops and against streaming the same bytes with numpy.

Run as `make bench`. Everything is measured in one process, and ratios are taken within it: they travel to another
machine, seconds do not. The loops run on a part of the queries where all would take minutes, and say so.
"""

import math
import resource
import time
from collections.abc import Callable

import numpy as np

from benchmarks.synthetic import made_up
from fairviz.comparison.curves import cutoff_grid, over_cutoffs
from fairviz.evaluation.choices import align
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate, values_at
from fairviz.evaluation.settings import Settings
from fairviz.measures.cwex import mixed, neutral_and_gap
from fairviz.measures.neutrality import neutrality
from fairviz.measures.sums import AlignedRankings
from fairviz.statistics.intervals import mean_over_queries, resampled_means
from fairviz.study.record import Study

MEASURES = ("CWEx", "NFaiRR", "TExFAIR", "RaB", "ARaB")
SIZES = ((12, 215, 200), (12, 1765, 1000))


def seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """The median time of a few runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2]


def all_measures(rankings: AlignedRankings, settings: Settings, cutoffs: np.ndarray) -> list[np.ndarray]:
    """The five measures at these cutoffs, each (C, S, Q)."""
    return [values_at(rankings, ask(name, settings), settings, cutoffs) for name in MEASURES]


def looped_nfairr(rankings: AlignedRankings, queries: int) -> list[float]:
    """NFaiRR at every cutoff as a person would first write it: for each system, query and cutoff, a sum over ranks."""
    omega = dict(enumerate(neutrality(rankings, 1).tolist()))
    systems = range(len(rankings.lists.systems))
    found = []
    for query in range(queries):
        lists = [rankings.lists.documents[:, system, query].tolist() for system in systems]
        pool = {document for documents in lists for document in documents}
        best = sorted((omega[document] for document in pool), reverse=True)
        for documents in lists:
            for k in range(1, len(documents) + 1):
                fair = sum(omega[document] / math.log2(i + 1) for i, document in enumerate(documents[:k], start=1))
                ideal = sum(value / math.log2(i + 1) for i, value in enumerate(best[:k], start=1))
                found.append(fair / ideal)
    return found


def running_nfairr(rankings: AlignedRankings, queries: int) -> list[float]:
    """The same by somebody who carries the two sums from cutoff to cutoff: the least that Python loops can do."""
    omega = dict(enumerate(neutrality(rankings, 1).tolist()))
    found = []
    for query in range(queries):
        lists = [rankings.lists.documents[:, s, query].tolist() for s in range(len(rankings.lists.systems))]
        best = sorted((omega[d] for d in {d for documents in lists for d in documents}), reverse=True)
        for documents in lists:
            fair = ideal = 0.0
            for i, document in enumerate(documents, start=1):
                fair += omega[document] / math.log2(i + 1)
                ideal += best[i - 1] / math.log2(i + 1)
                found.append(fair / ideal)
    return found


def streamed(arrays: list[np.ndarray]) -> float:
    """Seconds that numpy takes to read the same bytes once: the floor for a scan of them."""
    return seconds(lambda: [array.reshape(len(array), -1).sum(axis=0) for array in arrays], 3)


def run(size: tuple[int, int, int]) -> list[str]:
    """The report on one size, line by line."""
    study = made_up(*size)
    settings, depth = Settings(), size[2]
    start = time.perf_counter()
    rankings = align(study, settings)
    aligned = time.perf_counter() - start
    grid = cutoff_grid(depth, settings.cutoff)
    all_measures(rankings, settings, grid)
    prepared = time.perf_counter() - start
    lines = [
        f"{size[0]} systems × {size[1]:,} queries × {size[2]:,} ranks ({math.prod(size):,} places)",
        f"  preparation: {prepared:.2f} s ({aligned:.2f} s of it words and alignment)",
    ]
    lines += moves(study, rankings, settings, grid)
    lines += against_loops(rankings, settings)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return [*lines, f"  peak memory of the process, the made-up tables included: {peak:.2f} GB"]


def moves(study: Study, rankings: AlignedRankings, settings: Settings, grid: np.ndarray) -> list[str]:
    """What a move of alpha, of the cutoff and of the position bias takes."""
    at = np.array([settings.cutoff])
    parts = np.stack(neutral_and_gap(rankings, values_bias(rankings, settings), at))[:, 0]
    means, drawn = mean_over_queries(parts), resampled_means(parts)
    alpha = seconds(lambda: (mixed(0.3, *means), mixed(0.3, drawn[:, 0], drawn[:, 1])), 50)
    table = over_cutoffs(study, MEASURES, settings, rankings=rankings).pivot(
        index="cutoff", columns=["measure", "system"], values="value"
    )
    values, rows = table.to_numpy(), {cutoff: row for row, cutoff in enumerate(table.index)}
    cutoff = seconds(lambda: values[rows[settings.cutoff]], 50)
    queries = seconds(lambda: all_measures(rankings, settings, at), 9)
    biases = iter(f"rbp(p={p / 1000})" for p in range(500, 990))
    at_ten = seconds(lambda: all_measures(rankings, Settings(position_bias=next(biases)), at))
    deepest = np.array([rankings.lists.depth])
    at_end = seconds(lambda: all_measures(rankings, Settings(position_bias=next(biases)), deepest))
    on_grid = seconds(lambda: all_measures(rankings, Settings(position_bias=next(biases)), grid), 3)
    laid_out = [rankings.at_places(f"label {group}", list, rankings.lists.depth) for group in range(3)] * 2
    stream = streamed([*laid_out, laid_out[0]])
    table_time = seconds(lambda: evaluate(study, list(MEASURES), settings, rankings=rankings), 5)
    return [
        f"  alpha: {alpha * 1e6:.0f} µs for means and 1,000 resamples of {len(means[0])} systems",
        f"  cutoff: {cutoff * 1e6:.1f} µs for the means, {queries * 1e3:.2f} ms for the values of every query",
        f"  position bias: {at_ten * 1e3:.1f} ms at cutoff 10, {at_end * 1e3:.0f} ms at cutoff {deepest[0]}, "
        f"{on_grid * 1e3:.0f} ms along {len(grid)} cutoffs",
        f"  numpy streams the seven arrays behind it in {stream * 1e3:.0f} ms: position bias at the deepest cutoff is "
        f"{at_end / stream:.1f} times that",
        f"  the scores table of all five measures: {table_time * 1e3:.0f} ms",
    ]


def values_bias(rankings: AlignedRankings, settings: Settings):
    from fairviz.evaluation.scores import bias_of

    return bias_of(rankings, settings, settings.cutoff)


def against_loops(rankings: AlignedRankings, settings: Settings) -> list[str]:
    """NFaiRR at all cutoffs against the loops, which must also agree with it."""
    everything = np.arange(1, rankings.lists.depth + 1)
    total = len(rankings.lists.queries)
    part = min(total, 40 if len(everything) <= 200 else 2)
    start = time.perf_counter()
    looped = looped_nfairr(rankings, part)
    loops = (time.perf_counter() - start) * total / part
    start = time.perf_counter()
    running_nfairr(rankings, part)
    running = (time.perf_counter() - start) * total / part
    biases = iter(f"rbp(p={p / 1000})" for p in range(500, 990))
    question = ask("NFaiRR", settings)
    fast = seconds(lambda: values_at(rankings, question, Settings(position_bias=next(biases)), everything), 3)
    exact = values_at(rankings, question, settings, everything)[:, :, :part]
    worst = np.abs(np.moveaxis(exact, 0, -1).transpose(1, 0, 2).ravel() - looped).max()
    return [
        f"  NFaiRR at all {len(everything)} cutoffs: {fast * 1e3:.0f} ms; a loop over ranks for each cutoff "
        f"{loops:.0f} s, {loops / fast:,.0f} times; a loop with running sums {running:.1f} s, "
        f"{running / fast:,.0f} times (loops measured on {part} queries and scaled; largest difference {worst:.0e})"
    ]


if __name__ == "__main__":
    for each in SIZES:
        print("\n".join(run(each)), flush=True)
