"""The words nearest to each sense of a word."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from fairviz.errors import UsageError
from fairviz.rankers.backpack.loading import Backpack
from fairviz.words.vectors import unit

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 50
_WORD = re.compile(r"[a-z]{2,}")
_BLOCK = 1024


def nearest(model: Backpack, word: str, count: int = 8) -> pd.DataFrame:
    """Return the words with the nearest vector of each sense, by cosine: sense (from 1), place (from 1), word, cosine.
    The word itself is left out.

    Raises FairvizError for a word without a token, UsageError for more than 50 words a sense.
    """
    if not 1 <= count <= MOST:
        raise UsageError(f"{count} nearest words cannot be shown", f"Use 1 to {MOST}.")
    senses = unit(model.token_senses(word))  # (L, d)
    words, units = vocabulary(model)
    rows = []
    for sense, vector in enumerate(senses):
        cosines = units[sense].astype(np.float32) @ vector
        best = np.argsort(-cosines, kind="stable")[: count + 1]
        others = [row for row in best.tolist() if words[row] != word.strip().lower()][:count]
        rows += [(sense + 1, place, words[row], float(cosines[row])) for place, row in enumerate(others, start=1)]
    return pd.DataFrame(rows, columns=["sense", "place", "word", "cosine"])


@lru_cache(maxsize=2)
def vocabulary(model: Backpack) -> "tuple[Sequence[str], np.ndarray]":
    """Return the vocabulary's words that are one token of letters, and their senses at length 1, (L, V, d) float16."""
    rows_by_word = model.tokenizer.get_vocab()
    words = sorted((word for word in rows_by_word if _WORD.fullmatch(word)), key=rows_by_word.__getitem__)
    rows = [rows_by_word[word] for word in words]
    units = np.empty((model.senses, len(words), model.size), dtype=np.float16)
    for start in range(0, len(rows), _BLOCK):
        senses = model.senses_of_tokens(rows[start : start + _BLOCK])  # (B, L, d)
        units[:, start : start + _BLOCK] = unit(senses).transpose(1, 0, 2)
    return tuple(words), units
