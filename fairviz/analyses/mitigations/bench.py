"""Every mitigation on the same held-out queries: its effects on fairness and effectiveness, with paired tests.

Axis letters: S systems, Q held-out queries.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real

import numpy as np
import pandas as pd

from fairviz.analyses.mitigations.bench_measures import questions_of
from fairviz.analyses.mitigations.mitigation import (
    Mitigation,
    not_installed,
    nothing_to_mend,
    offered,
    read_mitigations,
    run_to_reorder,
)
from fairviz.analyses.mitigations.ranked import choices_of, ranked_all, with_runs
from fairviz.analyses.mitigations.sentences import BETTER, LEAST, WORSE, leanings, outcomes, warnings_of
from fairviz.analyses.mitigations.split import held_out_queries, trained_here
from fairviz.analyses.mitigations.wording import NAME, wording_gaps
from fairviz.comparison.compare import Comparison
from fairviz.comparison.family import How
from fairviz.comparison.pairs import Row, compare_pairs
from fairviz.comparison.pareto_front import Achievable, achievable, front_choice, front_scores
from fairviz.comparison.points import Points
from fairviz.comparison.ranking_sentences import family_text
from fairviz.errors import FairvizError, UsageError, expect, expect_progress, expect_whole
from fairviz.evaluation.choices import chosen_queries
from fairviz.evaluation.scores import evaluate, summary_table
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.validation import chosen_settings, texts
from fairviz.measures import Question
from fairviz.measures.front_distance import DPFR
from fairviz.rankers import text_of
from fairviz.rankers.adopted import ScorePairs
from fairviz.rankers.grammar import Choice
from fairviz.rankers.ranking import DEPTH
from fairviz.statistics.families import parse_tests
from fairviz.statistics.intervals import mean_interval, mean_over_queries
from fairviz.study.record import Study

Array = np.ndarray
Progress = Callable[[str, int, int], None]
TESTS = ("mitigation", "base", "measure", "base_value", "value", "difference", "ci_low", "ci_high", "p", "p_corrected",
         "wins", "ties", "losses", "queries", "by_means", "verdict", "warning")  # fmt: skip


@dataclass(frozen=True)
class Bench:
    """table: TESTS, a row for each mitigation and measure, the mean over the queries that both systems answer, their
    difference (value less base_value; of a measure fairest at 0 that of the two |means|, at 1 of the two |ln means|)
    with its interval, p, p_corrected, verdict and warning as `compare` has them for the systems of the bench; by_means:
    better or worse where the means differ by 0.0005 or more, tested or not. comparison: all pairs of the systems of the
    bench, which are the family of each measure. means: of each system over its held-out queries, as `summarise` has
    them. queries: their ids. warnings: a sentence for each mitigation that tests show to be better by one measure and
    worse by another; leanings: one for each other whose means are, though no test supports both; outcomes: a sentence
    for each mitigation. notes: messages of rankers, and missing inputs.
    """

    table: pd.DataFrame
    means: pd.DataFrame
    mitigations: tuple[Mitigation, ...]
    questions: tuple[Question, ...]
    queries: tuple[str, ...]
    warnings: tuple[str, ...]
    leanings: tuple[str, ...]
    outcomes: tuple[str, ...]
    notes: tuple[str, ...]
    comparison: Comparison

    @property
    def family(self) -> str:
        """The family and the method: `all 3 pairs, maxT`."""
        return family_text(self.comparison)


def mitigation_bench(
    study: Study,
    mitigations: str | Mapping[str, ScorePairs] = "",
    measures: str | Sequence[str] = (),
    settings: Settings | None = None,
    *,
    held_out: float = 0.5,
    seed: int = 0,
    depth: int = DEPTH,
    progress: Progress | None = None,
    **choices: object,
) -> Bench:
    """Rank the study with and without each mitigation, and compare both on held-out queries.

    Parameters
    ----------
    study : Study
        With queries and documents, or with runs for mitigations that reorder one.
    mitigations : str or mapping
        As rankers are written, `bi_encoder(project=3,keep=0.5),neutral(run='bm25')`; empty for one of each kind that
        the study can have; or functions by name, {'mine': score}, of a query and texts to scores, which reorder a run.
    measures : str or sequence of str
        Empty for the usual ones. Effectiveness is always among them if there are judgements.
    settings : Settings, optional
        The choices behind the values; the defaults if None. A baseline of `tests` does not count, as each mitigation
        has its own.
    held_out : float
        The share of queries that count, above 0 and up to 1; an adapter's own held-out queries if one is tried.
    seed : int
        Of the draw of held-out queries.
    depth : int
        The longest list, in ranks.
    progress : callable, optional
        Called with what is done, and the numbers done and in all.
    **choices
        Fields of Settings to change.

    Returns
    -------
    Bench
        With the table of tests, the means, and sentences.

    Raises
    ------
    UsageError
        For an unknown mitigation or an invalid number.
    FairvizError
        If the study lacks something.

    Examples
    --------
    >>> import fairviz
    >>> football = fairviz.open_study("football")
    >>> study = fairviz.make_study("textless", runs=football.runs, labels=football.labels)
    >>> bench = fairviz.mitigation_bench(study, "balanced(run='left')", "CWEx@4")
    >>> bench.means["system"].tolist()
    ['left', 'balanced-run=left']
    """
    settings = chosen_settings(study, settings, choices)
    _check(held_out, seed, depth, progress)
    mitigations = text_of(mitigations, "mitigations", f"{{}}(run={run_to_reorder(study)!r})")
    tried = read_mitigations(study, mitigations or _usual(study), settings.embedding)
    questions, notes = questions_of(study, texts(measures), settings)
    runs, failed, messages = ranked_all(study, tried, int(depth), progress, bool(mitigations))
    if not mitigations and (absent := not_installed()):
        messages = (f"{absent.message}. {absent.remedy}", *messages)
    tried = tuple(one for one in tried if not failed & {one.system, one.base})
    if not tried:
        raise FairvizError(f"no mitigation can be tried on {study.name}", "\n".join(messages))
    tried_choices = choices_of(tried)
    systems = tuple(dict.fromkeys(name for one in tried for name in (one.base, one.system)))
    ranked_study = with_runs(study, runs, (*study.systems, *systems))
    queries, split_notes = held_out_queries(study, chosen_queries(ranked_study, settings), tried, held_out, seed)
    ranked_settings = settings.changed(systems=systems)
    fronts = _fronts(ranked_study, questions, ranked_settings, queries)
    values = _values(ranked_study, questions, ranked_settings, tried_choices, queries, fronts, progress)
    compared = _compared(questions, systems, queries, values, settings)
    table = _tests(tried, compared)
    all_notes = (*split_notes, *notes, *(front.note for front in fronts), *messages)
    return Bench(
        table, _means(questions, systems, values), tried, questions, queries, warnings_of(table), leanings(table),
        outcomes(table), tuple(dict.fromkeys(all_notes)), compared,
    )  # fmt: skip


def _check(held_out: object, seed: object, depth: object, progress: object) -> None:
    expect("held_out", held_out, Real, "Give a share of the queries above 0 and at most 1.")
    if not 0 < float(held_out) <= 1:  # type: ignore[arg-type]
        raise UsageError(f"held_out is {held_out}", "Give a share of the queries above 0 and at most 1.")
    for name, value, least in (("seed", seed, 0), ("depth", depth, 1)):
        expect_whole(name, value, least)
    expect_progress(progress)


def _usual(study: Study) -> str:
    texts = offered(study, trained_here(study))
    if not texts:
        raise nothing_to_mend(study)
    return ",".join(texts)


def _fronts(
    study: Study, questions: Sequence[Question], settings: Settings, queries: Sequence[str]
) -> list[Achievable]:
    """Return the achievable fronts of the questions that are distances from one, over these queries."""
    distances = [question for question in questions if question.name == DPFR.name]
    return [achievable(study, front_choice(question, settings), settings).over(queries) for question in distances]


def _values(
    study: Study,
    questions: Sequence[Question],
    settings: Settings,
    choices: Sequence[Choice],
    queries: Sequence[str],
    fronts: Sequence[Achievable],
    progress: Progress | None,
) -> dict[str, Array]:
    """The values of each measure, (S, Q), NaN where a system has none."""
    shape = pd.MultiIndex.from_product([settings.systems, queries])
    scores = evaluate(study, [one for one in questions if one.name not in (NAME, DPFR.name)], settings)
    scores = pd.concat([scores, *map(front_scores, fronts)], ignore_index=True)
    scores = scores.astype({"system": "str", "query_id": "str", "measure": "str"})
    wide = scores.pivot(index=["system", "query_id"], columns="measure", values="value").reindex(shape)
    size = (len(settings.systems), len(queries))
    values = {str(text): wide[text].to_numpy(dtype=np.float64).reshape(size) for text in wide}
    if any(one.name == NAME for one in questions):
        told_wordings = partial(progress, "scoring wordings") if progress else None
        gaps = wording_gaps(study, choices, queries, told_wordings)
        nothing = np.full(len(queries), np.nan)
        values[NAME] = np.stack([gaps.get(name, nothing) for name in settings.systems])
    return values


def _means(questions: Sequence[Question], systems: Sequence[str], values: dict[str, Array]) -> pd.DataFrame:
    texts = [question.text for question in questions]
    all_values = np.stack([values[text] for text in texts])  # (M, S, Q)
    low, high = mean_interval(all_values)
    columns = {"value": mean_over_queries(all_values), "ci_low": low, "ci_high": high}
    return summary_table(systems, texts, columns | {"queries": (~np.isnan(all_values)).sum(axis=-1)})


def _compared(
    questions: Sequence[Question],
    systems: Sequence[str],
    queries: Sequence[str],
    values: dict[str, Array],
    settings: Settings,
) -> Comparison:
    """Return all pairs of the systems of the bench, every one of which is tested."""
    tests = replace(parse_tests(settings.tests), baseline="")
    how = How(tests, ticked=tuple(systems))
    parts = [
        ("", question, Points(tuple(systems), tuple(queries), values[question.text], np.zeros(0)))
        for question in questions
    ]
    return Comparison(tuple(compare_pairs(parts, how)), how)


def _tests(mitigations: Sequence[Mitigation], compared: Comparison) -> pd.DataFrame:
    views = {base: compared.against(base).rows for base in dict.fromkeys(one.base for one in mitigations)}
    lowest = {pairs.text for pairs in compared.pairs if pairs.question.direction in ("lower", "zero", "one")}
    rows = [
        _row(next(row for row in rows if row.system == one.system), low=text in lowest)
        for one in mitigations
        for text, rows in views[one.base].items()
    ]
    table = pd.DataFrame(rows, columns=list(TESTS))
    return table.astype(
        dict.fromkeys(("mitigation", "base", "measure", "by_means", "verdict", "warning"), "str")
    )  # fmt: skip


def _row(row: Row, *, low: bool) -> tuple:
    """Return TESTS of a mitigation against its base. low: True if the fairest value is the smallest."""
    apart = row.difference
    by_means = (BETTER if (apart < 0) == low else WORSE) if abs(apart) >= LEAST else ""
    return (
        row.system, row.baseline, row.measure, row.baseline_value, row.value, apart, row.ci_low, row.ci_high, row.p,
        row.p_corrected, row.wins, row.ties, row.losses, row.queries, by_means, row.verdict, row.warning,
    )  # fmt: skip
