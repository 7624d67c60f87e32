"""`llm`: a language model that is shown each document in a prompt and answers with its class."""

from collections.abc import Sequence

import numpy as np

from fairviz.annotation.annotators.parsing import Read, read_reply
from fairviz.annotation.annotators.prompting import PROMPTS, Template, template
from fairviz.annotation.annotators.record import UNANSWERED, Labelled, Method, Parameter, Values, Work
from fairviz.models.asking import Answered, ask_all
from fairviz.models.language_model import LanguageModel, Question, chosen_model

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
    shown = template(values["prompt"], work.study)
    tokens = REASONED_TOKENS if shown.asks_for_reasons else TOKENS
    return chosen_model(values["model"], values["url"]), [Question(text, tokens) for text in prompts(work, shown)]


def prompts(work: Work, shown: Template) -> list[str]:
    """The prompt of each document that is to be labelled."""
    return [shown.filled(work.texts[row]) for row in np.flatnonzero(work.wanted).tolist()]


def _label(work: Work, values: Values, _: Sequence[Labelled]) -> Labelled:
    shown = template(values["prompt"], work.study)
    answered = asked(work, *_questions(work, values))
    read = [read_reply(one, shown.classes, reasons=shown.asks_for_reasons) for one in answered.replies]
    return laid_out(work, read, answered, reasons=shown.asks_for_reasons)


def asked(work: Work, model: LanguageModel, questions: Sequence[Question]) -> Answered:
    """The model's replies, asked as the work says."""
    how = work.asking
    return ask_all(model, questions, how.progress, concurrency=how.concurrency, spent=how.spent, patience=how.patience)


def laid_out(work: Work, read: Sequence[Read], answered: Answered, *, reasons: bool = False) -> Labelled:
    """What was read for the documents that were asked about, as a row for each document of the work."""
    rows = np.flatnonzero(work.wanted)
    codes, outcomes = np.full(len(work.texts), -1), np.full(len(work.texts), UNANSWERED, dtype=object)
    texts, rationales = [""] * len(codes), [""] * len(codes)
    for row, one in zip(rows.tolist(), read, strict=True):
        codes[row] = work.classes.index(one.label) if one.label else -1
        outcomes[row], texts[row], rationales[row] = one.outcome, one.text, one.rationale
    took = (answered.asked, answered.tokens_in, answered.tokens_out, answered.seconds)
    return Labelled(codes, outcomes, texts, rationales if reasons else (), *took)


LLM = Method(
    "llm",
    "a language model, asked with one of the CWEx paper's prompts (section 3.1, table 1) at temperature 0",
    _label,
    (MODEL, PROMPT, URL),
    "model",
    questions=_questions,
)
