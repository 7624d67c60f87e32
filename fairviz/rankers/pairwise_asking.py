"""Pairs of passages, each put to a language model twice, so that either stands first once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fairviz.models.asking import Answered, Spent, ask_all
from fairviz.models.language_model import LanguageModel, Question, chosen_model
from fairviz.rankers.pairwise_prompt import FIRST, SECOND, Named, filled, prompt_text, read_answer
from fairviz.rankers.record import Parameters

TOKENS = 8  # of an answer: `Passage 1.` and a little more, so that prose can be told from it
ALTERNATIVES = 20  # most that servers tell
Array = np.ndarray


@dataclass(frozen=True)
class Pair:
    """Two passages to compare for a query, all as text."""

    query: str
    one: str
    other: str


@dataclass(frozen=True, eq=False)
class Compared:
    """What a model said of P pairs, one row each, (P, 2): in the first column `one` was shown first, in the second
    `other`. wins: 1 where it names `one`, 0 where the other, NaN where neither; log_odds: of `one` over the other, NaN
    where the server does not tell; outcomes and texts: see `Named`. answered: what it took."""

    wins: Array
    log_odds: Array
    outcomes: Array
    texts: Array
    answered: Answered


def questions(pairs: Sequence[Pair], parameters: Parameters) -> tuple[LanguageModel, list[Question]]:
    """The model and its questions, two a pair: `one` first, then the other first. Raises UsageError, FairvizError."""
    model, text, words = (
        chosen_model(parameters["model"], parameters["url"]), prompt_text(parameters["prompt"]),
        int(parameters["words"]),
    )  # fmt: skip
    alternatives = min(ALTERNATIVES, model.alternatives) if parameters["logprobs"] else 0
    prompts = [
        filled(text, pair.query, *passages, words)
        for pair in pairs
        for passages in ((pair.one, pair.other), (pair.other, pair.one))
    ]
    return model, [Question(prompt, TOKENS, alternatives) for prompt in prompts]


def compared(
    pairs: Sequence[Pair], parameters: Parameters, progress: Callable[[int, int], None], spent: Spent | None = None
) -> Compared:
    """Asks about every pair in both orders; what was answered before is not asked. Raises as `ask_all`."""
    answered = ask_all(*questions(pairs, parameters), progress, spent=spent)
    read = np.array([read_answer(reply) for reply in answered.replies], dtype=object).reshape(-1, 2)
    wins = np.vectorize(_shown_first_wins, otypes=[float])(read) if len(pairs) else np.zeros((0, 2))
    odds = np.array([[one.log_odds for one in row] for row in read], dtype=np.float64).reshape(-1, 2)
    wins[:, 1], odds[:, 1] = 1 - wins[:, 1], -odds[:, 1]
    outcomes = np.array([[one.outcome for one in row] for row in read], dtype=object).reshape(-1, 2)
    texts = np.array([[one.text for one in row] for row in read], dtype=object).reshape(-1, 2)
    return Compared(wins, odds, outcomes, texts, answered)


def _shown_first_wins(answer: Named) -> float:
    return {FIRST: 1.0, SECOND: 0.0}.get(answer.outcome, float("nan"))
