"""Bias, coverage and width of means from a machine's labels that people's labels of drawn queries correct.

`python -m benchmarks.corrected [DRAWS]` prints a table for each study. A row is a measure, a target, a machine and a
number of drawn queries; z is the bias in Monte Carlo standard errors, and width is against people alone.
"""

import sys
from collections.abc import Callable, Iterator

import numpy as np

from fairviz.annotation.annotators.annotating import annotate
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.scores import evaluate
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.statistics.corrected import Estimate, corrected_mean
from fairviz.study.record import Study
from fairviz.study.study import add_labels, add_runs

Array = np.ndarray
MEASURES = ("Exposure(group=female)@10", "ExposureGap@10", "CWEx@10", "AWRF@10")
PAIR = ("bm25", "w2v_add")
BUDGETS = (5, 10, 20)
POPULATION = 200_000
TINY = 1e-9  # rounding of an estimate that nothing leaves uncertain


def studies() -> Iterator[tuple[Study, str]]:
    """Yield newswire, and Grep-BiasIR where it is fetched, with the annotator who stands for people."""
    from benchmarks import ranking

    yield open_study("newswire"), "project"
    grep_biasir = open_study("grep-biasir") if ranking.DATA.is_dir() else ranking.study()
    grep_biasir = add_runs(grep_biasir, rank(grep_biasir, parse_rankers(",".join(PAIR))).runs)
    yield add_labels(grep_biasir, annotate(grep_biasir, "lexicon").labels), "gold"


def drawn(total: int, count: int, seed: int) -> Array:
    """Return whether each query is drawn: a simple random sample."""
    return np.random.default_rng(seed).permutation(total) < count


def simulated(draw: Callable[[int], Estimate], truth: float, draws: int) -> tuple[float, float, float]:
    """Return the bias in Monte Carlo standard errors, the coverage of intervals, and their mean width."""
    made = [draw(seed) for seed in range(draws)]
    values = np.array([one.value for one in made])
    error, bias = values.std(ddof=1) / np.sqrt(draws), values.mean() - truth
    coverage = np.mean([one.low - TINY <= truth <= one.high + TINY for one in made])
    return (
        bias / error if error > 1e-12 else bias,
        float(coverage),
        float(np.mean([one.high - one.low for one in made])),
    )


def by_query(study: Study, people: str, draws: int) -> Iterator[list]:
    """Yield the rows of a study: each measure of a system, and its difference from another, for three machines."""
    tables = {
        name: evaluate(study, list(MEASURES), annotator=name).pivot_table(
            index=["measure", "query_id"], columns="system", values="value", dropna=False
        )
        for name in (people, "lexicon")
    }
    for measure in tables[people].index.unique("measure"):
        for target in (PAIR[:1], PAIR):
            h, f = (
                (one[target[0]] - one[target[1]] if len(target) > 1 else one[target[0]]).to_numpy()
                for one in (tables[name].loc[measure] for name in (people, "lexicon"))
            )
            noise = np.random.default_rng(7).permutation(h)
            for machine, values in (("lexicon", f), ("noise", noise), ("perfect", h)):
                for budget in BUDGETS:
                    yield [measure, " − ".join(target), machine, budget, *_row(h, values, budget, draws)]


def _row(people: Array, machine: Array, budget: int, draws: int) -> list[float]:
    def draw(seed: int, machine: Array = machine) -> Estimate:
        return corrected_mean(machine, people, drawn(len(people), budget, seed))

    truth = float(np.nanmean(people))
    bias, coverage, width = simulated(draw, truth, draws)
    alone = simulated(lambda seed: draw(seed, np.zeros(len(people))), truth, draws)
    return [bias, coverage, width / alone[2], alone[1]]


def like_these(draws: int) -> Iterator[list]:
    """Yield the rows of studies of 40 queries drawn from a made population, 20 of them labelled by people."""
    chance = np.random.default_rng(3)
    people = np.tanh(chance.normal(-0.2, 0.5, POPULATION))
    for noise in (0.1, 0.5, 3.0):
        machine = np.tanh(np.arctanh(people) + chance.normal(0.1, noise, POPULATION))

        def draw(seed: int, machine: Array = machine) -> Estimate:
            own = np.random.default_rng(seed).choice(POPULATION, 40)
            return corrected_mean(machine[own], people[own], drawn(40, 20, seed), others_like_them=True)

        bias, coverage, width = simulated(draw, float(people.mean()), draws)
        alone = simulated(lambda seed: draw(seed, np.zeros(POPULATION)), float(people.mean()), draws)
        yield [noise, bias, coverage, width / alone[2], alone[1]]


def text_of(rows: Iterator[list]) -> str:
    """Return the rows of a Markdown table."""
    cells = ([f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows)
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    for study, people in studies():
        print(f"{study.name}: measure, target, machine, queries, z, coverage, width, coverage of people alone")
        print(text_of(by_query(study, people, draws)), flush=True)
    print("queries like these: noise of the machine, z, coverage, width, coverage of people alone")
    print(text_of(like_these(draws)))


if __name__ == "__main__":
    main()
