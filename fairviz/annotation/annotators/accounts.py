"""Stored answers of annotators that are language models, their outcomes and costs. The questions are built again to
look up their answers, so that nothing else is stored."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from fairviz.annotation.annotators import METHODS, MethodChoice
from fairviz.annotation.annotators.annotating import EXAMPLES_TEXT, describe, without_examples, work_of
from fairviz.annotation.annotators.llm import PROMPTS, Template, agreed, template_of
from fairviz.annotation.annotators.record import Work
from fairviz.errors import FairvizError
from fairviz.home import named_path, prompts_folder
from fairviz.models.answers import answers_path
from fairviz.models.asking import Answered, recalled
from fairviz.models.replies import LABELLED, UNPARSED, Read, read_reply
from fairviz.parameters import Parameter
from fairviz.study.record import Study
from fairviz.words.counting import document_text

FORMER_ENDING = "(?: at temperature 0)"  # of descriptions from before there were samples


@dataclass(frozen=True, eq=False)
class Account:
    """outcomes: doc_id, outcome and text (the model's answer) of every answered document. Tokens (as counted by the
    server) and seconds are sums over all answers."""

    choice: MethodChoice
    outcomes: pd.DataFrame
    tokens_in: int
    tokens_out: int
    seconds: float


def choice_of(study: Study, name: str) -> MethodChoice | None:
    """Return the annotator of this name with its parameters, parsed from its description in the study; None where the
    description is not that of a language model."""
    description = study.annotators[name].description if name in study.annotators else ""
    for method in METHODS.values():
        if method.questions is None or not description.startswith(f"{method.name} ("):
            continue
        first, *rest = [parameter.name for parameter in method.parameters]
        pattern = f"{first}=(?P<{first}>.*?)" + "".join(f"(?:, {each}=(?P<{each}>.*?))?" for each in rest)
        ending = rf"\): {re.escape(method.summary)}{FORMER_ENDING}?\."
        match = re.match(rf"{method.name} \({pattern}{ending}", description, re.DOTALL)
        if match is None:
            continue
        values = {parameter.name: _value(parameter, match[parameter.name]) for parameter in method.parameters}
        choice = MethodChoice(method, values)
        current = re.sub(rf"({re.escape(method.summary)}){FORMER_ENDING}\.", r"\1.", description)
        if choice.name == name and describe(choice) == current.partition(EXAMPLES_TEXT)[0]:
            return choice
    return None


def _value(parameter: Parameter, text: str | None) -> Any:
    """Return a value from its text in a description; where it is missing, empty for an address, else the default."""
    if not text:
        return "" if parameter.name == "url" else parameter.default
    if isinstance(parameter.default, bool):
        return text == "True"
    if isinstance(parameter.default, int) and text.isdecimal():
        return int(text)
    return text


def account(study: Study, name: str) -> Account | None:
    """Return the stored answers of this annotator; None where it is not a language model or has none.

    A changed prompt or model counts as another one, without answers.
    """
    recalled_answers = _recall(study, name, work_of)
    if recalled_answers is None:
        return None
    choice, work, prompt, answered = recalled_answers
    labelled_ids = set(study.labels.loc[study.labels["annotator"] == name, "doc_id"])
    samples, rows = choice.values.get("samples", 1), []  # replies about each document, one after another
    for place, doc_id in enumerate(work.doc_ids[work.wanted].tolist()):
        own = [reply for reply in answered.replies[place * samples : (place + 1) * samples] if reply is not None]
        if own:
            read = [read_reply(reply, prompt.classes, reasons=prompt.asks_for_reasons) for reply in own]
            answer = _with_label(agreed(read)[0], doc_id in labelled_ids)
            rows.append((doc_id, answer.outcome, answer.text))
    cells = np.array(rows, dtype=object).reshape(-1, 3)
    table = pd.DataFrame(cells, columns=["doc_id", "outcome", "text"]).astype("str")
    return Account(choice, table, answered.tokens_in, answered.tokens_out, answered.seconds)


def tried_documents(study: Study, names: Sequence[str]) -> dict[str, list[str]]:
    """Return the documents about which each of these annotators has a stored answer, without annotators of none."""
    accounts = {name: account(study, name) for name in names}
    return {name: each.outcomes["doc_id"].tolist() for name, each in accounts.items() if each is not None}


def lost_answer(study: Study, name: str, doc_id: str) -> Read | None:
    """Return this annotator's answer about the document that was not a label; None where the annotator is not a
    language model, gave a label, or has no stored answer. Looks up this answer only."""
    labels = study.labels
    if ((labels["annotator"] == name) & (labels["doc_id"] == doc_id)).any():
        return None
    recalled_answers = _recall(study, name, lambda whole: _work_about(whole, doc_id))
    if recalled_answers is None or recalled_answers[3].replies[0] is None:
        return None
    _, _, prompt, answered = recalled_answers
    answer = read_reply(answered.replies[0], prompt.classes, reasons=prompt.asks_for_reasons)
    return _with_label(answer, has_label=False)


def _recall(
    study: Study, name: str, work_for: Callable[[Study], Work]
) -> tuple[MethodChoice, Work, Template, Answered] | None:
    """Return the annotator, the documents, its prompt, and its stored answers; None where there are none."""
    choice = choice_of(study, name)
    if choice is None or choice.method.questions is None or not os.path.isfile(answers_path()):
        return None
    try:
        if not _is_text(str(choice.values["prompt"])):
            return None
        work = without_examples(work_for(study), [choice])
        answered = recalled(*choice.method.questions(work, choice.values))
        if choice.values.get("structured") and not any(answered.replies):  # the server took no schema
            answered = recalled(*choice.method.questions(work, {**choice.values, "structured": False}))
        prompt = template_of(choice.values, study)
    except FairvizError:  # the prompt, the model's file or the study's documents are missing
        return None
    # the questions may end with one without a document
    return (choice, work, prompt, answered) if work.wanted.any() and any(answered.replies) else None


def _work_about(study: Study, doc_id: str) -> Work:
    """Return the work on this document; without documents where it has no text."""
    table = study.documents[study.documents["doc_id"] == doc_id]
    texts = document_text(table).dropna()
    names = table.loc[texts.index, "doc_id"].to_numpy(dtype=object)
    return Work(study, names, texts.tolist(), np.ones(len(names), dtype=bool))


def _is_text(prompt: str) -> bool:
    """Return whether the prompt is one of the program's or a plain file: a description may name anything, and reading a
    pipe would never end."""
    return prompt in PROMPTS or named_path(prompt, "prompt", prompts_folder()).is_file()


def _with_label(answer: Read, has_label: bool) -> Read:
    """Return the answer with an outcome that agrees with the study: labelled where the study has a label."""
    if has_label:
        return replace(answer, outcome=LABELLED)
    return replace(answer, outcome=UNPARSED) if answer.outcome == LABELLED else answer
