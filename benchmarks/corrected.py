"""Bias, coverage and width of means from a machine's labels that people's labels of a drawn sample correct.

`python -m benchmarks.corrected [DRAWS]` prints a table for each study and design. A row is a measure, a target, a
machine and a number of drawn queries or documents; z is the bias in Monte Carlo standard errors, and width is against
people alone. One table has machines that equal people but for some queries: there the values are the word list's, or
mirrored in the range of the measure. The last table has the rate of families with a false verdict.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from fairviz.annotation.annotators.annotating import annotate
from fairviz.correction.sampling import attention_of, label_values
from fairviz.evaluation.choices import align
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.statistics.corrected import corrected_means, corrected_sum, draw_fixed, probabilities
from fairviz.statistics.intervals import mean_interval
from fairviz.study.record import Study
from fairviz.study.study import add_labels, add_runs

Array = np.ndarray
Draw = Callable[[int], tuple[float, float, float]]  # from a seed to value, low and high
MEASURES = ("Exposure(group='female')@10", "ExposureGap@10", "CWEx@10", "AWRF@10")
LINEAR = ("Exposure(group='neutral')@10", *MEASURES[:2])
PAIR = ("bm25", "w2v_add")
QUERIES, DOCUMENTS = (10, 20, 30), (50, 100, 200)
SIMILAR = (5, 10, 20)  # drawn queries of 40, for queries like these
RARELY = (*MEASURES[1:], "GroupExposureRatio@10")
ERRORS = (0, 1, 2, 3, 5, 10)  # queries where the machine is wrong
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


def simulated(draw: Draw, truth: float, draws: int) -> tuple[float, float, float]:
    """Return the bias in Monte Carlo standard errors, the coverage of intervals, and their mean width."""
    values, low, high = np.array([draw(seed) for seed in range(draws)]).T
    error, bias = values.std(ddof=1) / np.sqrt(draws), values.mean() - truth
    coverage = ((low - TINY <= truth) & (truth <= high + TINY)).mean()
    return float(bias / error if error > TINY else bias), float(coverage), float((high - low).mean())


def estimates(values: Array) -> tuple[float, float, float]:
    """Return the mean of values (Q,) and both ends of its interval."""
    low, high = mean_interval(values)
    return float(values.mean()), float(low), float(high)


def values_of(study: Study, people: str, measures: tuple[str, ...]) -> Iterator[tuple[str, Array, Array]]:
    """Yield each measure with the values by people and by the word list, (2, Q)."""
    tables = [
        evaluate(study, list(measures), annotator=name).pivot_table(
            index=["measure", "query_id"], columns="system", values="value", dropna=False
        )
        for name in (people, "lexicon")
    ]
    for measure in tables[0].index.unique("measure"):
        yield measure, *(table.loc[measure][list(PAIR)].to_numpy(dtype=float).T for table in tables)


def by_query(study: Study, people: str, draws: int) -> Iterator[list]:
    """Yield the rows of a study: each measure of a system, and its difference from another, for three machines."""
    for measure, h, f in values_of(study, people, MEASURES):
        noise = h[:, np.random.default_rng(7).permutation(h.shape[1])]
        for machine, values in (("lexicon", f), ("noise", noise), ("perfect", h)):
            for count in QUERIES:
                for target, signs in TARGETS:
                    yield [measure, target, machine, count, *_row_of_queries(h, values, signs, count, draws)]


TARGETS = ((PAIR[0], np.array([1, 0])), (" − ".join(PAIR), np.array([1, -1])))


def _row_of_queries(people: Array, machine: Array, signs: Array, count: int, draws: int) -> list[float]:
    def draw(seed: int, machine: Array = machine) -> tuple[float, float, float]:
        is_drawn = drawn(people.shape[1], count, seed)
        return corrected_means(machine, people, is_drawn, others_like_them=False).interval(signs)

    truth = float(signs @ np.nanmean(people, axis=1))
    bias, coverage, width = simulated(draw, truth, draws)
    alone = simulated(lambda seed: draw(seed, np.zeros_like(people)), truth, draws)
    return [bias, coverage, width / alone[2], alone[1]]


def rarely_wrong(study: Study, people: str, draws: int) -> Iterator[list]:
    """Yield the rows of machines that equal people but for some queries: measure, target, machine, queries where it is
    wrong, drawn queries, coverage, width against people alone and against queries like these, share without interval.
    """
    chance = np.random.default_rng(11)
    for measure, h, f in values_of(study, people, RARELY):
        differ = np.flatnonzero(((h != f) & ~(np.isnan(h) & np.isnan(f))).any(axis=0))
        mirrored = np.nanmin(h, axis=1, keepdims=True) + np.nanmax(h, axis=1, keepdims=True) - h
        for count_wrong in ERRORS:
            for name, other in (("lexicon", f), ("mirrored", mirrored)):
                machine = h.copy()
                wrong = chance.permutation(differ)[:count_wrong]
                machine[:, wrong] = other[:, wrong]
                for count in QUERIES:
                    rows = _rows_of_errors(h, machine, count, draws)
                    yield from ([measure, target, name, count_wrong, count, *row] for target, row in rows)


def _rows_of_errors(people: Array, machine: Array, count: int, draws: int) -> Iterator[tuple[str, list[float]]]:
    found = {target: np.empty((draws, 3, 3)) for target, _ in TARGETS}
    for seed in range(draws):
        is_drawn = drawn(people.shape[1], count, seed)
        these = corrected_means(machine, people, is_drawn, others_like_them=False)
        alone = corrected_means(np.zeros_like(people), people, is_drawn, others_like_them=False)
        for target, signs in TARGETS:
            similar = replace(these, others_like_them=True)
            found[target][seed] = [one.interval(signs) for one in (these, alone, similar)]
    for target, signs in TARGETS:
        _, low, high = np.moveaxis(found[target], 2, 0)  # (draws, 3) each
        has_interval = np.isfinite(low).all(axis=1)
        truth = float(signs @ np.nanmean(people, axis=1))
        covered = ((low - TINY <= truth) & (truth <= high + TINY))[has_interval, 0].mean()
        widths = np.median((high - low)[has_interval], axis=0)
        yield target, [covered, widths[0] / widths[1], widths[0] / widths[2], 1 - has_interval.mean()]


def similar(study: Study, people: str, draws: int) -> Iterator[list]:
    """Yield the rows of 40 queries drawn with replacement from those of a study, which are the population: measure,
    target, drawn queries, coverage of queries like these, coverage of people alone, share without interval."""
    for measure, h, f in values_of(study, people, (*MEASURES, RARELY[-1])):
        for count in SIMILAR:
            for target, signs in TARGETS:
                truth, found = float(signs @ np.nanmean(h, axis=1)), np.empty((draws, 2, 3))
                for seed in range(draws):
                    chosen = np.random.default_rng(seed).choice(h.shape[1], 40)
                    is_drawn = drawn(40, count, seed)
                    found[seed] = [
                        corrected_means(machine[:, chosen], h[:, chosen], is_drawn).interval(signs)
                        for machine in (f, np.zeros_like(h))
                    ]
                has_interval = np.isfinite(found).all(axis=(1, 2))
                _, low, high = np.moveaxis(found[has_interval], 2, 0)
                yield [
                    measure,
                    target,
                    count,
                    *((low <= truth) & (truth <= high)).mean(axis=0),
                    1 - has_interval.mean(),
                ]


def by_document(study: Study, people: str, draws: int) -> Iterator[list]:
    """Yield the rows of a study: each linear measure of a system, and its difference from another."""
    settings = Settings(systems=PAIR)
    rankings = {name: align(study, settings.changed(annotator=name)) for name in (people, "lexicon")}
    for measure in LINEAR:
        question = ask(measure, settings)
        attention = attention_of(study, settings, question, rankings[people])
        weights = attention.weights((0, 1), len(rankings[people].lists.doc_ids))
        seen = weights.max(axis=0) > 0
        values = label_values(question.measure, question.parameters, rankings[people])  # type: ignore[arg-type]
        h, f = (values[rankings[name].labels.codes[seen]] for name in (people, "lexicon"))
        noise = np.random.default_rng(7).permutation(h)
        size = weights[:, seen].max(axis=0)
        for count in DOCUMENTS:
            chance = probabilities(size, np.ones(len(size)), count)
            for target, c in ((PAIR[0], weights[0, seen]), (" − ".join(PAIR), weights[0, seen] - weights[1, seen])):
                for machine, own in (("lexicon", f), ("noise", noise), ("perfect", h)):
                    row = _row_of_documents(c, h, own, chance, np.unique(values), draws)
                    yield [measure, target, machine, count, *row]


def _row_of_documents(c: Array, people: Array, machine: Array, chance: Array, steps: Array, draws: int) -> list[float]:
    def draw(seed: int, machine: Array = machine) -> tuple[float, float, float]:
        one = corrected_sum(c, machine, people, chance, draw_fixed(chance, seed), steps=steps)
        return one.value, one.low, one.high

    bias, coverage, width = simulated(draw, float(c @ people), draws)
    alone = simulated(lambda seed: draw(seed, np.zeros_like(people)), float(c @ people), draws)
    return [bias, coverage, width / alone[2], alone[1]]


def like_these(draws: int) -> Iterator[list]:
    """Yield the rows of studies of 40 queries drawn from a made population, 20 of them labelled by people."""
    chance = np.random.default_rng(3)
    people = np.tanh(chance.normal(-0.2, 0.5, POPULATION))
    for noise in (0.0, 0.1, 0.5, 3.0):
        machine = np.tanh(np.arctanh(people) + chance.normal(0.1, noise, POPULATION))

        def draw(seed: int, machine: Array = machine) -> tuple[float, float, float]:
            own = np.random.default_rng(seed).choice(POPULATION, 40)
            return estimates(corrected_means(machine[None, own], people[None, own], drawn(40, 20, seed)).values[0])

        bias, coverage, width = simulated(draw, float(people.mean()), draws)
        alone = simulated(lambda seed: draw(seed, np.zeros(POPULATION)), float(people.mean()), draws)
        yield [noise, bias, coverage, width / alone[2], alone[1]]


def families(draws: int) -> Iterator[list]:
    """Yield the rate of families with a false verdict: systems with one mean over queries like these, 40 queries."""
    import pandas as pd

    from fairviz.comparison.compare import compare

    for systems, count in ((2, 10), (5, 10), (2, 20), (5, 20)):
        false = 0
        for seed in range(draws):
            chance = np.random.default_rng(seed)
            people = chance.normal(0, 0.3, (systems, 40)) + chance.normal(0, 0.3, 40)
            machine = people + chance.normal(0.1, 0.2, (systems, 40))
            values = corrected_means(machine, people, drawn(40, count, seed)).values
            index = pd.MultiIndex.from_product([[f"s{n}" for n in range(systems)], [f"q{n}" for n in range(40)]])
            scores = index.to_frame(index=False, name=["system", "query_id"]).assign(measure="CWEx(alpha=0.5)@10")
            scores = scores.assign(value=values.ravel())
            baselines = scores["system"].unique()[1:]
            verdicts = {text for name in baselines for text in compare(scores, name, draws=1000)["verdict"]}
            false += not verdicts.isdisjoint({"ahead", "behind"})
        yield [systems, count, false / draws]


def text_of(rows: Iterator[list]) -> str:
    """Return the rows of a Markdown table."""
    cells = ([f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows)
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    columns = "z, coverage, width, coverage of people alone"
    for study, people in studies():
        for design, rows in (("queries", by_query), ("documents", by_document)):
            print(f"{study.name}: measure, target, machine, drawn {design}, {columns}")
            print(text_of(rows(study, people, draws)), flush=True)
        print(f"{study.name}: measure, target, machine, wrong, drawn queries, coverage, width against people alone and "
              "queries like these, no interval")  # fmt: skip
        print(text_of(rarely_wrong(study, people, draws)), flush=True)
        print(f"{study.name}, queries like these: measure, target, drawn queries, coverage, people alone, no interval")
        print(text_of(similar(study, people, draws)), flush=True)
    print(f"queries like these: noise of the machine, {columns}")
    print(text_of(like_these(draws)))
    print("verdicts without a difference: systems, drawn queries of 40, families with one")
    print(text_of(families(draws // 2)), flush=True)


if __name__ == "__main__":
    main()
