"""Queries cut into slices by a column of the query file, such as category or stereotype."""

from collections.abc import Iterator, Mapping

import pandas as pd

from fairviz.errors import UsageError, expect, use_one_of
from fairviz.study.record import Study

SLICE = "slice"
NONE = "(none)"  # queries of which the column says nothing
MOST_SLICES = 100


def slices_of(study: Study, column: str) -> pd.Series:
    """Return the text of a column of the queries by query id; `(none)` where it is empty.

    Raises UsageError where the queries have no such column, or nearly every query has a value of its own.
    """
    if column not in study.queries.columns or column == "query_id":
        columns = [name for name in study.queries.columns if name not in ("query_id", "text")]
        raise UsageError(
            f"the queries of {study.name!r} have no column {column!r} to slice by",
            use_one_of(columns, column) if columns else "Add a column to the file of queries, such as category.",
        )
    values = study.queries.set_index("query_id")[column]
    _check_number(values.map(_named).nunique(), f"the column {column!r} of the queries of {study.name!r}")
    return values.map(_named).astype("str").rename(column)


def sliced(scores: pd.DataFrame, slices: Mapping[str, object] | pd.Series | None) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each slice's name with its scores, in the order in which `slices` first names them, those without one last;
    all scores under an empty name where there are no slices. Raises UsageError for what is no slice of each query."""
    if slices is None:
        yield "", scores
        return
    expect("slices", slices, (Mapping, pd.Series), "Give the slice of each query by its id.")
    by_query = {str(query): _named(value) for query, value in slices.items()}
    queries = scores["query_id"].astype("str")
    named = queries.map(by_query).fillna(NONE)
    present = set(named)
    _check_number(len(present), "slices")
    for name in sorted(dict.fromkeys([*by_query.values(), NONE]), key=lambda one: one == NONE):
        if name in present:
            yield name, scores[(named == name).to_numpy()]


def sizes(scores: pd.DataFrame, slices: Mapping[str, object] | pd.Series) -> dict[str, int]:
    """Return the number of queries of the scores in each slice."""
    return {name: part["query_id"].nunique() for name, part in sliced(scores, slices)}


def _named(value: object) -> str:
    text = "" if pd.isna(value) else str(value).strip()  # type: ignore[call-overload]
    return text or NONE


def _check_number(count: int, what: str) -> None:
    if count > MOST_SLICES:
        raise UsageError(
            f"{what} cuts into {count:,} slices, more than {MOST_SLICES}",
            "Slice by a column of few values, such as category.",
        )
