"""The words nearest to a word in an embedding."""

from functools import lru_cache

import numpy as np
import pandas as pd

from fairviz.words.vectors import Embedding


def nearest(embedding: Embedding, word: str, count: int = 10) -> pd.DataFrame:
    """The `count` words with the highest cosine to this one, itself left out in any spelling: word, cosine.

    Empty where the word has no vector. Equal cosines stand in the order of the file.
    """
    found, known = embedding.lookup([word])
    if not known[0]:
        return pd.DataFrame({"word": pd.Series([], dtype="str"), "cosine": np.zeros(0)})
    cosines = embedding.vectors @ found[0].astype(np.float32)  # (V,)
    names = _names(embedding)
    spare = count + len({word, word.lower(), word.capitalize(), word.upper()}) + 50
    spare = min(spare, len(cosines))
    rows = np.argpartition(-cosines, spare - 1)[:spare]
    rows = rows[np.lexsort((rows, -cosines[rows]))]
    kept = [row for row in rows.tolist() if row in names and names[row].lower() != word.lower()][:count]
    return pd.DataFrame({"word": pd.Series([names[row] for row in kept], dtype="str"), "cosine": cosines[kept]})


@lru_cache(maxsize=4)
def _names(embedding: Embedding) -> dict[int, str]:
    """The word of each row that has one: a zero vector has none, nor has a word's second row."""
    return {row: word for word, row in embedding.rows.items()}
