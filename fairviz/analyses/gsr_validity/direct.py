"""Checks of GSR on the lists of a study: gendered queries against the people that the documents of a list mention (GSR
paper, section 4.2.5), the agreement of two sets of word vectors, and rankers with debiased vectors.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fairviz.annotation.rules import prevailing
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import align, aligned, chosen_queries
from fairviz.evaluation.gsr import PERFECT, direction_of, gsr, gsr_points, list_depths
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import Settings
from fairviz.measures.rankings import Rankings, words_of
from fairviz.measures.sums import AlignedRankings
from fairviz.rankers import parse_rankers
from fairviz.rankers.grammar import RankerChoice
from fairviz.rankers.ranking import rank
from fairviz.statistics.contrasts import sign_of
from fairviz.study.record import Study
from fairviz.study.study import add_runs
from fairviz.study.tables import RUNS, empty
from fairviz.words.counting import GSR_LEXICON
from fairviz.words.genderedness import DEBIASINGS, GenderDirection, vocabulary_mean

Array = np.ndarray
REFERENCE = "perfect"
EDGES = (-np.inf, -0.1, -0.05, 0.0, 0.05, 0.1, np.inf)
OVER = ("female", "male", "neither", "undefined")
_GROUPS = ("female", "male")
_ORDERS = 9_999
RANKERS = ("w2v_add", "w2v_si")
MEASURES = ("AP@100", "nDCG@100", "P@10")
DEPTH = 100


def direct_stereotypes(
    study: Study,
    settings: Settings,
    reference: str = REFERENCE,
    *,
    smoothing: float = 0.0,
    rankings: AlignedRankings | None = None,
    direction: GenderDirection | None = None,
) -> pd.DataFrame:
    """Return the gender whose people each list mentions more often than the reference system's list.

    A document is female if it has more female than male words of the paper's Appendix B, male if it has more male ones.
    gap = male documents / female documents of the list, down to GSR's depth: infinite if the list has only male ones,
    NaN if it has neither. smoothing: documents added to both counts before the division; 0 is the paper's, and short
    lists that lack one gender need more than 0.

    Returns system, query_id, query (g of the query), female, male (documents), gap, reference_gap, delta (gap - the
    reference's; infinite if one of them is, NaN if both are or one is undefined) and over: `male` if delta is positive,
    `female` if it is negative, `neither` at 0, else `undefined`. Raises FairvizError if the study has no reference
    system or lacks data for GSR.
    """
    if reference not in study.systems:
        raise FairvizError(
            f"the study {study.name!r} has no system {reference!r} to compare with",
            f"Make it: fairviz rank {study.name} --with perfect",
        )
    all_systems = settings.changed(systems=())
    rankings = aligned(study, all_systems, rankings)
    table = gsr_points(study, all_systems, rankings=rankings, direction=direction)[["system", "query_id", "query"]]
    lists = rankings.lists
    female, male = _mentions(study, lists, settings)
    rows = pd.Index(lists.systems).get_indexer(pd.Index(table["system"]))
    columns = pd.Index(lists.queries).get_indexer(pd.Index(table["query_id"]))
    gap = _gap(female + smoothing, male + smoothing)
    base = gap[lists.row_of(reference)][columns]
    with np.errstate(invalid="ignore"):
        delta = gap[rows, columns] - base
    table = table.assign(female=female[rows, columns], male=male[rows, columns], gap=gap[rows, columns])
    table = table.assign(reference_gap=base, delta=delta, over=_over(delta))
    systems = settings.systems or [name for name in study.systems if name != reference]
    return table[table["system"].isin(systems)].reset_index(drop=True)


def _mentions(study: Study, lists: Rankings, settings: Settings) -> tuple[Array, Array]:
    """Return the female and male documents of each list, (S, Q) each."""
    words = words_of(replace(study, groups=_GROUPS), lists.doc_ids, GSR_LEXICON, "word")
    group = np.append(prevailing(words.counts), 0)  # the last is for places below the end of a list, -1
    reach = list_depths(study, lists.queries, settings.cutoff, settings.gsr_depth)  # (Q,)
    inside = np.arange(1, lists.depth + 1)[:, None] <= reach  # (K, Q)
    codes = group[lists.documents] * inside[:, None, :]  # (K, S, Q)
    return (codes == 1).sum(axis=0), (codes == 2).sum(axis=0)


def _gap(female: Array, male: Array) -> Array:
    """Return male / female; infinite without female ones, NaN without either."""
    limits = np.where(male > 0, np.inf, np.nan)
    return np.divide(male, female, out=limits, where=female > 0)


def _over(delta: Array) -> list[str]:
    """Return the gender that is mentioned more often than in the reference's list, in words."""
    words = {1: "male", -1: "female", 0: "neither"}
    return ["undefined" if np.isnan(sign) else words[int(sign)] for sign in sign_of(delta)]


def by_genderedness(table: pd.DataFrame, edges: Sequence[float] = EDGES) -> pd.DataFrame:
    """Return counts of `direct_stereotypes` in bins of g(q): system, low, high, queries, and one count for each of
    `over`.

    A bin has low < g <= high; empty bins are included, queries without g are not.
    """
    bins = pd.cut(table["query"], list(edges), labels=False)
    names = list(dict.fromkeys(table["system"]))
    counts = (
        table.assign(bin=bins, one=1)
        .dropna(subset=["bin"])
        .pivot_table(index=["system", "bin"], columns="over", values="one", aggfunc="sum", fill_value=0)
        .reindex(pd.MultiIndex.from_product([names, range(len(edges) - 1)]), columns=list(OVER), fill_value=0)
        .astype(np.int64)
    )
    system, place = counts.index.get_level_values(0), counts.index.get_level_values(1)
    bounds = np.asarray(edges, dtype=np.float64)
    values = {name: counts[name].to_numpy() for name in OVER}
    return pd.DataFrame(
        {
            "system": system.to_numpy(),
            "low": bounds[place],
            "high": bounds[place + 1],
            "queries": counts.sum(axis=1).to_numpy(),
            **values,
        }
    ).astype({"system": "str"})


def by_leaning(table: pd.DataFrame, centre: float = 0.0) -> pd.DataFrame:
    """Return counts of `direct_stereotypes` by the side of `centre` on which g(q) is.

    Returns system, leaning (`female` above the centre, `male` below), over (`female`, `male`, `neither`), count,
    queries (of that leaning whose over is not undefined), share = count / queries (NaN for none) with its 95 % Wilson
    interval ci_low, ci_high. Queries without g, or at the centre, are left out.
    """
    from scipy.stats import binomtest

    side = sign_of(table["query"].to_numpy(dtype=np.float64) - centre)
    rows = []
    for system in dict.fromkeys(table["system"]):
        for leaning, sign in zip(_GROUPS, (1, -1), strict=True):
            values = table.loc[(table["system"] == system) & (side == sign), "over"]
            queries = int((values != OVER[-1]).sum())
            for over in OVER[:-1]:
                count = int((values == over).sum())
                interval = binomtest(count, queries).proportion_ci(method="wilson") if queries else (np.nan, np.nan)
                share = count / queries if queries else np.nan
                rows.append((system, leaning, over, count, queries, share, float(interval[0]), float(interval[1])))
    columns = ["system", "leaning", "over", "count", "queries", "share", "ci_low", "ci_high"]
    return pd.DataFrame(rows, columns=columns).astype({"system": "str", "leaning": "str", "over": "str"})


@dataclass(frozen=True, eq=False)
class Reliability:
    """The same study measured by two sets of word vectors.

    queries: query_id, first, second (g of the query; NaN out of vocabulary). pearson, pearson_p: over the queries in
    both vocabularies; NaN with fewer than three of them or if one side is constant. interval: Pearson's 95 % interval,
    by Fisher's z; NaN with fewer than four. systems: system, first, second (GSR). spearman, spearman_p: over systems
    with a slope in both, likewise; p is two-sided, over all orders of up to seven systems, else (hits + 1)/(draws + 1)
    of 9,999 random ones: never 0, as few systems prove little.
    """

    queries: pd.DataFrame
    pearson: float
    pearson_p: float
    systems: pd.DataFrame
    spearman: float
    spearman_p: float
    interval: tuple[float, float]


def reliability(
    study: Study,
    settings: Settings,
    first: GenderDirection,
    second: GenderDirection,
    *,
    rankings: AlignedRankings | None = None,
) -> Reliability:
    """Return genderedness of queries and GSR of systems by both directions. Raises FairvizError: see `gsr_points`."""
    rankings = aligned(study, settings, rankings)
    return compared(*(gsr_points(study, settings, rankings=rankings, direction=each) for each in (first, second)))


def compared(first: pd.DataFrame, second: pd.DataFrame) -> Reliability:
    """Return the comparison of two tables of points from `gsr_points`."""
    from scipy.stats import pearsonr, permutation_test, rankdata

    points = [first, second]
    queries = _join_tables([each.drop_duplicates("query_id") for each in points], "query_id", "query")
    systems = _join_tables([gsr(each) for each in points], "system", "slope")
    pearson, spearman = _correlated(queries, "pearsonr"), _correlated(systems, "spearmanr")[0]
    interval = math.nan, math.nan
    complete = queries.dropna(subset=["first", "second"])
    if not math.isnan(pearson[0]) and len(complete) >= 4:
        ends = pearsonr(complete["first"], complete["second"]).confidence_interval()
        interval = float(ends.low), float(ends.high)
    p = math.nan  # of the permutations: scipy's asymptotic p of ρ is 0 for 5 systems in the same order
    if not math.isnan(spearman):
        complete = systems.dropna(subset=["first", "second"])
        ranks, others = (rankdata(complete[name]) - (len(complete) + 1) / 2 for name in ("first", "second"))
        test = permutation_test(
            (ranks,),
            lambda order, axis: (order * others).sum(axis=axis),
            permutation_type="pairings",
            vectorized=True,
            n_resamples=_ORDERS,
            rng=np.random.default_rng(0),
        )
        p = float(test.pvalue)
    return Reliability(queries, *pearson, systems, spearman, p, interval)


def _join_tables(tables: list[pd.DataFrame], key: str, value: str) -> pd.DataFrame:
    first, second = (table[[key, value]] for table in tables)
    joined = first.rename(columns={value: "first"}).merge(second.rename(columns={value: "second"}), on=key)
    return joined.reset_index(drop=True)


def _correlated(table: pd.DataFrame, test: str) -> tuple[float, float]:
    """Return scipy's correlation of the columns first and second over the rows that have both, and its p."""
    from scipy import stats

    complete = table.dropna(subset=["first", "second"])
    return correlated(complete["first"].to_numpy(), complete["second"].to_numpy(), getattr(stats, test))


def correlated(first: Array, second: Array, test) -> tuple[float, float]:
    """Return the correlation and its p; NaN with fewer than three values or if one side is constant."""
    if len(first) < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return math.nan, math.nan
    result = test(first, second)
    return float(result.statistic), float(result.pvalue)


@dataclass(frozen=True, eq=False)
class DebiasedComparison:
    """Rankers with original and debiased vectors.

    study: the study whose only systems are these (and `perfect`, if it was there). systems: system, ranker, debias, GSR
    as `fairviz.evaluation.gsr.gsr` returns it (slope, ci_low, ci_high, relative, …), and a column for each measure
    of effectiveness, NaN without relevance. distances: query_id, query (g), ranker, debias, distance (of the lists
    before and after, top `depth`). correlations: ranker, debias, queries, and Pearson's r and p of |g(q)| and distance,
    as in the paper's figure 10; centred_r and centred_p of |g(q) - offset| and distance, offset being the vocabulary's
    mean g, without which GloVe's g hardly shows how gendered a query is.
    """

    study: Study
    systems: pd.DataFrame
    distances: pd.DataFrame
    correlations: pd.DataFrame


def compare_debiased(
    study: Study,
    settings: Settings,
    rankers: Sequence[str] = RANKERS,
    embedding: str = "glove",
    *,
    depth: int = DEPTH,
    measures: Sequence[str] = MEASURES,
    direction: GenderDirection | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> DebiasedComparison:
    """Rank the study by each ranker with original vectors and with regular and strong debiasing, and compare the
    results.

    embedding: the rankers' vectors; GSR is measured with the settings' vectors (or by `direction`), which are never
    debiased. progress(queries ranked, in all). Raises FairvizError if the study lacks queries or documents.
    """
    direction = direction or direction_of(settings)
    variants = [f"{name}(debias={kind})" for name in rankers for kind in DEBIASINGS]
    choices = parse_rankers(",".join(variants), embedding)
    ranked = rank(study, choices, depth, progress)
    debiased_study = add_runs(replace(study, runs=empty(RUNS)), _with_perfect(study, ranked.runs))
    all_systems = settings.changed(systems=())
    rankings = align(debiased_study, all_systems)
    points = gsr_points(debiased_study, all_systems, rankings=rankings, direction=direction)
    rows = [(PERFECT, PERFECT, "")] if PERFECT in debiased_study.systems else []
    rows += [(choice.system, choice.ranker.name, choice.parameters["debias"]) for choice in choices]
    systems = pd.DataFrame(rows, columns=["system", "ranker", "debias"], dtype="str")
    systems = systems.merge(gsr(points), on="system", how="left")
    if debiased_study.has("qrels"):
        systems = systems.merge(_effectiveness(debiased_study, all_systems, measures), on="system", how="left")
    else:
        systems = systems.assign(**dict.fromkeys(measures, np.nan))
    queries = chosen_queries(debiased_study, all_systems)
    distances = pd.concat(
        [_distances(debiased_study, choice, choices, queries, rankings.lists, depth) for choice in choices],
        ignore_index=True,
    )
    genderedness = points.drop_duplicates("query_id").set_index("query_id")["query"]
    distances = distances.assign(query=distances["query_id"].map(genderedness).astype(np.float64))
    return DebiasedComparison(debiased_study, systems, distances, _correlations(distances, vocabulary_mean(direction)))


def _with_perfect(study: Study, runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs behind the study's perfect ranking, where it has one."""
    if PERFECT not in study.systems:
        return runs
    columns = list(RUNS.column_names)
    perfect = study.runs[study.runs["system"] == PERFECT]
    return pd.concat([perfect[columns], runs[columns]], ignore_index=True).astype({"system": "str", "query_id": "str"})


def _distances(
    study: Study,
    choice: RankerChoice,
    choices: Sequence[RankerChoice],
    queries: Sequence[str],
    rankings: Rankings,
    depth: int,
) -> pd.DataFrame:
    """Return query_id, ranker, debias, distance: of a variant's lists from those of the same ranker with original
    vectors."""
    kind = choice.parameters["debias"]
    original = next(each for each in choices if each.ranker.name == choice.ranker.name)
    has_both = {original.system, choice.system} <= set(study.systems)
    if kind == DEBIASINGS[0] or not has_both:
        return pd.DataFrame({"query_id": [], "ranker": [], "debias": [], "distance": []})
    table = list_distances(rankings, original.system, choice.system, depth)
    table = table[table["query_id"].isin(queries)].reset_index(drop=True)
    return table.assign(ranker=choice.ranker.name, debias=kind)[["query_id", "ranker", "debias", "distance"]]


def _effectiveness(study: Study, settings: Settings, measures: Sequence[str]) -> pd.DataFrame:
    """Return system and a column for each measure under its text."""
    summary = summarise(evaluate(study, list(measures), settings))
    wide = summary.pivot(index="system", columns="measure", values="value")
    return pd.DataFrame({text: wide[ask(text, settings).text] for text in measures}).reset_index()


def list_distances(rankings: Rankings, before: str, after: str, depth: int = DEPTH) -> pd.DataFrame:
    """Return Kendall's τ distance of two systems' lists for each query, cut at `depth`: query_id, distance.

    Over all pairs of documents in either list, with documents missing from a list tied behind its end: the share of
    pairs in opposite order, pairs tied in one list counting half (Fagin, Kumar, Sivakumar 2003, p = 1/2), which is (1 -
    τ_a)/2. 0 for equal lists, 1 for reversed ones, about 3/4 for long disjoint lists. NaN if a list is empty or both
    have the same single document. Raises FairvizError for an unknown system.
    """
    places = []
    for name in (before, after):
        if name not in rankings.systems:
            raise FairvizError(f"there is no system {name!r}", f"Use one of {', '.join(rankings.systems)}.")
        places.append(rankings.systems.index(name))
    lists = rankings.documents[:depth][:, places]  # (K, 2, Q)
    distances = [_kendall_distance(*lists[:, :, query].T) for query in range(len(rankings.queries))]
    return pd.DataFrame({"query_id": pd.Series(rankings.queries, dtype="str"), "distance": distances})


def _kendall_distance(first: Array, second: Array) -> float:
    """Return the distance of two lists of documents (K,), best first, -1 below their ends."""
    from scipy.stats import kendalltau

    first, second = first[first >= 0], second[second >= 0]
    union = np.union1d(first, second)
    count = len(union)
    if not len(first) or not len(second) or count < 2:
        return math.nan
    ranks = [_ranks(union, listed) for listed in (first, second)]
    pairs = math.comb(count, 2)
    untied = [pairs - math.comb(count - len(listed), 2) for listed in (first, second)]
    agreeing = round(kendalltau(*ranks).statistic * math.sqrt(untied[0] * untied[1]))  # less opposite pairs, whole
    return (pairs - agreeing) / (2 * pairs)


def _ranks(documents: Array, listed: Array) -> Array:
    """Return the rank of each document (N,), which are sorted, in a list; one beyond its end for those not listed."""
    ranks = np.full(len(documents), len(listed) + 1)
    ranks[np.searchsorted(documents, listed)] = np.arange(1, len(listed) + 1)
    return ranks


def _correlations(distances: pd.DataFrame, offset: float) -> pd.DataFrame:
    """Return the correlations of each ranker and debiasing: see `DebiasedComparison`."""
    from scipy.stats import pearsonr

    rows = []
    for (ranker, kind), group in distances.groupby(["ranker", "debias"], sort=False):
        complete = group.dropna(subset=["query", "distance"])
        genderedness, distance = complete["query"].to_numpy(), complete["distance"].to_numpy()
        raw, centred = (
            correlated(np.abs(values), distance, pearsonr) for values in (genderedness, genderedness - offset)
        )
        rows.append((ranker, kind, len(complete), *raw, *centred))
    return pd.DataFrame(rows, columns=["ranker", "debias", "queries", "r", "p", "centred_r", "centred_p"])
