"""How often a star appears somewhere on newswire although no pair of systems differs, by how much is looked at and by
the test: the table of benchmarks/README.md.

python -m benchmarks.false_stars [STUDY]
"""

import sys
import time
from collections.abc import Iterator

import numpy as np

import fairviz
from fairviz.analyses.sensitivity.levels import levels_of
from fairviz.comparison.family import How, how_of
from fairviz.comparison.pairs import Part, false_stars
from fairviz.comparison.points import points_of
from fairviz.evaluation.gsr import split_parts
from fairviz.evaluation.questions import MAIN
from fairviz.evaluation.settings import Settings
from fairviz.measures import parse
from fairviz.statistics.families import parse_tests
from fairviz.statistics.references import signs
from fairviz.study.record import Study

CUTOFFS = (1, 2, 3, 4, 5, 10, 20, 50, 100)
TESTS = ("maxT", "holm", "bonferroni", "bh", "tukey", "none", "holm(statistic='wilcoxon')", "bh(statistic='wilcoxon')",
         "none(statistic='wilcoxon')", "holm(statistic='randomisation')")  # fmt: skip
DRAWS = 2_000


def values_of(study: Study, settings: Settings, names: tuple[str, ...]) -> list[Part]:
    """Return the values of these measures at one setting."""
    scores = fairviz.evaluate(study, [*names], settings)
    return [("", parse(text), points_of(points)) for text, points in split_parts(scores)]


def grids(study: Study) -> Iterator[tuple[str, list[list[Part]]]]:
    """Yield each row of the table: what is looked at, and the values of its settings."""
    now = Settings(study=study.name)
    names = (*MAIN, now.effectiveness)
    by_cutoff = [values_of(study, now.changed(cutoff=cutoff), names) for cutoff in CUTOFFS]
    middle = CUTOFFS.index(now.cutoff)
    yield "one measure", [by_cutoff[middle][:1]]
    yield f"{len(names)} measures", [by_cutoff[middle]]
    yield f"one measure, {len(CUTOFFS)} cutoffs", [parts[:1] for parts in by_cutoff]
    yield f"{len(names)} measures, {len(CUTOFFS)} cutoffs", by_cutoff
    more = [
        values_of(study, now.changed(cutoff=cutoff, **{name: level}), (measure,))
        for cutoff in CUTOFFS
        for name, measure in (("alpha", "CWEx"), ("tau", "NFaiRR"))
        for level in levels_of(study, now, name)
        if level != getattr(now, name)
    ]
    yield f"{len(names)} measures, {len(CUTOFFS)} cutoffs, alpha and tau", [*by_cutoff, *more]


def plain_chance(settings: list[list[Part]], how: How, draws: int = DRAWS) -> float:
    """Return the chance by plain maxT: the largest |t| of the tested pairs under random signs, whose 95th percentile is
    the critical value of each measure; no correction for skewness or small families."""
    queries = sorted({query for parts in settings for _, _, held in parts for query in held.queries})
    table = signs(len(queries), draws, how.seed, draws)
    found = np.zeros(len(table), dtype=bool)
    for parts in settings:
        for _, question, points in parts:
            values = points.estimates(question, queries).values
            values = values[[how.is_tested(name) for name in points.systems]]
            first, second = np.triu_indices(len(values), 1)
            apart = values[first] - values[second]
            apart = np.nan_to_num(apart - np.nanmean(apart, axis=1, keepdims=True))
            squares = (apart**2).sum(axis=1)
            apart, squares = apart[squares > 1e-18], squares[squares > 1e-18]
            if not len(apart):  # all lists have one value
                continue
            n = (apart != 0).sum(axis=1)  # of queries that take part, up to those that lie on the mean
            share = (apart @ table.T) ** 2 / (len(queries) * squares[:, None])
            t = np.sqrt((n[:, None] - 1) * share / np.maximum(1 - share, 1e-12)).max(axis=0)
            found |= t > np.quantile(t, 0.95)
    return float(found.mean())


def main() -> None:
    """Print the table in Markdown."""
    study = fairviz.open_study(sys.argv[1] if len(sys.argv) > 1 else "newswire")
    print("| looked at | settings | plain maxT | " + " | ".join(TESTS) + " | s |\n" + "|---" * (4 + len(TESTS)) + "|")
    for name, settings in grids(study):
        begun, row = time.perf_counter(), [plain_chance(settings, how_of(study, Settings()))]
        for text in TESTS:
            how = how_of(study, Settings(tests=parse_tests(text).text))
            found = [one for one in false_stars([(parts, how) for parts in settings], DRAWS) if len(one)]
            row.append(float(np.concatenate(found).any(axis=0).mean()))
        cells = " | ".join(f"{chance:.3f}" for chance in row)
        print(f"| {name} | {len(settings)} | {cells} | {time.perf_counter() - begun:.0f} |", flush=True)


if __name__ == "__main__":
    main()
