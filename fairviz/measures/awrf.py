"""AWRF: the distance of the genders' shares of exposure from their targets."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fairviz.measures.contributions import OneList, Parts, number, over, pulls
from fairviz.measures.outer import OpenList, OuterBound, OuterRange
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.record import AWRF_PAPER, FARTHEST, Bound, Measure, Parameter, farthest
from fairviz.measures.sums import Places

Array = np.ndarray


def awrf(places: Places, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """Distance of the gender groups' shares of exposure from their targets; 0 is fair, (C, S, Q).

    `l1`: sum over groups of |share - target|, in [0, 2 (1 - smallest target)]. `jsd`: Jensen-Shannon divergence with
    logarithms to base 2, in [0, 1]. Neutral documents take no part. NaN for a list without gendered documents.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> one_sided = toy(labels=["male", "neutral", "male"])
    >>> bias, at = position_bias("log2", 3), np.array([3])
    >>> awrf(one_sided, {"distance": "l1"}, bias, at).item()  # |1 - 1/2| + |0 - 1/2|
    1.0
    >>> round(awrf(one_sided, {"distance": "jsd"}, bias, at).item(), 4)  # (log2(4/3) + 1/2 + 1/2 log2(2/3)) / 2
    0.3113
    """
    exposures = places.exposure(bias, cutoffs)[1:]  # (G, C, S, Q)
    total = exposures.sum(axis=0)  # (C, S, Q)
    shares = exposures / np.where(total > 0, total, np.nan)
    return target_distances(shares, places.targets, parameters["distance"]).sum(axis=0)


def target_distances(shares: Array, targets: Array, distance: str) -> Array:
    """What each group adds to the distance of shares (G, …) from their targets (G,): (G, …)."""
    targets = targets.reshape(-1, *[1] * (shares.ndim - 1))
    if distance == "l1":
        return np.abs(shares - targets)
    middle = (shares + targets) / 2
    return (_information(shares, middle) + _information(np.broadcast_to(targets, shares.shape), middle)) / 2


def _information(first: Array, second: Array) -> Array:
    """The terms of the Kullback-Leibler divergence, in bits; 0 log 0 is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = first * np.log2(first / second)
    return np.where(first == 0, 0, terms)


def _outer(held: OpenList) -> OuterRange:
    """The distance is convex in the shares: largest in a corner; at least the sum of each share's own smallest part."""
    targets, unknown, known = held.targets, float(held.share.sum()), held.weight[1:]
    reach = known.sum() + unknown
    corners = [(known + unknown * row) / reach for row in np.eye(len(known)) if reach > 0]
    if known.sum() > 0:
        corners.append(known / known.sum())
    if not corners:
        return OuterRange(np.nan, np.nan, True)
    distance = held.parameters["distance"]
    low = target_distances(np.clip(targets, known / reach, (known + unknown) / reach), targets, distance).sum()
    high = target_distances(np.stack(corners, axis=1), targets, distance).sum(axis=0).max()
    return OuterRange(float(low), float(high), bool(known.sum() <= 0))


def awrf_parts(held: OneList) -> Parts:
    """AWRF: for l1 how far the document's group moves the shares off their targets; for jsd its group's part."""
    total = float(held.exposures[1:].sum())
    why = held.no_labels or ("" if total > 0 else "no document within the cutoff has a gender")
    shares = np.full(held.groups, np.nan) if why else held.exposures[1:] / total
    if held.parameters["distance"] != "l1":
        return _jsd(held, shares, why)
    gendered = np.concatenate([np.zeros((1, held.groups)), np.eye(held.groups), np.zeros((1, held.groups))])
    values = pulls(gendered[held.codes], shares, held.places.targets)
    formula = "Σ p(i) · Σ_g s_g (1[d in g] − t_g 1[d gendered]) / E, s_g the sign of share − target"
    divisor = np.nan if why else total
    return Parts(held.weights, values / divisor, over(values, divisor), formula, terms={"E": divisor}, undefined=why)


def _jsd(held: OneList, shares: Array, why: str) -> Parts:
    """Each group's part of the divergence, shared by its documents by their attention; a group that is absent has a
    part that no document holds."""
    seen = held.exposures[1:]
    parts = target_distances(shares, held.places.targets, "jsd")  # (G,)
    each = np.divide(parts, seen, out=np.zeros(held.groups), where=seen > 0)
    of_code = np.concatenate([[0.0], each, [0.0]])  # by label, the last for none
    said = tuple(
        f"{number(parts[code - 1])} / {number(seen[code - 1])}" if code > 0 else "0" for code in held.codes.tolist()
    )
    formula = "Σ p(i) · D_g / E_g of the document's group, D_g = (x log2(x/m) + t log2(t/m)) / 2, m = (x + t) / 2"
    absent = np.nan if why else float(parts[~(seen > 0)].sum())
    return Parts(
        held.weights, of_code[held.codes], said, formula, absent, "genders that no document has", undefined=why
    )


AWRF = Measure(
    name="AWRF",
    summary="distance of the genders' shares of exposure from their targets",
    compute=awrf,
    parameters=(Parameter("distance", "choice", "l1", "how the distance is taken", choices=("l1", "jsd")),),
    needs=("labels",),
    direction="lower",
    bounds=(
        0.0,
        Bound(
            f"{FARTHEST.text}, 1 for jsd",
            lambda reach: 1.0 if reach.parameters["distance"] == "jsd" else farthest(reach),
        ),
    ),
    formula=r"\mathrm{AWRF}=\Delta\Bigl(\frac{E_g}{\sum_h E_h},\;\hat E_g\Bigr),\qquad"
    r"\Delta_{l1}=\sum_g\lvert x_g-y_g\rvert,\quad"
    r"\Delta_{jsd}=\tfrac12 KL\bigl(x\Vert\tfrac{x+y}2\bigr)+\tfrac12 KL\bigl(y\Vert\tfrac{x+y}2\bigr)",
    paper=AWRF_PAPER,
    equation="as equations 4 to 6 of the TExFAIR paper restate it",
    decided="Only gender groups take part; a list without gendered documents has no shares and is undefined. `jsd` is "
    "the divergence, not its root, with logarithms to base 2. Targets are equal unless the study names others.",
    example="Only male documents: shares (0, 1) against (1/2, 1/2), l1 = 1/2 + 1/2 = 1, jsd = 0.311.",
    outer=OuterBound(_outer),
    parts=awrf_parts,
    anatomy="l1: a document adds p(i)/E · Σ_g s_g (1 if it is of g − t_g), with E the attention to all gendered "
    "documents and s_g = ±1 for a share above or below its target t_g. jsd is no sum over documents: each gender's "
    "part of the divergence is shared by its documents as they share its attention, and the part of a gender that "
    "has none stands for itself.",
)
