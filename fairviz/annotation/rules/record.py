"""What an annotator from code is: a rule that reads counts of gender words and gives a label."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fairviz.annotation.agreement.votes import majority

Array = np.ndarray


@dataclass(frozen=True)
class Rule:
    """A word list as an annotator. `label` maps counts (D, G) of gender words to codes (D,): 0 neutral, 1.. the gender
    groups. A rule's labels are shown as a rule's, never as a person's."""

    name: str
    summary: str
    label: Callable[[Array], Array]


def prevailing(counts: Array) -> Array:
    """The group with the most words, (D,), as 1..G; 0 where two groups share the lead or there is no word."""
    return majority(counts) + 1
