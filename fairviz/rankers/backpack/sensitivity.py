"""Sensitivity of senses to gender (Afzali and others 2025, section 3), and their weights under a policy."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fairviz.errors import FairvizError, UsageError
from fairviz.words.counterparts import Pairs, packaged
from fairviz.words.sentences import first_listed

DRAWS = 1000
MOST_NAMED = 5  # pairs that a message names
HIGHEST = 2.0
SENSITIVE, PLACEBO, GRADED = "sensitive", "placebo", "graded"
POLICIES = {
    SENSITIVE: "the senses of lowest sensitivity score, which carry most gender, get the weight (the paper's)",
    PLACEBO: "as many senses of the highest score, which carry least, get it",
    GRADED: "each sense gets a weight between 1 and it, the more the more gender it carries",
}


class Senses(Protocol):
    """A model with senses of words."""

    @property
    def senses(self) -> Any:
        """The number of senses of a word."""

    def has(self, word: str) -> bool:
        """Return whether the word is one token."""

    def token_senses(self, word: str) -> np.ndarray:
        """Return the sense vectors of the word, (L, d)."""


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """The sensitivity score of each of L senses, equation 4: low means that it carries gender.

    values, low, high (L,): the mean cosine over pairs and its 95 % interval over resamples of the pairs. pairs: used;
    missing: left out, since a word is not one token.
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
        """The number of missing pairs and the first of them as text; empty without any."""
        if not self.missing:
            return ""
        count, total = len(self.missing), len(self.missing) + len(self.pairs)
        examples = first_listed(("-".join(pair) for pair in self.missing), MOST_NAMED)
        return f"{count} of {total} pairs left out, since a word of theirs is not one token: {examples}"


def sensitivities(model: Senses, pairs: Iterable[tuple[str, str]] | None = None, draws: int = DRAWS) -> Sensitivity:
    """s_ℓ = 1/|D| Σ cos(C(d⁻)_ℓ, C(d⁺)_ℓ) over pairs of words, (L,) in [-1, 1]; equation 4.

    pairs: (female, male); None for the packaged gender words with their counterparts. Raises FairvizError where no
    pair has both words in the model's vocabulary.
    """
    every_pair = packaged().words if pairs is None else tuple((str(female), str(male)) for female, male in pairs)
    used = tuple(pair for pair in every_pair if all(map(model.has, pair)))
    if not used:
        examples = ", ".join("-".join(pair) for pair in every_pair[:MOST_NAMED]) or "none"
        raise FairvizError(
            f"no pair of the list has both words in the model's vocabulary ({examples})",
            "Give pairs of common words, such as she-he.",
        )
    cosines = np.array(
        [_cosine(model.token_senses(female), model.token_senses(male)) for female, male in used]
    )  # (P, L)
    counts = np.random.default_rng(0).multinomial(len(used), np.full(len(used), 1 / len(used)), size=draws)  # (B, P)
    low, high = np.quantile(counts @ cosines / len(used), [0.025, 0.975], axis=0)
    missing = tuple(pair for pair in every_pair if pair not in used)
    return Sensitivity(cosines.mean(axis=0), low, high, used, missing)


def _cosine(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the cosine of each sense (L,) of two words, (L, d) each; 0 for a zero vector."""
    lengths = np.linalg.norm(first.astype(float), axis=1) * np.linalg.norm(second.astype(float), axis=1)
    inner = np.einsum("ld,ld->l", first.astype(float), second.astype(float))
    return np.divide(inner, lengths, out=np.zeros(len(lengths)), where=lengths > 0)


def policy(name: str, sensitivity: Sensitivity | np.ndarray, senses: int, weight: float) -> np.ndarray:
    """Return M: the weight of each sense, (L,), for the named policy, or for explicit weights such as `1 1 0.5 …`.

    sensitivity: the scores (L,); senses: the number that get the weight (unused by `graded` and explicit weights).
    Raises UsageError for another policy, too many senses, a weight below 0 or above 2, and where all weights would be
    0.
    """
    scores = sensitivity.values if isinstance(sensitivity, Sensitivity) else np.asarray(sensitivity, dtype=float)
    _check_weight(weight, "the weight")
    if name not in POLICIES:
        return refuse_nothing(_parse_weights(name, len(scores)))
    if name == GRADED:
        span = float(np.ptp(scores))
        share = (scores.max() - scores) / span if span > 0 else np.zeros(len(scores))
        return 1 + share * (weight - 1)
    if not 1 <= senses <= len(scores) or senses != int(senses):
        raise UsageError(f"{senses:g} senses cannot get the weight", f"Use a whole number from 1 to {len(scores)}.")
    order = np.argsort(scores, kind="stable")
    scaled_senses = order[: int(senses)] if name == SENSITIVE else order[len(order) - int(senses) :]
    weights = np.ones(len(scores))
    weights[scaled_senses] = weight
    return refuse_nothing(weights)


def refuse_nothing(weights: np.ndarray) -> np.ndarray:
    """Return the weights. Raises UsageError where all are 0, since no text would have a vector."""
    if not weights.any():
        raise UsageError(
            "every sense has the weight 0, so that no text has a vector", "Leave a sense at a weight above 0."
        )
    return weights


def _check_weight(weight: float, subject: str) -> None:
    if not 0 <= weight <= HIGHEST:
        raise UsageError(f"{subject} is {weight:g}", f"Use a number from 0 to {HIGHEST:g}.")


def _parse_weights(text: str, senses: int) -> np.ndarray:
    """Return the explicit weights of the text, one for each sense. Raises UsageError for another text."""
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
        _check_weight(weight, f"the weight of sense {place}")
    return weights
