"""Studies made up for measuring time: the shape of real runs, random contents, always the same."""

import numpy as np
import pandas as pd

from fairviz.study.record import Study
from fairviz.study.tables import DOCUMENTS, LABELS, QUERIES

SENTENCES = (
    "the treatment of early symptoms depends on the age of the patient and on how long they have lasted",
    "she was appointed to the board after her mother retired from the company",
    "he told his brother that the men had left before the game was over",
    "average annual cost of keeping a medium sized dog in the city including food and insurance",
    "the king and the queen opened the new hall together with their daughter and son",
)
SHARES = (0.62, 0.1, 0.12, 0.12, 0.04)
NAMES = ("neutral", "female", "male", "neutral", "neutral")


def made_up(systems: int, queries: int, ranks: int, documents: int = 200_000, seed: int = 0) -> Study:
    """A study of systems × queries × ranks over so many documents, all with text and label, and qrels for 5 a query."""
    generator = np.random.default_rng(seed)
    kind = generator.choice(len(SENTENCES), size=documents, p=SHARES)
    names = pd.Index([f"d{i:07d}" for i in range(documents)], dtype="str")
    texts = pd.Series(pd.Categorical.from_codes(kind, SENTENCES)).astype("str") + " " + pd.Series(names)
    labels = pd.Series(pd.Categorical.from_codes(kind, pd.Index(range(5)))).map(dict(enumerate(NAMES))).astype("str")
    query_names = [f"q{q:05d}" for q in range(queries)]
    pools = generator.integers(0, documents - 4 * ranks, size=queries)
    lists = np.empty((systems, queries, ranks), dtype=np.int32)
    for system in range(systems):
        for query in range(queries):
            lists[system, query] = pools[query] + generator.choice(4 * ranks, size=ranks, replace=False)
    system, query, rank = np.indices(lists.shape)
    runs = pd.DataFrame(
        {
            "system": pd.Categorical.from_codes(system.ravel(), [f"system{s:02d}" for s in range(systems)]),
            "query_id": pd.Categorical.from_codes(query.ravel(), query_names),
            "doc_id": pd.Categorical.from_codes(lists.ravel(), names),
            "rank": (rank.ravel() + 1).astype(np.int32),
            "score": (ranks - rank.ravel()).astype(np.float64),
        }
    )
    judged = pools[:, None] + generator.integers(0, 4 * ranks, size=(queries, 5))
    qrels = pd.DataFrame(
        {
            "query_id": np.repeat(query_names, 5),
            "doc_id": names[judged.ravel()],
            "relevance": np.ones(judged.size, dtype=np.int32),
        }
    ).drop_duplicates(["query_id", "doc_id"], ignore_index=True)
    return Study(
        f"made-up-{systems}x{queries}x{ranks}",
        title=f"Made up: {systems} systems × {queries:,} queries × {ranks:,} ranks",
        queries=_table(QUERIES.column_names, query_names, query_names),
        documents=_table(DOCUMENTS.column_names, names, "", texts),
        labels=_table(LABELS.column_names, names, "made-up", labels),
        runs=runs,
        qrels=qrels.astype({"query_id": "str", "doc_id": "str"}),
        notices=("Made up at random to measure speed: its figures mean nothing.",),
        fingerprint=f"made-up-{systems}-{queries}-{ranks}-{documents}-{seed}",
    )


def _table(names: tuple[str, ...], *columns: object) -> pd.DataFrame:
    return pd.DataFrame(dict(zip(names, columns, strict=True))).astype("str")
