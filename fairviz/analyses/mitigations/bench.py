"""Every mitigation on the same held-out queries: its effects on fairness and effectiveness, with paired tests.

Axis letters: S systems, Q held-out queries.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from fairviz.analyses.gender_swap.triples import triples
from fairviz.analyses.mitigations import NAME, USUAL
from fairviz.analyses.mitigations.mitigation import (
    Mitigation,
    choices_of,
    held_out_queries,
    not_installed,
    nothing_to_mend,
    offered,
    ranked_all,
    read_mitigations,
    run_to_reorder,
    trained_here,
    with_runs,
)
from fairviz.comparison.compare import Comparison
from fairviz.comparison.family import How
from fairviz.comparison.pairs import AHEAD, BEHIND, FEWEST_QUERIES, UNTESTED, compare_pairs
from fairviz.comparison.pareto_front import Achievable, achievable, front_choice, front_scores
from fairviz.comparison.points import Points
from fairviz.comparison.ranking_sentences import family_text
from fairviz.declared import BENCH
from fairviz.errors import FairvizError, UsageError, expect_progress
from fairviz.evaluation.choices import chosen_queries, missing_part
from fairviz.evaluation.questions import ask, chosen_settings, texts_of
from fairviz.evaluation.scores import evaluate, summary_table
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES, Question
from fairviz.measures.front_distance import DPFR
from fairviz.measures.record import RATIO_PAPER, Measure
from fairviz.parameters import check_parameters
from fairviz.rankers import text_of
from fairviz.rankers.adopted import ScorePairs
from fairviz.rankers.grammar import RankerChoice
from fairviz.rankers.ranking import DEPTH, rank
from fairviz.statistics.families import parse_tests
from fairviz.statistics.intervals import mean_interval, mean_over_queries
from fairviz.study.record import Study
from fairviz.words.sentences import decimal, listed

Array = np.ndarray
Progress = Callable[[str, int, int], None]
TESTS = ("mitigation", "base", "measure", "base_value", "value", "difference", "ci_low", "ci_high", "p", "p_corrected",
         "wins", "ties", "losses", "queries", "by_means", "verdict", "warning")  # fmt: skip
NOTHING = "no measure is significantly different"
FEW = f"no measure has a verdict: fewer than {FEWEST_QUERIES} queries in common, or fewer than half of all"
BETTER, WORSE = "better", "worse"
LEAST = 0.0005  # a difference of means that three decimals show


def _no_compute(*_: object) -> Array:
    raise ValueError(f"{NAME} is computed from scores of wordings, not from rankings")


WORDING_GAP = Measure(
    name=NAME,
    summary="how far apart the scores of the same text in two genders' wordings are",
    compute=_no_compute,
    parameters=(),
    needs=("labels", "documents"),
    direction="lower",
    bounds=(0.0, np.inf),
    formula=r"\frac1{\lvert P_q\rvert}\sum_{(f,m)\in P_q}\frac{\lvert s(q,f)-s(q,m)\rvert}{\sigma}",
    paper=RATIO_PAPER,
    equation="none; a magnitude beside the paper's shares",
    decided="In standard deviations of the query's scores of all found documents. So rankers of different scales "
    "compare, and shrinking all scores changes nothing.",
    example="Scores 0.5 and 0.4 where the query's scores spread by 0.2: 0.5 standard deviations.",
)


QUESTION = Question(NAME, NAME, {}, None, WORDING_GAP)


def has_wordings(study: Study) -> bool:
    """Return True if the study has texts in the wordings of two genders."""
    return len(study.groups) == 2 and not triples(study).empty


def wording_gaps(
    study: Study,
    choices: Sequence[RankerChoice],
    queries: Sequence[str],
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Array]:
    """The gap of each query (Q,) by system, NaN for a query without such texts; of rankers with scores of their own.

    It is the mean over the query's texts of |score in one wording - score in the other| over the query's deviation.
    """
    scoring = [choice for choice in choices if "runs" not in choice.ranker.needs]
    table = triples(study)
    if not scoring or table.empty:
        return {}
    chosen_queries = study.queries[study.queries["query_id"].isin(list(queries))]
    runs = rank(replace(study, queries=chosen_queries, fingerprint=""), scoring, len(study.documents), progress).runs
    runs = runs.astype({"system": "str", "query_id": "str", "doc_id": "str"})
    return {
        str(system): _gaps_of_run(run, table, study.groups, queries)
        for system, run in runs.groupby("system", sort=False)
    }


def _gaps_of_run(run: pd.DataFrame, table: pd.DataFrame, groups: Sequence[str], queries: Sequence[str]) -> Array:
    """Return the gap of each query (Q,) in one ranker's run. table: query_id, and the document of either wording under
    its group."""
    spread = run.groupby("query_id")["score"].std(ddof=0)
    score = run.set_index(["query_id", "doc_id"])["score"]
    one, other = (score.reindex(pd.MultiIndex.from_frame(table[["query_id", group]])).to_numpy() for group in groups)
    gaps = pd.Series(np.abs(one - other)).groupby(table["query_id"].to_numpy()).mean()
    return (gaps / spread.where(spread > 0)).reindex(list(queries)).to_numpy(dtype=np.float64)


def _questions(study: Study, names: Sequence[str], settings: Settings) -> tuple[tuple[Question, ...], list[str]]:
    """Return the measures, effectiveness last, and a line for what the study lacks. names: those requested; the usual
    ones if empty. Raises UsageError for a measure without a fairer side, FairvizError for a requested one that the
    study lacks the inputs of, and where none is left."""
    measure_names = measures_of(study, settings)
    requested = list(names) or [name for name in USUAL if name in measure_names]
    questions: dict[str, Question] = {}
    notes: list[str] = []
    for text in (*requested, ask(settings.effectiveness, settings).text):
        question = QUESTION if text == NAME else ask(text, settings)
        if question.direction == "none" or (question.measure is not None and not question.measure.per_query):
            raise UsageError(
                f"{question.text} does not measure which of two lists of a query is fairer",
                "Use a measure that does, such as CWEx, NFaiRR or AbsExposureGap.",
            )
        lacking = _lacking(study, question, settings)
        if lacking and text in names:
            raise FairvizError(f"{question.text} cannot be computed for {study.name}: {lacking}")
        if lacking:
            notes.append(f"{question.text}: {lacking}")
        else:
            questions[question.text] = question
    if not questions:
        raise FairvizError(f"no measure can be computed for {study.name}", "\n".join(notes))
    return tuple(questions.values()), notes


def measures_of(study: Study, settings: Settings) -> tuple[str, ...]:
    """Return the names of the fairness measures with a direction whose inputs the study has."""
    questions = {
        name: ask(name, settings) for name, one in MEASURES.items() if one.direction != "none" and one.per_query
    }
    study_with_run = _with_some_run(study)
    names = tuple(name for name, question in questions.items() if not missing_part(study_with_run, question, settings))
    return (*names, NAME) if has_wordings(study) else names


def _with_some_run(study: Study) -> Study:
    """The study as if it had a run: a bench makes its own."""
    if study.has("runs") or not study.has("queries") or not study.has("documents"):
        return study
    first = pd.DataFrame({"system": ["bench"], "query_id": study.queries["query_id"].iloc[:1].tolist(),
                          "doc_id": study.documents["doc_id"].iloc[:1].tolist(), "rank": 1, "score": 1.0})  # fmt: skip
    return replace(study, runs=first.astype(dict.fromkeys(("system", "query_id", "doc_id"), "category")))


def _lacking(study: Study, question: Question, settings: Settings) -> str:
    if question.name == DPFR.name:
        parts = (_lacking(study, question.parameters[part], settings) for part in ("effectiveness", "fairness"))
        return next(filter(None, parts), "")
    if question.name == NAME:
        return "" if has_wordings(study) else "it has no documents in three wordings, as Grep-BiasIR has them."
    return missing_part(_with_some_run(study), question, settings)


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
    held_out: float = BENCH["held_out"].default,
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
    check_parameters({"held_out": held_out, "seed": seed, "depth": depth}, BENCH)
    expect_progress(progress)
    mitigations = text_of(mitigations, "mitigations", f"{{}}(run={run_to_reorder(study)!r})")
    usual = offered(study, trained_here(study)) if not mitigations else ()
    if not mitigations and not usual:
        raise nothing_to_mend(study)
    tried = read_mitigations(study, mitigations or ",".join(usual), settings.embedding)
    questions, notes = _questions(study, texts_of(measures), settings)
    runs, failed, messages = ranked_all(study, tried, int(depth), progress, bool(mitigations))
    if not mitigations and (absent := not_installed()):
        messages = (f"{absent.message}. {absent.remedy}", *messages)
    tried = tuple(one for one in tried if not failed & {one.system, one.base})
    if not tried:
        raise FairvizError(f"no mitigation can be tried on {study.name}", "\n".join(messages))
    systems = tuple(dict.fromkeys(name for one in tried for name in (one.base, one.system)))
    ranked_study = with_runs(study, runs, (*study.systems, *systems))
    queries, split_notes = held_out_queries(study, chosen_queries(ranked_study, settings), tried, held_out, seed)
    ranked_settings = settings.changed(systems=systems)
    fronts = [
        achievable(ranked_study, front_choice(question, ranked_settings), ranked_settings).over(queries)
        for question in questions
        if question.name == DPFR.name
    ]
    values = _values(ranked_study, questions, ranked_settings, choices_of(tried), queries, fronts, progress)
    # All pairs of the systems of the bench, every one of which is tested.
    how = How(replace(parse_tests(settings.tests), baseline=""), ticked=systems)
    parts = [("", question, Points(systems, queries, values[question.text], np.zeros(0))) for question in questions]
    compared = Comparison(tuple(compare_pairs(parts, how)), how)
    table = _tests(tried, compared)
    all_notes = (*split_notes, *notes, *(front.note for front in fronts), *messages)
    return Bench(
        table, _means(questions, systems, values), tried, questions, queries, warnings_of(table), leanings(table),
        outcomes(table), tuple(dict.fromkeys(all_notes)), compared,
    )  # fmt: skip


def _values(
    study: Study,
    questions: Sequence[Question],
    settings: Settings,
    choices: Sequence[RankerChoice],
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


def _tests(mitigations: Sequence[Mitigation], compared: Comparison) -> pd.DataFrame:
    """Return TESTS, a row for each mitigation and measure, against its base."""
    views = {base: compared.against(base).rows for base in dict.fromkeys(one.base for one in mitigations)}
    lowest = {pairs.text for pairs in compared.pairs if pairs.question.direction in ("lower", "zero", "one")}
    rows = []
    for one in mitigations:
        for text, candidates in views[one.base].items():
            row = next(row for row in candidates if row.system == one.system)
            is_fairer = (row.difference < 0) == (text in lowest)
            by_means = (BETTER if is_fairer else WORSE) if abs(row.difference) >= LEAST else ""
            rows.append((
                row.system, row.baseline, row.measure, row.baseline_value, row.value, row.difference, row.ci_low,
                row.ci_high, row.p, row.p_corrected, row.wins, row.ties, row.losses, row.queries, by_means,
                row.verdict, row.warning,
            ))  # fmt: skip
    table = pd.DataFrame(rows, columns=list(TESTS))
    return table.astype(dict.fromkeys(("mitigation", "base", "measure", "by_means", "verdict", "warning"), "str"))


def outcomes(table: pd.DataFrame) -> tuple[str, ...]:
    """A sentence for each mitigation."""
    return tuple(_outcome(part) for _, part in table.groupby("mitigation", sort=False))


def warnings_of(table: pd.DataFrame) -> tuple[str, ...]:
    """A sentence for each mitigation that is better by one measure and worse by another."""
    both = (part for _, part in table.groupby("mitigation", sort=False) if {AHEAD, BEHIND} <= set(part["verdict"]))
    return tuple(_outcome(part) for part in both)


def leanings(table: pd.DataFrame) -> tuple[str, ...]:
    """A sentence for each mitigation whose means are better by one measure and worse by another, where tests do not
    support both."""
    sentences = []
    for name, part in table.groupby("mitigation", sort=False):
        better, worse = (part[part["by_means"] == side] for side in (BETTER, WORSE))
        if len(better) and len(worse) and not {AHEAD, BEHIND} <= set(part["verdict"]):
            spoilt = listed(_changes(worse.to_dict("records")))
            mended = listed(better["measure"].tolist())
            sentences.append(f"{name}: by its means worse by {spoilt}, and better by {mended}. No test supports both.")
    return tuple(sentences)


def _outcome(part: pd.DataFrame) -> str:
    rows = part.to_dict("records")
    phrases = []
    for verdict, word in ((AHEAD, "better"), (BEHIND, "worse")):
        changes = _changes([row for row in rows if row["verdict"] == verdict])
        phrases += [f"{word} by {listed(changes)}"] if changes else []
    nothing = FEW if all(row["verdict"] == UNTESTED for row in rows) else NOTHING
    return f"{rows[0]['mitigation']} against {rows[0]['base']}: {', and '.join(phrases) or nothing}."


def _changes(rows: Sequence[dict]) -> list[str]:
    return [f"{row['measure']}, which {changed(row['base_value'], row['value'])}" for row in rows]


def changed(before: float, after: float) -> str:
    """Return a number's change in words.

    >>> changed(0.42, 0.21), changed(0.702, 0.686), changed(-0.2, 0.1)
    ('halves (0.420 to 0.210)', 'falls (0.702 to 0.686)', 'rises (−0.200 to 0.100)')
    """
    verb = "rises" if after > before else "falls"
    if before * after > 0:
        ratios = {"halves": (0.45, 0.55), "doubles": (1.8, 2.2)}  # of the value without the mitigation
        verb = next((word for word, (low, high) in ratios.items() if low <= after / before <= high), verb)
    return f"{verb} ({decimal(before)} to {decimal(after)})"
