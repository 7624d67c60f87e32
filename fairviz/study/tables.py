"""The tidy tables of a study, and the one rule that orders tied documents.

Tables are pandas frames: `queries(query_id, text)`, `documents(doc_id, title, text)`, `runs(system, query_id, doc_id,
rank, score)`, `qrels(query_id, doc_id, relevance)`, `labels(doc_id, annotator, label)` and `scores(system, query_id,
measure, value)`. Ids are always text; in `runs` they are categories of text, because twenty million rows repeat few of
them. Extra columns are kept.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError
from fairviz.files import is_utf8
from fairviz.normal_form import normal_form
from fairviz.words.sentences import counted

Ties = Literal["file", "trec_eval"]
LARGEST_KEY = 2**62  # number of a key that several codes make
EXACT = 2**53  # every whole number up to it is a float, too
MOST_BITS = 14_000  # of a whole number: Python writes at most 4,300 digits as text
TIES: tuple[Ties, ...] = ("file", "trec_eval")
COLUMNS = ("query_id", "doc_id")
WHOLE = r"^-?[0-9]+\.0+$"
POINT = r"^-?[0-9]+\.[0-9]+$"
FOLD = "fold"  # the beginning of the file of a fold
_DRAW = re.compile(r"(.+)/((?:seed|fold)[^/]*)", re.DOTALL)


@dataclass(frozen=True)
class Column:
    """A column of a table: `kind` is text, category (repeated text), integer or number."""

    name: str
    kind: Literal["text", "category", "integer", "number"]
    default: str | None = None  # value of a missing column; None makes the column required
    missing: bool = False  # whether an empty cell is allowed


@dataclass(frozen=True)
class Schema:
    """The columns of a table, and the columns of its key."""

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
    """Return a table of the schema's columns and types without rows, for a missing part of a study."""
    return _empty(schema).copy()


@cache
def _empty(schema: Schema) -> pd.DataFrame:
    return conform(pd.DataFrame({column.name: pd.Series([], dtype="str") for column in schema.columns}), schema)


def conform(frame: pd.DataFrame, schema: Schema) -> pd.DataFrame:
    """Return the frame with the schema's columns first and of the schema's types, extra columns after them.

    Raises FairvizError for a missing required column, an empty id, an invalid number or a repeated key. Loaders check
    the file before, with lines; this check also covers tables made in Python.
    """
    for column in schema.columns:
        if column.name not in frame.columns and column.default is None:
            raise FairvizError(
                f"the {schema.name} table lacks the column {column.name!r}; it has {', '.join(map(str, frame))}",
                f"Name its columns {', '.join(schema.column_names)}.",
            )
    names = [normal_form(name) if isinstance(name, str) else name for name in frame.columns]
    frame = frame if names == list(frame.columns) else frame.set_axis(names, axis="columns")
    columns = {column.name: _convert_column(frame, column, schema) for column in schema.columns}
    extra = [name for name in frame.columns if name not in columns]
    for name in extra:
        _check_kept(frame[name], schema)
    kept = {name: composed(frame[name]) for name in extra if isinstance(frame[name].dtype, pd.StringDtype)}
    table = pd.DataFrame(columns, index=frame.index)
    table = pd.concat([table, frame[extra].assign(**kept)], axis=1) if extra else table  # an index may repeat
    table = table.reset_index(drop=True)
    check_key(table, schema)
    return table


def _half_character(name: object, schema: Schema) -> FairvizError:
    message = f"the {schema.name} table has half a character (a lone surrogate) in the column {name!r}"
    return FairvizError(message, "Take it out of the text.")


def _convert_column(frame: pd.DataFrame, column: Column, schema: Schema) -> pd.Series:
    if column.name not in frame.columns:
        return pd.Series([column.default] * len(frame), index=frame.index, dtype="str")
    values = frame[column.name]
    if column.kind in ("integer", "number"):
        return _as_number(values, column, schema)
    is_id = column.kind == "category" or column.name in schema.key
    try:
        texts = _with_number_texts(values, schema) if is_id else values
        if isinstance(texts.dtype, pd.CategoricalDtype):  # 7 is "7", a missing one is missing
            if not isinstance(texts.cat.categories.dtype, pd.StringDtype):
                texts = texts.cat.rename_categories(list(texts.cat.categories.astype("str")))
        elif not isinstance(texts.dtype, pd.StringDtype):
            texts = texts.astype("str")
        texts = composed(texts) if is_id or column.name == "label" else texts
    except UnicodeEncodeError as error:
        raise _half_character(values.name, schema) from error
    if not column.missing and _has_missing(texts):
        row = int(np.flatnonzero(texts.isna().to_numpy())[0])
        raise FairvizError(
            f"the {schema.name} table has an empty {column.name!r} in row {row + 1}",
            f"Give every row a value in the column {column.name!r}.",
        )
    is_category = isinstance(texts.dtype, pd.CategoricalDtype)
    if column.kind == "category":
        return texts if is_category else _as_categories(texts)
    return texts.astype("str") if is_category else texts


def _as_categories(texts: pd.Series) -> pd.Series:
    """Return texts as categories in alphabetical order."""
    import pyarrow.compute as pc

    codes, distinct = coded(texts)
    order = pc.array_sort_indices(distinct)
    places = np.empty(len(distinct), dtype=np.int64)
    places[order.to_numpy()] = np.arange(len(distinct))
    return pd.Series(categorical(places[codes], distinct.take(order)), texts.index, name=texts.name)


def _has_missing(texts: pd.Series) -> bool:
    if isinstance(texts.dtype, pd.CategoricalDtype):
        return bool((texts.array.codes < 0).any())
    return distinct_texts(texts).null_count > 0


def _check_kept(values: pd.Series, schema: Schema) -> None:
    """Raise FairvizError for half a character, and for a whole number that Python cannot write as text, in a column
    kept along."""
    if values.dtype != object:
        return
    if any(isinstance(value, int) and value.bit_length() > MOST_BITS for value in values):
        raise FairvizError(
            f"the {schema.name} table has a number of too many digits in the column {values.name!r}",
            "Write it as text there.",
        )
    if not all(is_utf8(value) for value in values if isinstance(value, str)):
        raise _half_character(values.name, schema)


def _as_number(values: pd.Series, column: Column, schema: Schema) -> pd.Series:
    """Return the numbers of a column. Raises FairvizError for another value, and for a fraction among integers."""
    kind: Any = "int32" if column.kind == "integer" else "float64"
    is_whole = isinstance(values.dtype, np.dtype) and values.dtype.kind in "iu"
    if is_whole or (values.dtype == kind and (column.missing or not np.isnan(values.to_numpy()).any())):
        return values.astype(kind)
    converted = pd.to_numeric(values, errors="coerce")
    invalid = converted.isna() & (values.notna() | (not column.missing))
    if invalid.any():
        row = int(np.flatnonzero(invalid.to_numpy())[0])
        raise FairvizError(
            f"the {schema.name} table has {values.iloc[row]!r} as {column.name!r} in row {row + 1}",
            f"Write a number in the column {column.name!r}.",
        )
    if column.kind == "integer" and not (converted == converted.round()).all():
        message = f"the {schema.name} table has a fraction in the column {column.name!r}"
        raise FairvizError(message, "Write whole numbers there.")
    return converted.astype(kind)


def composed(values: pd.Series) -> pd.Series:
    """Return the texts in Unicode's composed form (NFC), in which é is one character; the same object where all are."""
    import pyarrow.compute as pc

    texts = distinct_texts(values)
    if pc.all(pc.string_is_ascii(texts)).as_py() in (True, None):
        return values
    normal = pc.utf8_normalize(texts, "NFC")
    if normal.equals(texts):
        return values
    return with_texts(values, pd.Series(pd.array(normal, dtype="str")))


def distinct_texts(values: pd.Series) -> Any:
    """Return the texts of a column as Arrow; of categories each once."""
    import pyarrow as pa

    texts = values.cat.categories if isinstance(values.dtype, pd.CategoricalDtype) else values
    return pa.array(texts.array, type=pa.large_string())


def coded(values: pd.Series) -> tuple[np.ndarray, Any]:
    """Return a column of texts or categories as codes (N,) and distinct texts."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return values.array.codes, values.array.categories
    return encode(distinct_texts(values))


def encode(column: Any) -> tuple[np.ndarray, Any]:
    """Return an Arrow column of texts or dictionaries as codes (N,) int32 and its distinct texts, in order of
    appearance.
    """
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.unify_dictionaries() if pa.types.is_dictionary(column.type) else column
        column = column.combine_chunks()
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    return column.indices.to_numpy(zero_copy_only=False), column.dictionary


def categorical(codes: np.ndarray, texts: Any) -> pd.Categorical:
    """Return a pandas categorical from codes and distinct Arrow texts.

    Arrow guarantees distinct texts. pandas would make a Python string of each to check, at eight times the cost of
    reading the file, so the dtype is built without that check.
    """
    import pyarrow as pa

    index = pd.Index(pd.array(texts.cast(pa.large_string()), dtype="str"))
    kind = pd.CategoricalDtype._from_fastpath(index, False)  # type: ignore[attr-defined]
    return pd.Categorical.from_codes(codes, dtype=kind, validate=False)


def with_texts(values: pd.Series, texts: pd.Series) -> pd.Series:
    """Return a column with other texts, (N,); of categories, of which two may become one, with others for these."""
    if not isinstance(values.dtype, pd.CategoricalDtype):
        return pd.Series(texts.array, values.index, name=values.name)
    places, distinct = pd.factorize(texts)
    codes = np.append(places, -1)[values.cat.codes.to_numpy()]  # of a missing one, too
    return pd.Series(pd.Categorical.from_codes(codes, pd.Index(distinct, dtype="str")), values.index, name=values.name)


def _with_number_texts(values: pd.Series, schema: Schema) -> pd.Series:
    """Return ids that are floats as the text of a whole number, `10.0`, which `settled` makes 10; beside texts as `10`.

    Raises FairvizError for a fraction, and for a float whose last digits are lost.
    """
    ending = ".0"
    if values.dtype == object:
        if not values.map(lambda value: isinstance(value, (float, np.floating)) and value == value).any():
            return values
        if values.map(lambda value: isinstance(value, str)).any():
            ending = ""
    elif not pd.api.types.is_float_dtype(values.dtype):
        return values
    return values.astype(object).map(lambda value: _number_text(value, values.name, schema, ending), na_action="ignore")


def _number_text(value: Any, column: object, schema: Schema, ending: str) -> object:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        return value
    if isinstance(value, (int, np.integer)):
        return f"{value}{ending}"
    number = float(value)
    if not number.is_integer() or abs(number) > EXACT:
        kind = "a float beyond the whole numbers that floats hold" if abs(number) > EXACT else "a fraction"
        raise FairvizError(
            f"the {schema.name} table has {kind} as {column!r}: {value!r}",
            f"Give the column {column!r} as text or as whole numbers; pandas reads it so with "
            f"dtype={{{column!r}: str}}.",
        )
    return f"{int(value)}{ending}"


def check_key(table: pd.DataFrame, schema: Schema) -> None:
    """Raise FairvizError for a repeated key."""
    if not schema.key or not len(table):
        return
    repeated = duplicated_rows(table, schema.key)
    if len(repeated):
        key_text = ", ".join(f"{name} {table[name].iloc[repeated[0]]!r}" for name in schema.key)
        raise FairvizError(
            f"the {schema.name} table names {key_text} more than once ({len(repeated):,} rows too many)",
            "Keep one row of each.",
        )


def duplicated_rows(table: pd.DataFrame, key: tuple[str, ...]) -> np.ndarray:
    """Return the positions of rows that repeat the key, of texts or categories, of an earlier row, ascending."""
    columns = [coded(table[name]) for name in key]
    if math.prod(max(len(texts), 1) for _, texts in columns) > LARGEST_KEY:
        return np.flatnonzero(table.duplicated(list(key)).to_numpy())
    combined = np.zeros(len(table), dtype=np.int64)
    for codes, texts in columns:
        combined = combined * max(len(texts), 1) + codes
    return np.flatnonzero(pd.Series(combined).duplicated().to_numpy())


def ranked(runs: pd.DataFrame, ties: Ties = "file") -> pd.DataFrame:
    """Return the runs ordered by system, query and the tie rule, with `rank` replaced by 1, 2, 3 … in each list.

    `file`: score descending, the file's rank ascending, doc_id ascending. `trec_eval`: score descending as a 32-bit
    float (1.00000001 and 1 tie there), doc_id descending, rank ignored. Systems and queries come in the order of their
    categories. Lists that are in order already, as those of most run files are, are recognised and not sorted again.
    """
    if not len(runs):
        check_ties(ties)
        return runs
    documents, (rank, score) = runs["doc_id"].cat, (runs[name].to_numpy() for name in ("rank", "score"))
    order, ranks = list_order(list_numbers(runs), rank, score, documents.codes.to_numpy(), documents.categories, ties)
    runs = runs if order is None else runs.take(order)
    return runs.assign(rank=ranks).reset_index(drop=True)


def check_ties(ties: str) -> None:
    """Raise FairvizError for an unknown tie rule."""
    if ties not in TIES:
        raise FairvizError(f"unknown tie rule {ties!r}", f"Use one of {', '.join(TIES)}.")


def list_order(
    lists: np.ndarray, rank: np.ndarray, score: np.ndarray, document: np.ndarray, doc_ids: pd.Index, ties: Ties
) -> tuple[np.ndarray | None, np.ndarray]:
    """Return the order of rows by list and the tie rule, (N,), None if they are in it, and the ranks in this order.

    lists, rank, score, document (N,): of rows; document: places in doc_ids.
    """
    check_ties(ties)
    score = _round_scores(score, ties)
    same_list = lists[1:] == lists[:-1]
    tied = same_list & (score[1:] == score[:-1])
    if ties == "file":
        tied &= rank[1:] <= rank[:-1]
    misplaced = tied | (same_list & (score[1:] > score[:-1]))
    ascending = bool((lists[1:] >= lists[:-1]).all())
    order = None
    if misplaced.any() or not ascending:
        order = np.arange(len(lists))
        rows = order
        if ascending:  # only lists with a wrong neighbour are sorted, the others keep their places
            is_wrong = np.zeros(int(lists[-1]) + 1, dtype=bool)
            is_wrong[lists[1:][misplaced]] = True
            rows = np.flatnonzero(is_wrong[lists])
        name = _alphabetical(document[rows], doc_ids)
        keys = (name, rank[rows], -score[rows]) if ties == "file" else (-name, -score[rows])
        order[rows] = rows[np.lexsort((*keys, lists[rows]))]
        lists = lists[order]
    # every list, which are adjacent rows now, counts from 1
    starts = np.flatnonzero(np.r_[True, lists[1:] != lists[:-1]])
    lengths = np.diff(np.r_[starts, len(lists)])
    return order, np.arange(1, len(lists) + 1, dtype=np.int32) - np.repeat(starts, lengths).astype(np.int32)


def _alphabetical(places_of_ids: np.ndarray, ids: pd.Index) -> np.ndarray:
    """Return numbers that rise with the ids at these places (n,) in the alphabet."""
    some, places = np.unique(places_of_ids, return_inverse=True)
    alphabet = np.empty(len(some), dtype=np.int64)
    alphabet[np.argsort(ids.take(some).to_numpy(dtype=object), kind="stable")] = np.arange(len(some))
    return alphabet[places]


def list_numbers(runs: pd.DataFrame) -> np.ndarray:
    """Return one whole number for each (system, query), ascending with the order of systems, then of queries."""
    queries = runs["query_id"].cat
    return runs["system"].cat.codes.to_numpy().astype(np.int64) * len(queries.categories) + queries.codes.to_numpy()


def _round_scores(score: np.ndarray, ties: Ties) -> np.ndarray:
    """Return the scores as compared by the rule: trec_eval rounds to 32-bit floats, infinite beyond their range."""
    if ties == "file":
        return score
    with np.errstate(over="ignore", under="ignore"):
        return score.astype(np.float32)


def score_groups(ordered: pd.DataFrame, ties: Ties = "file") -> np.ndarray:
    """Return a whole number for each row of `ranked` runs, (N,): it rises with each new list or score, not within a
    tie.
    """
    if not len(ordered):
        return np.zeros(0, dtype=np.int64)
    lists, score = list_numbers(ordered), _round_scores(ordered["score"].to_numpy(), ties)
    return np.r_[0, np.cumsum((lists[1:] != lists[:-1]) | (score[1:] != score[:-1]))]


# --- Ids of queries and documents as the parts of a study share them: one Unicode form, and whole numbers written as
# such. Spreadsheets and frames turn 10 into 10.0 where a cell of the column is empty. A part whose ids all end in .0
# is read without it, unless another part has an id such as 10.5, in which the point means something.


def settled(
    tables: Mapping[str, pd.DataFrame],
    beside: Iterable[pd.DataFrame] = (),
    files: Mapping[str, str] | None = None,
) -> tuple[dict[str, pd.DataFrame], list[str]]:
    """Return the tables, by part, with ids such as 10.0 as 10, and a notice for each column that was changed.

    beside: tables of the same study that stay as they are. files: the names of the parts' files for notices.
    Raises FairvizError where two ids of a table become one.
    """
    settled_tables, notices = dict(tables), []
    for column in COLUMNS:
        parts = [part for part, table in tables.items() if column in table and _all_end_in_zero(table[column])]
        if not parts:
            continue
        others = [*(table for part, table in tables.items() if part not in parts), *beside]
        if any(_any_has_point(table[column]) for table in others if column in table):
            continue
        for part in parts:
            ids = settled_tables[part][column]
            table = settled_tables[part].assign(**{column: _without_point(ids)})
            check_key(table, SCHEMAS[part])
            settled_tables[part] = table
            count, name = counted(ids.nunique(), column), (files or {}).get(part, part)
            example = f"{ids.iloc[0]!r} as {table[column].iloc[0]!r}"
            notices.append(f"{name}: {count} ending in .0 read as whole numbers, {example}.")
    return settled_tables, notices


def _all_end_in_zero(ids: pd.Series) -> bool:
    """Return whether there are ids and all end in .0; the first is looked at alone, most columns end there."""
    import pyarrow.compute as pc

    texts = distinct_texts(ids)
    if not len(texts) or not (texts[0].as_py() or "").endswith("0"):
        return False
    return bool(pc.all(pc.match_substring_regex(texts, WHOLE)).as_py())


def _any_has_point(ids: pd.Series) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(distinct_texts(ids), POINT)).as_py())


def _without_point(ids: pd.Series) -> pd.Series:
    import pyarrow.compute as pc

    texts = pc.replace_substring_regex(distinct_texts(ids), r"\.0+$", "")
    return with_texts(ids, pd.Series(pd.array(texts, dtype="str")))


def with_composed_ids(runs: pd.DataFrame) -> pd.DataFrame:
    """Return runs with ids in Unicode's composed form. Raises FairvizError where two ids of a list become one."""
    columns = {column: composed(runs[column]) for column in COLUMNS}
    if all(columns[column] is runs[column] for column in COLUMNS):
        return runs
    runs = runs.assign(**columns)
    check_key(runs, SCHEMAS["runs"])
    return runs


# --- Draws of stochastic rankers: the runs NAME/seed1, NAME/seed2, … are rankings of one system, NAME. So are
# NAME/fold1, NAME/fold2, …, unless each query is in one of them: these are the parts of one run, which loaders join.


def system_of_run(run: str) -> str:
    """Return the system of a run: the part before the slash for a draw, else the run's own name.

    >>> system_of_run("plackett-luce/seed1"), system_of_run("castorini/bm25")
    ('plackett-luce', 'castorini/bm25')
    """
    match = _DRAW.fullmatch(run)
    return match[1] if match else run


def is_draw(run: str) -> bool:
    """Return whether the run is a draw of a stochastic ranker."""
    return _DRAW.fullmatch(run) is not None


def is_draw_file(name: str) -> bool:
    """Return whether a file of this name, in a folder of runs, is a draw or a fold."""
    return name.startswith(("seed", FOLD))


def runs_by_system(runs: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the runs of each system, in the order of the first run of each: its draws, or itself.

    >>> runs_by_system(["bm25", "pl/seed1", "pl/seed2"])
    {'bm25': ('bm25',), 'pl': ('pl/seed1', 'pl/seed2')}
    """
    grouped: dict[str, list[str]] = {}
    for run in runs:
        grouped.setdefault(system_of_run(run), []).append(run)
    return {system: tuple(names) for system, names in grouped.items()}


def expanded(systems: Iterable[str], runs: Iterable[str]) -> tuple[str, ...]:
    """Return the runs of these systems, each system's draws in place of its name."""
    grouped = runs_by_system(runs)
    return tuple(run for system in systems for run in grouped.get(system, (system,)))
