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


def encoded_runs(column: Any) -> tuple[np.ndarray, Any]:
    """As `encoded`, for a column whose equal texts mostly stand one below another: each stretch is hashed once."""
    import pyarrow as pa
    import pyarrow.compute as pc

    stretches = [pc.run_end_encode(chunk) for chunk in column.chunks if len(chunk)]
    lengths = [np.diff(stretch.run_ends.to_numpy(), prepend=0) for stretch in stretches]
    codes, texts = encoded(pa.chunked_array([stretch.values for stretch in stretches], type=column.type))
    return np.repeat(codes, np.concatenate(lengths) if lengths else 0), texts


def encoded_ids(column: Any) -> tuple[np.ndarray, Any]:
    """As `encoded`, for ids: where all are plain numbers (MS MARCO's are), a table of places stands for the hash.

    The distinct ids then come in the order of their numbers. "007" or "+7" is no plain number: ids stay as written.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = _plain_numbers(column)
    if numbers is None:
        return encoded(column)
    held = np.zeros(int(numbers.max()) + 1, dtype=bool)
    held[numbers] = True
    distinct = np.flatnonzero(held).astype(np.int32)
    places = np.empty(len(held), dtype=np.int32)
    places[distinct] = np.arange(len(distinct), dtype=np.int32)
    return places[numbers], pc.cast(pa.array(distinct), pa.large_string())


def _plain_numbers(column: Any) -> np.ndarray | None:
    """The texts as numbers, or None unless every text is a number below 100 million exactly as Python writes it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lengths = pc.binary_length(column).to_numpy()
    if not len(lengths) or lengths.max() > 8 or not pc.all(pc.ascii_is_decimal(column)).as_py():
        return None
    numbers = pc.cast(column, pa.int32()).to_numpy()
    digits = np.ones(len(numbers), dtype=np.int32)
    for power in range(1, 8):
        digits += numbers >= 10**power
    table_is_small = numbers.max() < 100 * len(numbers)
    return numbers if table_is_small and (digits == lengths).all() else None


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
