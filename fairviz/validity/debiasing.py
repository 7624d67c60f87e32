"""What taking the gender direction out of a ranker's vectors changes (GSR paper, section 4.2.3)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError
from fairviz.evaluation.choices import align, chosen_queries
from fairviz.evaluation.gsr import direction_of, gsr_points
from fairviz.evaluation.scores import ask, evaluate, summarise
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slopes import PERFECT, gsr
from fairviz.measures.rankings import Rankings
from fairviz.rankers import Choice, parse_rankers
from fairviz.study.study import Study, add_runs
from fairviz.study.tables import RUNS, empty
from fairviz.validity.reliability import correlated
from fairviz.words.debiasing import DEBIASINGS
from fairviz.words.genderedness import GenderDirection, vocabulary_mean

Array = np.ndarray
RANKERS = ("w2v_add", "w2v_si")
MEASURES = ("AP@100", "nDCG@100", "P@10")
DEPTH = 100


@dataclass(frozen=True, eq=False)
class DebiasedComparison:
    """Rankers with vectors as they are and debiased.

    study: the study whose only systems are these (and `perfect`, where it was there). systems: system, ranker, debias,
    GSR as `fairviz.evaluation.slopes.gsr` gives it (slope, ci_low, ci_high, relative, …), and a column for each measure
    of effectiveness, NaN without relevance. distances: query_id, query (g), ranker, debias, distance (of the lists
    before and after, top `depth`). correlations: ranker, debias, queries, and Pearson's r and p of |g(q)| and distance,
    as in the paper's figure 10; centred_r and centred_p of |g(q) - offset| and distance, offset being the vocabulary's
    mean g, without which GloVe's g says little of how gendered a query is.
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
    """Ranks the study by each ranker with vectors as they are, with regular and with strong debiasing, and compares.

    embedding: the rankers' vectors; GSR is measured with the settings' vectors (or by `direction`), which are never
    debiased. progress(queries ranked, in all). Raises FairvizError where the study lacks queries or documents.
    """
    from fairviz.rankers.ranking import rank

    direction = direction or direction_of(settings)
    variants = [f"{name}(debias={kind})" for name in rankers for kind in DEBIASINGS]
    choices = parse_rankers(",".join(variants), embedding)
    ranked = rank(study, choices, depth, progress)
    fresh = add_runs(replace(study, runs=empty(RUNS)), _with_perfect(study, ranked.runs))
    chosen = settings.changed(systems=())
    places = align(fresh, chosen)
    points = gsr_points(fresh, chosen, places=places, direction=direction)
    systems = _named(choices, fresh).merge(gsr(points), on="system", how="left")
    if fresh.has("qrels"):
        systems = systems.merge(_effectiveness(fresh, chosen, measures), on="system", how="left")
    else:
        systems = systems.assign(**dict.fromkeys(measures, np.nan))
    genderedness = points.drop_duplicates("query_id").set_index("query_id")["query"]
    distances = pd.concat(
        [_distances(fresh, chosen, choice, choices, depth, places.rankings) for choice in choices], ignore_index=True
    )
    distances = distances.assign(query=distances["query_id"].map(genderedness).astype(np.float64))
    return DebiasedComparison(fresh, systems, distances, _correlations(distances, vocabulary_mean(direction)))


def _with_perfect(study: Study, runs: pd.DataFrame) -> pd.DataFrame:
    if PERFECT not in study.systems:
        return runs
    perfect = study.runs[study.runs["system"] == PERFECT]
    columns = list(RUNS.column_names)
    return pd.concat([perfect[columns], runs[columns]], ignore_index=True).astype({"system": "str", "query_id": "str"})


def _named(choices: Sequence[Choice], study: Study) -> pd.DataFrame:
    """system, ranker, debias of each system, `perfect` first; a variant that found nothing is there all the same."""
    rows = [(choice.system, choice.ranker.name, choice.parameters["debias"]) for choice in choices]
    rows = [(PERFECT, PERFECT, ""), *rows] if PERFECT in study.systems else rows
    return pd.DataFrame(rows, columns=["system", "ranker", "debias"], dtype="str")


def _effectiveness(study: Study, settings: Settings, measures: Sequence[str]) -> pd.DataFrame:
    """system and a column for each measure, as it was written."""
    summary = summarise(evaluate(study, list(measures), settings))
    wide = summary.pivot(index="system", columns="measure", values="value")
    return pd.DataFrame({text: wide[ask(text, settings).text] for text in measures}).reset_index()


def _distances(
    study: Study, settings: Settings, choice: Choice, choices: Sequence[Choice], depth: int, rankings: Rankings
) -> pd.DataFrame:
    """The distances of a variant's lists from those of the same ranker with vectors as they are."""
    kind = choice.parameters["debias"]
    plain = next(each for each in choices if each.ranker.name == choice.ranker.name)
    there = {plain.system, choice.system} <= set(study.systems)
    if kind == DEBIASINGS[0] or not there:
        return pd.DataFrame({"query_id": [], "ranker": [], "debias": [], "distance": []})
    kept = chosen_queries(study, settings, rankings.queries)
    table = list_distances(rankings, plain.system, choice.system, depth)
    table = table[table["query_id"].isin(kept)].reset_index(drop=True)
    return table.assign(ranker=choice.ranker.name, debias=kind)[["query_id", "ranker", "debias", "distance"]]


def list_distances(rankings: Rankings, before: str, after: str, depth: int = DEPTH) -> pd.DataFrame:
    """Kendall's τ distance of two systems' lists for each query, cut at `depth`: query_id, distance.

    Over all pairs of documents that either list holds, where what a list lacks stands tied behind its end: the share
    of pairs in opposite order, pairs tied in one list counting half (Fagin, Kumar, Sivakumar 2003, p = 1/2), which is
    (1 - τ_a)/2. 0 for equal lists, 1 for reversed ones, about 3/4 for long lists with nothing in common. NaN where a
    list is empty or both hold the same single document. Raises FairvizError for a system that is not there.
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
    """The distance of two lists of documents (K,), best first, -1 below their ends."""
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
    """The rank of each document (N,) in the list; one beyond its end for those it lacks."""
    ranks = np.full(len(documents), len(listed) + 1)
    ranks[np.searchsorted(documents, listed)] = np.arange(1, len(listed) + 1)
    return ranks


def _correlations(distances: pd.DataFrame, offset: float) -> pd.DataFrame:
    """The correlations of each ranker and debiasing, as DebiasedComparison has them."""
    from scipy.stats import pearsonr

    rows = []
    for (ranker, kind), part in distances.groupby(["ranker", "debias"], sort=False):
        whole = part.dropna(subset=["query", "distance"])
        g, distance = whole["query"].to_numpy(), whole["distance"].to_numpy()
        raw, centred = (correlated(np.abs(values), distance, pearsonr) for values in (g, g - offset))
        rows.append((ranker, kind, len(whole), *raw, *centred))
    return pd.DataFrame(rows, columns=["ranker", "debias", "queries", "r", "p", "centred_r", "centred_p"])
