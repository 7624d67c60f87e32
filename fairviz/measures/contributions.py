"""Decomposition of measures: the exact contribution of each rank of one list to its value.

The field `parts` of a measure's record is a function from OneList, a ranking with its evidence, to Parts, a sum.

Axis letters: n ranks of the list within the cutoff, G gender groups.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from fairviz.installed import Owner
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.sums import AlignedRankings
from fairviz.words.sentences import significant

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Parts:
    """A value as a sum: constant + Σ over ranks of weights · contributions.

    weights (n,): position bias, or the measure's own weight of each rank; contributions (n,): the addition
    of the document at the rank for each unit of weight; NaN if the value is undefined. said (n,): each contribution
    in numbers, such as `0.5 / 2.948`. formula: the sum in symbols. constant_said: the name of the constant. terms: the
    numbers of the whole list in the contributions, by their symbol in the formula. undefined: the reason for a missing
    value, or empty.
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
        """The addition of each rank, (n,)."""
        return self.weights * self.contributions

    @property
    def value(self) -> float:
        """The measure of the list; NaN if undefined."""
        return float(self.constant + self.values.sum())


@dataclass(frozen=True, eq=False)
class OneList:
    """The ranking of one system for one query, no deeper than the cutoff. system and query: places in S and Q."""

    rankings: AlignedRankings
    parameters: Mapping[str, Any]
    bias: PositionBias
    cutoff: int
    system: int
    query: int

    def lent(self, owner: Owner) -> "OneList":
        """Return the ranking for a measure of others."""
        return replace(self, rankings=self.rankings.lent(owner), parameters=dict(self.parameters))

    @cached_property
    def documents(self) -> Array:
        """The documents, best first, as places in doc_ids, (n,)."""
        lists = self.rankings.lists
        reached = min(self.cutoff, int(lists.lengths[self.system, self.query]))
        return lists.documents[:reached, self.system, self.query]

    @cached_property
    def weights(self) -> Array:
        """p of each rank at the cutoff, (n,)."""
        return self.bias.weights(self.cutoff)[: len(self.documents)]

    # --- labels

    @property
    def groups(self) -> int:
        return len(self.rankings.groups)

    @cached_property
    def codes(self) -> Array:
        """The counted label of each document, (n,): -1 none, 0 neutral, 1 … G the gender groups. Raises FairvizError
        if a document has shares of several."""
        codes = self.rankings.labels.codes[self.documents].astype(np.int64)
        return np.where(codes < 0, 0, codes) if self.rankings.unlabelled == "neutral" else codes

    @cached_property
    def memberships(self) -> Array:
        """The share of each document in each counted label, neutral first, (n, 1 + G): 1 in the label of a document
        with one, zeros without a label that counts."""
        unlabelled = 0 if self.rankings.unlabelled == "neutral" else -1
        return self.rankings.labels.memberships(self.documents, 1 + self.groups, unlabelled)

    def counted(self, evidence: Literal["label", "text"]) -> tuple[float, str]:
        """Return the sum of p over the ranks that count for measures of labels or of words, and an empty text; NaN for
        none, or under `strict`, and the reason."""
        has_evidence = self.known if evidence == "text" else self.rankings.labels.labelled[self.documents]
        policy = self.rankings.unlabelled
        if policy == "strict" and not has_evidence.all():
            return np.nan, f"a document within the cutoff has no {evidence}"
        attention = float(self.weights[has_evidence].sum() if policy == "skip" else self.weights.sum())
        if attention > 0:
            return attention, ""
        if policy == "skip" and not has_evidence.any():
            return np.nan, f"no document within the cutoff has {'text' if evidence == 'text' else 'a label'}"
        return np.nan, "no rank that counts receives attention"

    @cached_property
    def exposures(self) -> Array:
        """Sum of p over the ranks of neutral and of each gender group, (1 + G,); NaN: see `counted`."""
        group_attention = (self.weights[:, None] * self.memberships).sum(axis=0)
        return group_attention if not np.isnan(self.counted("label")[0]) else np.full(len(group_attention), np.nan)

    # --- words

    @cached_property
    def known(self) -> Array:
        """Mask of documents with text, (n,)."""
        return self.rankings.words.known[self.documents]

    @cached_property
    def counts(self) -> Array:
        """Gender words of each document, 0 without text, (n, G)."""
        return self.rankings.words.counts[self.documents].astype(np.float64) * self.known[:, None]

    @cached_property
    def shares(self) -> Array:
        """Gender words over all words of each document, (n, G)."""
        return self.counts / np.maximum(self.rankings.words.tokens[self.documents], 1)[:, None]


def quotient_texts(values: Sequence[float] | Array, divisor: float) -> tuple[str, ...]:
    """Return each value over the divisor as text: `0.5 / 2.948`; `0` for 0."""
    return tuple(
        f"{significant(value)} / {significant(divisor)}" if value else "0" for value in np.asarray(values).tolist()
    )


def parts_by_label(one_list: OneList, values_by_code: Array, formula: str) -> Parts:
    """Return parts in which each document adds the number of its label, from (1 + G,), over A; a document of several
    groups the mean of theirs by its shares."""
    values = one_list.memberships @ values_by_code
    attention, reason = one_list.counted("label")
    texts = quotient_texts(values, attention)
    return Parts(one_list.weights, values / attention, texts, formula, terms={"A": attention}, undefined=reason)


def pulls(amounts: Array, shares: Array, targets: Array) -> Array:
    """Return the addition of each document (n, G) to Σ |share − target| · Σ of amounts, (n,): Σ_g s_g (a_g − t_g Σ a).

    s_g is the sign of share − target; weighted by p and summed over a list this is exactly the divergence times the
    sum of all amounts.

    >>> pulls(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.25, 0.75]), np.array([0.5, 0.5])).tolist()
    [-1.0, 1.0]
    """
    signs = np.nan_to_num(np.sign(shares - targets))
    return (amounts - targets * amounts.sum(axis=1, keepdims=True)) @ signs


def by_rank(one_list: OneList, compute: Callable[..., Array]) -> Parts:
    """Return the change of any measure's value with each rank: that of the list down to the rank, less the one before.

    compute: of the measure's record. An undefined value counts as 0 before the first defined one.
    """
    rankings, at = one_list.rankings, (one_list.system, one_list.query)
    compute(rankings, one_list.parameters, one_list.bias, np.array([one_list.cutoff]))  # caches whole backgrounds
    values = [0.0]
    for length in range(1, len(one_list.documents) + 1):
        documents, lengths = rankings.lists.documents.copy(), rankings.lists.lengths.copy()
        documents[(slice(length, None), *at)] = -1
        lengths[at] = length
        cut = rankings.with_orders(replace(rankings.lists, documents=documents, lengths=lengths))
        value = compute(cut, one_list.parameters, one_list.bias, np.array([one_list.cutoff]))[(0, *at)]
        values.append(float(value))
    undefined = np.isnan(values[-1])
    before, after = np.nan_to_num(values[:-1]), np.nan_to_num(values[1:])
    return Parts(
        np.ones(len(after)),
        np.full(len(after), np.nan) if undefined else after - before,
        tuple(f"{significant(new)} − {significant(old)}" for new, old in zip(after, before, strict=True)),
        "Σ v(i) − v(i − 1), v(i) the value of the first i ranks",
        undefined="the measure has no value for this list" if undefined else "",
    )
