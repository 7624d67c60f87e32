"""FV111: whether a machine whose labels count and a tested system are models of one family."""

import re
from collections.abc import Mapping
from typing import Any

from fairviz.annotation.annotators import METHODS
from fairviz.annotation.voters import is_machine
from fairviz.checks.context import Context
from fairviz.checks.record import Check, Finding, Link
from fairviz.rankers import RANKERS
from fairviz.words.sentences import agreeing, first_listed

MOST_NAMED = 3
FAMILIES = {  # by name: what names and descriptions call its models, in lower case, where no letter stands before
    "GPT": r"(?:chat|rank)?gpt",
    "Claude": r"claude",
    "Llama": r"(?:llama(?!\.cpp)|rankllama|(?:rank)?vicuna)",
    "Qwen": r"(?:qwen|qwq)",
    "Mistral": r"(?:mistral|mixtral|ministral|(?:rank)?zephyr)",
    "Gemma": r"gemma",
    "Gemini": r"gemini",
    "DeepSeek": r"deepseek",
    "Phi": r"phi(?![a-z])",
    "SmolLM": r"smollm",
    "Command": r"command-(?:r|a)(?![a-z])",
    "T5": r"(?:mono|duo|rank|flan-)?t5(?![a-z])",
    "MiniLM": r"minilm",
    "BERT": r"(?:mono|distil|col|s)?bert(?![a-z])",
}
_NO_MODEL = re.compile(r"features=(?:tfidf|words)")  # of `classifier`, whose model then reads nothing


def _families(name: str, description: str, records: Mapping[str, Any]) -> set[str]:
    """Return the families that a name and a description tell of; of a ranker or annotator of the program that is named
    without its model, that of the default one."""
    parts = [part for part in name.split("+") if not _NO_MODEL.search(part)]
    told = [*parts, "" if _NO_MODEL.search(description) else description]
    for part in parts:
        record = records.get(part.partition("-")[0])
        if record is not None and "model=" not in part:
            told += [str(each.default) for each in record.parameters if each.name == "model"]
    text = " ".join(told).lower()
    return {family for family, pattern in FAMILIES.items() if re.search(rf"(?<![a-z]){pattern}", text)}


def _run(context: Context) -> Finding | None:
    study = context.study
    if context.settings.corrected_by:
        return None  # means are corrected by people's labels
    cards = {system: _families(system, study.cards.get(system, ""), RANKERS.own) for system in context.systems}
    for name in context.labellers:
        if not is_machine(study, name):
            continue
        described = study.annotators[name].description
        for family in sorted(_families(name, described, METHODS.own)):
            related = [system for system, families in cards.items() if family in families]
            if not related:
                continue
            systems = first_listed(related, MOST_NAMED)
            return Finding(
                f"{name}, whose labels count, and {systems} are models of one family ({family}). What one misreads the "
                f"other may misread as well, which can make {systems} look fairer or less fair than "
                f"{agreeing(len(related), 'it is', 'they are')}.",
                {"tested systems of the annotator's family": len(related), "tested systems": len(context.systems)},
                "Let people or a model of another family label the documents, or correct the means by people's labels "
                "of a drawn sample (fairviz sample, then --corrected-by).",
                Link("agreement"),
            )
    return None


MODEL_FAMILY = Check(
    "FV111",
    "annotator and ranker of one model family",
    "Are the models that label and those that rank of different families?",
    ("runs", "machine labels", "measures of labels"),
    "issue",
    _run,
    means="A rule or model whose labels count and a tested system are of one family of models: GPT, Llama, MiniLM and "
    "so on. It is read from the names and descriptions of annotators and systems, and from the default models of the "
    "program's own annotators and rankers. Models of one family share training texts and errors, and language models "
    "favour their own family's texts.",
    harmless="All systems that are compared are of that family, or the name of a system tells of another model than "
    "its own.",
    advice="Label a sample by people, or by a model of another family, and compare the conclusions on Label effects; "
    "name the models of both in the description of the annotator (study.toml) and on the card of the system.",
)
