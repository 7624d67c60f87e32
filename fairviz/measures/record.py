"""What a measure is: a description that parsing, checking, the Methods page and the help all read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, Literal

import numpy as np

from fairviz.measures.outer import OuterBound

Direction = Literal["higher", "lower", "zero", "one", "none"]
Compute = Callable[..., np.ndarray]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a measure. kind `group` takes the name of a group of the study; `background` a background
    set; `choice` one of `choices`; numbers lie in [low, high]. default None means the study's own."""

    name: str
    kind: Literal["number", "integer", "flag", "choice", "group", "background"]
    default: Any
    help: str
    low: float = 0.0
    high: float = 1.0
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reach:
    """What a range may depend on: the measure's parameters, the wished shares of the gender groups (G,), and the sum
    of p over the ranks within the cutoff."""

    parameters: Mapping[str, Any]
    targets: np.ndarray
    attention: float = inf


@dataclass(frozen=True)
class Bound:
    """An end of a range that is not the same number always: as the Methods page writes it, and the number it is."""

    text: str
    of: Callable[[Reach], float]


@dataclass(frozen=True)
class Measure:
    """A measure and the array function behind it.

    compute(places, parameters, position bias, cutoffs (C,)) gives one value for each ranking at each cutoff,
    (C, S, Q), NaN where it is undefined. direction says which value is fairest: the highest, the lowest, 0, 1, or
    none where the measure only describes. needs: parts of the study. uses_bias: whether position bias matters.
    bounds: the two ends of its range, whatever the groups and targets; `range` gives them as numbers. outer: of a
    measure of labels, what a list can be whose labels are not all known; without one the whole range stands in for it.
    per_query: whether it has a value for one query; GSR has none, and its compute takes what fairviz.measures.gsr
    says. parts: takes the value of one list apart, fairviz.measures.contributions.OneList to Parts; None where nothing
    does. anatomy: how, in words; empty where nothing does.
    """

    name: str
    summary: str
    compute: Compute
    parameters: tuple[Parameter, ...]
    needs: tuple[Literal["labels", "documents", "queries"], ...]
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

    def range(self, reach: Reach) -> tuple[float, float]:
        """The smallest and the largest value that the measure can have; infinite where it has no end."""
        low, high = (end.of(reach) if isinstance(end, Bound) else end for end in self.bounds)
        return float(low), float(high)

    @property
    def range_text(self) -> str:
        """The range in words, as `α − 1 to α`."""
        return " to ".join(end.text if isinstance(end, Bound) else _written(end) for end in self.bounds)

    @property
    def family(self) -> Literal["labels", "words"]:
        return "labels" if "labels" in self.needs else "words"


def farthest(reach: Reach) -> float:
    """The largest sum over groups of |share - target|: all of it with the group that is to have the least."""
    return float(2 * (1 - reach.targets.min()))


FARTHEST = Bound("2(1 − smallest target)", farthest)


def _written(end: float) -> str:
    return f"{end:g}".replace("-", "−").replace("inf", "∞")


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
