"""Outer bounds of measures of labels over all orders of tied documents, where a search may miss the extreme order.

Numbers that are ratios of two sums over places, such as an exposure or its difference between two groups, have their
extremes among the orders by label, all of which are tried. They enclose measures that lie between such orders.
Axis letters: G gender groups, N ratios, S systems, Q queries.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np

from fairviz.measures.awrf import target_distances
from fairviz.measures.exposure import signed_gap
from fairviz.measures.sums import Places

Array = np.ndarray
Ratios = Callable[[Array, Mapping[str, Any], int], Array]
Enclosure = Callable[[Array, Array, Array, Mapping[str, Any]], tuple[Array | float, Array | float]]


def _cwex_ratios(exposures: Array, parameters: Mapping[str, Any], protected: int) -> Array:
    """CWEx with the gap between each ordered pair of groups for the largest gap, and with no gap, (N, S, Q)."""
    alpha, gender = parameters["alpha"], exposures[1:]
    pairs = [gender[first] - gender[second] for first, second in permutations(range(len(gender)), 2)]
    return alpha * exposures[0] - (1 - alpha) * np.stack([np.zeros_like(exposures[0]), *pairs])


def _cwex(low: Array, high: Array, targets: Array, parameters: Mapping[str, Any]) -> tuple[Array | float, Array]:
    """CWEx is the smallest of its ratios in every order, so at most the smallest of their largest values."""
    return -np.inf, high.min(axis=0)


def _gap_ratio(exposures: Array, parameters: Mapping[str, Any], protected: int) -> Array:
    return signed_gap(exposures, protected)[None]


def _gap(low: Array, high: Array, targets: Array, parameters: Mapping[str, Any]) -> tuple[Array, Array | float]:
    """|gap| is at least the distance of the gap's range from 0."""
    return np.maximum(0.0, np.maximum(low[0], -high[0])), np.inf


def _shares(exposures: Array, parameters: Mapping[str, Any], protected: int) -> Array:
    """Each gender group's share of the exposure of all gender groups, (G, S, Q)."""
    total = exposures[1:].sum(axis=0)
    return exposures[1:] / np.where(total > 0, total, np.nan)


def _awrf(low: Array, high: Array, targets: Array, parameters: Mapping[str, Any]) -> tuple[Array, Array | float]:
    """Each group adds at least what the share of its range next to the target adds: the terms are convex, 0 there."""
    nearest = np.clip(targets.reshape(-1, 1, 1), low, high)
    return target_distances(nearest, targets, parameters["distance"]).sum(axis=0), np.inf


BOUNDED: dict[str, tuple[Ratios, Enclosure]] = {
    "CWEx": (_cwex_ratios, _cwex),
    "AbsExposureGap": (_gap_ratio, _gap),
    "AWRF": (_shares, _awrf),
}


@dataclass
class RatioRanges:
    """Smallest and largest value of each ratio of a measure over the orders seen so far, (N, S, Q)."""

    name: str
    parameters: Mapping[str, Any]
    low: Array | None = field(default=None, init=False)
    high: Array | None = field(default=None, init=False)

    def add(self, exposures: Array, protected: int) -> None:
        """Widen the ranges by one order's exposures (1 + G, S, Q)."""
        found = BOUNDED[self.name][0](exposures, self.parameters, protected)
        self.low = found if self.low is None else np.fmin(self.low, found)
        self.high = found if self.high is None else np.fmax(self.high, found)

    def bounds(self, places: Places) -> tuple[Array | float, Array | float]:
        """Values that no order goes below and above, (S, Q); infinite where none is known."""
        if self.low is None or self.high is None:
            return -np.inf, np.inf
        return BOUNDED[self.name][1](self.low, self.high, places.targets, self.parameters)
