"""Presence: the share of the gender groups that have a document in the list."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fairviz.measures.position_bias import PositionBias
from fairviz.measures.record import Measure
from fairviz.measures.sums import AlignedRankings


def presence(
    rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: np.ndarray
) -> np.ndarray:
    """Return the share of groups with a labelled document in the first k ranks, (cutoffs, systems, queries).

    NaN without a labelled document there. Example: female, neutral, female is 1 of 2 groups, 0.5.
    """
    documents = rankings.lists.documents  # (ranks, systems, queries), -1 below the end of a list
    codes = np.where(documents < 0, -1, rankings.labels.codes[documents])  # -1 none, 0 neutral, 1 … the groups
    values = np.empty((len(cutoffs), *rankings.shape))
    for place, cutoff in enumerate(cutoffs):
        top = codes[:cutoff]
        has_group = [(top == code).any(axis=0) for code in range(1, len(rankings.groups) + 1)]
        values[place] = np.where((top >= 0).any(axis=0), np.mean(has_group, axis=0), np.nan)
    return values


PRESENCE = Measure(
    name="Presence",
    summary="share of the groups in the list",
    compute=presence,
    parameters=(),
    needs=("labels",),
    direction="higher",
    bounds=(0.0, 1.0),
    formula=r"\frac{1}{|G|}\,|\{g \in G : \exists i \le k,\ \ell(d_i) = g\}|",
    paper="an example of this template",
    equation="none",
    decided="Neutral documents count for no group.",
    example="female, neutral, female: 1 of 2 groups, 0.5",
    uses_bias=False,
)
