"""The directions in which sentence vectors differ where texts differ by gender alone, and vectors without them.

The pairs are the study's documents and the same with every gender word and first name replaced by its counterpart. No
label and no judgement is looked at, so that what is evaluated with these is not what made the directions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairviz.errors import FairvizError
from fairviz.words.counterparts import packaged
from fairviz.words.substitution import swap_words

MOST_PAIRS = 1000  # more change the first directions by little, and each costs an encoding
MOST_DIRECTIONS = 100
_NONE = 1e-6  # a direction along which the pairs differ by no more than rounding


@dataclass(frozen=True, eq=False)
class Directions:
    """Unit vectors (p, n), the first the one along which pairs differ most; share: of the pairs' squared differences
    along all p of them; pairs: how many pairs there were."""

    vectors: np.ndarray
    share: float
    pairs: int


def counterparts_of_texts(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Texts and what becomes of them with genders swapped, of those that change; at most MOST_PAIRS, drawn evenly.

    >>> counterparts_of_texts(["a woman", "a town"])
    [('a woman', 'a man')]
    """
    pairs = packaged()
    found: list[tuple[str, str]] = []
    for place in np.random.default_rng(0).permutation(len(texts)).tolist():
        other = swap_words(texts[place], pairs)
        if other != texts[place]:
            found.append((texts[place], other))
        if len(found) == MOST_PAIRS:
            break
    return found


def directions_of(differences: np.ndarray, number: int, study: str) -> Directions:
    """The principal directions of differences between two wordings, (N, n). Raises FairvizError for too few pairs.

    The sign of a difference does not count: each pair is centred on its own mean, as Bolukbasi and others do it, so
    that the mean difference is within the first directions and not taken off before.
    """
    _, sizes, rows = (
        np.linalg.svd(differences, full_matrices=False) if differences.size else (None, np.zeros(0), np.zeros((0, 0)))
    )
    known = int((sizes > _NONE * max(float(sizes.max(initial=0)), _NONE)).sum())
    if known < number:
        raise FairvizError(
            f"{study} has {len(differences):,} documents that differ from their wording for the other gender, along "
            f"{known:,} directions: {number:,} cannot be taken out",
            f"Use project={known} or less." if known else "Use project=0: no gender word stands in its texts.",
        )
    return Directions(
        rows[:number].astype(np.float32), float((sizes[:number] ** 2).sum() / (sizes**2).sum()), len(differences)
    )


def without(vectors: np.ndarray, directions: np.ndarray, keep: float) -> np.ndarray:
    """Unit vectors (N, n) of which only the share `keep` is left along the directions (p, n), again of length 1; a zero
    stays zero.

    >>> without(np.array([[0.6, 0.8]]), np.array([[1.0, 0.0]]), 0.0).tolist()
    [[0.0, 1.0]]
    """
    rest = vectors - (1 - keep) * (vectors @ directions.T) @ directions
    lengths = np.linalg.norm(rest, axis=1, keepdims=True)
    return rest / np.where(lengths > 0, lengths, 1)
