"""The results of an experiment under the settings: a table, the queries that move most, and a sentence for each
ranker."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fairviz.analyses.gender_swap.experiment import (
    ANY,
    ARMS,
    PRIMARY,
    SECOND,
    SPARED,
    SWAP,
    Collection,
    Experiment,
    Progress,
    SwapPlan,
    experiment,
    texts_of,
)
from fairviz.analyses.gender_swap.triples import preferences
from fairviz.comparison.family import How, how_of
from fairviz.comparison.pairs import compare_rows, no_verdict
from fairviz.errors import UsageError, expect_progress, value_text
from fairviz.evaluation.choices import chosen_queries
from fairviz.evaluation.formats import one_line
from fairviz.evaluation.questions import chosen_settings, split_by_data
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import Settings
from fairviz.rankers import parse_rankers, text_of
from fairviz.rankers.adopted import ScorePairs
from fairviz.rankers.record import analyser
from fairviz.statistics.contrasts import is_equal
from fairviz.statistics.intervals import mean_interval, mean_over_queries
from fairviz.study.loaders.runs import stack_runs
from fairviz.study.record import Study
from fairviz.words.counterparts import Counterparts, Pairs, packaged, pairs_of
from fairviz.words.sentences import counted

QUERY_WORDS_ALONE = ("bm25", "qlm")  # scores rest on counts of the queries' words and on documents' lengths
Array = np.ndarray
BESIDE = ("TExFAIR", "NFaiRR")  # as in table 2 of the TExFAIR paper
NAMES = {SWAP: "CRBO", PRIMARY: "primary placebo", SECOND: "second placebo, query words spared"}
TESTED = ("difference", "difference_low", "difference_high", "p", "p_corrected")
COLUMNS = ("system", "measure", "value", "ci_low", "ci_high", "queries", "lowest", "highest", *TESTED, "verdict",
           "by_construction")  # fmt: skip
MORE, LESS, APART, FEW = (
    "gender disturbs more", "gender disturbs less", "not significantly different", "too few queries",
)  # fmt: skip
_PLACEBO = " Placebo edits: RBO {any} (primary), {spared} with query words spared (second)."
_PRIMARY = "as many other edits (primary placebo, RBO {any})"
_MATTERS = "{system}: gender matters. Swaps move its lists more (CRBO {crbo}) than " + _PRIMARY + "."
_LESS = "{system}: gender swaps move its lists less (CRBO {crbo}) than " + _PRIMARY + "."
_APART = "{system}: gender swaps (CRBO {crbo}) and " + _PRIMARY + " are not significantly different."
_SECOND = " Second placebo, query words spared (RBO {spared}): {second}."
_FEW = "{system}: gender swaps, CRBO {crbo}; {why}." + _PLACEBO
_FIXED = "{system}: CRBO is 1 by construction: it reads only query words, which are not swapped." + _PLACEBO
_PARTLY_FIXED = " CRBO is 1 by construction for {fixed} of {queries} queries, without swapped words."
_NOTHING = "{system}: it found no document for any query, before or after."
_DECIDED = {"gender disturbs more": _MATTERS, "gender disturbs less": _LESS, "not significantly different": _APART}

Values = dict[tuple[str, str], Array]  # by system and arm: rbo, lowest and highest of each query, (3, Q)
Fixed = dict[tuple[str, str], Array]  # by system and arm: whether a query's value is 1 by construction, (Q,)


def untouched(study: Study, collection: Collection, queries: list[str]) -> Array:
    """Return True where no term of the query was removed from a document or added to one, (Q,)."""
    terms, texts, swapped = analyser(), texts_of(study), set[str]()
    words = {
        word
        for name, parts in collection.edits.items()
        for text, edits in zip(texts[name], parts, strict=True)
        for edit in edits
        for word in (text[edit.start : edit.end], edit.new)
    }
    for word in words:
        swapped.update(terms(word))
    text_by_query = dict(zip(study.queries["query_id"], study.queries["text"].fillna(""), strict=True))
    return np.array([swapped.isdisjoint(terms(text_by_query[query])) for query in queries], dtype=bool)


def reads_query_words_alone(system: str) -> bool:
    """Return True if a ranker of this name and parameters reads nothing of a document but the query's words."""
    return system.partition("-")[0] in QUERY_WORDS_ALONE


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
    `fairviz.analyses.gender_swap.triples.preferences`, empty without triples. sentences: the findings, one for each
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
    plan = SwapPlan(counterparts_of(words, names), substitute, seeds, depth, p)
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
    values = _means_over_seeds(experiment, queries)
    fixed = _fixed(experiment, queries, values)
    beside, lacking = _beside(experiment, settings)
    how = how_of(study, settings)
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


def _means_over_seeds(experiment: Experiment, queries: Sequence[str]) -> Values:
    """Return the means over the seeds of each system and arm."""
    values: Values = {}
    for (system, arm), part in experiment.values.groupby(["system", "arm"], sort=False):
        means = part.groupby("query_id")[["rbo", "lowest", "highest"]].mean()
        values[str(system), str(arm)] = means.reindex(list(queries)).to_numpy(dtype=np.float64).T
    return values


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
            rbo, lowest, highest = values[system, arm]
            low, high = mean_interval(rbo)
            row = {"system": system, "measure": NAMES[arm], "value": float(mean_over_queries(rbo))}
            row |= {"ci_low": float(low), "ci_high": float(high), "queries": int((~np.isnan(rbo)).sum())}
            row |= {"lowest": float(mean_over_queries(lowest)), "highest": float(mean_over_queries(highest))}
            rows.append(row | {"by_construction": int(fixed[system, arm].sum())})
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
    """Return the study with these runs in place of its own of the same names."""
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


def sentence(system: str, rows: pd.DataFrame) -> str:
    """The sentence of one system from its rows of `Counterfactual.table`: the corrected paired test against the primary
    placebo decides, and the second is named beside it."""
    swap, first, second = rows.iloc[:3].to_dict("records")
    crbo, any_edit, spared = (
        "undefined" if np.isnan(row["value"]) else f"{row['value']:.2f}" for row in (swap, first, second)
    )
    values = {
        "system": one_line(system), "crbo": crbo, "any": any_edit, "spared": spared, "queries": swap["queries"],
        "fixed": swap.get("by_construction", 0), "why": no_verdict(swap["queries"]),
        "second": second["verdict"] if second["verdict"] in _DECIDED else f"no verdict, {second['verdict']}",
    }  # fmt: skip
    if np.isnan(swap["value"]):
        return _NOTHING.format(**values)
    if 0 < values["fixed"] == values["queries"]:
        return _FIXED.format(**values)
    text = _DECIDED[first["verdict"]] + _SECOND if first["verdict"] in _DECIDED else _FEW
    return (text + (_PARTLY_FIXED if values["fixed"] else "")).format(**values)


def triples_sentence(system: str, rows: pd.DataFrame) -> str:
    """Return the wording of a document that a system prefers, in words; empty where no triple was found."""
    rows_with_share = rows[rows["share"].notna() & (rows["judged"] == "all")]
    if rows_with_share.empty:
        return ""
    shares = []
    for row in rows_with_share.to_dict("records"):
        bounds = f" ({row['share_low']:.0%} to {row['share_high']:.0%})" if not np.isnan(row["share_low"]) else ""
        shares.append(f"{row['wording']} in {row['share']:.0%}{bounds}")
    significant_rows = rows_with_share[(rows_with_share["p_corrected"] <= 0.05) & (rows_with_share["difference"] > 0)]
    preferred_wordings = " and the ".join(significant_rows["wording"])
    if rows_with_share["p_corrected"].isna().all():
        tail = f"{no_verdict(int(rows_with_share['queries'].max()))}."
    elif preferred_wordings:
        tail = f"On average it scores the {preferred_wordings} one higher."
    else:
        tail = "On average it scores none significantly higher."
    triples = int(rows_with_share["triples"].iloc[0])
    documents = "the one document" if triples == 1 else f"{triples:,} documents"
    among = rows[
        (rows["judged"] == "relevant") & (rows["wording"] == rows_with_share["wording"].iloc[0]) & rows["share"].notna()
    ]
    relevant = "".join(
        f" ({row['wording']} in {row['share']:.0%} of the relevant ones)" for row in among.to_dict("records")
    )
    return (
        f"{one_line(system)}, {documents} in three wordings, each against the mean of the others: preferred are "
        f"{', '.join(shares)}{relevant}. {tail}"
    )


def replacements(counts: tuple[int, int, int], short: float) -> list[str]:
    """Return a sentence on the replacements, and one on those that the placebos lack for want of content words.

    counts: documents with text, changed documents, and words replaced.
    """
    documents, changed_documents, words = counts
    sentences = [f"{words:,} words and names replaced in {changed_documents:,} of {documents:,} documents."]
    if count := round(short):
        sentences.append(f"The placebos lack {counted(count, 'replacement')}, for want of content words.")
    return sentences
