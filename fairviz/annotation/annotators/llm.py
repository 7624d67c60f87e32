"""`llm`: a language model, prompted for the class of each document."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairviz.annotation.annotators.prompting import PROMPTS, Template, template
from fairviz.annotation.annotators.record import Labelled, Method, Values, Work, silent
from fairviz.errors import FairvizError
from fairviz.models.asking import Answered, ask_all, bodies_of
from fairviz.models.batch_files import answer_in_batches
from fairviz.models.language_model import LanguageModel, chosen_model
from fairviz.models.protocol import Question
from fairviz.models.replies import UNANSWERED, Read, read_reply
from fairviz.parameters import Parameter

TOKENS, REASONED_TOKENS, SCHEMA_TOKENS = 16, 500, 24
MODEL = Parameter(
    "model",
    "",
    "as its server calls it (gpt-4o), smollm2 (installed with the extra llm), or the path of a .gguf file",
    required=True,
)
URL = Parameter(
    "url",
    "",
    "the server's address, such as http://localhost:8000/v1 or openai (default: FAIRVIZ_BASE_URL)",
    named=False,
)
PROMPT = Parameter("prompt", PROMPTS[0], f"{', '.join(PROMPTS)}, or the path of a text file with {{passage}}")


SAMPLES = Parameter(
    "samples", 1, "answers a document at temperature 1; the share that agrees is the confidence (1: one answer at 0)",
    low=1, high=100, whole=True, told=False,
)  # fmt: skip
STRUCTURED = Parameter(
    "structured",
    False,
    "ask for JSON of a schema, where the server offers it, so that no answer has to be parsed",
    told=False,
)


def _questions(work: Work, values: Values) -> tuple[LanguageModel, list[Question]]:
    """Return the questions, all answers of a document in a row."""
    prompt = template(values["prompt"], work.study)
    tokens = REASONED_TOKENS if prompt.asks_for_reasons else TOKENS
    schema = schema_of(prompt) if values["structured"] else None
    tokens += SCHEMA_TOKENS if schema else 0
    draws = range(1, values["samples"] + 1) if values["samples"] > 1 else (0,)
    questions = [Question(text, tokens, 0, draw, schema) for text in prompts(work, prompt) for draw in draws]
    return chosen_model(values["model"], values["url"]), questions


def schema_of(prompt: Template) -> dict[str, object]:
    """Return the JSON schema of an answer: one of the classes, after the reason where the prompt wants one."""
    parts: dict[str, object] = {"reasoning": {"type": "string"}} if prompt.asks_for_reasons else {}
    parts["class"] = {"type": "string", "enum": list(prompt.classes.values())}
    return {"type": "object", "properties": parts, "required": list(parts), "additionalProperties": False}


def prompts(work: Work, prompt: Template) -> list[str]:
    """Return the prompt of each requested document."""
    return [prompt.filled(work.texts[row]) for row in np.flatnonzero(work.wanted).tolist()]


def _label(work: Work, values: Values, _: Sequence[Labelled]) -> Labelled:
    prompt = template(values["prompt"], work.study)
    model, questions = _questions(work, values)
    if values["structured"] and not _takes_schemas(work, model, questions[0]):
        model, questions = _questions(work, {**values, "structured": False})
    answered = ask(work, model, questions)
    answers = [read_reply(reply, prompt.classes, reasons=prompt.asks_for_reasons) for reply in answered.replies]
    count = values["samples"]
    together = [agreed(answers[start : start + count]) for start in range(0, len(answers), count)]
    shares = [share for _, share in together] if count > 1 else ()
    return lay_out(work, [one for one, _ in together], answered, reasons=prompt.asks_for_reasons, confidences=shares)


def _takes_schemas(work: Work, model: LanguageModel, question: Question) -> bool:
    """Send the first question alone; return whether the server takes its schema.

    Raises FairvizError where it fails otherwise; a server that takes no question fails without the schema too.
    """
    try:
        ask_first(work, model, question)
    except FairvizError as error:
        if "does not take the question" not in error.message:
            raise
        work.say(f"{model.name} takes no JSON schema: its answers are read as text.")
        return False
    return True


def ask_first(work: Work, model: LanguageModel, question: Question) -> Answered:
    """Send one question by itself, without progress and in no batch, and return its answer."""
    alone = replace(work.asking, progress=silent, in_batches=False)
    return ask(replace(work, asking=alone), model, [question])


def agreed(answers: Sequence[Read]) -> tuple[Read, float]:
    """Return the first answer with the label that most have, the first named where several have as many, and the share
    of all answers with it; the first answer and 0 where none is a label.

    >>> agreed([Read("labelled", "male"), Read("labelled", "female"), Read("labelled", "female")])[1].__round__(3)
    0.667
    """
    labels = [answer.label for answer in answers if answer.label]
    if not labels:
        return answers[0], 0.0
    most = max(dict.fromkeys(labels), key=labels.count)
    return next(answer for answer in answers if answer.label == most), labels.count(most) / len(answers)


def ask(work: Work, model: LanguageModel, questions: Sequence[Question]) -> Answered:
    """Return the model's replies, within the limits of the work. Raises FairvizError while batches are under way."""
    limits = work.asking
    if limits.in_batches:
        bodies = bodies_of(model, questions)
        if not answer_in_batches(model, bodies, limits.patience, work.say, limits.spent.take):
            raise FairvizError(f"{model.name} has not answered every question yet", "Run the same command again later.")
    return ask_all(
        model,
        questions,
        limits.progress,
        concurrency=limits.concurrency,
        spent=limits.spent,
        patience=limits.patience,
    )


def lay_out(
    work: Work, answers: Sequence[Read], answered: Answered, *, reasons: bool = False,
    confidences: Sequence[float] = (),
) -> Labelled:  # fmt: skip
    """Return the answers about the requested documents, with a row for each document of the work.

    confidences: in the label of each answer, none for an annotator without.
    """
    rows = np.flatnonzero(work.wanted)
    codes, outcomes = np.full(len(work.texts), -1), np.full(len(work.texts), UNANSWERED, dtype=object)
    texts, rationales = [""] * len(codes), [""] * len(codes)
    for row, answer in zip(rows.tolist(), answers, strict=True):
        codes[row] = work.classes.index(answer.label) if answer.label else -1
        outcomes[row], texts[row], rationales[row] = answer.outcome, answer.text, answer.rationale
    costs = (answered.asked, answered.tokens_in, answered.tokens_out, answered.seconds)
    row_confidences = np.full(len(codes), np.nan)
    row_confidences[rows] = confidences if len(confidences) else np.nan
    confidence_list = row_confidences.tolist() if len(confidences) else ()
    return Labelled(codes, outcomes, texts, rationales if reasons else (), confidence_list, *costs)


LLM = Method(
    "llm",
    "a language model, prompted with one of the CWEx paper's prompts (section 3.1, table 1)",
    _label,
    (MODEL, PROMPT, SAMPLES, STRUCTURED, URL),
    "model",
    questions=_questions,
)
