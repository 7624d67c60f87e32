"""Measures of labels: how much attention the documents of each group receive."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fairviz.measures.position_bias import PositionBias
from fairviz.measures.record import AWRF_PAPER, CWEX_PAPER, RATIO_PAPER, Measure, Parameter
from fairviz.measures.sums import Places, counting

Array = np.ndarray

ALPHA = Parameter("alpha", "number", 0.5, "weight of neutral exposure; the rest weighs the gap between the genders")


def exposure(places: Places, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """Share of the attention in the top k that goes to documents of one group; in [0, 1], (C, S, Q).

    Exposure(g) = sum of p(i) over ranks held by g / sum of p(i) over all ranks of the list within k.
    NaN where no document within k has a label. CWEx paper, equations 2 to 4.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> list_of_three = toy(labels=["female", "neutral", "male"])
    >>> bias = position_bias("reciprocal", 3)  # weights 1, 1/2, 1/3, together 11/6
    >>> round(exposure(list_of_three, {"group": "female"}, bias, np.array([3])).item(), 6) == round(6 / 11, 6)
    True
    """
    names = (places.neutral, *places.groups)
    return places.exposure(bias, cutoffs)[names.index(parameters["group"])]


def cwex(places: Places, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """Class-wise weighted exposure; in [alpha - 1, alpha], the higher the fairer, (C, S, Q).

    CWEx = alpha * Exposure(neutral) - (1 - alpha) * (largest - smallest exposure among the gender groups); for two
    groups the difference is |Exposure(male) - Exposure(female)|. CWEx paper, equation 1, and its section 3.2 for more
    groups. The difference is taken in each ranking. NaN where no document within k has a label.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> list_of_three = toy(labels=["female", "neutral", "male"])
    >>> bias = position_bias("reciprocal", 3)  # female 6/11, neutral 3/11, male 2/11
    >>> value = cwex(list_of_three, {"alpha": 0.5}, bias, np.array([3])).item()
    >>> round(value, 6) == round(0.5 * 3 / 11 - 0.5 * (6 - 2) / 11, 6)
    True
    """
    neutral, gap = neutral_and_gap(places, bias, cutoffs)
    return parameters["alpha"] * neutral - (1 - parameters["alpha"]) * gap


def neutral_and_gap(places: Places, bias: PositionBias, cutoffs: Array) -> tuple[Array, Array]:
    """The two parts of CWEx, each (C, S, Q): exposure of neutral, and the spread among the gender groups.

    The mean of CWEx is linear in the means of the two, so that alpha mixes two numbers a system.
    """
    exposures = places.exposure(bias, cutoffs)  # (1 + G, C, S, Q)
    return exposures[0], np.ptp(exposures[1:], axis=0)


def exposure_gap(places: Places, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """Mean exposure of the other gender groups minus that of the protected one (male - female); in [-1, 1].

    Positive where the protected group is seen less. NaN where no document within k has a label. The absolute value of
    its mean over queries is the column "ΔExposure" of the CWEx paper's Table 7.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> bias = position_bias("uniform", 4)
    >>> exposure_gap(toy(labels=["male", "male", "female", "neutral"]), {}, bias, np.array([4])).item()
    0.25
    """
    exposures = places.exposure(bias, cutoffs)[1:]  # (G, C, S, Q)
    others = np.delete(exposures, places.protected, axis=0).mean(axis=0)  # (C, S, Q)
    return others - exposures[places.protected]


def abs_exposure_gap(places: Places, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """|ExposureGap| of each ranking; in [0, 1], the lower the fairer. Its mean is not the gap of the means.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> abs_exposure_gap(toy(labels=["female"]), {}, position_bias("log2", 1), np.array([1])).item()
    1.0
    """
    return np.abs(exposure_gap(places, parameters, bias, cutoffs))


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
    targets = places.targets[:, None, None, None]  # (G, 1, 1, 1)
    if parameters["distance"] == "l1":
        return np.abs(shares - targets).sum(axis=0)
    middle = (shares + targets) / 2
    return (_divergence(shares, middle) + _divergence(np.broadcast_to(targets, shares.shape), middle)) / 2


def _divergence(first: Array, second: Array) -> Array:
    """Kullback-Leibler divergence over the first axis, in bits; 0 log 0 is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = first * np.log2(first / second)
    return np.where(first == 0, 0, terms).sum(axis=0)


def group_exposure_ratio(places: Places, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """Mean p of the protected group's documents over mean p of the other gender groups' documents; 1 is fair.

    In [0, infinity). NaN for a list that lacks either group within k. Neutral documents take no part. Audit of
    language models as rankers, equations 1 and 2.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> female_first = toy(labels=["female", "male", "male"])
    >>> bias = position_bias("reciprocal", 3)  # female 1; male (1/2 + 1/3) / 2 = 5/12
    >>> round(group_exposure_ratio(female_first, {"protected": "female"}, bias, np.array([3])).item(), 6)
    2.4
    """
    protected = places.groups.index(parameters["protected"]) if parameters["protected"] else places.protected
    weight = places.label_sums(bias, cutoffs)[1:]  # (G, C, S, Q)
    count = places.label_sums(counting(len(bias.mix)), cutoffs)[1:]  # (G, C, S, Q)
    others = np.arange(len(places.groups)) != protected
    with np.errstate(divide="ignore", invalid="ignore"):
        ours = weight[protected] / count[protected]
        theirs = weight[others].sum(axis=0) / count[others].sum(axis=0)
        ratio = ours / np.where(theirs > 0, theirs, np.nan)
    return np.where(np.isnan(places.exposure(bias, cutoffs)[0]), np.nan, ratio)


EXPOSURE = Measure(
    name="Exposure",
    summary="share of the attention that one group's documents receive",
    compute=exposure,
    parameters=(Parameter("group", "group", "neutral", "the group: neutral or one of the gender groups"),),
    needs=("labels",),
    direction="none",
    bounds=("0", "1"),
    formula=r"\mathrm{Exposure}_g@k=\frac{\sum_{i\le k,\;d_i\in g}p(i)}{\sum_{i\le k}p(i)}",
    paper=CWEX_PAPER,
    equation="equations 2 to 4",
    decided="A list shorter than k is normalised by its own length, so that a short list is not read as an unfair one. "
    "A document without a label is left out of both sums (`skip`), counted as neutral, or makes the ranking undefined "
    "(`strict`); label coverage stands beside the figure.",
    example="Labels female, neutral, male under p = 1, 1/2, 1/3: the female document holds 1 of 11/6, so 6/11 = 0.545.",
)
CWEX = Measure(
    name="CWEx",
    summary="neutral exposure rewarded, the gap between the genders' exposures punished",
    compute=cwex,
    parameters=(ALPHA,),
    needs=("labels",),
    direction="higher",
    bounds=("α − 1", "α"),
    formula=r"\mathrm{CWEx}_\alpha=\alpha\,E_{\mathrm{neutral}}-(1-\alpha)\,\bigl(\max_g E_g-\min_g E_g\bigr)",
    paper=CWEX_PAPER,
    equation="equation 1; more than two genders: the end of section 3.2",
    decided="The gap is taken in each ranking and averaged afterwards, because a gap of averages lets a query that "
    "favours one gender hide a query that favours the other.",
    example="Exposures neutral 3/11, female 6/11, male 2/11 and α = 0.5: 0.5·3/11 − 0.5·4/11 = −0.045.",
)
EXPOSURE_GAP = Measure(
    name="ExposureGap",
    summary="exposure of the other genders minus that of the protected one (male − female)",
    compute=exposure_gap,
    parameters=(),
    needs=("labels",),
    direction="zero",
    bounds=("−1", "1"),
    formula=r"\mathrm{ExposureGap}=\frac1{G-1}\sum_{g\ne\mathrm{protected}}E_g-E_{\mathrm{protected}}",
    paper=CWEX_PAPER,
    equation="the column ΔExposure of Table 7",
    decided="Signed, so that its mean over queries can be near 0 while single queries are one-sided. The paper's "
    "ΔExposure is the absolute value of this mean: solving its Table 7 for two values of α gives another number (0.29 "
    "against 0.03 for BM25 on QS1), so that the gap inside CWEx must be the mean of absolute gaps. Both are here.",
    example="Labels male, male, female, neutral under equal attention: 2/4 − 1/4 = 0.25.",
)
ABS_EXPOSURE_GAP = Measure(
    name="AbsExposureGap",
    summary="absolute gap between the genders' exposures in each ranking",
    compute=abs_exposure_gap,
    parameters=(),
    needs=("labels",),
    direction="lower",
    bounds=("0", "1"),
    formula=r"\bigl|\mathrm{ExposureGap}\bigr|",
    paper=CWEX_PAPER,
    equation="the second part of equation 1",
    decided="For two gender groups this is the gap that CWEx punishes. See ExposureGap for the signed one.",
    example="One female document alone: |0 − 1| = 1.",
)
AWRF = Measure(
    name="AWRF",
    summary="distance of the genders' shares of exposure from their targets",
    compute=awrf,
    parameters=(Parameter("distance", "choice", "l1", "how the distance is taken", choices=("l1", "jsd")),),
    needs=("labels",),
    direction="lower",
    bounds=("0", "1"),
    formula=r"\mathrm{AWRF}=\Delta\Bigl(\frac{E_g}{\sum_h E_h},\;\hat E_g\Bigr),\qquad"
    r"\Delta_{l1}=\sum_g\lvert x_g-y_g\rvert,\quad"
    r"\Delta_{jsd}=\tfrac12 KL\bigl(x\Vert\tfrac{x+y}2\bigr)+\tfrac12 KL\bigl(y\Vert\tfrac{x+y}2\bigr)",
    paper=AWRF_PAPER,
    equation="as equations 4 to 6 of the TExFAIR paper restate it",
    decided="Only gender groups take part; a list without gendered documents has no shares and is undefined. `jsd` is "
    "the divergence, not its root, with logarithms to base 2. Targets are equal unless the study names others.",
    example="Only male documents: shares (0, 1) against (1/2, 1/2), l1 = 1/2 + 1/2 = 1, jsd = 0.311.",
)
GROUP_EXPOSURE_RATIO = Measure(
    name="GroupExposureRatio",
    summary="attention to an average document of the protected group over that of the others",
    compute=group_exposure_ratio,
    parameters=(Parameter("protected", "group", None, "the protected group; the study's own unless given"),),
    needs=("labels",),
    direction="one",
    bounds=("0", "∞"),
    formula=r"\frac{\frac1{|P|}\sum_{i\le k,\,d_i\in P}p(i)}{\frac1{|O|}\sum_{i\le k,\,d_i\in O}p(i)}",
    paper=RATIO_PAPER,
    equation="equations 1 and 2",
    decided="Means are over the documents within the cutoff. Neutral documents are in neither group. A list that lacks "
    "either group is undefined, and counted as such.",
    example="Labels female, male, male under p = 1, 1/2, 1/3: 1 over (1/2 + 1/3)/2 = 2.4.",
)
