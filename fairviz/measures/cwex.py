"""CWEx: neutral exposure rewarded, the gap between the genders punished."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from fairviz.measures.contributions import OneList, Parts, parts_by_label
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.record import CWEX_PAPER, Bound, Measure, OpenList, OuterBound, OuterRange, TiedEnds
from fairviz.measures.sums import AlignedRankings
from fairviz.parameters import Parameter

Array = np.ndarray

ALPHA = Parameter("alpha", 0.5, "weight of neutral exposure; the rest weighs the gap between the genders")


def cwex(rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """Class-wise weighted exposure; in [alpha - 1, alpha], the higher the fairer, (C, S, Q).

    CWEx = alpha * Exposure(neutral) - (1 - alpha) * (largest - smallest exposure among the gender groups); for two
    groups the difference is |Exposure(male) - Exposure(female)|. CWEx paper, equation 1, and its section 3.2 for more
    groups. The difference is taken in each ranking. NaN if no document within k has a label.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> list_of_three = toy(labels=["female", "neutral", "male"])
    >>> bias = position_bias("reciprocal", 3)  # female 6/11, neutral 3/11, male 2/11
    >>> value = cwex(list_of_three, {"alpha": 0.5}, bias, np.array([3])).item()
    >>> round(value, 6) == round(0.5 * 3 / 11 - 0.5 * (6 - 2) / 11, 6)
    True
    """
    neutral, gap = neutral_and_gap(rankings, bias, cutoffs)
    return mixed(parameters["alpha"], neutral, gap)


def mixed(alpha: float | Array, neutral: Array, gap: Array) -> Array:
    """Return CWEx from its two parts: alpha * neutral exposure - (1 - alpha) * the gap between the genders; any shape.

    Linear in both: a mean of CWEx is that of two means, and a curve over alpha needs no new sums.

    >>> mixed(0.5, np.array([0.25]), np.array([0.5])).tolist()
    [-0.125]
    """
    return alpha * neutral - (1 - alpha) * gap


def neutral_and_gap(rankings: AlignedRankings, bias: PositionBias, cutoffs: Array) -> tuple[Array, Array]:
    """Return the two parts of CWEx, each (C, S, Q): exposure of neutral, and the spread among the gender groups."""
    return _neutral_and_gap(rankings.exposure(bias, cutoffs))


def _neutral_and_gap(exposures: Array) -> tuple[Array, Array]:
    """Return the two parts of CWEx, each (…), from exposures (1 + G, …)."""
    return exposures[0], np.ptp(exposures[1:], axis=0)


def _bound_cwex(open_list: OpenList) -> OuterRange:
    """Return bounds: CWEx is concave in the weights, smallest in a corner, largest with U split by largest gain."""
    alpha, unknown = open_list.parameters["alpha"], float(open_list.share.sum())
    low = mixed(alpha, *_neutral_and_gap(open_list.corners())).min()
    level = np.sort(open_list.weight[1:])
    rising = float(level[0])
    for below in range(1, len(level)):  # `below` groups are at `rising`; lifting them all gains (1 - alpha) / below
        if (1 - alpha) / below <= alpha:
            break
        spent = min(below * (level[below] - rising), unknown)
        rising, unknown = rising + spent / below, unknown - spent
    high = mixed(alpha, open_list.weight[0] + unknown, level[-1] - rising)
    return OuterRange(float(low), float(high / (open_list.weight.sum() + open_list.share.sum())))


_SHARES_OF_GAP = np.linspace(-1, 1, 9)  # finer steps tighten the bound by less than 0.001 on newswire


def _tied_ratios(exposures: Array, parameters: Mapping[str, Any], protected: int) -> Array:
    """Return CWEx with shares of the gap between each pair of groups, of either sign, for the largest gap: (N, S, Q).

    None is below CWEx, as the largest gap is at least as large as each of them.
    """
    alpha, gender = parameters["alpha"], exposures[1:]
    gaps = [gender[first] - gender[second] for first, second in combinations(range(len(gender)), 2)]
    shares = _SHARES_OF_GAP[:, None, None]
    return np.concatenate([alpha * exposures[0] - (1 - alpha) * shares * gap for gap in gaps])


def _tied_enclosure(low: Array, high: Array, targets: Array, parameters: Mapping[str, Any]) -> tuple[float, Array]:
    """Return bounds: CWEx is at most each ratio in every order, so at most the smallest of their maxima."""
    return -np.inf, high.min(axis=0)


def cwex_parts(one_list: OneList) -> Parts:
    """CWEx: α/A for a neutral document, −(1 − α)/A for the most exposed gender, +(1 − α)/A for the least."""
    alpha = one_list.parameters["alpha"]
    values_by_code = np.zeros(1 + one_list.groups)
    values_by_code[0] = alpha
    values_by_code[1 + np.argmax(one_list.exposures[1:])] -= 1 - alpha
    values_by_code[1 + np.argmin(one_list.exposures[1:])] += 1 - alpha
    return parts_by_label(
        one_list, values_by_code, "Σ p(i) · c(d) / A, c = α neutral, −(1 − α) most seen gender, 1 − α least seen"
    )


CWEX = Measure(
    name="CWEx",
    summary="neutral exposure rewarded, the gap between the genders' exposures punished",
    compute=cwex,
    parameters=(ALPHA,),
    needs=("labels",),
    direction="higher",
    bounds=(
        Bound("α − 1", lambda reach: reach.parameters["alpha"] - 1),
        Bound("α", lambda reach: reach.parameters["alpha"]),
    ),
    formula=r"\mathrm{CWEx}_\alpha=\alpha\,E_{\mathrm{neutral}}-(1-\alpha)\,\bigl(\max_g E_g-\min_g E_g\bigr)",
    paper=CWEX_PAPER,
    equation="equation 1; more than two genders: the end of section 3.2",
    decided="The gap is taken in each ranking and averaged afterwards, because a gap of averages lets a query that "
    "favours one gender hide a query that favours the other.",
    example="Exposures neutral 3/11, female 6/11, male 2/11 and α = 0.5: 0.5·3/11 − 0.5·4/11 = −0.045.",
    outer=OuterBound(_bound_cwex),
    parts=cwex_parts,
    anatomy="A neutral document adds α p(i)/A. One of the most exposed gender subtracts (1 − α) p(i)/A, one of the "
    "least exposed adds as much, and further genders add 0. A: the attention to all documents that count.",
    ties=TiedEnds(smallest=True, ratios=_tied_ratios, enclosure=_tied_enclosure, by_label=True),
    column=True,
)
