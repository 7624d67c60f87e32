"""The results of an experiment under the settings: a table, the queries that move most, and a sentence for each
ranker."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fairviz.analyses.counterfactuals.experiment import (
    ANY,
    ARMS,
    PRIMARY,
    SECOND,
    SPARED,
    SWAP,
    Experiment,
    Plan,
    Progress,
    experiment,
)
from fairviz.analyses.counterfactuals.sentences import sentence, triples_sentence
from fairviz.analyses.counterfactuals.triples import preferences
from fairviz.analyses.counterfactuals.untouched import reads_query_words_alone, untouched
from fairviz.comparison.family import How, how_of
from fairviz.comparison.pairs import compare_rows
from fairviz.errors import UsageError, expect_progress, value_text
from fairviz.evaluation.choices import chosen_queries
from fairviz.evaluation.questions import split_by_data
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.validation import chosen_settings
from fairviz.rankers import parse_rankers, text_of
from fairviz.rankers.adopted import ScorePairs
from fairviz.statistics.contrasts import is_equal
from fairviz.statistics.intervals import mean_interval, mean_over_queries
from fairviz.study.loaders.runs import stack_runs
from fairviz.study.record import Study
from fairviz.words.counterparts import KINDS, Counterparts, Pairs, packaged, pairs_of

BESIDE = ("TExFAIR", "NFaiRR")  # as in table 2 of the TExFAIR paper
NAMES = {SWAP: "CRBO", PRIMARY: "primary placebo", SECOND: "second placebo, query words spared"}
TESTED = ("difference", "difference_low", "difference_high", "p", "p_corrected")
COLUMNS = ("system", "measure", "value", "ci_low", "ci_high", "queries", "lowest", "highest", *TESTED, "verdict",
           "by_construction")  # fmt: skip
MORE, LESS, APART, FEW = (
    "gender disturbs more", "gender disturbs less", "not significantly different", "too few queries",
)  # fmt: skip
Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Counterfactual:
    """The effect of swapped genders on lists, and the part of it that any edit has.

    table: COLUMNS, a row for CRBO, for each placebo, for TExFAIR and for NFaiRR of each system. value, ci_low, ci_high:
    mean over queries with its t interval; lowest and highest: the mean over all orders of ties. difference, on the row
    of a placebo: CRBO minus the placebo's, paired by query, with its interval; p_corrected: all placebos of all systems
    are one family, which `family` names; verdict, of which that of the primary placebo decides; by_construction: the
    number of queries whose value is 1 by construction: the ranker reads only the queries' words, and none of these was
    replaced. queries: system, query_id, text, crbo, a column a placebo (means over its seeds), difference (crbo minus
    the mean of the placebos), lowest, highest, by_construction; the lowest crbo first. triples: see
    `fairviz.analyses.counterfactuals.triples.preferences`, empty without triples. sentences: the findings, one for each
    system.
    """

    table: pd.DataFrame
    queries: pd.DataFrame
    triples: pd.DataFrame
    sentences: tuple[str, ...]
    messages: tuple[str, ...]
    experiment: Experiment
    family: str = ""

    def wide(self) -> pd.DataFrame:
        """A row a system and a column a measure, as table 2 of the TExFAIR paper."""
        table = self.table.pivot(index="system", columns="measure", values="value")
        order = list(dict.fromkeys(self.table["measure"]))
        return table.loc[list(self.experiment.systems), order].reset_index().rename_axis(columns=None)


def counterfactual(
    study: Study,
    rankers: str | Mapping[str, ScorePairs] = "bm25",
    *,
    words: Sequence[tuple[str, str]] | None = None,
    names: Sequence[tuple[str, str]] | None = None,
    substitute: str = "both",
    seeds: int = 3,
    depth: int = 100,
    p: float = 0.9,
    settings: Settings | None = None,
    progress: Progress | None = None,
    **choices: object,
) -> Counterfactual:
    """Compare rankings before and after replacing every gender word and first name of the documents by its counterpart.

    Parameters
    ----------
    study : Study
        With queries and documents.
    rankers : str or mapping
        As `fairviz rank --with` takes them, `bm25(k1=1.2),tfidf`, or functions by name, {'mine': score}, of a query and
        texts to a score each.
    words, names : sequence of pairs, optional
        Pairs (female, male) in place of the packaged ones.
    substitute : {'both', 'words', 'names'}
        The pairs in use.
    seeds : int
        Placebos of each kind, in which as many content words of each document are replaced by near ones.
    depth : int
        The longest list, in ranks.
    p : float
        Persistence of rank-biased overlap, between 0 and 1.
    settings : Settings, optional
        The choices behind TExFAIR and NFaiRR; the defaults if None.
    progress : callable, optional
        Called with what is done, and the numbers done and in all.
    **choices
        Fields of Settings to change.

    Returns
    -------
    Counterfactual
        With the table of CRBO, of the placebos and of both measures by ranker, and of each query.

    Raises
    ------
    FairvizError
        For a study without queries or text, and if nothing changes.

    Examples
    --------
    >>> import fairviz
    >>> table = fairviz.counterfactual(fairviz.open_study("football"), "bm25", seeds=1).table
    >>> table.iloc[:2, :3].round(2).values.tolist()
    [['bm25', 'CRBO', 1.0], ['bm25', 'primary placebo', 0.9]]
    """
    settings = chosen_settings(study, settings, choices)
    expect_progress(progress)
    plan = Plan(counterparts_of(words, names), substitute, seeds, depth, p)
    ranker_choices = parse_rankers(text_of(rankers), settings.embedding)
    return answer(experiment(study, ranker_choices, plan, progress), settings)


def counterparts_of(
    words: Sequence[tuple[str, str]] | None = None, names: Sequence[tuple[str, str]] | None = None
) -> Counterparts:
    """The packaged pairs, or those that are given in their place; an empty list is none.

    Raises FairvizError for what is no pair.
    """

    return Counterparts(
        _read_pairs("words", words) if words is not None else packaged().words,
        _read_pairs("names", names) if names is not None else packaged().names,
    )


def _read_pairs(name: str, pairs: object) -> Pairs:
    """The pairs of a list. Raises UsageError for what is no list of pairs, FairvizError as `pairs_of`."""
    rows = list(pairs) if isinstance(pairs, Sequence) and not isinstance(pairs, (str, bytes)) else None
    if rows is None or not all(
        isinstance(row, Sequence) and not isinstance(row, str) and len(row) == 2 for row in rows
    ):
        raise UsageError(f"{name} is {value_text(pairs)}", "Give a list of pairs (female, male), as [('she', 'he')].")
    return pairs_of(rows) if rows else ()


def answer(experiment: Experiment, settings: Settings) -> Counterfactual:
    """The experiment's tables and sentences over the queries that the settings keep. Raises FairvizError where they
    keep none."""
    study = experiment.study
    queries = chosen_queries(study, settings)
    values = _values(experiment, queries)
    beside, lacking = _beside(experiment, settings)
    fixed, how = _fixed(experiment, queries, values), how_of(study, settings)
    table, family = _table(experiment.systems, values, beside, fixed, how)
    wordings = experiment.triples
    liked = preferences(wordings, (study.neutral, *study.groups), queries, how) if len(wordings) else pd.DataFrame()
    sentences = [sentence(system, table[table["system"] == system]) for system in experiment.systems]
    sentences += [
        triples_sentence(system, liked[liked["system"] == system]) for system in experiment.systems if len(liked)
    ]
    return Counterfactual(
        table, _by_query(experiment, queries, values, fixed), liked, tuple(filter(None, sentences)),
        (*experiment.messages, *lacking), experiment, family,
    )  # fmt: skip


Values = dict[tuple[str, str], Array]  # by system and arm: rbo, lowest and highest of each query, (3, Q)


def _values(experiment: Experiment, queries: Sequence[str]) -> Values:
    """Means over the seeds of each arm."""
    values: Values = {}
    for (system, arm), part in experiment.values.groupby(["system", "arm"], sort=False):
        means = part.groupby("query_id")[["rbo", "lowest", "highest"]].mean()
        values[str(system), str(arm)] = means.reindex(list(queries)).to_numpy(dtype=np.float64).T
    return values


Fixed = dict[tuple[str, str], Array]


def _fixed(experiment: Experiment, queries: Sequence[str], values: Values) -> Fixed:
    """Return for each system and arm whether each query's value is 1 by construction, (Q,)."""
    spared = np.ones(len(queries), dtype=bool)
    still = {SWAP: untouched(experiment.study, experiment.collection, list(queries)), ANY: ~spared, SPARED: spared}
    return {
        (system, arm): still[arm] & is_equal(values[system, arm][0], 1) & reads_query_words_alone(system)
        for system in experiment.systems
        for arm in ARMS
    }


def _table(
    systems: Sequence[str], values: Values, beside: pd.DataFrame, fixed: Fixed, how: How
) -> tuple[pd.DataFrame, str]:
    """Return the table and the caption of its family."""
    rows: list[dict] = []
    for system in systems:
        for arm in ARMS:
            own = values[system, arm]
            row = {"system": system, "measure": NAMES[arm], **_mean(own[0])}
            row |= {"queries": int((~np.isnan(own[0])).sum())}
            row |= {"lowest": float(mean_over_queries(own[1])), "highest": float(mean_over_queries(own[2]))}
            row["by_construction"] = int(fixed[system, arm].sum())
            rows.append(row)
        rows += beside[beside["system"] == system].to_dict("records")
    table = pd.DataFrame(rows, columns=list(COLUMNS)).assign(verdict="")
    table["by_construction"] = table["by_construction"].fillna(0).astype("int64")
    placebos = [(system, arm) for system in systems for arm in (ANY, SPARED)]
    tested = compare_rows(
        np.stack([values[system, SWAP][0] for system, _ in placebos]), np.stack([values[one][0] for one in placebos]),
        how,
    )  # fmt: skip
    at = table.index[table["measure"].isin([NAMES[ANY], NAMES[SPARED]])]
    numbers = (tested.difference, tested.low, tested.high, tested.p, tested.p_corrected)
    for name, column in zip(TESTED, numbers, strict=True):
        table.loc[at, name] = column
    verdicts = zip(tested.p_corrected.tolist(), tested.side.tolist(), strict=True)
    table.loc[at, "verdict"] = [verdict_of(p, side) for p, side in verdicts]
    return table.astype(dict.fromkeys(("system", "measure", "verdict"), "str")), tested.caption


def _mean(values: Array) -> dict[str, float]:
    low, high = mean_interval(values)
    return {"value": float(mean_over_queries(values)), "ci_low": float(low), "ci_high": float(high)}


def verdict_of(p: float, side: int) -> str:
    """Return what the test of CRBO less a placebo's RBO shows: MORE, LESS or APART; without one FEW."""
    return FEW if np.isnan(p) else {0: APART, -1: MORE, 1: LESS}[side]


def _beside(experiment: Experiment, settings: Settings) -> tuple[pd.DataFrame, list[str]]:
    """Return TExFAIR and NFaiRR of the rankings as they are, and a line for each that the study cannot feed."""
    study = _with_runs(experiment.study, experiment.original, experiment.systems)
    settings = settings.changed(systems=experiment.systems)
    questions, missing = split_by_data(study, settings, BESIDE)
    table = summarise(evaluate(study, questions, settings)) if questions else pd.DataFrame(columns=list(COLUMNS[:6]))
    return table[list(COLUMNS[:6])], [f"{name}: {reason}" for name, reason in missing]


def _with_runs(study: Study, runs: pd.DataFrame, systems: Sequence[str]) -> Study:
    """The study with these runs in place of its own of the same names."""
    others = study.runs[~study.runs["system"].isin(list(systems))]
    others = others.assign(system=others["system"].cat.remove_unused_categories())
    return replace(study, runs=stack_runs([others, runs]) if len(others) else runs, fingerprint="")


def _by_query(experiment: Experiment, queries: Sequence[str], values: Values, fixed: Fixed) -> pd.DataFrame:
    texts = dict(zip(experiment.study.queries["query_id"], experiment.study.queries["text"], strict=True))
    parts = []
    for system in experiment.systems:
        swap, placebo, spared = (values[system, arm] for arm in ARMS)
        columns = {"crbo": swap[0], "placebo": placebo[0], "placebo_spared": spared[0]}
        columns |= {"difference": swap[0] - (placebo[0] + spared[0]) / 2, "lowest": swap[1], "highest": swap[2]}
        columns["by_construction"] = fixed[system, SWAP]
        names = {"system": system, "query_id": list(queries), "text": [texts[name] for name in queries]}
        parts.append(pd.DataFrame(names | columns).sort_values(["crbo", "query_id"], kind="stable"))
    return pd.concat(parts, ignore_index=True)


__all__ = ["KINDS", "Counterfactual", "answer", "counterfactual", "counterparts_of"]
