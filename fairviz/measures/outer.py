"""Ranges of all possible values of a list with unlabelled places.

A labelling distributes the weight U of the unlabelled places among neutral and the gender groups. Allowing any
fractions only widens the range; the measure then has a closed form, which is next to its formula.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class OpenList:
    """A list with unlabelled places.

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
        """Return the exposure by label with all of U for one label, a column for each: (1 + G, 1 + G)."""
        return (self.weight[:, None] + self.share.sum() * np.eye(len(self.weight))) / (
            self.weight.sum() + self.share.sum()
        )


@dataclass(frozen=True)
class OuterRange:
    """The smallest and the largest value, NaN if every labelling is undefined; undefined: whether some labelling is."""

    low: float
    high: float
    undefined: bool = False


@dataclass(frozen=True)
class OuterBound:
    """The range of an open list. additive: whether the measure is a sum over places; its extremes then give each
    unlabelled document a single label, and are exact also for lists with common documents."""

    compute: Callable[[OpenList], OuterRange]
    additive: bool = False
