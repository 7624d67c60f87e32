"""What the answers on disk say of an annotator that a language model was: whom it was asked about, what it said there,
and what that took. Read off the store by asking it the same questions again, so that nothing else needs to be kept."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fairviz.annotation.annotators import METHODS, Choice
from fairviz.annotation.annotators.annotating import described, work_of
from fairviz.annotation.annotators.parsing import Read, read_reply
from fairviz.annotation.annotators.prompting import PROMPTS, Template, template
from fairviz.annotation.annotators.record import LABELLED, UNPARSED, Work
from fairviz.errors import FairvizError
from fairviz.home import named_path, prompts_folder
from fairviz.models.answers import answers_path
from fairviz.models.asking import Answered, recalled
from fairviz.models.language_model import Reply
from fairviz.study.study import Study
from fairviz.words.counting import document_text


@dataclass(frozen=True, eq=False)
class Account:
    """outcomes: doc_id, outcome and text, the model's answer, of every document that was asked about and answered.
    The rest is of all these answers: tokens as the server counted them, and seconds added up."""

    choice: Choice
    outcomes: pd.DataFrame
    tokens_in: int
    tokens_out: int
    seconds: float


def choice_of(study: Study, name: str) -> Choice | None:
    """The annotator of this name with all its parameters, as its description in the study gives them; None where that
    is not one of a language model's, or was rewritten."""
    said = study.annotators[name].description if name in study.annotators else ""
    for method in METHODS.values():
        if method.questions is None or not said.startswith(f"{method.name} ("):
            continue
        first, *rest = [parameter.name for parameter in method.parameters]
        pattern = f"{first}=(?P<{first}>.*?)" + "".join(f"(?:, {one}=(?P<{one}>.*?))?" for one in rest)
        found = re.match(rf"{method.name} \({pattern}\): {re.escape(method.summary)}\.", said, re.DOTALL)
        if found is None:
            continue
        values = {one.name: found[one.name] or ("" if one.name == "url" else one.default) for one in method.parameters}
        choice = Choice(method, values)
        if choice.name == name and described(choice) == said:
            return choice
    return None


def account(study: Study, name: str) -> Account | None:
    """What is on disk of this annotator; None where it is no language model's, or nothing of it is here.

    A prompt or a model that has gone or was changed since is another one, of which nothing is here.
    """
    asked = _recalled(study, name, work_of)
    if asked is None:
        return None
    choice, work, shown, found = asked
    table = _outcomes(study, name, work, shown, found.replies[: len(work.doc_ids)])
    return Account(choice, table, found.tokens_in, found.tokens_out, found.seconds)


def lost_answer(study: Study, name: str, doc_id: str) -> Read | None:
    """What this annotator answered about the document, with the outcome, where that was no label; None where it is no
    language model's, gave a label, or nothing of it is here. Looks for this one answer alone."""
    labels = study.labels
    if ((labels["annotator"] == name) & (labels["doc_id"] == doc_id)).any():
        return None
    asked = _recalled(study, name, lambda whole: _work_about(whole, doc_id))
    if asked is None or asked[3].replies[0] is None:
        return None
    _, _, shown, found = asked
    return _with_label(read_reply(found.replies[0], shown.classes, reasons=shown.asks_for_reasons), known=False)


def _recalled(
    study: Study, name: str, work_for: Callable[[Study], Work]
) -> tuple[Choice, Work, Template, Answered] | None:
    """The annotator, the documents, its prompt, and the answers on disk, of which there are some."""
    choice = choice_of(study, name)
    if choice is None or choice.method.questions is None or not os.path.isfile(answers_path()):
        return None
    try:
        if not _is_text(str(choice.values["prompt"])):
            return None
        work = work_for(study)
        found = recalled(*choice.method.questions(work, choice.values))
        shown = template(choice.values["prompt"], study)
    except FairvizError:  # its prompt or its file is not here any more, or the study's documents are not
        return None
    # behind the questions about documents may stand one about none
    return (choice, work, shown, found) if len(work.doc_ids) and any(found.replies) else None


def _work_about(study: Study, doc_id: str) -> Work:
    """This document alone, and none where it has no text."""
    table = study.documents[study.documents["doc_id"] == doc_id]
    texts = document_text(table).dropna()
    names = table.loc[texts.index, "doc_id"].to_numpy(dtype=object)
    return Work(study, names, texts.tolist(), np.ones(len(names), dtype=bool))


def _is_text(prompt: str) -> bool:
    """Whether the prompt is one of the program's, or a plain file: a description may name anything, and what is no
    file, such as a pipe, would never end."""
    return prompt in PROMPTS or named_path(prompt, "prompt", prompts_folder()).is_file()


def _outcomes(
    study: Study, name: str, work: Work, shown: Template, replies: "tuple[Reply | None, ...]"
) -> pd.DataFrame:
    known = set(study.labels.loc[study.labels["annotator"] == name, "doc_id"])
    rows = []
    for doc_id, reply in zip(work.doc_ids.tolist(), replies, strict=True):
        if reply is not None:
            read = _with_label(read_reply(reply, shown.classes, reasons=shown.asks_for_reasons), doc_id in known)
            rows.append((doc_id, read.outcome, read.text))
    return pd.DataFrame(np.array(rows, dtype=object).reshape(-1, 3), columns=["doc_id", "outcome", "text"]).astype(
        "str"
    )


def _with_label(read: Read, known: bool) -> Read:
    """A document of which the study has a label is labelled, however that was read; any other is not."""
    if known:
        return replace(read, outcome=LABELLED)
    return replace(read, outcome=UNPARSED) if read.outcome == LABELLED else read
