"""Gendered queries against the people that the documents of a list mention (GSR paper, section 4.2.5)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from fairviz.annotation.rules import prevailing
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import aligned
from fairviz.evaluation.gsr import gsr_points, list_depths
from fairviz.evaluation.settings import Settings
from fairviz.measures.rankings import words_of
from fairviz.measures.sums import AlignedRankings
from fairviz.statistics.contrasts import sign_of
from fairviz.study.record import Study
from fairviz.words.counting import GSR_LEXICON
from fairviz.words.genderedness import GenderDirection

Array = np.ndarray
REFERENCE = "perfect"
EDGES = (-np.inf, -0.1, -0.05, 0.0, 0.05, 0.1, np.inf)
OVER = ("female", "male", "neither", "undefined")
_GROUPS = ("female", "male")


def direct_stereotypes(
    study: Study,
    settings: Settings,
    reference: str = REFERENCE,
    *,
    smoothing: float = 0.0,
    places: AlignedRankings | None = None,
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
    places = aligned(study, all_systems, places)
    table = gsr_points(study, all_systems, places=places, direction=direction)[["system", "query_id", "query"]]
    female, male = _mentions(study, places, settings)
    rows = pd.Index(places.rankings.systems).get_indexer(pd.Index(table["system"]))
    columns = pd.Index(places.rankings.queries).get_indexer(pd.Index(table["query_id"]))
    gap = _gap(female + smoothing, male + smoothing)
    base = gap[places.rankings.row_of(reference)][columns]
    with np.errstate(invalid="ignore"):
        delta = gap[rows, columns] - base
    table = table.assign(female=female[rows, columns], male=male[rows, columns], gap=gap[rows, columns])
    table = table.assign(reference_gap=base, delta=delta, over=_over(delta))
    systems = settings.systems or [name for name in study.systems if name != reference]
    return table[table["system"].isin(systems)].reset_index(drop=True)


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


def _mentions(study: Study, places: AlignedRankings, settings: Settings) -> tuple[Array, Array]:
    """Return the female and male documents of each list, (S, Q) each."""
    rankings = places.rankings
    words = words_of(replace(study, groups=_GROUPS), rankings.doc_ids, GSR_LEXICON, "word")
    group = np.append(prevailing(words.counts), 0)  # the last is for places below the end of a list, -1
    reach = list_depths(study, rankings.queries, settings.cutoff, settings.gsr_depth)  # (Q,)
    inside = np.arange(1, rankings.depth + 1)[:, None] <= reach  # (K, Q)
    codes = group[rankings.documents] * inside[:, None, :]  # (K, S, Q)
    return (codes == 1).sum(axis=0), (codes == 2).sum(axis=0)


def _gap(female: Array, male: Array) -> Array:
    """Return male / female; infinite without female ones, NaN without either."""
    limits = np.where(male > 0, np.inf, np.nan)
    return np.divide(male, female, out=limits, where=female > 0)


def _over(delta: Array) -> list[str]:
    sign = sign_of(delta)
    return ["undefined" if np.isnan(value) else {1: "male", -1: "female", 0: "neither"}[int(value)] for value in sign]
