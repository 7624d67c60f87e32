"""Measures taken apart: what each rank of one list adds to its value, exactly.

Each measure's record names as `parts` a function from OneList, a ranking with its evidence, to Parts, a sum.

Axis letters: n ranks of the list within the cutoff, G gender groups.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fairviz.measures.position_bias import PositionBias
from fairviz.measures.sums import Places

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Parts:
    """A value as a sum: constant + Σ over ranks of weights · contributions.

    weights (n,): position bias, or the measure's own weight of each rank; contributions (n,): what the document at
    the rank adds for each unit of weight; NaN where the value is undefined. said (n,): each contribution with its
    numbers put in, as `0.5 / 2.948`. formula: the sum in symbols. constant_said: what the constant is. terms: the
    numbers of the whole list that stand in the contributions, by their symbol in the formula. undefined: why there is
    no value, empty where there is one.
    """

    weights: Array
    contributions: Array
    said: tuple[str, ...]
    formula: str
    constant: float = 0.0
    constant_said: str = ""
    terms: Mapping[str, float] = field(default_factory=dict)
    undefined: str = ""

    @property
    def values(self) -> Array:
        """What each rank adds, (n,)."""
        return self.weights * self.contributions

    @property
    def value(self) -> float:
        """The measure of the list; NaN where it is undefined."""
        return float(self.constant + self.values.sum())


@dataclass(frozen=True, eq=False)
class OneList:
    """The ranking of one system for one query, no deeper than the cutoff. system and query: places in S and Q."""

    places: Places
    parameters: Mapping[str, Any]
    bias: PositionBias
    cutoff: int
    system: int
    query: int

    @cached_property
    def documents(self) -> Array:
        """The documents, best first, as places in doc_ids, (n,)."""
        rankings = self.places.rankings
        reached = min(self.cutoff, int(rankings.lengths[self.system, self.query]))
        return rankings.documents[:reached, self.system, self.query]

    @cached_property
    def weights(self) -> Array:
        """p of each rank at the cutoff, (n,)."""
        return self.bias.weights(self.cutoff)[: len(self.documents)]

    # --- labels

    @property
    def groups(self) -> int:
        return len(self.places.groups)

    @cached_property
    def codes(self) -> Array:
        """The label of each document as it counts, (n,): -1 none, 0 neutral, 1 … G the gender groups."""
        codes = self.places.labels.codes[self.documents].astype(np.int64)
        return np.where(codes < 0, 0, codes) if self.places.unlabelled == "neutral" else codes

    @cached_property
    def labelled_attention(self) -> float:
        """Sum of p over the ranks that count for measures of labels; NaN where none does, or `strict` forbids."""
        return self._attention(self.places.labels.codes[self.documents] >= 0)

    @property
    def no_labels(self) -> str:
        """Why labelled_attention is NaN; empty where it is not."""
        return self._why(self.labelled_attention, self.places.labels.codes[self.documents] >= 0, "label")

    @cached_property
    def exposures(self) -> Array:
        """Sum of p over the ranks of neutral and of each gender group, (1 + G,); NaN as labelled_attention."""
        held = np.array([self.weights[self.codes == code].sum() for code in range(1 + self.groups)])
        return held if not np.isnan(self.labelled_attention) else np.full(len(held), np.nan)

    # --- words

    @cached_property
    def known(self) -> Array:
        """Whether each document has text, (n,)."""
        return self.places.words.known[self.documents]

    @cached_property
    def counts(self) -> Array:
        """Gender words of each document, 0 without text, (n, G)."""
        return self.places.words.counts[self.documents].astype(np.float64) * self.known[:, None]

    @cached_property
    def shares(self) -> Array:
        """Gender words over all words of each document, (n, G)."""
        return self.counts / np.maximum(self.places.words.tokens[self.documents], 1)[:, None]

    @cached_property
    def text_attention(self) -> float:
        """Sum of p over the ranks that count for measures of words; NaN where none does, or `strict` forbids."""
        return self._attention(self.known)

    @property
    def no_text(self) -> str:
        """Why text_attention is NaN; empty where it is not."""
        return self._why(self.text_attention, self.known, "text")

    def _why(self, attention: float, known: Array, what: str) -> str:
        if not np.isnan(attention):
            return ""
        if self.places.unlabelled == "strict" and not known.all():
            return f"a document within the cutoff has no {what}"
        if not known.any() and self.places.unlabelled == "skip":
            return f"no document within the cutoff has a {what}".replace("a text", "text")
        return "no rank that counts receives attention"

    def _attention(self, known: Array) -> float:
        policy = self.places.unlabelled
        if policy == "strict" and not known.all():
            return float("nan")
        attention = float(self.weights[known].sum() if policy == "skip" else self.weights.sum())
        return attention if attention > 0 else float("nan")


def number(value: float) -> str:
    """A number as formulas show it: four digits that count, and a minus that is no hyphen.

    >>> number(-0.63093), number(2)
    ('−0.6309', '2')
    """
    return f"{value:.4g}".replace("-", "−")


def over(values: Sequence[float] | Array, divisor: float) -> tuple[str, ...]:
    """Each value over the divisor, in words: `0.5 / 2.948`; 0 where it is 0."""
    return tuple(f"{number(value)} / {number(divisor)}" if value else "0" for value in np.asarray(values).tolist())


def by_label(held: OneList, of_code: Array, formula: str) -> Parts:
    """Parts where each document adds the number of its label, (1 + G,), over A."""
    values = np.append(of_code, 0.0)[held.codes]  # a document without a label takes the last, 0
    attention = held.labelled_attention
    return Parts(
        held.weights,
        values / attention,
        over(values, attention),
        formula,
        terms={"A": attention},
        undefined=held.no_labels,
    )


def pulls(amounts: Array, shares: Array, targets: Array) -> Array:
    """What each document (n, G) adds to Σ |share − target| · Σ of amounts, (n,): Σ_g s_g (a_g − t_g Σ a).

    s_g is the sign of share − target; weighted by p and summed over a list this is exactly the divergence times the
    sum of all amounts.

    >>> pulls(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.25, 0.75]), np.array([0.5, 0.5])).tolist()
    [-1.0, 1.0]
    """
    signs = np.nan_to_num(np.sign(shares - targets))
    return (amounts - targets * amounts.sum(axis=1, keepdims=True)) @ signs
