"""Categories of text without a Python string for each, which makes runs of millions of rows small and fast."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd


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


def encode_runs(column: Any) -> tuple[np.ndarray, Any]:
    """Return `encode` of a column in which equal texts are mostly consecutive: each run is hashed once."""
    import pyarrow as pa
    import pyarrow.compute as pc

    stretches = [pc.run_end_encode(chunk) for chunk in column.chunks if len(chunk)]
    lengths = [np.diff(stretch.run_ends.to_numpy(), prepend=0) for stretch in stretches]
    codes, texts = encode(pa.chunked_array([stretch.values for stretch in stretches], type=column.type))
    return np.repeat(codes, np.concatenate(lengths) if lengths else 0), texts


def encode_ids(column: Any) -> tuple[np.ndarray, Any]:
    """Return `encode` of ids: if all are plain numbers (as in MS MARCO), a table of places replaces the hash.

    The distinct ids are then in numerical order. "007" and "+7" are not plain numbers: ids stay as written.
    """
    numbers = _plain_numbers(column)
    coded = None if numbers is None else encode_numbers(numbers)
    return coded or encode(column)


def encode_numbers(numbers: np.ndarray) -> tuple[np.ndarray, Any] | None:
    """Return the codes (N,) int32 of numbers below 100 million and their texts in numerical order; None where these
    are few among many possible ones."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if numbers.max() >= 100 * len(numbers):
        return None
    is_used = np.zeros(int(numbers.max()) + 1, dtype=bool)
    is_used[numbers] = True
    distinct = np.flatnonzero(is_used).astype(np.int32)
    places = np.empty(len(is_used), dtype=np.int32)
    places[distinct] = np.arange(len(distinct), dtype=np.int32)
    return places[numbers], pc.cast(pa.array(distinct), pa.large_string())


def _plain_numbers(column: Any) -> np.ndarray | None:
    """Return the texts as numbers, or None unless each is a number below 100 million in Python's own spelling."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lengths = pc.binary_length(column).to_numpy()
    if not len(lengths) or lengths.max() > 8 or not pc.all(pc.ascii_is_decimal(column)).as_py():
        return None
    numbers = pc.cast(column, pa.int32()).to_numpy()
    digits = np.ones(len(numbers), dtype=np.int32)
    for power in range(1, 8):
        digits += numbers >= 10**power
    return numbers if (digits == lengths).all() else None


def categorical(codes: np.ndarray, texts: Any) -> pd.Categorical:
    """Return a pandas categorical from codes and distinct Arrow texts.

    Arrow guarantees distinct texts. pandas would make a Python string of each to check, at eight times the cost of
    reading the file, so the dtype is built without that check.
    """
    import pyarrow as pa

    index = pd.Index(pd.array(texts.cast(pa.large_string()), dtype="str"))
    return pd.Categorical.from_codes(codes, dtype=_distinct(index), validate=False)


def _distinct(index: pd.Index) -> pd.CategoricalDtype:
    return pd.CategoricalDtype._from_fastpath(index, False)  # type: ignore[attr-defined]


def constant(text: str, length: int) -> pd.Categorical:
    """Return a categorical of one text, `length` times."""
    return pd.Categorical.from_codes(np.zeros(length, dtype=np.int8), categories=pd.Index([text], dtype="str"))


def stack_columns(columns: Sequence[pd.Series]) -> pd.Categorical:
    """Return categorical columns in sequence, over the union of their categories in order of appearance."""
    import pyarrow as pa

    texts = [pa.array(column.cat.categories.array, type=pa.large_string()) for column in columns]
    places, union = encode(pa.chunked_array(texts, type=pa.large_string()))
    starts = np.cumsum([0, *(len(text) for text in texts)])
    codes = [
        places[start : start + len(text)][column.cat.codes.to_numpy()]
        for column, text, start in zip(columns, texts, starts, strict=False)
        if len(text)
    ]
    return categorical(np.concatenate(codes) if codes else np.zeros(0, dtype=np.int8), union)
