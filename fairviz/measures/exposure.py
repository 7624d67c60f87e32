"""Measures of labels: the attention to the documents of each group, and the gaps between groups."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fairviz.measures.contributions import OneList, Parts, parts_by_label
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.record import (
    CWEX_PAPER,
    Measure,
    OpenList,
    OuterBound,
    OuterRange,
    TiedEnds,
    WeightedSum,
    group_parameter,
)
from fairviz.measures.sums import AlignedRankings

Array = np.ndarray


def exposure(rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """Share of the attention in the top k that goes to documents of one group; in [0, 1], (C, S, Q).

    Exposure(g) = sum of p(i) over ranks held by g / sum of p(i) over all ranks of the list within k.
    NaN if no document within k has a label. CWEx paper, equations 2 to 4.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> list_of_three = toy(labels=["female", "neutral", "male"])
    >>> bias = position_bias("reciprocal", 3)  # weights 1, 1/2, 1/3, together 11/6
    >>> round(exposure(list_of_three, {"group": "female"}, bias, np.array([3])).item(), 6) == round(6 / 11, 6)
    True
    """
    return rankings.exposure(bias, cutoffs)[_place(rankings, parameters)]


def _place(rankings: AlignedRankings, parameters: Mapping[str, Any]) -> int:
    """Return the place of the group that a measure is of, 0 for the neutral one, which is the default."""
    return (rankings.neutral, *rankings.groups).index(parameters["group"] or rankings.neutral)


def exposure_gap(rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """Mean exposure of the other gender groups minus that of the protected one (male - female); in [-1, 1].

    Positive for less exposure of the protected group. NaN if no document within k has a label. The absolute value of
    its mean over queries is the column "ΔExposure" of the CWEx paper's Table 7.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> bias = position_bias("uniform", 4)
    >>> exposure_gap(toy(labels=["male", "male", "female", "neutral"]), {}, bias, np.array([4])).item()
    0.25
    """
    return signed_gap(rankings.exposure(bias, cutoffs), rankings.protected)


def signed_gap(exposures: Array, protected: int) -> Array:
    """Return the mean of the other gender groups minus the protected one, (…), from (1 + G, …), neutral first."""
    gender = exposures[1:]
    return np.delete(gender, protected, axis=0).mean(axis=0) - gender[protected]


def abs_exposure_gap(
    rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array
) -> Array:
    """|ExposureGap| of each ranking; in [0, 1], the lower the fairer. Its mean is not the gap of the means.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> abs_exposure_gap(toy(labels=["female"]), {}, position_bias("log2", 1), np.array([1])).item()
    1.0
    """
    return np.abs(exposure_gap(rankings, parameters, bias, cutoffs))


def _bound_exposure(open_list: OpenList) -> OuterRange:
    group = open_list.parameters["group"]
    values = open_list.corners()[open_list.names.index(group) if group else 0]
    return OuterRange(float(values.min()), float(values.max()))


def _bound_gap(open_list: OpenList) -> OuterRange:
    values = signed_gap(open_list.corners(), open_list.protected)
    return OuterRange(float(values.min()), float(values.max()))


def _bound_abs_gap(open_list: OpenList) -> OuterRange:
    gap = _bound_gap(open_list)
    nearest = 0.0 if gap.low <= 0 <= gap.high else min(abs(gap.low), abs(gap.high))
    return OuterRange(nearest, max(abs(gap.low), abs(gap.high)))


def exposure_parts(one_list: OneList) -> Parts:
    """Exposure: 1/A for a document of the group."""
    values_by_code = np.zeros(1 + len(one_list.rankings.groups))
    values_by_code[_place(one_list.rankings, one_list.parameters)] = 1.0
    return parts_by_label(one_list, values_by_code, "Σ p(i) · 1[d in group] / A")


def _gap_signs(one_list: OneList) -> Array:
    """Return the sign and weight of each label in ExposureGap, (1 + G,)."""
    signs = np.full(1 + one_list.groups, 1 / (one_list.groups - 1))
    signs[0], signs[1 + one_list.rankings.protected] = 0.0, -1.0
    return signs


def gap_parts(one_list: OneList) -> Parts:
    """ExposureGap: −1/A for a document of the protected group, 1/((G − 1) A) for one of another."""
    return parts_by_label(
        one_list, _gap_signs(one_list), "Σ p(i) · s(d) / A, s = −1 protected, 1/(G − 1) other genders"
    )


def abs_gap_parts(one_list: OneList) -> Parts:
    """|ExposureGap|: the parts of ExposureGap, with signs that make the sum non-negative."""
    signs = _gap_signs(one_list)
    sign = float(np.nan_to_num(np.sign(signs @ one_list.exposures)))
    return parts_by_label(one_list, sign * signs, "Σ p(i) · s(d) / A, s = ±1 for the gender seen more or less")


def _gap_by_document(rankings: AlignedRankings, parameters: Mapping[str, Any]) -> Array:
    """Return the gap of a list of each document alone, (D,): -1 protected, 1/(G - 1) another gender, 0 neutral."""
    groups = range(1 + len(rankings.groups))
    shares = np.stack([rankings.labels.belonging(group, unlabelled=0).astype(np.float64) for group in groups])
    return signed_gap(shares, rankings.protected)


EXPOSURE = Measure(
    name="Exposure",
    summary="share of the attention that one group's documents receive",
    compute=exposure,
    parameters=(group_parameter("group", None, "the group; the study's neutral one unless given"),),
    needs=("labels",),
    direction="none",
    bounds=(0.0, 1.0),
    formula=r"\mathrm{Exposure}_g@k=\frac{\sum_{i\le k,\;d_i\in g}p(i)}{\sum_{i\le k}p(i)}",
    paper=CWEX_PAPER,
    equation="equations 2 to 4",
    decided="A list shorter than k is normalised by its own length, so that a short list is not read as an unfair one. "
    "A document without a label is left out of both sums (`skip`), counted as neutral, or makes the ranking undefined "
    "(`strict`); label coverage is shown next to the value.",
    example="Labels female, neutral, male under p = 1, 1/2, 1/3: the female document holds 1 of 11/6, so 6/11 = 0.545.",
    outer=OuterBound(_bound_exposure, additive=True),
    parts=exposure_parts,
    anatomy="A document of the group adds p(i)/A, with A the attention to all documents that count; others add 0.",
    ties=TiedEnds(smallest=True, largest=True, by_label=True),
    weighted=WeightedSum(  # the share of each document in the group; without a label it is neutral
        lambda rankings, parameters: rankings.labels.belonging(_place(rankings, parameters), unlabelled=0).astype(
            np.float64
        )
    ),
)
EXPOSURE_GAP = Measure(
    name="ExposureGap",
    protects=True,
    summary="exposure of the other genders minus that of the protected one (male − female)",
    compute=exposure_gap,
    parameters=(),
    needs=("labels",),
    direction="zero",
    bounds=(-1.0, 1.0),
    formula=r"\mathrm{ExposureGap}=\frac1{G-1}\sum_{g\ne\mathrm{protected}}E_g-E_{\mathrm{protected}}",
    paper=CWEX_PAPER,
    equation="the column ΔExposure of Table 7",
    decided="Signed, so that its mean over queries can be near 0 while single queries are one-sided. The paper's "
    "ΔExposure is the absolute value of this mean. Solving its Table 7 for two values of α gives another number: 0.29 "
    "against 0.03 for BM25 on QS1. So the gap inside CWEx must be the mean of absolute gaps. Both are here.",
    example="Labels male, male, female, neutral under equal attention: 2/4 − 1/4 = 0.25.",
    outer=OuterBound(_bound_gap, additive=True),
    parts=gap_parts,
    anatomy="A document of the protected group adds −p(i)/A, one of another gender p(i)/((G − 1) A), with A the "
    "attention to all documents that count; neutral ones add 0.",
    ties=TiedEnds(smallest=True, largest=True, by_label=True),
    weighted=WeightedSum(_gap_by_document),
    column=True,
)


def _tied_enclosure(low: Array, high: Array, targets: Array, parameters: Mapping[str, Any]) -> tuple[Array, float]:
    """Return bounds: |gap| is at least the distance of the gap's range from 0."""
    return np.maximum(0.0, np.maximum(low[0], -high[0])), np.inf


ABS_EXPOSURE_GAP = Measure(
    name="AbsExposureGap",
    protects=True,
    summary="absolute gap between the genders' exposures in each ranking",
    compute=abs_exposure_gap,
    parameters=(),
    needs=("labels",),
    direction="lower",
    bounds=(0.0, 1.0),
    formula=r"\bigl|\mathrm{ExposureGap}\bigr|",
    paper=CWEX_PAPER,
    equation="the second part of equation 1",
    decided="For two gender groups this is the gap that CWEx punishes. See ExposureGap for the signed one.",
    example="One female document alone: |0 − 1| = 1.",
    outer=OuterBound(_bound_abs_gap),
    parts=abs_gap_parts,
    anatomy="As ExposureGap, all signs turned where the sum would be negative: documents of the gender that is seen "
    "more add, those of the other take away.",
    ties=TiedEnds(
        largest=True,
        ratios=lambda exposures, parameters, protected: signed_gap(exposures, protected)[None],
        enclosure=_tied_enclosure,
        by_label=True,
    ),
)
