"""AWRF: the distance of the genders' shares of exposure from their targets."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from fairviz.measures.contributions import OneList, Parts, pulls, quotient_texts
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.record import (
    AWRF_PAPER,
    FARTHEST,
    Bound,
    Measure,
    OpenList,
    OuterBound,
    OuterRange,
    TiedEnds,
    farthest,
)
from fairviz.measures.sums import AlignedRankings
from fairviz.parameters import Parameter
from fairviz.words.sentences import significant

Array = np.ndarray


def awrf(rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """Distance of the gender groups' shares of exposure from their targets; 0 is fair, (C, S, Q).

    `l1`: sum over groups of |share - target|, in [0, 2 (1 - smallest target)]. `jsd`: Jensen-Shannon divergence with
    logarithms to base 2, in [0, 1]. `rnod`: root normalised order-aware divergence of ordinal groups, in [0, 1]: see
    `distance_of`. Neutral documents do not count. NaN for a list without gendered documents.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> one_sided = toy(labels=["male", "neutral", "male"])
    >>> bias, at = position_bias("log2", 3), np.array([3])
    >>> awrf(one_sided, {"distance": "l1"}, bias, at).item()  # |1 - 1/2| + |0 - 1/2|
    1.0
    >>> round(awrf(one_sided, {"distance": "jsd"}, bias, at).item(), 4)  # (log2(4/3) + 1/2 + 1/2 log2(2/3)) / 2
    0.3113
    >>> awrf(one_sided, {"distance": "rnod"}, bias, at).item()  # sqrt((1/4 + 1/4) / 2) for two groups
    0.5
    >>> few_women = toy(labels=["male", "male", "male", "female"])  # shares of the candidates 3/4 and 1/4
    >>> parameters, bias = {"distance": "l1", "target": "candidates"}, position_bias("uniform", 4)
    >>> awrf(few_women, parameters, bias, np.array([4])).item(), awrf(few_women, parameters, bias, np.array([3])).item()
    (0.0, 0.5)
    """
    exposures = rankings.exposure(bias, cutoffs)  # (1 + G, C, S, Q)
    shares = _gender_shares(exposures)  # (G, C, S, Q)
    name = parameters.get("target", STUDY)
    wished = rankings.targets if name == STUDY else set_shares(rankings, name)[:, None, None]  # (G, 1, 1, Q)
    return distance_of(shares, wished, parameters["distance"])


def set_shares(rankings: AlignedRankings, name: str) -> Array:
    """Return each gender group's share of the gendered documents of a set, of each query, (G, Q); NaN without one.

    name: `collection`, `candidates` (what any system retrieved for the query), or `relevant` (judged 1 or higher for
    it). Neutral documents and those without a label do not count; one of several groups counts in each by its share.

    >>> from fairviz.measures.sums import toy
    >>> set_shares(toy(labels=["male", "neutral", "male", "female"]), "candidates").ravel().round(3).tolist()
    [0.333, 0.667]
    """

    def make() -> Array:
        groups = range(1, 1 + len(rankings.groups))
        belonging = np.stack([rankings.labels.belonging(group).astype(np.float64) for group in groups])  # (G, D)
        lists = rankings.background(name)
        distinct = lists[:1] if name == "collection" else lists
        sums = np.stack([belonging[:, documents].sum(axis=1) for documents in distinct], axis=1)  # (G, Q or 1)
        total = sums.sum(axis=0)
        shares = np.divide(sums, total, out=np.full(sums.shape, np.nan), where=total > 0)
        return np.broadcast_to(shares, (len(groups), len(lists))).copy()

    if not rankings.shape[1]:
        return np.zeros((len(rankings.groups), 0))
    return rankings.remembered(("shares of", name), make)


def _gender_shares(exposures: Array) -> Array:
    """Return each gender group's share of the exposure of all gender groups, (G, …), from (1 + G, …)."""
    total = exposures[1:].sum(axis=0)
    return exposures[1:] / np.where(total > 0, total, np.nan)


def distance_of(shares: Array, targets: Array, distance: str) -> Array:
    """Return the distance of shares (G, …) from targets, (G,) or (G, …), by `l1`, `jsd` or `rnod`: (…).

    RNOD = sqrt(sum over i with t_i > 0 of sum over j of |i − j| (x_j − t_j)² / (n (G − 1))), with n groups of a target
    above 0. Sakai: Evaluating Evaluation Measures for Ordinal Classification and Ordinal Quantification, ACL 2021; as
    coded in NTCIREVAL.

    >>> round(distance_of(np.array([0.0, 0.0, 1.0]), np.full(3, 1 / 3), "rnod").item(), 4)
    0.5611
    """
    total = target_distances(shares, targets, distance).sum(axis=0)
    return np.sqrt(total) if distance == "rnod" else total


def target_distances(shares: Array, targets: Array, distance: str) -> Array:
    """Return each group's part of the distance of shares (G, …) from their targets, (G,) or (G, …), of the squared
    distance for `rnod`: (G, …)."""
    wished = targets.reshape(-1, *[1] * (shares.ndim - 1)) if targets.ndim == 1 else targets
    if distance == "l1":
        return np.abs(shares - wished)
    if distance == "rnod":
        places = np.arange(len(targets))
        is_target = (wished > 0).astype(np.float64)  # (G, …)
        steps = np.tensordot(np.abs(places[:, None] - places), is_target, 1)  # (G, …), from all groups with a target
        weights = steps / np.maximum(is_target.sum(axis=0), 1) / max(len(targets) - 1, 1)
        return weights * (shares - wished) ** 2
    middle = (shares + wished) / 2
    return (_information(shares, middle) + _information(np.broadcast_to(wished, shares.shape), middle)) / 2


def _information(first: Array, second: Array) -> Array:
    """Return the terms of the Kullback-Leibler divergence, in bits; 0 log 0 is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = first * np.log2(first / second)
    return np.where(first == 0, 0, terms)


def _bound_awrf(open_list: OpenList) -> OuterRange:
    """Return bounds: the distance is convex, largest in a corner, at least the sum of each share's smallest part."""
    targets, unknown_weight, known_weights = open_list.targets, float(open_list.share.sum()), open_list.weight[1:]
    reach = known_weights.sum() + unknown_weight
    corners = [(known_weights + unknown_weight * row) / reach for row in np.eye(len(known_weights)) if reach > 0]
    if known_weights.sum() > 0:
        corners.append(known_weights / known_weights.sum())
    if not corners:
        return OuterRange(np.nan, np.nan, True)
    distance = open_list.parameters["distance"]
    low = distance_of(
        np.clip(targets, known_weights / reach, (known_weights + unknown_weight) / reach), targets, distance
    )
    high = distance_of(np.stack(corners, axis=1), targets, distance).max()
    return OuterRange(float(low), float(high), bool(known_weights.sum() <= 0))


def awrf_parts(one_list: OneList) -> Parts:
    """AWRF: for l1 the shift of the shares from their targets by the document's group. For jsd and rnod, each group's
    part of the divergence, split among its documents by attention; a constant if absent."""
    exposures, distance, targets = one_list.exposures[1:], one_list.parameters["distance"], one_list.rankings.targets
    if (name := one_list.parameters.get("target", STUDY)) != STUDY:
        targets = set_shares(one_list.rankings, name)[:, one_list.query]
    total = float(exposures.sum())
    _, no_labels = one_list.counted("label")
    reason = no_labels or ("" if total > 0 else "no document within the cutoff has a gender")
    reason = reason or (f"no document of the target ({name}) has a gender" if np.isnan(targets).any() else "")
    shares = np.full(one_list.groups, np.nan) if reason else exposures / total
    gendered = one_list.memberships[:, 1:]  # (n, G)
    if distance == "l1":
        values = pulls(gendered, shares, targets)
        divisor = np.nan if reason else total
        formula = "Σ p(i) · Σ_g s_g (1[d in g] − t_g 1[d gendered]) / E, s_g the sign of share − target"
        texts = quotient_texts(values, divisor)
        return Parts(one_list.weights, values / divisor, texts, formula, terms={"E": divisor}, undefined=reason)
    parts = target_distances(shares, targets, distance)  # (G,)
    if distance == "rnod":
        parts = parts / np.sqrt(np.where(parts.sum() > 0, parts.sum(), 1))
    part_by_attention = np.divide(parts, exposures, out=np.zeros(one_list.groups), where=exposures > 0)
    quotients = [f"{significant(part)} / {significant(own)}" for part, own in zip(parts, exposures, strict=True)]
    texts = tuple(  # such as `0.1 / 1.5`, with the share of a document of several groups before it
        " + ".join(
            quotients[group] if row[group] == 1 else f"{significant(row[group])} · {quotients[group]}"
            for group in np.flatnonzero(row)
        )
        or "0"
        for row in gendered
    )
    formula = f"Σ p(i) · D_g / E_g of the document's group, D_g = {_PARTS[distance]}"
    absent = np.nan if reason else float(parts[~(exposures > 0)].sum())
    contributions, absent_name = gendered @ part_by_attention, "genders that no document has"
    return Parts(one_list.weights, contributions, texts, formula, absent, absent_name, undefined=reason)


_PARTS = {
    "jsd": "(x log2(x/m) + t log2(t/m)) / 2, m = (x + t) / 2",
    "rnod": "w (x − t)² / AWRF, w the group's mean distance from the groups of the targets over G − 1",
}


def _tied_enclosure(low: Array, high: Array, targets: Array, parameters: Mapping[str, Any]) -> tuple[Array, float]:
    """Return bounds: each group adds at least the convex term of the share in its range next to the target."""
    nearest = np.clip(targets.reshape(-1, 1, 1), low, high)
    return distance_of(nearest, targets, parameters["distance"]), np.inf


STUDY = "study"
_AWRF = Measure(
    name="AWRF",
    summary="distance of the genders' shares of exposure from their targets",
    compute=awrf,
    parameters=(
        Parameter("distance", "l1", "how the distance is taken", choices=("l1", "jsd", "rnod")),
        Parameter(
            "target",
            STUDY,
            "the wished shares: the study's numbers, or the shares among the gendered documents of the "
            "collection, of the query's candidates, or of its relevant documents",
            choices=(STUDY, "collection", "candidates", "relevant"),
        ),
    ),
    needs=("labels",),
    direction="lower",
    bounds=(
        0.0,
        Bound(
            f"{FARTHEST.text}, 1 for jsd and rnod",
            lambda reach: farthest(reach) if reach.parameters["distance"] == "l1" else 1.0,
        ),
    ),
    formula=r"\mathrm{AWRF}=\Delta\Bigl(\frac{E_g}{\sum_h E_h},\;\hat E_g\Bigr),\qquad"
    r"\Delta_{l1}=\sum_g\lvert x_g-y_g\rvert,\quad"
    r"\Delta_{jsd}=\tfrac12 KL\bigl(x\Vert\tfrac{x+y}2\bigr)+\tfrac12 KL\bigl(y\Vert\tfrac{x+y}2\bigr)",
    paper=AWRF_PAPER,
    equation="as equations 4 to 6 of the TExFAIR paper restate it",
    decided="Only gender groups take part; a list without gendered documents has no shares and is undefined. `jsd` is "
    "the divergence, not its root, with logarithms to base 2. `rnod` is for ordinal groups alone. Targets are equal "
    "unless the study names others, or `target` takes them from documents: `collection`, `candidates` (what any system "
    "retrieved for the query, so that another run can move the value) or `relevant` (judged 1 or higher for the "
    "query). Of these, neutral documents and those without a label do not count. A share of a group that the target "
    "lacks is still a distance from 0.",
    example="Only male documents: shares (0, 1) against (1/2, 1/2), l1 = 1/2 + 1/2 = 1, jsd = 0.311.",
    outer=OuterBound(_bound_awrf),
    parts=awrf_parts,
    anatomy="l1: a document adds p(i)/E · Σ_g s_g (1 if it is of g − t_g). E: the attention to all gendered documents. "
    "s_g = ±1 for a share above or below its target t_g. jsd and rnod are not sums over documents. Each gender's "
    "part of the divergence is divided over its documents as they share its attention. The part of a gender without "
    "documents is listed by itself.",
    ties=TiedEnds(
        largest=True,
        ratios=lambda exposures, parameters, protected: _gender_shares(exposures),
        enclosure=_tied_enclosure,
        by_label=True,
    ),
    undefined="no document of a gender is in the top k",
    column=True,
)


def _with_target(name: str, *needs: Literal["documents", "qrels"]) -> Measure:
    """Return the record whose targets are the shares in a set of documents."""
    of_set = Bound("2, 1 for jsd and rnod", lambda reach: 2.0 if reach.parameters["distance"] == "l1" else 1.0)
    return replace(
        _AWRF,
        needs=("labels", *needs),
        bounds=(0.0, of_set),
        outer=None,
        ties=TiedEnds(largest=True),
        undefined=f"no document of a gender is in the top k, or in the target ({name})",
        beyond_list="target",
    )


AWRF = replace(
    _AWRF,
    forms={
        "target='collection'": _with_target("collection", "documents"),
        "target='candidates'": _with_target("candidates"),
        "target='relevant'": _with_target("relevant", "qrels"),
    },
)
