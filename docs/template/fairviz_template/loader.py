"""Runs as lines `query document score`, in files that end in .pairs."""

from pathlib import Path

import pandas as pd

from fairviz.study.loaders import Loader
from fairviz.study.loaders.runs import system_name
from fairviz.study.tables import RUNS, conform

ENDINGS = (".pairs",)


def read_pairs(path: Path, root: Path | None = None) -> pd.DataFrame:
    """Return the run of a file: system, query_id, doc_id, rank, score."""
    rows = pd.read_csv(path, sep=r"\s+", names=["query_id", "doc_id", "score"], dtype={"query_id": str, "doc_id": str})
    rank = rows.groupby("query_id")["score"].rank(method="first", ascending=False).astype(int)
    return conform(rows.assign(system=system_name(path, ENDINGS), rank=rank), RUNS)


PAIRS = Loader("runs", ENDINGS, read_pairs)
