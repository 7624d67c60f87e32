"""The words nearest to a word in an embedding."""

from functools import lru_cache

import numpy as np
import pandas as pd

from fairviz.words.vectors import Embedding


def nearest(embedding: Embedding, word: str, count: int = 10) -> pd.DataFrame:
    """Return the `count` words with the highest cosine to this word, without its own spellings: word, cosine.

    Empty if the word has no vector. Words of equal cosine are in the order of the file.
    """
    vectors, in_vocabulary = embedding.lookup([word])
    if not in_vocabulary[0]:
        return pd.DataFrame({"word": pd.Series([], dtype="str"), "cosine": np.zeros(0)})
    cosines = embedding.vectors @ vectors[0].astype(np.float32)  # (V,)
    names = _names(embedding)
    candidate_count = count + len({word, word.lower(), word.capitalize(), word.upper()}) + 50
    candidate_count = min(candidate_count, len(cosines))
    rows = np.argpartition(-cosines, candidate_count - 1)[:candidate_count]
    rows = rows[np.lexsort((rows, -cosines[rows]))]
    nearest_rows = [row for row in rows.tolist() if row in names and names[row].lower() != word.lower()][:count]
    return pd.DataFrame(
        {"word": pd.Series([names[row] for row in nearest_rows], dtype="str"), "cosine": cosines[nearest_rows]}
    )


@lru_cache(maxsize=4)
def _names(embedding: Embedding) -> dict[int, str]:
    """Return the word of each row; a zero vector and a word's second row have none."""
    return {row: word for word, row in embedding.rows.items()}
