"""GroupExposureRatio: the mean attention to a document of the protected group over that of the other genders."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fairviz.measures.contributions import OneList, Parts
from fairviz.measures.position_bias import PositionBias, counting
from fairviz.measures.record import RATIO_PAPER, Measure, OpenList, OuterBound, OuterRange, TiedEnds, group_parameter
from fairviz.measures.sums import AlignedRankings
from fairviz.words.sentences import significant

Array = np.ndarray


def group_exposure_ratio(
    rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array
) -> Array:
    """Mean p of the protected group's documents over mean p of the other gender groups' documents; 1 is fair.

    In [0, infinity). NaN for a list that lacks either group within k. Neutral documents do not count. Audit of
    language models as rankers, equations 1 and 2.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> female_first = toy(labels=["female", "male", "male"])
    >>> bias = position_bias("reciprocal", 3)  # female 1; male (1/2 + 1/3) / 2 = 5/12
    >>> round(group_exposure_ratio(female_first, {"protected": "female"}, bias, np.array([3])).item(), 6)
    2.4
    """
    protected = rankings.groups.index(parameters["protected"]) if parameters["protected"] else rankings.protected
    weight = rankings.label_sums(bias, cutoffs)[1:]  # (G, C, S, Q)
    count = rankings.label_sums(counting(len(bias.mix)), cutoffs)[1:]  # (G, C, S, Q)
    others = np.arange(len(rankings.groups)) != protected
    with np.errstate(divide="ignore", invalid="ignore"):
        protected_mean = weight[protected] / count[protected]
        other_mean = weight[others].sum(axis=0) / count[others].sum(axis=0)
        ratio = protected_mean / np.where(other_mean > 0, other_mean, np.nan)
    return np.where(np.isnan(rankings.exposure(bias, cutoffs)[0]), np.nan, ratio)


def _means(weight: float, count: float, share: Array) -> Array:
    """Return means of the labelled places with the lightest 0, 1, 2, … unlabelled ones, and with the heaviest.

    They include the smallest, the smallest above 0 and the largest mean.
    """
    rising = np.sort(share)
    counts = count + np.arange(len(share) + 1)
    sums = weight + np.array([[0.0, *np.cumsum(ordered)] for ordered in (rising, rising[::-1])])
    return (sums[:, counts > 0] / counts[counts > 0]).ravel()


def _bound_ratio(open_list: OpenList) -> OuterRange:
    """Return bounds: each group's mean is extreme with the lightest or heaviest unlabelled places, by itself."""
    protected_name = open_list.parameters["protected"]
    protected = open_list.names.index(protected_name) if protected_name else 1 + open_list.protected
    others = [code for code in range(1, len(open_list.weight)) if code != protected]
    weight, count = open_list.weight[others].sum(), open_list.count[others].sum()
    protected_means = _means(open_list.weight[protected], open_list.count[protected], open_list.share)
    other_means = _means(weight, count, open_list.share)
    if not other_means.max(initial=0.0) > 0 or not len(protected_means):
        return OuterRange(np.nan, np.nan, True)
    low, high = protected_means.min() / other_means.max(), protected_means.max() / other_means[other_means > 0].min()
    return OuterRange(float(low), float(high), bool(open_list.count[protected] == 0 or count == 0 or weight <= 0))


def ratio_parts(one_list: OneList) -> Parts:
    """GroupExposureRatio: 1, which is fair, + 1/(n_P · O) for a protected document − 1/(n_O · O) for another gender's.

    O is the others' mean p: the others' parts sum to −1 and the protected group's to the ratio.
    """
    protected_name = one_list.parameters["protected"]
    protected = 1 + (one_list.rankings.groups.index(protected_name) if protected_name else one_list.rankings.protected)
    genders = one_list.memberships.copy()
    genders[:, 0] = 0
    own = genders[:, protected]  # (n,), the share of each document in the protected group
    others = genders.sum(axis=1) - own
    other_mean = one_list.weights @ others / others.sum() if others.any() else np.nan
    attention, no_labels = one_list.counted("label")
    defined = own.any() and other_mean > 0 and not np.isnan(attention)
    signs = np.divide(own, own.sum(), where=own > 0, out=np.zeros(len(own)))
    signs -= np.divide(others, others.sum(), where=others > 0, out=np.zeros(len(own)))
    divisor = other_mean if defined else np.nan
    part_texts = tuple(
        f"{'−' if sign < 0 else ''}1 / ({significant(abs(1 / sign))} · {divisor:.4g})" if sign else "0"
        for sign in signs.tolist()
    )
    terms = {"n_P": float(own.sum()), "n_O": float(others.sum()), "O": float(divisor)}
    formula = "1 + Σ p(i) · s(d) / O, s = 1/n_P protected, −1/n_O other genders"
    constant = 1.0 if defined else np.nan
    reason = "" if defined else no_labels or "the list lacks one of the groups"
    return Parts(one_list.weights, signs / divisor, part_texts, formula, constant, "a fair ratio", terms, reason)


GROUP_EXPOSURE_RATIO = Measure(
    name="GroupExposureRatio",
    protects=True,
    summary="attention to an average document of the protected group over that of the others",
    compute=group_exposure_ratio,
    parameters=(group_parameter("protected", None, "the protected group; the study's own unless given"),),
    needs=("labels",),
    direction="one",
    bounds=(0.0, np.inf),
    formula=r"\frac{\frac1{|P|}\sum_{i\le k,\,d_i\in P}p(i)}{\frac1{|O|}\sum_{i\le k,\,d_i\in O}p(i)}",
    paper=RATIO_PAPER,
    equation="equations 1 and 2",
    decided="Means are over the documents within the cutoff. Neutral documents are in neither group. A list that lacks "
    "either group is undefined, and counted as such.",
    example="Labels female, male, male under p = 1, 1/2, 1/3: 1 over (1/2 + 1/3)/2 = 2.4.",
    outer=OuterBound(_bound_ratio),
    parts=ratio_parts,
    anatomy="The ratio's distance from 1 is a sum: protected documents add p(i)/(n_P · O), others subtract "
    "p(i)/(n_O · O). O: the others' mean p. The second sum is 1: the protected group gives the ratio, the others the 1 "
    "that it is measured against.",
    ties=TiedEnds(by_label=True),
    undefined="the top k lacks the protected group or all others",
)
