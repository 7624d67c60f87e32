"""`logprob`: the most probable class at the beginning of a language model's answer."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fairviz.annotation.annotators.llm import MODEL, PROMPT, URL, ask, ask_first, lay_out, prompts
from fairviz.annotation.annotators.prompting import template
from fairviz.annotation.annotators.record import Array, Labelled, Method, Values, Work
from fairviz.errors import FairvizError
from fairviz.models.language_model import LanguageModel, chosen_model
from fairviz.models.protocol import Question, Reply
from fairviz.models.replies import EMPTY, LABELLED, MOST_CHARACTERS, UNPARSED, Read, read_reply
from fairviz.parameters import Parameter

RAW, DOCUMENT, BATCH = "raw", "document", "batch"
NO_DOCUMENT = "N/A"


def _questions(work: Work, values: Values) -> tuple[LanguageModel, list[Question]]:
    """Return a question for each document, and a last one without a document where that calibrates."""
    prompt, model = template(values["prompt"], work.study), chosen_model(values["model"], values["url"])
    texts = prompts(work, prompt) + ([prompt.filled(NO_DOCUMENT)] if values["calibrate"] == DOCUMENT else [])
    return model, [Question(text, 1, model.alternatives) for text in texts]


def _label(work: Work, values: Values, _: Sequence[Labelled]) -> Labelled:
    classes = template(values["prompt"], work.study).classes
    model, questions = _questions(work, values)
    first_count = _ask_first(work, model, questions[0])
    answered = ask(work, model, questions)
    answered = replace(answered, asked=answered.asked + first_count)
    names = [classes[label] for label in work.classes]
    scores = np.array([class_scores(reply, names) for reply in answered.replies]).reshape(-1, len(names))
    count = int(work.wanted.sum())
    codes = calibrated(scores[:count], scores[count:], values["calibrate"])
    answers = [
        _read(reply, code, work.classes, classes) for reply, code in zip(answered.replies[:count], codes, strict=True)
    ]
    return lay_out(
        work, answers, answered, confidences=confidences(scores[:count], scores[count:], values["calibrate"])
    )


def _ask_first(work: Work, model: LanguageModel, question: Question) -> int:
    """Send the first question alone; return 1, or 0 where it is answered already. Raises FairvizError where the answer
    has no log-probabilities, before thousands of questions are paid for."""
    answered = ask_first(work, model, question)
    (reply,) = answered.replies
    if reply is not None and reply.status == 200 and _lacks_logprobs(reply):
        address = f" at {model.address}" if model.address else ""
        raise FairvizError(
            f"{model.name}{address} returns no log-probabilities",
            f"Use llm(model={model.name!r}) in its place, or a server that does.",
        )
    return answered.asked


def _lacks_logprobs(reply: Reply) -> bool:
    """Return whether the reply is an answer, not a refusal, without log-probabilities."""
    choices = reply.content().get("choices")
    if not choices or choices[0]["message"].get("refusal") or not choices[0]["message"].get("content"):
        return False
    return not choices[0].get("logprobs")


def calibrated(scores: Array, empty: Array, how: str) -> Array:
    """Return the class of the largest score of each row of scores (D, C), (D,), -1 where a row is NaN.

    `document`: after subtracting the scores of a prompt without a document, `empty` (1, C) (Zhao et al. 2021,
    Calibrate Before Use); where these are NaN, all rows are -1. `batch`: after subtracting the logarithm of the mean
    probability of each class over all rows (Zhou et al. 2024, Batch Calibration).
    """
    scores = _compared(scores, empty, how)
    undefined = np.isnan(scores).any(axis=1)
    return np.where(undefined, -1, np.where(undefined[:, None], 0, scores).argmax(axis=1))


def _compared(scores: Array, empty: Array, how: str) -> Array:
    if how == DOCUMENT:
        return scores - empty
    defined = scores[~np.isnan(scores).any(axis=1)]
    return scores - np.log(np.exp(defined).mean(axis=0)) if how == BATCH and len(defined) else scores


def confidences(scores: Array, empty: Array, how: str) -> list[float]:
    """Return the probability of the most probable class among the classes, after the comparison of `calibrated`, (D,);
    NaN where a row is."""
    scores = _compared(scores, empty, how)
    odds = np.exp(scores - scores.max(axis=1, keepdims=True)) if len(scores) else scores
    return (odds.max(axis=1) / odds.sum(axis=1)).tolist()


def class_scores(reply: Reply | None, names: Sequence[str]) -> list[float]:
    """Return the log-probability of each class as the beginning of the answer; NaN for all where none is listed.

    A listed token counts for a class where only this class begins with it, in any case (`F`, ` Fem`, `FEMALE`). A class
    that is not listed gets the smallest listed log-probability, an upper bound.
    """
    entries = _top_entries(reply)
    scores = np.full(len(names), -np.inf)
    for entry in entries:
        beginning = str(entry.get("token", "")).strip(" \t\n*\"'▁Ġ").lower()
        fitting_places = [place for place, name in enumerate(names) if beginning and name.lower().startswith(beginning)]
        value = entry.get("logprob")
        if len(fitting_places) == 1 and isinstance(value, (int, float)):
            scores[fitting_places[0]] = np.logaddexp(scores[fitting_places[0]], value)
    if not np.isfinite(scores).any():
        return [float("nan")] * len(names)
    least = min(float(entry["logprob"]) for entry in entries if isinstance(entry.get("logprob"), (int, float)))
    return np.where(np.isfinite(scores), scores, least).tolist()


def _top_entries(reply: Reply | None) -> list[Mapping[str, Any]]:
    """Return the listed first tokens with their log-probabilities; empty where the server returns none."""
    try:
        entries = reply.content()["choices"][0]["logprobs"]["content"][0]["top_logprobs"] if reply else []
    except (KeyError, IndexError, TypeError):
        return []
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _read(reply: Reply | None, code: int, labels: Sequence[str], classes: Mapping[str, str]) -> Read:
    """Return one reply with its label where a class was listed, else with the outcome without a label."""
    answer = read_reply(reply, classes)
    if code >= 0:
        return Read(LABELLED, labels[code], answer.text)
    return Read(UNPARSED if answer.outcome in (LABELLED, EMPTY) else answer.outcome, text=answer.text[:MOST_CHARACTERS])


LOGPROB = Method(
    "logprob",
    "the class with the largest log-probability at the beginning of a language model's answer, calibrated against a "
    "prompt without a document, against the batch, or raw",
    _label,
    (
        MODEL,
        PROMPT,
        Parameter(
            "calibrate", DOCUMENT, "what the log-probabilities are compared with", choices=(DOCUMENT, BATCH, RAW)
        ),
        URL,
    ),
    "model",
    questions=_questions,
)
