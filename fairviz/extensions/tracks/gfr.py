"""GFR: group fairness and relevance together, for a user who reads on until a relevant document satisfies.

Axis letters: K ranks, S systems, Q queries, G groups, C cutoffs. The measures of NTCIR's FairWeb tasks, as their tool
NTCIREVAL computes them (Sakai, January 2023).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from fairviz.measures.awrf import distance_of
from fairviz.measures.contributions import OneList, Parts
from fairviz.measures.judged import judged_places
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.record import Measure
from fairviz.measures.sums import AlignedRankings
from fairviz.parameters import Parameter
from fairviz.study.attributes import named_sets
from fairviz.words.sentences import significant

Array = np.ndarray
IRBU = 0.99  # the weight of a rank over that of the rank above, in iRBU
GFR_PAPER = (
    "Sakai, Kim, Kang: A Versatile Framework for Evaluating Ranked Lists in terms of Group Fairness and Relevance. "
    "ACM TOIS 2023. arXiv:2204.00280"
)


def satisfaction(grades: Array, top: int) -> Array:
    """Return the probability that a document of each grade satisfies the user, any shape: (2^grade - 1) / 2^top.

    top: the highest grade of the collection. 0 for a grade of 0 or less.

    >>> satisfaction(np.array([0, 1, 2]), 2).tolist()
    [0.0, 0.25, 0.75]
    """
    return (2.0 ** np.maximum(grades, 0) - 1) / 2.0**top


def stopping(chances: Array) -> Iterator[Array]:
    """Yield for each rank the probability that the user stops there, (S, Q), from chances of satisfaction (K, S, Q).

    >>> [chance.item() for chance in stopping(np.array([0.5, 0.0, 0.5]))]
    [0.5, 0.0, 0.25]
    """
    reading = np.ones(chances.shape[1:])
    for chance in chances:
        yield reading * chance
        reading = reading * (1 - chance)


def relevance_at(chances: Array, cutoffs: Array, user: str) -> Array:
    """Return ERR or iRBU at each cutoff, (C, S, Q): the sum of stopping(i) / i, or of stopping(i) 0.99^i."""
    steps = [weight * stop for weight, stop in zip(_discounts(len(chances), user), stopping(chances), strict=True)]
    return _down_to(steps, cutoffs, chances.shape[1:])


def fairness_at(chances: Array, belonging: Array, targets: Array, cutoffs: Array, distance: str) -> Array:
    """Return GF at each cutoff, (C, S, Q): the sum of stopping(i) (1 - distance of ranks 1..i's mean from the target).

    belonging (K, S, Q, G): the share of each place's document in each group; rows sum to 1. targets (G,).

    >>> one_sided = np.array([[1.0, 0.0], [1.0, 0.0]])[:, None, None]  # two documents of the first of two groups
    >>> chances = np.array([0.5, 0.5]).reshape(2, 1, 1)
    >>> fairness_at(chances, one_sided, np.array([0.5, 0.5]), np.array([2]), "rnod").item()  # 3/4 * (1 - 1/2)
    0.375
    """
    likeness = likenesses(belonging, targets, distance)
    steps = [stop * like for stop, like in zip(stopping(chances), likeness, strict=True)]
    return _down_to(steps, cutoffs, chances.shape[1:])


def likenesses(belonging: Array, targets: Array, distance: str) -> Iterator[Array]:
    """Yield for each rank i 1 - the distance of the mean of ranks 1..i from the targets, (S, Q)."""
    running = np.zeros((len(targets), *belonging.shape[1:-1]))
    for rank, shares in enumerate(belonging, start=1):
        running = running + np.moveaxis(shares, -1, 0)
        yield 1 - distance_of(running / rank, targets, distance)


def _discounts(depth: int, user: str) -> list[float]:
    """Return the weights of relevance at ranks 1..depth."""
    return [1 / rank if user == "err" else IRBU**rank for rank in range(1, depth + 1)]


def _down_to(steps: list[Array], cutoffs: Array, shape: tuple[int, ...]) -> Array:
    """Return the sums of the steps down to each cutoff, (C, S, Q)."""
    sums = np.cumsum(np.stack([np.zeros(shape), *steps]), axis=0)
    return sums[np.minimum(cutoffs, len(steps))]


@dataclass(frozen=True)
class GroupShares:
    """A grouping that enters GFR: the share of each document in each group (D + 1, G), the last row of no document, the
    groups' targets (G,), and the distance from them."""

    shares: Array
    targets: Array
    distance: str


def groupings(rankings: AlignedRankings, parameters: Mapping[str, Any]) -> list[GroupShares]:
    """Return the study's own groups, then the attribute sets that the parameters name: ordinal ones by RNOD, others by
    JSD."""
    doc_ids, groups = rankings.lists.doc_ids, len(rankings.groups)

    def gender_shares() -> Array:
        labels = rankings.labels.memberships(np.arange(len(doc_ids)), 1 + groups, unlabelled=0)
        return np.concatenate([labels[:, 1:] + labels[:, :1] / groups, np.full((1, groups), 1 / groups)])

    own = rankings.remembered(("shares of genders",), gender_shares)
    found = [GroupShares(own, rankings.targets, parameters["distance"])]
    for one in (rankings.attributes[name] for name in named_sets(parameters.get("attributes", ""))):
        shares = rankings.remembered(("shares of set", one.name), partial(one.shares, doc_ids))
        found.append(GroupShares(shares, one.attribute.targets, one.distance))
    return found


def gfr(rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """Mean of relevance (ERR or iRBU) and of the group fairness GF of each grouping; in [0, 1), (C, S, Q).

    The groupings are the study's own groups and the attribute sets in `attributes`, m of them: (ERR + GF + GF_1 + … +
    GF_m) / (2 + m). The study's targets and the distance in `parameters` are of its own groups; each set has its own.

    A document's shares are those of its gender groups; neutral shares, and documents without a label, are spread
    equally over the groups, as NTCIREVAL does with documents outside its file of groups; so are documents without a
    value in an attribute set. NaN for a query without relevant documents and for a list without a label within k, and
    under `strict` with any document without a label.

    >>> from fairviz.measures.sums import AttributeSet
    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> from fairviz.study.attributes import Attribute
    >>> rankings = toy(labels=["female", "male"], grades={"d1": 1})
    >>> gfr(rankings, {"user": "err", "distance": "rnod"}, position_bias("log2", 2), np.array([2])).item()
    0.375

    The document is of the first of three ordinal levels, too: GF_1 = 1/2 (1 - sqrt(17/54)), (1/2 + 1/4 + GF_1) / 3.

    >>> import pandas as pd
    >>> from dataclasses import replace
    >>> three = Attribute(("low", "mid", "high"), "ordinal")
    >>> levels = AttributeSet("h_index", pd.Series(["d1"]), pd.Series(["low"]), three)
    >>> both = {"user": "err", "distance": "rnod", "attributes": "h_index"}
    >>> rankings = replace(rankings, attributes={"h_index": levels})
    >>> round(gfr(rankings, both, position_bias("log2", 2), np.array([2])).item(), 4)
    0.3232
    """
    depth = min(int(cutoffs.max()), rankings.lists.depth)
    chances, has_relevant = _chances(rankings)
    relevance = relevance_at(chances[:depth], cutoffs, parameters["user"])
    documents = rankings.lists.documents[:depth]  # place -1, no document, reads the last share
    parts = [
        fairness_at(chances[:depth], one.shares[documents], one.targets, cutoffs, one.distance)
        for one in groupings(rankings, parameters)
    ]
    labelled, _ = rankings.known_places("label", rankings.labelled, cutoffs)
    defined = has_relevant & (labelled > 0)
    if rankings.unlabelled == "strict":
        defined &= rankings.first_missing("label", rankings.labelled) > cutoffs[:, None, None]
    return np.where(defined, (relevance + sum(parts)) / (1 + len(parts)), np.nan)


def _chances(rankings: AlignedRankings) -> tuple[Array, Array]:
    """Return the chance of satisfaction at each place, (K, S, Q), and whether a query has relevant documents, (Q,)."""

    def make() -> tuple[Array, Array]:
        judged = judged_places(rankings.lists, rankings.judgements.by_query)
        grades = np.zeros((rankings.lists.depth, *rankings.shape), dtype=np.int64)
        grades.reshape(len(grades), -1)[judged.ranks - 1, judged.lists] = judged.grades
        relevant = np.bincount(judged.queries[judged.judged > 0], minlength=rankings.shape[1]) > 0
        return satisfaction(grades, int(rankings.judgements.grades.max(initial=1))), relevant

    return rankings.remembered(("chances of satisfaction",), make)


def gfr_parts(one_list: OneList) -> Parts:
    """GFR: the chance of stopping at a rank, times the mean of the rank's discount and of the likeness down to it."""
    rankings, depth, at = one_list.rankings, len(one_list.documents), (one_list.system, one_list.query)
    chances, _ = _chances(rankings)
    weights = np.array([stop.item() for stop in stopping(chances[:depth][:, at[0], at[1]].reshape(-1, 1, 1))])
    terms = [_likeness(one, one_list.documents) for one in groupings(rankings, one_list.parameters)]
    discounts = np.array(_discounts(depth, one_list.parameters["user"]))
    value = gfr(rankings, one_list.parameters, one_list.bias, np.array([one_list.cutoff]))[(0, *at)]
    reason = "" if np.isfinite(value) else GFR.undefined
    contributions = np.full(depth, np.nan) if reason else (discounts + sum(terms)) / (1 + len(terms))
    rows = zip(discounts, *terms, strict=True)
    texts = tuple(f"({' + '.join(map(significant, row))}) / {1 + len(terms)}" for row in rows)
    likeness = " + ".join(f"1 − Δ{'' if len(terms) == 1 else place}(i)" for place in range(1, len(terms) + 1))
    formula = f"Σ q(i) · (c(i) + {likeness}) / {1 + len(terms)}, c the discount"
    return Parts(weights, contributions, texts, formula, undefined=reason)


def _likeness(grouping: GroupShares, documents: Array) -> Array:
    """Return the likeness of a grouping down to each rank of one list, (n,)."""
    belonging = grouping.shares[documents][:, None, None]
    return np.array([like.item() for like in likenesses(belonging, grouping.targets, grouping.distance)])


GFR = Measure(
    name="GFR",
    summary="relevance, and the likeness of the groups' shares to their targets, where users stop reading",
    compute=gfr,
    parameters=(
        Parameter("user", "err", "how relevance is discounted by rank", choices=("err", "irbu")),
        Parameter("distance", "jsd", "how the distance is taken: rnod for ordinal groups", choices=("jsd", "rnod")),
        Parameter("attributes", "", "further attribute sets that enter, as 'h_index+origin'", names="sets"),
    ),
    needs=("labels", "qrels"),
    direction="higher",
    bounds=(0.0, 1.0),
    formula=r"\mathrm{GFR}=\tfrac1{1+m}\sum_i q_i\bigl(\tfrac1i+\sum_{c=1}^m(1-\Delta_c(x^c_{1..i},t^c))\bigr),\quad "
    r"q_i=r_i\prod_{j<i}(1-r_j),\; r_i=\frac{2^{l_i}-1}{2^L}",
    paper=GFR_PAPER,
    equation="as NTCIREVAL codes it, over m groupings; iRBU has 0.99^i in place of 1/i",
    decided="Documents that are neutral, unlabelled or without a value are spread equally over the groups, as "
    "NTCIREVAL does with documents outside its file of groups. L is the highest grade in the study's judgements.",
    example="A relevant female document first, L = 1, two groups: q = 1/2, so (1/2 · 1 + 1/2 · (1 − 1/2)) / 2 = 0.375 "
    "by rnod.",
    uses_bias=False,
    parts=gfr_parts,
    anatomy="A rank adds the chance that a user stops there, times the mean of its discount and of the likeness of the "
    "shares down to it in each grouping. Ranks without a relevant document add 0.",
    undefined="the query has no relevant document, or no document in the top k has a label",
    after="AWRF",
)
