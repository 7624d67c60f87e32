"""The tables of the analysis: shares and differences by group, the documents, and points of Lorenz curves."""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd

from fairviz.analyses.never_shown import NOUNS
from fairviz.comparison.conditions import snippet
from fairviz.comparison.never_shown import PoolExposure, clusters_of, gini, lorenz, pool_exposure, share_of, thinned
from fairviz.comparison.pairs import FEWEST_QUERIES
from fairviz.evaluation.settings import Settings
from fairviz.statistics.intervals import ClusteredShare, difference_of
from fairviz.study.record import Study
from fairviz.words.sentences import counted, first_listed

Array = np.ndarray
MOST_POINTS = 200  # of a Lorenz curve
SHARE_COLUMNS = (
    "system", "group", "documents", "never_shown", "share", "ci_low", "ci_high", "queries", "gini"
)  # fmt: skip
DIFFERENCE_COLUMNS = ("system", "group", "other", "difference", "ci_low", "ci_high", "queries")
DOCUMENT_COLUMNS = ("system", "doc_id", "label", "queries", "best_rank", "text")
CURVE_COLUMNS = ("system", "group", "documents", "exposure")
MOST_NAMES = 3


@dataclass(frozen=True, eq=False)
class NeverShown:
    """The documents of a pool, and which of them each system never shows.

    documents: the name of the pool. groups: those with documents in it, the protected group first, neutral last.
    """

    study: Study
    pool: PoolExposure
    documents: str
    groups: tuple[str, ...]

    @property
    def unlabelled(self) -> int:
        """The number of documents of the pool without a label, which are in no group."""
        return int((self.pool.codes < 0).sum())

    @cached_property
    def shares_by_cell(self) -> dict[tuple[str, str], ClusteredShare]:
        """The share of never shown documents by system and group."""
        clusters = clusters_of(self.pool)
        return {
            (system, group): share_of(clusters, self.pool.never(system), self.pool.is_in(group))
            for system in self.pool.systems
            for group in self.groups
        }

    @cached_property
    def ginis(self) -> dict[tuple[str, str], float]:
        """The Gini coefficient of exposure by system and group."""
        return {
            (system, group): gini(self.pool.exposure(system)[self.pool.is_in(group)])
            for system in self.pool.systems
            for group in self.groups
        }

    @cached_property
    def shares(self) -> pd.DataFrame:
        """SHARE_COLUMNS: a row a system and group. queries: those that have documents of the group."""
        rows = []
        for (system, group), share in self.shares_by_cell.items():
            is_in_group = self.pool.is_in(group)
            count, total = int((is_in_group & self.pool.never(system)).sum()), int(is_in_group.sum())
            cells = (system, group, total, count, count / total, *share.interval())
            rows.append((*cells, share.clusters, self.ginis[system, group]))
        return pd.DataFrame(rows, columns=list(SHARE_COLUMNS))

    @cached_property
    def differences(self) -> pd.DataFrame:
        """DIFFERENCE_COLUMNS: the share of a group less that of another, a row a system and pair of groups. queries:
        those of the group that has documents in fewer."""
        rows = []
        for system in self.pool.systems:
            for group, other in combinations(self.groups, 2):
                first, second = (self.shares_by_cell[system, name] for name in (group, other))
                rows.append((system, group, other, *difference_of(first, second), min(first.clusters, second.clusters)))
        return pd.DataFrame(rows, columns=list(DIFFERENCE_COLUMNS))

    @cached_property
    def rows_of_documents(self) -> pd.DataFrame:
        """DOCUMENT_COLUMNS: a row a system and document that it never shows, by group and best rank. queries: those
        that the document is relevant to, or a candidate of. best_rank: beyond the cutoff, missing without a list."""
        pool = self.pool
        queries = _query_names_by_document(pool)
        bodies = self.study.documents.set_index("doc_id")["text"]
        labels = np.array(["", *pool.names], dtype=object)[pool.codes + 1]
        order_of_labels = pd.Index([*self.groups, ""]).get_indexer(pd.Index(labels))  # (D,)
        tables = []
        for system in pool.systems:
            places = np.flatnonzero(pool.never(system))
            ranks = pool.ranks(system)[places]
            order = np.lexsort((np.where(ranks == 0, np.iinfo(np.int32).max, ranks), order_of_labels[places]))
            places, ranks = places[order], ranks[order]
            names = pool.doc_ids[places]
            cells = {
                "system": system, "doc_id": names, "label": labels[places], "queries": queries[places],
                "best_rank": pd.array(np.where(ranks == 0, np.nan, ranks), dtype="Int64"),
                "text": [snippet(text) for text in bodies.reindex(names)],
            }  # fmt: skip
            tables.append(pd.DataFrame(cells, columns=list(DOCUMENT_COLUMNS)))
        joined = pd.concat(tables, ignore_index=True)
        return joined.astype(dict.fromkeys(("system", "doc_id", "label", "queries", "text"), "str"))

    @cached_property
    def curves(self) -> pd.DataFrame:
        """CURVE_COLUMNS: points of the Lorenz curves, cumulative shares; a group without exposure has none."""
        tables = []
        for system in self.pool.systems:
            for group in self.groups:
                x, y = lorenz(self.pool.exposure(system)[self.pool.is_in(group)])
                if len(y) and not np.isnan(y).any():
                    x, y = thinned(x, y, MOST_POINTS)
                    tables.append(pd.DataFrame({"system": system, "group": group, "documents": x, "exposure": y}))
        empty = pd.DataFrame(columns=list(CURVE_COLUMNS)).astype({"documents": "float64", "exposure": "float64"})
        return pd.concat(tables, ignore_index=True) if tables else empty

    @property
    def sentences(self) -> list[str]:
        """Return a sentence for each two gender groups: the systems whose shares of never shown documents differ."""
        noun = NOUNS[self.documents]
        table = self.differences[self.differences["other"] != self.study.neutral]
        if not len(table):
            return [f"Fewer than two gender groups have {noun}: no shares are compared."]
        texts = []
        for (group, other), rows in table.groupby(["group", "other"], sort=False):
            pair, queries = f"{group} − {other}", int(rows["queries"].max())
            if queries < FEWEST_QUERIES:
                only = f"only {counted(queries, 'query has', 'queries have')} {noun} of the rarer group"
                texts.append(f"{pair}: {only}, a comparison needs {FEWEST_QUERIES}.")
                continue
            sides = (rows.loc[flags, "system"].tolist() for flags in (rows["ci_low"] > 0, rows["ci_high"] < 0))
            above, below = (first_listed(names, MOST_NAMES) if names else "none" for names in sides)
            start = f"{noun.capitalize()} never shown within {self.pool.cutoff}, {pair}"
            texts.append(f"{start}: above 0 for {above}, below 0 for {below} ({counted(len(rows), 'system')}).")
        return texts

    @property
    def notes(self) -> list[str]:
        """Return notes on the documents without a label, and on the intervals."""
        noun, total = NOUNS[self.documents], len(self.pool.doc_ids)
        lines = []
        if self.unlabelled:
            lines.append(f"Without a label, and in no group: {self.unlabelled:,} of {total:,} {noun}.")
        return [*lines, "Each interval is of one system and uncorrected; documents of a query are one cluster."]


def _query_names_by_document(pool: PoolExposure) -> Array:
    """Return the queries of each document of the pool as text, `q1, q7`, (D,)."""
    document, query = pool.links
    names = pd.Series(np.array(pool.queries, dtype=object)[query]).groupby(document, sort=False).agg(", ".join)
    return names.reindex(range(len(pool.doc_ids)), fill_value="").to_numpy(dtype=object)


def never_shown(study: Study, settings: Settings, documents: str = "relevant") -> NeverShown:
    """Return which documents of the pool each system shows in no list within the cutoff; the arguments and errors are
    those of `fairviz.comparison.never_shown.pool_exposure`.

    >>> import fairviz
    >>> answer = never_shown(fairviz.open_study("football"), fairviz.Settings(cutoff=1), "candidates")
    >>> [(row.group, row.never_shown, row.documents) for row in answer.shares.itertuples() if row.system == "left"]
    [('female', 2, 2), ('male', 3, 4)]
    """
    pool = pool_exposure(study, settings, documents)
    ordered = sorted(study.groups, key=lambda group: group != study.protected)
    groups = tuple(group for group in (*ordered, study.neutral) if pool.is_in(group).any())
    return NeverShown(study, pool, documents, groups)
