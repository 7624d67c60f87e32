"""Categories of text without a Python string for each: what keeps runs of millions of rows small and quick."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd


def encoded(column: Any) -> tuple[np.ndarray, Any]:
    """An Arrow column of text or of dictionaries as codes (N,) int32 and its distinct texts, in order of appearance."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.unify_dictionaries() if pa.types.is_dictionary(column.type) else column
        column = column.combine_chunks()
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    return column.indices.to_numpy(zero_copy_only=False), column.dictionary


def categorical(codes: np.ndarray, texts: Any) -> pd.Categorical:
    """A pandas categorical from codes and distinct Arrow texts.

    Arrow guarantees that the texts are distinct. pandas would make a Python string of each to see for itself, eight
    times the cost of reading the file, so the dtype is built without that look.
    """
    import pyarrow as pa

    index = pd.Index(pd.array(texts.cast(pa.large_string()), dtype="str"))
    return pd.Categorical.from_codes(codes, dtype=_distinct(index), validate=False)


def _distinct(index: pd.Index) -> pd.CategoricalDtype:
    return pd.CategoricalDtype._from_fastpath(index, False)  # type: ignore[attr-defined]


def constant(text: str, length: int) -> pd.Categorical:
    """A categorical that holds one text `length` times."""
    return pd.Categorical.from_codes(np.zeros(length, dtype=np.int8), categories=pd.Index([text], dtype="str"))


def stacked(columns: Sequence[pd.Series]) -> pd.Categorical:
    """Categorical columns one below another, over the union of their categories in order of appearance."""
    import pyarrow as pa

    texts = [pa.array(column.cat.categories.array, type=pa.large_string()) for column in columns]
    places, union = encoded(pa.chunked_array(texts, type=pa.large_string()))
    starts = np.cumsum([0, *(len(text) for text in texts)])
    codes = [
        places[start : start + len(text)][column.cat.codes.to_numpy()]
        for column, text, start in zip(columns, texts, starts, strict=False)
        if len(text)
    ]
    return categorical(np.concatenate(codes) if codes else np.zeros(0, dtype=np.int8), union)
