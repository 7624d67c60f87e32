"""The runs, judgements and texts of a study for other libraries.

A list's order is that of the tie rule. Other programs order equal scores in ways of their own: ir_measures and
trec_eval by falling document id, ranx by position. With keep_order, scores fall by one a rank, and the order is kept.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from fairviz.errors import FairvizError, expect
from fairviz.home import expand_path
from fairviz.installed import require_package
from fairviz.study.loaders.writing import write_qrels, write_runs
from fairviz.study.tables import Ties, ranked

KEYS = {"query_id": "str", "doc_id": "str"}


class Corpus:
    """The documents of a study as PyTerrier's indexers take them: tables with docno, title and text, again at each
    iteration."""

    def __init__(self, documents: pd.DataFrame) -> None:
        self._documents = documents

    def __iter__(self) -> Iterator[dict[str, str]]:
        columns = self._documents[["doc_id", "title", "text"]].fillna("")
        for docno, title, text in columns.itertuples(index=False, name=None):
            yield {"docno": docno, "title": title, "text": text}

    def __len__(self) -> int:
        return len(self._documents)


class PyTerrier(NamedTuple):
    """A study for PyTerrier. topics: qid, query. qrels: qid, docno, label. corpus: see Corpus. runs, by system: qid,
    docno, score, rank from 0, query; for `pyterrier.Transformer.from_df`."""

    topics: pd.DataFrame
    qrels: pd.DataFrame
    corpus: Corpus
    runs: dict[str, pd.DataFrame]


class Leaving:
    """Methods of Study that hand its tables to other libraries and notebooks."""

    queries: pd.DataFrame
    documents: pd.DataFrame
    runs: pd.DataFrame
    qrels: pd.DataFrame

    def to_trec(self, folder: str | Path, *, ties: Ties = "file", keep_order: bool = False) -> Path:
        """Write runs/NAME.run and qrels.txt in TREC's format to a new or empty folder, and return it.

        ties: the rule for equal scores, `file` or `trec_eval`. keep_order: whether scores are replaced by minus the
        rank. Raises FairvizError for a folder with files, and for an id with white space.
        """
        expect("folder", folder, (str, Path), "Give the path of a new folder.")
        path = expand_path(folder)
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise FairvizError(f"{path} is there already", "Give the path of a new folder.")
        path.mkdir(parents=True, exist_ok=True)
        write_runs(_ordered(self.runs, ties, keep_order), path)
        write_qrels(self.qrels, path)
        return path

    def to_ir_measures(
        self, *, ties: Ties = "file", keep_order: bool = False
    ) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
        """Return the judgements and, by system, the runs as ir_measures takes them: query_id, doc_id, relevance or
        score. ties, keep_order: see `to_trec`.

        >>> import fairviz
        >>> qrels, runs = fairviz.open_study("football").to_ir_measures()
        >>> list(runs), list(runs["left"])
        (['left', 'right'], ['query_id', 'doc_id', 'score'])
        """
        lists = _ordered(self.runs, ties, keep_order)
        runs = {
            str(system): run[["query_id", "doc_id", "score"]].astype(KEYS).reset_index(drop=True)
            for system, run in lists.groupby("system", observed=True, sort=False)
        }
        return self.qrels[["query_id", "doc_id", "relevance"]].astype(KEYS), runs

    def to_ranx(self, *, ties: Ties = "file", keep_order: bool = False) -> tuple[Any, list[Any]]:
        """Return the judgements as ranx.Qrels, and the runs as a list of ranx.Run. ties, keep_order: see `to_trec`.

        Raises FairvizError without ranx.
        """
        require_package("ranx", "runs of ranx need")
        import ranx

        qrels, runs = self.to_ir_measures(ties=ties, keep_order=keep_order)
        judgements = ranx.Qrels.from_dict(_numbers(qrels, "relevance"))
        return judgements, [ranx.Run.from_dict(_numbers(run, "score"), name=system) for system, run in runs.items()]

    def to_pyterrier(self, *, ties: Ties = "file", keep_order: bool = False) -> PyTerrier:
        """Return topics, qrels, corpus and runs as PyTerrier takes them. ties, keep_order: see `to_trec`.

        >>> import fairviz
        >>> terrier = fairviz.open_study("football").to_pyterrier()
        >>> list(terrier.topics), len(terrier.corpus)
        (['qid', 'query'], 10)
        """
        names = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
        qrels, runs = self.to_ir_measures(ties=ties, keep_order=keep_order)
        topics = self.queries[["query_id", "text"]].rename(columns={"query_id": "qid", "text": "query"})
        texts = topics.set_index("qid")["query"]
        tables = {}
        for system, run in runs.items():
            table = run.rename(columns=names)
            tables[system] = table.assign(
                rank=table.groupby("qid", sort=False).cumcount(), query=table["qid"].map(texts).fillna("")
            )
        return PyTerrier(topics, qrels.rename(columns=names), Corpus(self.documents), tables)

    def explore(
        self, measures: str | Sequence[str] = (), settings: Any = None, *, dark: bool = False, **choices: object
    ) -> Any:
        """Return what the page Overview shows, for a notebook. Arguments and Raises: see `fairviz.explore`."""
        package: Any = sys.modules[__name__.partition(".")[0]]
        return package.explore(self, measures, settings, dark=dark, **choices)


def _ordered(runs: pd.DataFrame, ties: Ties, keep_order: bool) -> pd.DataFrame:
    lists = ranked(runs, ties)
    return lists.assign(score=-lists["rank"].astype("float64")) if keep_order else lists


def _numbers(table: pd.DataFrame, column: str) -> dict[str, dict[str, Any]]:
    """Return {query: {document: number}}."""
    return {
        str(query): dict(zip(rows["doc_id"], rows[column].tolist(), strict=True))
        for query, rows in table.groupby("query_id", sort=False)
    }
