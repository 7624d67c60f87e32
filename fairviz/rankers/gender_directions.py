"""Directions of gender in sentence vectors, and their removal.

The pairs are the study's documents and their copies with every gender word and first name replaced by its counterpart.
Labels and judgements are not used, so that an evaluation by them is independent of the directions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairviz.errors import FairvizError
from fairviz.words.counterparts import packaged, swap_words
from fairviz.words.vectors import unit

MOST_PAIRS = 1000  # more pairs hardly change the first directions, and each costs an encoding
MOST_DIRECTIONS = 100
_NONE = 1e-6  # a direction along which the pairs differ by no more than rounding


@dataclass(frozen=True, eq=False)
class Directions:
    """Unit vectors (p, n), by falling difference of the pairs. share: of the pairs' squared differences along all p;
    pairs: their number."""

    vectors: np.ndarray
    share: float
    pairs: int


def counterparts_of_texts(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return texts and their gender-swapped copies, of texts that change; at most MOST_PAIRS, drawn evenly.

    >>> counterparts_of_texts(["a woman", "a town"])
    [('a woman', 'a man')]
    """
    counterparts = packaged()
    pairs: list[tuple[str, str]] = []
    for place in np.random.default_rng(0).permutation(len(texts)).tolist():
        copy = swap_words(texts[place], counterparts)
        if copy != texts[place]:
            pairs.append((texts[place], copy))
        if len(pairs) == MOST_PAIRS:
            break
    return pairs


def directions_of(differences: np.ndarray, number: int, study: str) -> Directions:
    """Return the principal directions of differences between two wordings, (N, n). Raises FairvizError for too few.

    Each pair is centred on its own mean, as in Bolukbasi and others, so that the sign of a difference does not count
    and the mean difference is part of the first directions.
    """
    _, sizes, rows = (
        np.linalg.svd(differences, full_matrices=False) if differences.size else (None, np.zeros(0), np.zeros((0, 0)))
    )
    rank = int((sizes > _NONE * max(float(sizes.max(initial=0)), _NONE)).sum())
    if rank < number:
        raise FairvizError(
            f"{study} has {len(differences):,} documents that differ from their wording for the other gender, along "
            f"{rank:,} directions: {number:,} cannot be taken out",
            f"Use project={rank} or less." if rank else "Use project=0: its texts contain no gender word.",
        )
    return Directions(
        rows[:number].astype(np.float32), float((sizes[:number] ** 2).sum() / (sizes**2).sum()), len(differences)
    )


def without(vectors: np.ndarray, directions: np.ndarray, keep: float) -> np.ndarray:
    """Return unit vectors (N, n) with only the share `keep` left along the directions (p, n), rescaled to length 1; a
    zero stays zero.

    >>> without(np.array([[0.6, 0.8]]), np.array([[1.0, 0.0]]), 0.0).tolist()
    [[0.0, 1.0]]
    """
    return unit(vectors - (1 - keep) * (vectors @ directions.T) @ directions)
