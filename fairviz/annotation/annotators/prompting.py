"""Prompts: the CWEx paper's four (table 1), as files of this package, or the user's file."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from fairviz.errors import FairvizError, UsageError, use_one_of
from fairviz.home import named_path, prompts_folder
from fairviz.models.replies import read_template
from fairviz.study.record import Study

PROMPTS = ("zero-shot", "one-shot", "three-shot", "chain-of-thought")
REASONING = "Reasoning:"  # in a template: answers are longer, and parsed for the reason
_PLACES = ("passage", "number", "classes", "definitions", "terms")
_PLACE = re.compile("{(" + "|".join(_PLACES) + ")}")
_TAG = re.compile(r"<(?=\s*/?\s*document\b)", re.IGNORECASE)
_SHOWN_CLASS = re.compile(r"^\**Class:\** *([^\s{*][^\n{*]*?) *$", re.MULTILINE)
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_PAPER = ("male", "female")  # in the order of the paper's prompt, with its words for them
_PAPER_TERMS = '"male", "female", "she", and "he"'


@dataclass(frozen=True)
class Template:
    """A prompt with places for the passage and for the study's classes. name: of the file. classes: their spelling in
    the prompt, {label: class}."""

    name: str
    text: str
    classes: dict[str, str]

    @property
    def asks_for_reasons(self) -> bool:
        """Return whether the prompt requests reasons as well as the class."""
        return REASONING in self.text

    def filled(self, passage: str) -> str:
        """Return the prompt for one document. Tags in its text are escaped, so that it stays between <document> and
        </document>."""
        escaped = _TAG.sub("< ", passage).encode("utf-8", "replace").decode("utf-8")
        values = _values(self.classes) | {"passage": escaped}
        return _PLACE.sub(lambda match: values[match[1]], self.text).rstrip("\n")


def packaged(prompt: str) -> str:
    """Return the text of one of PROMPTS, with its places, to be edited. Raises UsageError for another name."""
    if prompt not in PROMPTS:
        raise UsageError(f"there is no prompt {prompt!r} to edit", use_one_of(PROMPTS, prompt))
    return (files("fairviz.annotation.annotators") / "prompts" / f"{prompt}.txt").read_text(encoding="utf-8")


def template(prompt: str, study: Study) -> Template:
    """Return the prompt of this name, or in this file, for the study's groups. Raises UsageError for an unknown name,
    FairvizError for a file that cannot be read, has no {passage}, or shows examples of other classes."""
    classes = class_spellings(study)
    text = packaged(prompt) if prompt in PROMPTS else _own(prompt)
    if "{passage}" not in text:
        raise FairvizError(
            f"the prompt {prompt} has no {{passage}}", "Write {passage} where the text of the document belongs."
        )
    example_classes = {match.strip(" *") for match in _SHOWN_CLASS.findall(text)}
    foreign = sorted(example_classes - set(classes.values()))
    if foreign:
        raise FairvizError(
            f"the prompt {prompt} shows examples of {', '.join(foreign)}, which {study.name} does not have",
            f"Use zero-shot, or a prompt of your own with examples of {', '.join(classes.values())}.",
        )
    return Template(prompt, text, classes)


def class_spellings(study: Study) -> dict[str, str]:
    """Return the spelling of each label in prompts: male and female in the paper's order, else in the study's, and the
    neutral one last."""
    groups: Sequence[str] = _PAPER if set(study.groups) == set(_PAPER) else study.groups
    return {label: label[:1].upper() + label[1:] for label in (*groups, study.neutral)}


def _own(prompt: str) -> str:
    path = named_path(prompt, "prompt", prompts_folder())
    if not os.path.exists(path):
        raise UsageError(
            f"there is no prompt {prompt!r}", f"Use one of {', '.join(PROMPTS)}, or the path of a text file."
        )
    return read_template(path, "prompt")


def _values(classes: dict[str, str]) -> dict[str, str]:
    """Return the texts of the places other than the passage, by name."""
    names = list(classes.values())
    *groups, neutral = names
    group_definitions = [
        f'A document is classified as "{name}" if it shows bias toward the {name.lower()} gender'
        if place == 0
        else f'"{name}" if it shows bias toward the {name.lower()} gender'
        for place, name in enumerate(groups)
    ]
    neutral_definition = (
        f'"{neutral}" if it is unbiased—either treating {"both" if len(groups) == 2 else "all"} genders equally or '
    )
    definitions = f"{', '.join(group_definitions)}, and {neutral_definition}not focusing on any particular gender."
    terms = ", ".join(f'"{name.lower()}"' for name in groups)
    return {
        "number": _NUMBERS[len(names)] if len(names) < len(_NUMBERS) else str(len(names)),
        "classes": f"{', '.join(names[:-1])}, or {neutral}",
        "definitions": definitions,
        "terms": _PAPER_TERMS if tuple(classes)[:2] == _PAPER and len(names) == 3 else terms,
    }
