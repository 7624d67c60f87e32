"""Ranges that hold every value a list can take when many of its places have no label.

A labelling hands the weight U of the unlabelled places out to neutral and the gender groups. Letting it be handed out
in any fractions only widens the range, and then a measure has a closed form, which stands beside its formula.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class OpenList:
    """A list some of whose places have no label.

    weight and count (1 + G,): sums of p and places by label, neutral first. share (u,): p of the unlabelled places.
    names: the labels by code. protected: a place among the gender groups. targets (G,): their wished shares.
    """

    parameters: Mapping[str, Any]
    weight: Array
    count: Array
    share: Array
    names: tuple[str, ...]
    protected: int
    targets: Array

    def corners(self) -> Array:
        """Exposure by label with all of U given to one label, a column for each: (1 + G, 1 + G)."""
        return (self.weight[:, None] + self.share.sum() * np.eye(len(self.weight))) / (
            self.weight.sum() + self.share.sum()
        )


@dataclass(frozen=True)
class OuterRange:
    """The smallest and the largest value, NaN where no labelling gives one; undefined: whether some labelling leaves
    the list without."""

    low: float
    high: float
    undefined: bool = False


@dataclass(frozen=True)
class OuterBound:
    """What an open list can be. additive: whether the measure is a sum over places, so that its extremes give every
    unlabelled document one label and are exact also where lists share documents."""

    of: Callable[[OpenList], OuterRange]
    additive: bool = False
