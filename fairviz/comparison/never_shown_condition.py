"""The condition `never shown GROUP` of a gate: the share of the relevant documents of a group that a system shows in no
list within the cutoff."""

import re

import numpy as np
import pandas as pd

from fairviz.comparison.mover_rows import (
    DOCUMENT_COLUMNS,
    QUERY_COLUMNS,
    attention,
    has_one_list_each,
    ranks_of,
    snippet,
)
from fairviz.comparison.never_shown import PoolExposure, clusters_of, pool_exposure, share_of
from fairviz.comparison.paired_rows import no_verdict
from fairviz.comparison.pairs import FEWEST_QUERIES
from fairviz.comparison.quantity import Contrast, Pair, QuantityKind
from fairviz.errors import FairvizError, UsageError, use_one_of
from fairviz.evaluation.choices import aligned_runs, bias_to_depth
from fairviz.evaluation.settings import Settings
from fairviz.statistics.clustered_shares import ClusteredShare, difference_of
from fairviz.study.record import Study
from fairviz.study.tables import expanded

Array = np.ndarray
_GROUP = re.compile(r"""'(?P<single>[^']+)'|"(?P<double>[^"]+)"|(?P<word>[^\s'"]+)""")


def read_group(text: str, settings: Settings) -> tuple[str, str]:
    """Return the group of `female` or `'non binary'`, and the text of the quantity. Raises ValueError without a group,
    and for one with blanks without quotes."""
    match = _GROUP.fullmatch(text)
    if match is None:
        raise ValueError("a group of several words needs quotes" if text else "it names no group")
    group = match["single"] or match["double"] or match["word"]
    return group, f"never shown {group}@{settings.cutoff}"


def contrast(study: Study, settings: Settings, pair: Pair, group: str, level: float) -> Contrast:
    """Return the shares of the group's relevant documents that the two systems never show, over the queries that both
    answer. Raises UsageError for a group that the study lacks, FairvizError without judgements or labels."""
    pool = _pool(study, settings, pair, group)
    clusters, is_in_group = clusters_of(pool), pool.is_in(group)
    before, after = (share_of(clusters, pool.never(name), is_in_group) for name in pair)
    difference, low, high = difference_of(after, before, level)
    return Contrast(
        before.value, after.value, after.interval(level), difference, (low, high), after.clusters,
        after.clusters >= FEWEST_QUERIES, _warning(after, group),
    )  # fmt: skip


def _warning(share: ClusteredShare, group: str) -> str:
    if not share.total:
        return f"no relevant document is labelled {group}"
    if share.clusters >= FEWEST_QUERIES:
        return ""
    return f"{no_verdict(share.clusters)}: only these have relevant documents labelled {group}"


def _pool(study: Study, settings: Settings, pair: Pair, group: str) -> PoolExposure:
    """Return where the two systems show the relevant documents of the queries that both answer."""
    names = (study.neutral, *study.groups)
    if group not in names:
        raise UsageError(f"{study.name} has no group {group!r}", use_one_of(names, group))
    runs = [expanded((name,), study.run_names) for name in pair]
    answered = [set(study.runs.loc[study.runs["system"].isin(names), "query_id"].astype("str")) for names in runs]
    common = answered[0] & answered[1]
    if not common:
        raise FairvizError(f"{pair[0]} and {pair[1]} answer no query in common", "Name two runs of the same queries.")
    return pool_exposure(study, settings.changed(systems=pair), "relevant", common)


def movers(
    study: Study, settings: Settings, pair: Pair, group: str, below: bool, most: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the queries that move the share most, and their relevant documents of the group that one of the two
    systems never shows and the other does; see `QuantityKind`."""
    pool = _pool(study, settings, pair, group)
    clusters, is_in_group = clusters_of(pool), pool.is_in(group)
    totals, before, after = (
        clusters.sums((is_in_group & flags).astype(np.float64))
        for flags in (np.ones(len(is_in_group), dtype=bool), *(pool.never(name) for name in pair))
    )
    change = after - before
    towards = -change if below else change
    places = [place for place in np.argsort(-towards, kind="stable")[:most] if towards[place] > 1e-12]
    texts = study.queries.set_index("query_id")["text"]
    rows = []
    for place in places:
        query, count = pool.queries[place], totals[place]
        cells = (query, str(texts.get(query, "")), pool.cutoff, before[place] / count, after[place] / count)
        rows.append((*cells, change[place] / count, change[place] / totals.sum()))
    queries = pd.DataFrame(rows, columns=[name for name in QUERY_COLUMNS if name != "condition"])
    return queries.astype({"cutoff": "Int64"}), _documents(study, settings, pair, (pool, group, below), places, most)


def _documents(
    study: Study, settings: Settings, pair: Pair, of: tuple[PoolExposure, str, bool], places: list[int], most: int
) -> pd.DataFrame:
    """Return the documents of these queries that went out of sight, or came into it if `below`, by their rank in the
    list that shows them best."""
    pool, group, below = of
    rankings = aligned_runs(study, settings)
    depth = max(rankings.depth, settings.cutoff)
    weights = bias_to_depth(settings, depth).weights(settings.cutoff)
    first, second = (pool.never(name) for name in (reversed(pair) if below else pair))
    is_moved = pool.is_in(group) & ~first & second
    bodies = study.documents.set_index("doc_id")["text"]
    rows = []
    for place in places if has_one_list_each(rankings, pair) else ():
        query = pool.queries[place]
        ranks = [ranks_of(rankings, name, query) for name in pair]
        linked = pool.links[0][pool.links[1] == place]
        names = pool.doc_ids[linked[is_moved[linked]]]
        cells = []
        for name, code in zip(names, rankings.doc_ids.get_indexer(names).tolist(), strict=True):
            before, after = (by_document.get(code) for by_document in ranks)
            moved = attention(weights, after) - attention(weights, before)
            cells.append((query, name, before, after, moved, group, snippet(bodies.get(name))))
        rows += sorted(cells, key=lambda cell: -abs(cell[4]))[:most]
    table = pd.DataFrame(rows, columns=[name for name in DOCUMENT_COLUMNS if name != "condition"])
    return table.astype({"rank_before": "Int64", "rank_after": "Int64"})


NEVER_SHOWN = QuantityKind(
    "never shown", "GROUP", "never shown female rises by 0.05", "lower", read_group, contrast, movers
)
