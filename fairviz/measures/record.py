"""The description of a measure, for parsing, checking, the Methods page and the help.

The range of all possible values of a list with unlabelled places: a labelling distributes the weight U of these places
among neutral and the gender groups. Allowing any fractions only widens the range; the measure then has a closed form,
which is next to its formula.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal

import numpy as np

from fairviz.parameters import Parameter

Array = np.ndarray
Direction = Literal["higher", "lower", "zero", "one", "none"]
Compute = Callable[..., np.ndarray]
CWEX_PAPER = (
    "Mousavian, Abbasiantaeb, Aliannejadi, Crestani: Towards Fair Rankings: Leveraging LLMs for Gender Bias Detection "
    "and Measurement. ICTIR 2025. doi:10.1145/3731120.3744620"
)
NFAIRR_PAPER = (
    "Rekabsaz, Kopeinik, Schedl: Societal Biases in Retrieved Contents: Measurement Framework and Adversarial "
    "Mitigation of BERT Rankers. SIGIR 2021. doi:10.1145/3404835.3462949"
)
TEXFAIR_PAPER = (
    "Abolghasemi, Azzopardi, Askari, de Rijke, Verberne: Measuring Bias in a Ranked List using Term-based "
    "Representations. ECIR 2024. arXiv:2403.05975"
)
RAB_PAPER = (
    "Rekabsaz, Schedl: Do Neural Ranking Models Intensify Gender Bias? SIGIR 2020. doi:10.1145/3397271.3401280; "
    "also appendix B of the controllable Backpack ranker (Afzali and others, 2025)"
)
GSR_PAPER = (
    "Fabris, Purpura, Silvello, Susto: Gender Stereotype Reinforcement: Measuring the Gender Bias Conveyed by Ranking "
    "Algorithms. Information Processing & Management 57(6), 2020. arXiv:2009.01334"
)
AWRF_PAPER = (
    "Sapiezynski, Zeng, Robertson, Mislove, Wilson: Quantifying the Impact of User Attention on Fair Group "
    "Representation in Ranked Lists. 2019. arXiv:1901.10437"
)
RATIO_PAPER = (
    "Wang, Wu, Wang, Tao, Fang: Do Large Language Models Rank Fairly? An Empirical Study on the Fairness of LLMs as "
    "Rankers. NAACL 2024; after Singh and Joachims, KDD 2018"
)


@dataclass(frozen=True, eq=False)
class OpenList:
    """A list with unlabelled places.

    weight and count (1 + G,): sums of p and places by label, neutral first. share (u,): p of the unlabelled places.
    names: the labels by code. protected: a place among the gender groups. targets (G,): their wished shares.
    """

    parameters: Mapping[str, Any]
    weight: Array
    count: Array
    share: Array
    names: tuple[str, ...]
    protected: int
    targets: Array

    def corners(self) -> Array:
        """Return the exposure by label with all of U for one label, a column for each: (1 + G, 1 + G)."""
        return (self.weight[:, None] + self.share.sum() * np.eye(len(self.weight))) / (
            self.weight.sum() + self.share.sum()
        )


@dataclass(frozen=True)
class OuterRange:
    """The smallest and the largest value, NaN if every labelling is undefined; undefined: whether some labelling is."""

    low: float
    high: float
    undefined: bool = False


@dataclass(frozen=True)
class OuterBound:
    """The range of an open list. additive: whether the measure is a sum over places; its extremes then give each
    unlabelled document a single label, and are exact also for lists with common documents."""

    compute: Callable[[OpenList], OuterRange]
    additive: bool = False


def group_parameter(name: str, default: str | None, text: str) -> Parameter:
    """Return a parameter that takes the name of a group of the study."""
    remedy = "Use the name of a group in quotes, as 'female'."
    return Parameter(name, default, text, names="group", remedy=remedy)


@dataclass(frozen=True)
class Reach:
    """The inputs of a range: the measure's parameters, the wished shares of the gender groups (G,), and the sum of p
    over the ranks within the cutoff."""

    parameters: Mapping[str, Any]
    targets: np.ndarray
    attention: float = inf


@dataclass(frozen=True)
class Bound:
    """A variable end of a range: its text on the Methods page, and its number."""

    text: str
    compute: Callable[[Reach], float]


@dataclass(frozen=True)
class TiedEnds:
    """The extremes of a measure over all orders of tied documents (`fairviz.orders.ties`).

    smallest, largest: True if that extreme is in the tried orders: by label; for a measure of words by the numbers of
    its `WeightedSum`, or else by mixtures of shares of words. ratios and enclosure: for a measure of labels with an
    extreme between these orders.
    ratios(exposures (1 + G, S, Q), parameters, protected), (N, S, Q): ratios of two sums over ranks, with their
    extremes in the orders by label. enclosure(low, high (N, S, Q), targets, parameters): two bounds of the measure from
    the ratios' ranges, infinite if unknown. fractions(places, parameters), two arrays (N, D): for a measure of words
    that consists of ratios of two sums over documents, what each document adds to both, the second at least 0; their
    ranges take the place of `ratios`. A document that adds 0 to the second adds 0 to the first. by_label: whether the
    value depends only on the label at each rank, the targets and the position bias, as sequences of labels can then
    take the place of orders of documents (`fairviz.orders.ranges`).
    """

    smallest: bool = False
    largest: bool = False
    ratios: Callable[..., np.ndarray] | None = None
    enclosure: Callable[..., tuple[Any, Any]] | None = None
    fractions: Callable[..., tuple[np.ndarray, np.ndarray]] | None = None
    by_label: bool = False


def as_shares(weights: np.ndarray) -> np.ndarray:
    """Return weights (n,) over their sum; NaN if it is 0."""
    total = weights.sum()
    return weights / (total if total > 0 else np.nan)


@dataclass(frozen=True)
class WeightedSum:
    """A measure as the sum over ranks of w(i) times a number of the document at rank i, over a number of the query.

    True of lists in which every document has evidence, or counts as neutral; the number of places is then the list's
    own. numbers(places, parameters), (D,): of each document, without NaN. weights: from the position bias p(1) … p(n)
    of the list's ranks within the cutoff, (n,), to w(1) … w(n); by default p over its sum. divisor(places, parameters,
    bias, cutoffs), (C, S or 1, Q), above 0 or NaN: of each query; None for 1. `fairviz.orders.chance` takes means,
    variances and exact bands from these, `fairviz.orders.ties` the orders of words with the extremes.
    """

    numbers: Callable[..., np.ndarray]
    weights: Callable[[np.ndarray], np.ndarray] = as_shares
    divisor: Callable[..., np.ndarray] | None = None


@dataclass(frozen=True)
class Measure:
    """A measure and its array function.

    compute(places, parameters, position bias, cutoffs (C,)): one value for each ranking at each cutoff, (C, S, Q), NaN
    if undefined. direction: the fairest value, the highest, the lowest, 0, 1, or none for a measure that only
    describes. needs: parts of the study. uses_bias: whether position bias matters. bounds: the two ends of its range
    for any groups and targets; `range`: as numbers. outer: for a measure of labels, the range of a list with missing
    labels; without it, the whole range. per_query: whether it has a value for one query; GSR has none: for its
    compute see fairviz.measures.gsr. parts: the decomposition of the value of one list,
    fairviz.measures.contributions.OneList to Parts; None for what each rank adds to the ranks above it. anatomy: the
    decomposition in words, or empty. ties: the extremes over orders of tied documents. weighted: the same formula as
    a sum over ranks; None for a measure that is not one. undefined: a clause with the reason for a missing value; empty
    for that of the family. column: whether it is a column of the Overview, and of its family of
    tests, until the reader chooses others. protects: whether it sets the protected group apart from all others. after:
    the measure that it follows in lists of measures; empty for the end. beyond_list: the parameter that names the set
    of documents on which a value depends beside the list's; empty for none. forms: by assignment, such as
    `of='labels'`, the record that stands in place of this one under that value of a parameter. package: that of others
    from which it comes, with its version, set when it is loaded.
    """

    name: str
    summary: str
    compute: Compute
    parameters: tuple[Parameter, ...]
    needs: tuple[Literal["labels", "documents", "queries", "qrels"], ...]
    direction: Direction
    bounds: tuple[float | Bound, float | Bound]
    formula: str
    paper: str
    equation: str
    decided: str
    example: str
    uses_bias: bool = True
    per_query: bool = True
    outer: OuterBound | None = None
    parts: Callable[..., Any] | None = None
    anatomy: str = ""
    ties: TiedEnds = TiedEnds()
    weighted: WeightedSum | None = None
    undefined: str = ""
    column: bool = False
    protects: bool = False
    after: str = ""
    beyond_list: str = ""
    forms: Mapping[str, "Measure"] = field(default_factory=dict)
    package: str = ""

    def form(self, arguments: Mapping[str, Any]) -> "Measure":
        """Return the record for these values of parameters: itself, or one of its forms."""
        texts = (f"{name}={value!r}" for name, value in arguments.items())
        return next((self.forms[text] for text in texts if text in self.forms), self)

    def range(self, reach: Reach) -> tuple[float, float]:
        """Return the smallest and the largest possible value of the measure; infinite if unbounded."""
        low, high = (end.compute(reach) if isinstance(end, Bound) else end for end in self.bounds)
        return float(low), float(high)

    @property
    def range_text(self) -> str:
        """The range in words, such as `α − 1 to α`."""
        return " to ".join(
            end.text if isinstance(end, Bound) else f"{end:g}".replace("-", "−").replace("inf", "∞")
            for end in self.bounds
        )

    @property
    def of_exposures(self) -> bool:
        """Return whether the measure of a list follows from the sums of attention and the counts of each label."""
        return self.family == "labels" and "qrels" not in self.needs and not self.beyond_list

    @property
    def of_one_group(self) -> bool:
        """Return whether the measure is of a single group, by default the neutral one."""
        return any(parameter.kind == "group" and parameter.name != "protected" for parameter in self.parameters)

    @property
    def family(self) -> Literal["labels", "words", "relevance"]:
        if "labels" not in self.needs and "qrels" in self.needs:
            return "relevance"
        return "labels" if "labels" in self.needs else "words"


def farthest(reach: Reach) -> float:
    """Return the largest sum over groups of |share - target|: all exposure for the group of the smallest target."""
    return float(2 * (1 - reach.targets.min()))


def range_itself(low: Any, high: Any, targets: Any, parameters: Any) -> tuple[Any, Any]:
    """Return the range of a measure that is a single ratio: that of the ratio, (S, Q) from (1, S, Q)."""
    return low[0], high[0]


FARTHEST = Bound("2(1 − smallest target)", farthest)
