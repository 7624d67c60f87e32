"""Comparisons of pairs of passages by a language model, each in both orders."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fairviz.models.asking import Answered, Spent, ask_all
from fairviz.models.language_model import LanguageModel, chosen_model
from fairviz.models.protocol import Question
from fairviz.rankers.pairwise_prompt import FIRST, SECOND, filled, prompt_text, read_answer
from fairviz.rankers.record import Parameters

TOKENS = 8  # of an answer: `Passage 1.` and a few more, so that prose is recognised
ALTERNATIVES = 20  # most that servers return
Array = np.ndarray


@dataclass(frozen=True)
class Pair:
    """Two passages to compare for a query, all as text."""

    query: str
    one: str
    other: str


@dataclass(frozen=True, eq=False)
class Compared:
    """A model's answers about P pairs, (P, 2): with `one` first in the first column, with `other` first in the second.
    wins: 1 for `one`, 0 for `other`, NaN for neither. log_odds: of `one` over `other`, NaN where the server returns
    none. outcomes and texts: see `Named`. answered: the cost."""

    wins: Array
    log_odds: Array
    outcomes: Array
    texts: Array
    answered: Answered


def questions(pairs: Sequence[Pair], parameters: Parameters) -> tuple[LanguageModel, list[Question]]:
    """Return the model and its questions, two for each pair: `one` first, then `other`. Raises UsageError,
    FairvizError."""
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
    """Return the model's answers about every pair in both orders; stored answers are not requested again. Raises: see
    `ask_all`."""
    answered = ask_all(*questions(pairs, parameters), progress, spent=spent)
    answers = [read_answer(reply) for reply in answered.replies]
    odds = np.array([answer.log_odds for answer in answers], dtype=np.float64).reshape(-1, 2)
    outcomes = np.array([answer.outcome for answer in answers], dtype=object).reshape(-1, 2)
    texts = np.array([answer.text for answer in answers], dtype=object).reshape(-1, 2)
    wins = np.select([outcomes == FIRST, outcomes == SECOND], [1.0, 0.0], np.nan)
    wins[:, 1], odds[:, 1] = 1 - wins[:, 1], -odds[:, 1]
    return Compared(wins, odds, outcomes, texts, answered)
