"""Loaders: a file becomes a table, one format a file of this package.

To add a part of a study, write its reader and add a line to LOADERS. Readers take (path, root), name the file in
errors relative to `root`, and raise DataError with every bad line.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fairviz.study.loaders import rows
from fairviz.study.loaders.documents import read_documents as read_documents
from fairviz.study.loaders.labels import read_labels as read_labels
from fairviz.study.loaders.lexicon import read_lexicon as read_lexicon
from fairviz.study.loaders.qrels import SUFFIXES as QRELS_SUFFIXES
from fairviz.study.loaders.qrels import read_qrels as read_qrels
from fairviz.study.loaders.queries import read_queries as read_queries
from fairviz.study.loaders.runs import SUFFIXES as RUN_SUFFIXES
from fairviz.study.loaders.runs import read_run as read_run


@dataclass(frozen=True)
class Loader:
    """How one part of a study is read: the endings its files may have, and the function that reads one."""

    part: str
    suffixes: tuple[str, ...]
    read: Callable[..., Any]


LOADERS: dict[str, Loader] = {
    loader.part: loader
    for loader in (
        Loader("queries", rows.SUFFIXES, read_queries),
        Loader("documents", rows.SUFFIXES, read_documents),
        Loader("runs", RUN_SUFFIXES, read_run),
        Loader("qrels", QRELS_SUFFIXES, read_qrels),
        Loader("labels", rows.SUFFIXES, read_labels),
        Loader("lexicon", (".csv",), read_lexicon),
    )
}
