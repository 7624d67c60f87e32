"""CWEx: neutral exposure rewarded, the gap between the genders punished."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fairviz.measures.contributions import OneList, Parts, by_label
from fairviz.measures.outer import OpenList, OuterBound, OuterRange
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.record import CWEX_PAPER, Bound, Measure, Parameter
from fairviz.measures.sums import Places

Array = np.ndarray

ALPHA = Parameter("alpha", "number", 0.5, "weight of neutral exposure; the rest weighs the gap between the genders")


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
    return mixed(parameters["alpha"], neutral, gap)


def mixed(alpha: float | Array, neutral: Array, gap: Array) -> Array:
    """CWEx of its two parts: alpha * neutral exposure - (1 - alpha) * the gap between the genders; any shape.

    Linear in both, so that a mean of CWEx mixes two means, and a curve over alpha computes nothing again.

    >>> mixed(0.5, np.array([0.25]), np.array([0.5])).tolist()
    [-0.125]
    """
    return alpha * neutral - (1 - alpha) * gap


def neutral_and_gap(places: Places, bias: PositionBias, cutoffs: Array) -> tuple[Array, Array]:
    """The two parts of CWEx, each (C, S, Q): exposure of neutral, and the spread among the gender groups."""
    return _parts(places.exposure(bias, cutoffs))


def _parts(exposures: Array) -> tuple[Array, Array]:
    """(1 + G, …) to the two parts of CWEx, each (…)."""
    return exposures[0], np.ptp(exposures[1:], axis=0)


def _outer(held: OpenList) -> OuterRange:
    """CWEx is concave in the weights: smallest in a corner, largest where each bit of U goes where it gains most."""
    alpha, unknown = held.parameters["alpha"], float(held.share.sum())
    low = mixed(alpha, *_parts(held.corners())).min()
    level = np.sort(held.weight[1:])
    rising = float(level[0])
    for below in range(1, len(level)):  # so many groups stand at `rising`; lifting them all gains (1 - alpha) / below
        if (1 - alpha) / below <= alpha:
            break
        spent = min(below * (level[below] - rising), unknown)
        rising, unknown = rising + spent / below, unknown - spent
    high = mixed(alpha, held.weight[0] + unknown, level[-1] - rising)
    return OuterRange(float(low), float(high / (held.weight.sum() + held.share.sum())))


def cwex_parts(held: OneList) -> Parts:
    """CWEx: α/A for a neutral document, −(1 − α)/A for one of the gender seen most, +(1 − α)/A for the least."""
    alpha = held.parameters["alpha"]
    of_code = np.zeros(1 + held.groups)
    of_code[0] = alpha
    of_code[1 + np.argmax(held.exposures[1:])] -= 1 - alpha
    of_code[1 + np.argmin(held.exposures[1:])] += 1 - alpha
    return by_label(held, of_code, "Σ p(i) · c(d) / A, c = α neutral, −(1 − α) most seen gender, 1 − α least seen")


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
    outer=OuterBound(_outer),
    parts=cwex_parts,
    anatomy="A neutral document adds α p(i)/A, one of the gender that is seen most takes (1 − α) p(i)/A away, one "
    "of the gender seen least adds as much, and further genders add 0; A is the attention to all documents that "
    "count.",
)
