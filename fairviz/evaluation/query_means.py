"""Means over queries with their intervals, as a table by measure and system.

Axis letters: M measures, S systems, Q queries.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.statistics.intervals import mean_interval, mean_over_queries

Array = np.ndarray


def query_means(scores: pd.DataFrame, level: float) -> pd.DataFrame:
    """Return the rows of `fairviz.summarise` for measures with a value a query. level: of the intervals, 0 to 1."""
    codes = {name: pd.factorize(scores[name]) for name in ("measure", "system", "query_id")}
    measures, systems = codes["measure"][1], codes["system"][1]
    shape = (len(measures), len(systems), len(codes["query_id"][1]))
    codes_of_rows = tuple(code for code, _ in codes.values())

    def spread(column: str) -> Array:
        table = np.full(shape, np.nan)
        if column in scores:
            table[codes_of_rows] = scores[column].to_numpy(dtype=np.float64)
        return table

    values, has_row = spread("value"), np.zeros(shape, dtype=bool)
    has_row[codes_of_rows] = True
    low, high = mean_interval(values, level)
    labelled, places = (np.nansum(spread(column), axis=-1) for column in ("labelled", "places"))
    defined = (~np.isnan(values)).sum(axis=-1)
    columns = {
        "value": mean_over_queries(values),
        "ci_low": low,
        "ci_high": high,
        "queries": defined,
        "undefined": has_row.sum(axis=-1) - defined,
        "coverage": share(labelled, places),
    }
    summary = summary_table(list(map(str, systems)), list(map(str, measures)), columns)
    return summary[has_row.any(axis=-1).ravel()].reset_index(drop=True)


def share(labelled: Array, places: Array) -> Array:
    """Labelled places over all places, any shape; NaN where there is no place."""
    return np.divide(labelled, places, out=np.full(np.shape(labelled), np.nan), where=places > 0)


def summary_table(systems: Sequence[str], measures: Sequence[str], columns: dict[str, Array]) -> pd.DataFrame:
    """The table of `summarise`, rows by measure and system, of columns (M, S) by name."""
    names = {
        "system": pd.array([system for _ in measures for system in systems], dtype="str"),
        "measure": pd.array([measure for measure in measures for _ in systems], dtype="str"),
    }
    return pd.DataFrame({**names, **{name: values.ravel() for name, values in columns.items()}})
