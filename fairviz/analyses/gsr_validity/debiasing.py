"""Effect of removing the gender direction from a ranker's vectors (GSR paper, section 4.2.3)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fairviz.analyses.gsr_validity.reliability import correlated
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import align, chosen_queries
from fairviz.evaluation.gsr import PERFECT, direction_of, gsr, gsr_points
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import Settings
from fairviz.measures.rankings import Rankings
from fairviz.rankers import Choice, parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.study.record import Study
from fairviz.study.study import add_runs
from fairviz.study.tables import RUNS, empty
from fairviz.words.genderedness import DEBIASINGS, GenderDirection, vocabulary_mean

Array = np.ndarray
RANKERS = ("w2v_add", "w2v_si")
MEASURES = ("AP@100", "nDCG@100", "P@10")
DEPTH = 100


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
    places = align(debiased_study, all_systems)
    points = gsr_points(debiased_study, all_systems, places=places, direction=direction)
    rows = [(PERFECT, PERFECT, "")] if PERFECT in debiased_study.systems else []
    rows += [(choice.system, choice.ranker.name, choice.parameters["debias"]) for choice in choices]
    systems = pd.DataFrame(rows, columns=["system", "ranker", "debias"], dtype="str")
    systems = systems.merge(gsr(points), on="system", how="left")
    if debiased_study.has("qrels"):
        systems = systems.merge(_effectiveness(debiased_study, all_systems, measures), on="system", how="left")
    else:
        systems = systems.assign(**dict.fromkeys(measures, np.nan))
    genderedness = points.drop_duplicates("query_id").set_index("query_id")["query"]
    distances = pd.concat(
        [_distances(debiased_study, all_systems, choice, choices, depth, places.rankings) for choice in choices],
        ignore_index=True,
    )
    distances = distances.assign(query=distances["query_id"].map(genderedness).astype(np.float64))
    return DebiasedComparison(debiased_study, systems, distances, _correlations(distances, vocabulary_mean(direction)))


def _with_perfect(study: Study, runs: pd.DataFrame) -> pd.DataFrame:
    if PERFECT not in study.systems:
        return runs
    perfect = study.runs[study.runs["system"] == PERFECT]
    columns = list(RUNS.column_names)
    return pd.concat([perfect[columns], runs[columns]], ignore_index=True).astype({"system": "str", "query_id": "str"})


def _effectiveness(study: Study, settings: Settings, measures: Sequence[str]) -> pd.DataFrame:
    """Return system and a column for each measure under its text."""
    summary = summarise(evaluate(study, list(measures), settings))
    wide = summary.pivot(index="system", columns="measure", values="value")
    return pd.DataFrame({text: wide[ask(text, settings).text] for text in measures}).reset_index()


def _distances(
    study: Study, settings: Settings, choice: Choice, choices: Sequence[Choice], depth: int, rankings: Rankings
) -> pd.DataFrame:
    """Return the distances of a variant's lists from those of the same ranker with original vectors."""
    kind = choice.parameters["debias"]
    original = next(each for each in choices if each.ranker.name == choice.ranker.name)
    has_both = {original.system, choice.system} <= set(study.systems)
    if kind == DEBIASINGS[0] or not has_both:
        return pd.DataFrame({"query_id": [], "ranker": [], "debias": [], "distance": []})
    rows = chosen_queries(study, settings)
    table = list_distances(rankings, original.system, choice.system, depth)
    table = table[table["query_id"].isin(rows)].reset_index(drop=True)
    return table.assign(ranker=choice.ranker.name, debias=kind)[["query_id", "ranker", "debias", "distance"]]


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


def _ranks(documents: Array, documents_of_list: Array) -> Array:
    """Return the rank of each document (N,) in the list; one beyond its end for missing documents."""
    ranks = np.full(len(documents), len(documents_of_list) + 1)
    ranks[np.searchsorted(documents, documents_of_list)] = np.arange(1, len(documents_of_list) + 1)
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
