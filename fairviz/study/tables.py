"""The tidy tables everything is made of, and the one rule that orders tied documents.

Tables are pandas frames: `queries(query_id, text)`, `documents(doc_id, title, text)`,
`runs(system, query_id, doc_id, rank, score)`, `qrels(query_id, doc_id, relevance)`,
`labels(doc_id, annotator, label)` and `scores(system, query_id, measure, value)`. Ids are text, always; in `runs`
they are categories of text, because a run of twenty million rows repeats few of them. Extra columns are kept.
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError

Ties = Literal["file", "trec_eval"]
TIES: tuple[Ties, ...] = ("file", "trec_eval")


@dataclass(frozen=True)
class Column:
    """One column of a table: `kind` is text, category (text that repeats), integer or number."""

    name: str
    kind: Literal["text", "category", "integer", "number"]
    default: str | None = None  # value of a column that is absent; None makes the column required
    missing: bool = False  # whether an empty cell is allowed


@dataclass(frozen=True)
class Schema:
    """What a table must hold: its columns, and the columns that together name a row once."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = field(default=())

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


QUERIES = Schema("queries", (Column("query_id", "text"), Column("text", "text")), ("query_id",))
DOCUMENTS = Schema(
    "documents",
    (Column("doc_id", "text"), Column("title", "text", default=""), Column("text", "text", missing=True)),
    ("doc_id",),
)
RUNS = Schema(
    "runs",
    (
        Column("system", "category"),
        Column("query_id", "category"),
        Column("doc_id", "category"),
        Column("rank", "integer"),
        Column("score", "number"),
    ),
    ("system", "query_id", "doc_id"),
)
QRELS = Schema(
    "qrels",
    (Column("query_id", "text"), Column("doc_id", "text"), Column("relevance", "integer")),
    ("query_id", "doc_id"),
)
LABELS = Schema(
    "labels",
    (Column("doc_id", "text"), Column("annotator", "text", default="annotator"), Column("label", "text")),
    ("doc_id", "annotator"),
)
SCORES = Schema(
    "scores",
    (
        Column("system", "text"),
        Column("query_id", "text"),
        Column("measure", "text"),
        Column("value", "number", missing=True),
    ),
    ("system", "query_id", "measure"),
)
SCHEMAS = {schema.name: schema for schema in (QUERIES, DOCUMENTS, RUNS, QRELS, LABELS, SCORES)}


def empty(schema: Schema) -> pd.DataFrame:
    """A table of the schema's columns and types without a row: what a study holds for a part it lacks."""
    return conform(pd.DataFrame({column.name: pd.Series([], dtype="str") for column in schema.columns}), schema)


def conform(frame: pd.DataFrame, schema: Schema) -> pd.DataFrame:
    """The frame with the schema's columns first and of the schema's types, extra columns kept behind them.

    Raises FairvizError where a required column is absent, an id is empty, a number is not one, or a key repeats.
    Loaders check the same with file and line; this is the last gate, which tables made in Python pass too.
    """
    for column in schema.columns:
        if column.name not in frame.columns and column.default is None:
            raise FairvizError(
                f"the {schema.name} table lacks the column {column.name!r}; it has {', '.join(map(str, frame))}",
                f"Name its columns {', '.join(schema.column_names)}.",
            )
    columns = {column.name: _typed(frame, column, schema) for column in schema.columns}
    extra = [name for name in frame.columns if name not in columns]
    table = pd.DataFrame(columns, index=frame.index).join(frame[extra]) if extra else pd.DataFrame(columns)
    table = table.reset_index(drop=True)
    _check_key(table, schema)
    return table


def _typed(frame: pd.DataFrame, column: Column, schema: Schema) -> pd.Series:
    if column.name not in frame.columns:
        return pd.Series([column.default] * len(frame), index=frame.index, dtype="str")
    values = frame[column.name]
    if column.kind in ("text", "category"):
        typed = _as_text(values)
        if column.kind == "category":
            typed = typed if isinstance(typed.dtype, pd.CategoricalDtype) else typed.astype("category")
        elif isinstance(typed.dtype, pd.CategoricalDtype):
            typed = typed.astype("str")
    else:
        typed = _as_number(values, column, schema)
    if not column.missing and typed.isna().any():
        row = int(np.flatnonzero(typed.isna().to_numpy())[0])
        raise FairvizError(
            f"the {schema.name} table has an empty {column.name!r} in row {row + 1}",
            f"Give every row a value in the column {column.name!r}.",
        )
    return typed


def _as_text(values: pd.Series) -> pd.Series:
    """Text, whatever it was: 7 becomes "7", and what is missing stays missing."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        if not isinstance(values.cat.categories.dtype, pd.StringDtype):
            return values.cat.rename_categories(list(values.cat.categories.astype("str")))
        return values
    return values if isinstance(values.dtype, pd.StringDtype) else values.astype("str")


def _as_number(values: pd.Series, column: Column, schema: Schema) -> pd.Series:
    typed = pd.to_numeric(values, errors="coerce")
    bad = typed.isna() if not column.missing else typed.isna() & values.notna()
    if bad.any():
        row = int(np.flatnonzero(bad.to_numpy())[0])
        raise FairvizError(
            f"the {schema.name} table has {values.iloc[row]!r} as {column.name!r} in row {row + 1}",
            f"Write a number in the column {column.name!r}.",
        )
    if column.kind == "number":
        return typed.astype("float64")
    if not (typed == typed.round()).all():
        raise FairvizError(
            f"the {schema.name} table has a fraction in the column {column.name!r}", "Write whole numbers there."
        )
    return typed.astype("int32")


def _check_key(table: pd.DataFrame, schema: Schema) -> None:
    if not schema.key or not len(table):
        return
    repeated = duplicated_rows(table, schema.key)
    if len(repeated):
        named = ", ".join(f"{name} {table[name].iloc[repeated[0]]!r}" for name in schema.key)
        raise FairvizError(
            f"the {schema.name} table names {named} more than once ({len(repeated):,} rows too many)",
            "Keep one row of each.",
        )


def duplicated_rows(table: pd.DataFrame, key: tuple[str, ...]) -> np.ndarray:
    """Positions of the rows whose key stood in an earlier row, ascending; quick on categories."""
    if not all(isinstance(table[name].dtype, pd.CategoricalDtype) for name in key):
        return np.flatnonzero(table.duplicated(list(key)).to_numpy())
    combined = np.zeros(len(table), dtype=np.int64)
    for name in key:
        combined = combined * max(len(table[name].cat.categories), 1) + table[name].cat.codes.to_numpy()
    return np.flatnonzero(pd.Series(combined).duplicated().to_numpy())


def ranked(runs: pd.DataFrame, ties: Ties = "file") -> pd.DataFrame:
    """The runs ordered by system, query and the one tie rule, with `rank` replaced by 1, 2, 3 … in each list.

    `file`: score descending, the file's rank ascending, doc_id ascending. `trec_eval`: score descending as a 32-bit
    float (1.00000001 and 1 tie there), doc_id descending, rank ignored. Systems and queries come in the order
    of their categories. Lists that are in order already, as those of most run files are, are recognised and not sorted
    again.
    """
    if ties not in TIES:
        raise FairvizError(f"unknown tie rule {ties!r}", f"Use one of {', '.join(TIES)}.")
    if not len(runs):
        return runs
    lists = list_numbers(runs)
    order = _list_order(runs, lists, ties)
    if order is not None:
        runs = runs.take(order)
        lists = lists[order]
    starts = np.flatnonzero(np.r_[True, lists[1:] != lists[:-1]])
    lengths = np.diff(np.r_[starts, len(lists)])
    rank = np.arange(1, len(lists) + 1, dtype=np.int32) - np.repeat(starts, lengths).astype(np.int32)
    return runs.assign(rank=rank).reset_index(drop=True)


def list_numbers(runs: pd.DataFrame) -> np.ndarray:
    """One whole number for each (system, query), ascending with the order of systems, then of queries."""
    queries = runs["query_id"].cat
    return runs["system"].cat.codes.to_numpy().astype(np.int64) * len(queries.categories) + queries.codes.to_numpy()


def _list_order(runs: pd.DataFrame, lists: np.ndarray, ties: Ties) -> np.ndarray | None:
    """The permutation that `ranked` takes, or None where the rows stand in order already."""
    score, rank = _compared(runs["score"].to_numpy(), ties), runs["rank"].to_numpy()
    same_list = lists[1:] == lists[:-1]
    ascending = bool((lists[1:] >= lists[:-1]).all())
    wrong = same_list & (score[1:] > score[:-1])
    tied = same_list & (score[1:] == score[:-1])
    if ties == "file":
        wrong |= tied & (rank[1:] <= rank[:-1])
    else:
        wrong |= tied
    if ascending and not wrong.any():
        return None
    if ascending:  # only the lists that hold a wrong neighbour are sorted, the rest keep their places
        rows = np.flatnonzero(np.isin(lists, lists[1:][wrong]))
        order = np.arange(len(lists))
        order[rows] = rows[_sorted_rows(runs, rows, lists, ties)]
        return order
    return _sorted_rows(runs, np.arange(len(lists)), lists, ties)


def _compared(score: np.ndarray, ties: Ties) -> np.ndarray:
    """The scores as the rule compares them: trec_eval keeps them as 32-bit floats, where what is larger than any is
    infinite."""
    if ties == "file":
        return score
    with np.errstate(over="ignore", under="ignore"):
        return score.astype(np.float32)


def _sorted_rows(runs: pd.DataFrame, rows: np.ndarray, lists: np.ndarray, ties: Ties) -> np.ndarray:
    documents = runs["doc_id"].cat
    alphabetical = np.empty(len(documents.categories), dtype=np.int64)
    alphabetical[np.argsort(documents.categories.to_numpy(dtype=object), kind="stable")] = np.arange(len(alphabetical))
    name = alphabetical[documents.codes.to_numpy()[rows]]
    score, rank = -_compared(runs["score"].to_numpy()[rows], ties), runs["rank"].to_numpy()[rows]
    keys = (name, rank, score) if ties == "file" else (-name, score)
    return np.lexsort((*keys, lists[rows]))


def score_groups(ordered: pd.DataFrame, ties: Ties = "file") -> np.ndarray:
    """A whole number a row of `ranked` runs that rises where list or score changes: equal ones are tied, (N,)."""
    if not len(ordered):
        return np.zeros(0, dtype=np.int64)
    lists, score = list_numbers(ordered), _compared(ordered["score"].to_numpy(), ties)
    return np.r_[0, np.cumsum((lists[1:] != lists[:-1]) | (score[1:] != score[:-1]))]
