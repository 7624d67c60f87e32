"""Time of a sensitivity analysis: 500 combinations for two systems on newswire, relative to separate calls of
`evaluate` and `compare`."""

import time
from collections.abc import Callable, Sequence

import pandas as pd

from benchmarks.synthetic import made_up
from fairviz.analyses.sensitivity.grid import Grid, grid_of
from fairviz.analyses.sensitivity.mapping import result_of
from fairviz.analyses.sensitivity.work import Work, cores
from fairviz.comparison.compare import compare
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study

PAIR = ("bm25", "w2v_add")
CHOICES: dict[str, Sequence | None] = {
    "tokenizer": None, "tau": [0, 1, 2, 3], "background": None, "annotator": None, "cutoff": [5, 10, 20],
    "position_bias": None, "alpha": [0.1, 0.3, 0.5, 0.7, 0.9],
}  # fmt: skip
MEASURES = ("CWEx", "NFaiRR", "TExFAIR", "RaB", "AWRF")
ANEW = 40  # combinations that are computed anew, evenly spread
LARGE = (4, 1765, 100)
TIMES = 3


def seconds(work: Callable[[], object]) -> float:
    """How long it takes, the best of a few times: other work on the machine slows single ones down."""
    spent = []
    for _ in range(TIMES):
        began = time.perf_counter()
        work()
        spent.append(time.perf_counter() - began)
    return min(spent)


def shown(work: Work) -> tuple:
    """What is made of the numbers once they are there."""
    found = result_of(work)
    return found.table, found.sentence, found.share_table


def anew(grid: Grid, number: int) -> None:
    """One combination as a person would ask for it."""
    compare(scores(grid, number), grid.pair[1])


def scores(grid: Grid, number: int) -> pd.DataFrame:
    """Its scores alone."""
    branch, _ = grid.place(number)
    return evaluate(grid.study, [branch.text], grid.settings_at(number).changed(systems=grid.pair))


def measured(study: Study, pair: tuple[str, str], measures: Sequence[str], count: int) -> str:
    """One study's line."""
    grid = grid_of(study, pair, measures, CHOICES, Settings())
    whole = seconds(lambda: Work(grid).run())
    work = Work(grid)
    work.run()
    told = seconds(lambda: shown(work))
    asked = [round(place * (grid.count - 1) / (count - 1)) for place in range(count)]
    one = seconds(lambda: [anew(grid, number) for number in asked]) / count
    alone = seconds(lambda: [scores(grid, number) for number in asked]) / count
    each = whole / grid.count
    return (
        f"  {study.name}: {grid.count:,} combinations in {whole:.2f} s, {1000 * each:.2f} ms each; table, shares and "
        f"sentence {told:.2f} s; evaluate anew {1000 * alone:.1f} ms, {alone / each:.0f} times as long, with compare "
        f"{1000 * one:.1f} ms, {one / each:.0f} times"
    )


def run() -> list[str]:
    """The report, line by line."""
    newswire = open_study("newswire")
    Work(grid_of(newswire, PAIR, ["CWEx", "NFaiRR"], {}, Settings())).run()  # imports are not measured
    anew(grid_of(newswire, PAIR, ["NFaiRR"], {}, Settings()), 0)
    large = made_up(*LARGE)
    return [
        f"Sensitivity analysis on {cores()} cores",
        measured(newswire, PAIR, MEASURES, ANEW),
        measured(large, ("system00", "system01"), ("CWEx", "NFaiRR", "TExFAIR"), 3),
    ]


if __name__ == "__main__":
    print("\n".join(run()), flush=True)
