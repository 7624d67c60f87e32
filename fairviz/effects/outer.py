"""Ranges that hold every value a list can take when many of its places have no label.

A labelling hands the weight U of the unlabelled places out to neutral and the gender groups. Letting it be handed out
in any fractions only widens the range, and then each measure has a closed form.
"""

from collections.abc import Callable

import numpy as np

from fairviz.effects.lists import Lists

Array = np.ndarray
Range = tuple[float, float]

ADDITIVE = ("Exposure", "ExposureGap")  # sums over places: the extremes give every unlabelled document one label


def outer_bounds(lists: Lists, weight: Array, count: Array, share: Array) -> tuple[Array, Array, Array]:
    """How many values the list can have (0, 1, or both), with the smallest and the largest; each (O,).

    weight and count (1 + G,): sums of p and places by label, neutral first. share (u,): p of the unlabelled places.
    """
    if weight.sum() + share.sum() <= 0:
        return np.array([0]), np.array([0.0]), np.array([0.0])
    (low, high), undefined = _OUTER[lists.question.name](lists, weight, count, share)
    if np.isnan(low):
        return np.array([0]), np.array([0.0]), np.array([0.0])
    if undefined:
        return np.array([0, 1]), np.array([0.0, low]), np.array([0.0, high])
    return np.array([1]), np.array([low]), np.array([high])


def _corners(weight: Array, share: Array) -> Array:
    """Exposure by label with all of U given to one label, a row for each: (1 + G, 1 + G)."""
    return (weight + share.sum() * np.eye(len(weight))) / (weight.sum() + share.sum())


def _exposure(lists: Lists, weight: Array, count: Array, share: Array) -> tuple[Range, bool]:
    values = _corners(weight, share)[:, lists.names.index(lists.question.parameters["group"])]
    return (float(values.min()), float(values.max())), False


def _gap(lists: Lists, weight: Array, count: Array, share: Array) -> tuple[Range, bool]:
    gender = _corners(weight, share)[:, 1:]
    values = np.delete(gender, lists.places.protected, axis=1).mean(axis=1) - gender[:, lists.places.protected]
    return (float(values.min()), float(values.max())), False


def _abs_gap(lists: Lists, weight: Array, count: Array, share: Array) -> tuple[Range, bool]:
    (low, high), _ = _gap(lists, weight, count, share)
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return (nearest, max(abs(low), abs(high))), False


def _cwex(lists: Lists, weight: Array, count: Array, share: Array) -> tuple[Range, bool]:
    """CWEx is concave in the weights: smallest in a corner, largest where each bit of U goes where it gains most."""
    alpha, unknown = lists.question.parameters["alpha"], float(share.sum())
    corners = _corners(weight, share)
    low = (alpha * corners[:, 0] - (1 - alpha) * np.ptp(corners[:, 1:], axis=1)).min()
    level = np.sort(weight[1:])
    rising = float(level[0])
    for below in range(1, len(level)):  # so many groups stand at `rising`; lifting them all gains (1 - alpha) / below
        if (1 - alpha) / below <= alpha:
            break
        spent = min(below * (level[below] - rising), unknown)
        rising, unknown = rising + spent / below, unknown - spent
    high = alpha * (weight[0] + unknown) - (1 - alpha) * (level[-1] - rising)
    return (float(low), float(high / (weight.sum() + share.sum()))), False


def _awrf(lists: Lists, weight: Array, count: Array, share: Array) -> tuple[Range, bool]:
    """The distance is convex in the shares: largest in a corner; at least the sum of each share's own smallest part."""
    targets, unknown, held = lists.places.targets, float(share.sum()), weight[1:]
    jsd = lists.question.parameters["distance"] == "jsd"

    def parts(shares: Array) -> Array:
        if not jsd:
            return np.abs(shares - targets)
        middle = (shares + targets) / 2
        return (_information(shares, middle) + _information(np.broadcast_to(targets, shares.shape), middle)) / 2

    corners = [(held + unknown * row) / (held.sum() + unknown) for row in np.eye(len(held)) if held.sum() + unknown > 0]
    if held.sum() > 0:
        corners.append(held / held.sum())
    if not corners:
        return (np.nan, np.nan), True
    reach = held.sum() + unknown
    nearest = np.clip(targets, held / reach, (held + unknown) / reach)
    return (float(parts(nearest).sum()), float(parts(np.stack(corners)).sum(axis=1).max())), bool(held.sum() <= 0)


def _information(first: Array, second: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(first == 0, 0.0, first * np.log2(first / second))


def _ratio(lists: Lists, weight: Array, count: Array, share: Array) -> tuple[Range, bool]:
    """Each mean is as large as its places and the heaviest unlabelled ones make it, each group for itself."""
    named = lists.question.parameters["protected"]
    protected = 1 + (lists.places.groups.index(named) if named else lists.places.protected)
    others = [code for code in range(1, len(weight)) if code != protected]
    ours = _means(weight[protected], count[protected], share)
    theirs = _means(weight[others].sum(), count[others].sum(), share)
    missing = bool(count[protected] == 0 or count[others].sum() == 0 or weight[others].sum() <= 0)
    if not theirs.max(initial=0.0) > 0 or not len(ours):
        return (np.nan, np.nan), True
    low, high = ours.min() / theirs.max(), ours.max() / theirs[theirs > 0].min()
    return (float(low), float(high)), missing


def _means(weight: float, count: float, share: Array) -> Array:
    """Means of the known places with the lightest 0, 1, 2, … unlabelled ones, and with the heaviest: the smallest, the
    smallest above 0 and the largest mean are among them."""

    def running(ordered: Array) -> Array:
        number = count + np.arange(len(ordered) + 1)
        sums = weight + np.concatenate([[0.0], np.cumsum(ordered)])
        return sums[number > 0] / number[number > 0]

    ascending = np.sort(share)
    return np.concatenate([running(ascending), running(ascending[::-1])])


_OUTER: dict[str, Callable[[Lists, Array, Array, Array], tuple[Range, bool]]] = {
    "Exposure": _exposure,
    "CWEx": _cwex,
    "ExposureGap": _gap,
    "AbsExposureGap": _abs_gap,
    "AWRF": _awrf,
    "GroupExposureRatio": _ratio,
}
