"""`llm`: a language model, prompted for the class of each document."""

from collections.abc import Sequence

import numpy as np

from fairviz.annotation.annotators.prompting import PROMPTS, Template, template
from fairviz.annotation.annotators.record import Labelled, Method, Values, Work
from fairviz.models.asking import Answered, ask_all
from fairviz.models.language_model import LanguageModel, chosen_model
from fairviz.models.protocol import Question
from fairviz.models.replies import UNANSWERED, Read, read_reply
from fairviz.parameters import Parameter

TOKENS, REASONED_TOKENS = 16, 500
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


def _questions(work: Work, values: Values) -> tuple[LanguageModel, list[Question]]:
    prompt = template(values["prompt"], work.study)
    tokens = REASONED_TOKENS if prompt.asks_for_reasons else TOKENS
    return chosen_model(values["model"], values["url"]), [Question(text, tokens) for text in prompts(work, prompt)]


def prompts(work: Work, prompt: Template) -> list[str]:
    """Return the prompt of each requested document."""
    return [prompt.filled(work.texts[row]) for row in np.flatnonzero(work.wanted).tolist()]


def _label(work: Work, values: Values, _: Sequence[Labelled]) -> Labelled:
    prompt = template(values["prompt"], work.study)
    answered = ask(work, *_questions(work, values))
    answers = [read_reply(reply, prompt.classes, reasons=prompt.asks_for_reasons) for reply in answered.replies]
    return lay_out(work, answers, answered, reasons=prompt.asks_for_reasons)


def ask(work: Work, model: LanguageModel, questions: Sequence[Question]) -> Answered:
    """Return the model's replies, within the limits of the work."""
    limits = work.asking
    return ask_all(
        model,
        questions,
        limits.progress,
        concurrency=limits.concurrency,
        spent=limits.spent,
        patience=limits.patience,
    )


def lay_out(work: Work, answers: Sequence[Read], answered: Answered, *, reasons: bool = False) -> Labelled:
    """Return the answers about the requested documents, with a row for each document of the work."""
    rows = np.flatnonzero(work.wanted)
    codes, outcomes = np.full(len(work.texts), -1), np.full(len(work.texts), UNANSWERED, dtype=object)
    texts, rationales = [""] * len(codes), [""] * len(codes)
    for row, answer in zip(rows.tolist(), answers, strict=True):
        codes[row] = work.classes.index(answer.label) if answer.label else -1
        outcomes[row], texts[row], rationales[row] = answer.outcome, answer.text, answer.rationale
    costs = (answered.asked, answered.tokens_in, answered.tokens_out, answered.seconds)
    return Labelled(codes, outcomes, texts, rationales if reasons else (), *costs)


LLM = Method(
    "llm",
    "a language model, asked with one of the CWEx paper's prompts (section 3.1, table 1) at temperature 0",
    _label,
    (MODEL, PROMPT, URL),
    "model",
    questions=_questions,
)
