"""The record of an annotator from code: a rule that maps counts of gender words to a label."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fairviz.annotation.agreement.votes import majority

Array = np.ndarray


@dataclass(frozen=True)
class Rule:
    """A word list as an annotator. `label` maps counts (D, G) of gender words to codes (D,): 0 neutral, 1.. the gender
    groups."""

    name: str
    summary: str
    label: Callable[[Array], Array]


def prevailing(counts: Array) -> Array:
    """Return the group with the most words, (D,), as 1..G; 0 for tied groups and without words."""
    return majority(counts) + 1
