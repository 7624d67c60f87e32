"""Blocks of comparisons: one measure's pairs of systems, in one family or in many that are tested together."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairviz.statistics.contrasts import Contrasts, Estimates, Mask, contrasts_of, masks_of

Array = np.ndarray
ROWS = 64  # systems whose draws are made together


@dataclass(frozen=True, eq=False)
class Block:
    """One measure's pairs of systems.

    pairs: places of two systems each, or (P, 2). folded: whether the measure is fairest at 0 (or its logarithm is), so
    that distances are compared: the contrasts are then all differences, and after them all sums. families: the number
    of each pair's family, (P,); None where all are in the first.
    """

    estimates: Estimates
    pairs: Sequence[tuple[int, int]] | Array
    folded: bool = False
    families: Array | None = None

    @property
    def rows(self) -> Array:
        """The contrasts, (C, 3): the places of two systems and the sign of the second."""
        pairs = np.array(self.pairs, dtype=np.int64).reshape(-1, 2)
        out = np.full((1 + self.folded, len(pairs), 3), -1)
        out[:, :, :2] = pairs
        out[1:, :, 2] = 1
        return out.reshape(-1, 3)

    @property
    def family_of_pairs(self) -> Array:
        """The number of each pair's family, (P,)."""
        return np.zeros(len(self.pairs), dtype=np.int64) if self.families is None else self.families

    @property
    def family_of_contrasts(self) -> Array:
        """The number of each contrast's family, (C,)."""
        return np.tile(self.family_of_pairs, 1 + self.folded)

    def masks(self) -> list[Mask]:
        """Return the contrasts by the queries that they rest on, of a few families at a time."""
        families = self.family_of_contrasts
        together = max(ROWS * (1 + int(families.max(initial=0))) // max(len(self.estimates.values), 1), 1)
        return masks_of(self.estimates, self.rows, families // together)

    def contrasts(self) -> Contrasts:
        """Return what a test needs of each contrast, (C,)."""
        return contrasts_of(self.masks(), len(self.family_of_contrasts))
