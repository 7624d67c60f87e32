"""`logprob`: the class that a language model would most probably begin its answer with."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fairviz.annotation.annotators.llm import MODEL, PROMPT, URL, asked, laid_out, prompts
from fairviz.annotation.annotators.parsing import SHOWN, Read, read_reply
from fairviz.annotation.annotators.prompting import template
from fairviz.annotation.annotators.record import (
    EMPTY,
    LABELLED,
    UNPARSED,
    Array,
    Labelled,
    Method,
    Parameter,
    Values,
    Work,
    silent,
)
from fairviz.errors import FairvizError
from fairviz.models.language_model import LanguageModel, Question, Reply, chosen_model

RAW, DOCUMENT, BATCH = "raw", "document", "batch"
NO_DOCUMENT = "N/A"


def _questions(work: Work, values: Values) -> tuple[LanguageModel, list[Question]]:
    """A question a document, and behind them one about no document where that calibrates."""
    shown, model = template(values["prompt"], work.study), chosen_model(values["model"], values["url"])
    texts = prompts(work, shown) + ([shown.filled(NO_DOCUMENT)] if values["calibrate"] == DOCUMENT else [])
    return model, [Question(text, 1, model.alternatives) for text in texts]


def _label(work: Work, values: Values, _: Sequence[Labelled]) -> Labelled:
    classes = template(values["prompt"], work.study).classes
    model, questions = _questions(work, values)
    before = _first(work, model, questions[0])
    answered = asked(work, model, questions)
    answered = replace(answered, asked=answered.asked + before)
    names = [classes[label] for label in work.classes]
    scores = np.array([class_scores(reply, names) for reply in answered.replies]).reshape(-1, len(names))
    count = int(work.wanted.sum())
    chosen = calibrated(scores[:count], scores[count:], values["calibrate"])
    read = [
        _read(reply, code, work.classes, classes) for reply, code in zip(answered.replies[:count], chosen, strict=True)
    ]
    return laid_out(work, read, answered)


def _first(work: Work, model: LanguageModel, question: Question) -> int:
    """Asks the first question alone, unless it was asked before, and tells whether it had to be. Raises FairvizError
    where the answer comes without log-probabilities, before thousands are paid for that do."""
    answered = asked(replace(work, asking=replace(work.asking, progress=silent)), model, [question])
    (reply,) = answered.replies
    if reply is not None and reply.status == 200 and _tells_none(reply):
        where = f" at {model.address}" if model.address else ""
        raise FairvizError(
            f"{model.name}{where} tells no log-probabilities",
            f"Use llm(model={model.name!r}) in its place, or a server that does.",
        )
    return answered.asked


def _tells_none(reply: Reply) -> bool:
    """Whether there is an answer, no refusal, without them."""
    choices = reply.content().get("choices")
    if not choices or choices[0]["message"].get("refusal") or not choices[0]["message"].get("content"):
        return False
    return not choices[0].get("logprobs")


def calibrated(scores: Array, empty: Array, how: str) -> Array:
    """The class of the largest score of each row of scores (D, C), (D,), -1 where a row is NaN.

    `document`: after subtracting the scores of a prompt without a document, `empty` (1, C) (Zhao et al. 2021,
    Calibrate Before Use); NaN there calibrates nothing, and all rows are -1. `batch`: after subtracting the logarithm
    of the mean probability of each class over all rows (Zhou et al. 2024, Batch Calibration).
    """
    if how == DOCUMENT:
        scores = scores - empty
    elif how == BATCH and len(scores):
        known = scores[~np.isnan(scores).any(axis=1)]
        if len(known):
            scores = scores - np.log(np.exp(known).mean(axis=0))
    undefined = np.isnan(scores).any(axis=1)
    return np.where(undefined, -1, np.where(undefined[:, None], 0, scores).argmax(axis=1))


def class_scores(reply: Reply | None, names: Sequence[str]) -> list[float]:
    """The log-probability that the answer begins as each class is written; NaN for all where none is listed.

    A listed token counts for the class that alone begins with it, in any case (`F`, ` Fem`, `FEMALE`). A class that
    is not listed gets the smallest log-probability that is: it is no more probable than that.
    """
    listed = _listed(reply)
    found = np.full(len(names), -np.inf)
    for entry in listed:
        begins = str(entry.get("token", "")).strip(" \t\n*\"'▁Ġ").lower()
        fitting = [place for place, name in enumerate(names) if begins and name.lower().startswith(begins)]
        value = entry.get("logprob")
        if len(fitting) == 1 and isinstance(value, (int, float)):
            found[fitting[0]] = np.logaddexp(found[fitting[0]], value)
    if not np.isfinite(found).any():
        return [float("nan")] * len(names)
    least = min(float(entry["logprob"]) for entry in listed if isinstance(entry.get("logprob"), (int, float)))
    return np.where(np.isfinite(found), found, least).tolist()


def _listed(reply: Reply | None) -> list[Mapping[str, Any]]:
    """What the model could have begun with, and how probable that was; nothing where the server does not say."""
    try:
        first = reply.content()["choices"][0]["logprobs"]["content"][0]["top_logprobs"] if reply else []
    except (KeyError, IndexError, TypeError):
        return []
    return [entry for entry in first if isinstance(entry, dict)] if isinstance(first, list) else []


def _read(reply: Reply | None, code: int, labels: Sequence[str], classes: Mapping[str, str]) -> Read:
    """The outcome of one reply: its label where a class was listed, else why there is none."""
    said = read_reply(reply, classes)
    if code >= 0:
        return Read(LABELLED, labels[code], said.text)
    return Read(UNPARSED if said.outcome in (LABELLED, EMPTY) else said.outcome, text=said.text[:SHOWN])


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
