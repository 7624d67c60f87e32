"""Which senses carry gender (Afzali and others 2025, section 3), and the weights that a policy gives them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fairviz.errors import FairvizError, UsageError
from fairviz.words.counterparts import Pairs, packaged

DRAWS = 1000
SHOWN = 5  # pairs that a message names
HIGHEST = 2.0
SENSITIVE, PLACEBO, GRADED = "sensitive", "placebo", "graded"
POLICIES = {
    SENSITIVE: "the senses of lowest sensitivity score, which carry most gender, get the weight (the paper's)",
    PLACEBO: "as many senses of the highest score, which carry least, get it",
    GRADED: "each sense gets a weight between 1 and it, the more the more gender it carries",
}


class Senses(Protocol):
    """A model that knows the senses of a word."""

    @property
    def senses(self) -> Any:
        """How many senses a word has."""

    def has(self, word: str) -> bool:
        """Whether the word is one token."""

    def token_senses(self, word: str) -> np.ndarray:
        """The sense vectors of the word, (L, d)."""


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """The sensitivity score of each of L senses, equation 4: low means that it carries gender.

    values, low, high (L,): the mean cosine over pairs and its 95 % interval over resamples of the pairs. pairs: those
    it was computed from; missing: those of which a word is not one token.
    """

    values: np.ndarray
    low: np.ndarray
    high: np.ndarray
    pairs: Pairs
    missing: Pairs

    @property
    def order(self) -> np.ndarray:
        """The senses (L,), the one that carries most gender first."""
        return np.argsort(self.values, kind="stable")

    @property
    def left_out(self) -> str:
        """How many pairs count for nothing, and the first of them; empty where all count."""
        if not self.missing:
            return ""
        count, whole = len(self.missing), len(self.missing) + len(self.pairs)
        shown = ", ".join("-".join(pair) for pair in self.missing[:SHOWN])
        shown += f" and {count - SHOWN} more" if count > SHOWN else ""
        return f"{count} of {whole} pairs left out, since a word of theirs is not one token: {shown}"


def sensitivities(model: Senses, pairs: Iterable[tuple[str, str]] | None = None, draws: int = DRAWS) -> Sensitivity:
    """s_ℓ = 1/|D| Σ cos(C(d⁻)_ℓ, C(d⁺)_ℓ) over pairs of words, (L,) in [-1, 1]; equation 4.

    pairs: (female, male); None for the packaged gender words with their counterparts. Raises FairvizError where no
    pair has both words in the model's vocabulary.
    """
    wanted = packaged().words if pairs is None else tuple((str(female), str(male)) for female, male in pairs)
    used = tuple(pair for pair in wanted if all(map(model.has, pair)))
    if not used:
        shown = ", ".join("-".join(pair) for pair in wanted[:SHOWN]) or "none"
        raise FairvizError(
            f"no pair of the list has both words in the model's vocabulary ({shown})",
            "Give pairs of common words, such as she-he.",
        )
    cosines = np.array([_cosine(model.token_senses(one), model.token_senses(other)) for one, other in used])  # (P, L)
    drawn = np.random.default_rng(0).multinomial(len(used), np.full(len(used), 1 / len(used)), size=draws)  # (B, P)
    low, high = np.quantile(drawn @ cosines / len(used), [0.025, 0.975], axis=0)
    missing = tuple(pair for pair in wanted if pair not in used)
    return Sensitivity(cosines.mean(axis=0), low, high, used, missing)


def _cosine(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The cosine of each sense (L,) of two words, (L, d) each; 0 where one has no length."""
    lengths = np.linalg.norm(one.astype(float), axis=1) * np.linalg.norm(other.astype(float), axis=1)
    inner = np.einsum("ld,ld->l", one.astype(float), other.astype(float))
    return np.divide(inner, lengths, out=np.zeros(len(lengths)), where=lengths > 0)


def policy(name: str, sensitivity: Sensitivity | np.ndarray, senses: int, weight: float) -> np.ndarray:
    """M: the weight of each sense, (L,), for the named policy, or for weights written out as `1 1 0.5 …`.

    sensitivity: the scores (L,); senses: how many of them get the weight (`graded` and weights written out take no
    number). Raises UsageError for another policy, more senses than there are, a weight below 0 or above 2, and where
    every sense would have the weight 0.
    """
    scores = sensitivity.values if isinstance(sensitivity, Sensitivity) else np.asarray(sensitivity, dtype=float)
    _check(weight, "the weight")
    if name not in POLICIES:
        return refuse_nothing(_written(name, len(scores)))
    if name == GRADED:
        span = float(np.ptp(scores))
        share = (scores.max() - scores) / span if span > 0 else np.zeros(len(scores))
        return 1 + share * (weight - 1)
    if not 1 <= senses <= len(scores) or senses != int(senses):
        raise UsageError(f"{senses:g} senses cannot get the weight", f"Use a whole number from 1 to {len(scores)}.")
    order = np.argsort(scores, kind="stable")
    chosen = order[: int(senses)] if name == SENSITIVE else order[len(order) - int(senses) :]
    weights = np.ones(len(scores))
    weights[chosen] = weight
    return refuse_nothing(weights)


def refuse_nothing(weights: np.ndarray) -> np.ndarray:
    """The weights. Raises UsageError where all are 0, since no text would have a vector and every list be empty."""
    if not weights.any():
        raise UsageError(
            "every sense has the weight 0, so that no text has a vector", "Leave a sense at a weight above 0."
        )
    return weights


def _check(weight: float, what: str) -> None:
    if not 0 <= weight <= HIGHEST:
        raise UsageError(f"{what} is {weight:g}", f"Use a number from 0 to {HIGHEST:g}.")


def _written(text: str, senses: int) -> np.ndarray:
    """Weights that are written out, one a sense. Raises UsageError for a text that is none."""
    parts = text.replace(",", " ").split()
    try:
        weights = np.array([float(part) for part in parts])
    except ValueError:
        weights = np.zeros(0)
    if not len(weights):
        raise UsageError(
            f"there is no policy {text[:60]!r}",
            f"Use {', '.join(POLICIES)}, or {senses} weights, one a sense: {' '.join(['1'] * (senses - 1))} 0.5.",
        )
    if len(weights) != senses:
        raise UsageError(
            f"{len(weights)} weights are written for {senses} senses", "Write a weight for each sense, in their order."
        )
    for place, weight in enumerate(weights.tolist(), start=1):
        _check(weight, f"the weight of sense {place}")
    return weights
