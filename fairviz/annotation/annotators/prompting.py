"""Prompts: the CWEx paper's four (table 1), as files of this package, or a file of one's own."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from fairviz.errors import FairvizError, UsageError
from fairviz.home import named_path, prompts_folder
from fairviz.models.templates import read_template
from fairviz.study.study import Study

PROMPTS = ("zero-shot", "one-shot", "three-shot", "chain-of-thought")
REASONING = "Reasoning:"  # a template that asks for it gets longer answers, and its answers are read for it
_PLACES = ("passage", "number", "classes", "definitions", "terms")
_PLACE = re.compile("{(" + "|".join(_PLACES) + ")}")
_TAG = re.compile(r"<(?=\s*/?\s*document\b)", re.IGNORECASE)
_SHOWN_CLASS = re.compile(r"^\**Class:\** *([^\s{*][^\n{*]*?) *$", re.MULTILINE)
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_PAPER = ("male", "female")  # in the order of the paper's prompt, with the words that it names for them
_PAPER_TERMS = '"male", "female", "she", and "he"'


@dataclass(frozen=True)
class Template:
    """A prompt with places for the passage and for the study's classes. name: of the file; classes: as they are
    written in it, {label: class}."""

    name: str
    text: str
    classes: dict[str, str]

    @property
    def asks_for_reasons(self) -> bool:
        """Whether the model is to give its reasons beside the class."""
        return REASONING in self.text

    def filled(self, passage: str) -> str:
        """The prompt for one document. Its text stands between <document> and </document>, and cannot end that
        itself: what it holds is never read as a part of the template."""
        inside = _TAG.sub("< ", passage).encode("utf-8", "replace").decode("utf-8")
        values = _values(self.classes) | {"passage": inside}
        return _PLACE.sub(lambda match: values[match[1]], self.text).rstrip("\n")


def packaged(prompt: str) -> str:
    """The text of one of PROMPTS, with its places, to be edited. Raises UsageError for another name."""
    if prompt not in PROMPTS:
        raise UsageError(f"there is no prompt {prompt!r} to edit", f"Use one of {', '.join(PROMPTS)}.")
    return (files("fairviz.annotation.annotators") / "prompts" / f"{prompt}.txt").read_text(encoding="utf-8")


def template(prompt: str, study: Study) -> Template:
    """The prompt of this name, or in this file, for the study's groups. Raises UsageError for a name that is none,
    FairvizError for a file that cannot be read, has no {passage}, or shows examples of other classes."""
    classes = written(study)
    text = packaged(prompt) if prompt in PROMPTS else _own(prompt)
    if "{passage}" not in text:
        raise FairvizError(
            f"the prompt {prompt} has no {{passage}}", "Write {passage} where the text of the document is to stand."
        )
    shown = {match.strip(" *") for match in _SHOWN_CLASS.findall(text)}
    foreign = sorted(shown - set(classes.values()))
    if foreign:
        raise FairvizError(
            f"the prompt {prompt} shows examples of {', '.join(foreign)}, which {study.name} has not",
            f"Use zero-shot, or a prompt of your own with examples of {', '.join(classes.values())}.",
        )
    return Template(prompt, text, classes)


def written(study: Study) -> dict[str, str]:
    """The classes as prompts write them, by label: male and female as in the paper, else in the study's order, and
    the neutral one last."""
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
    """What stands in the other places, by their names."""
    names = list(classes.values())
    *groups, neutral = names
    shows = [
        f'A document is classified as "{name}" if it shows bias toward the {name.lower()} gender'
        if place == 0
        else f'"{name}" if it shows bias toward the {name.lower()} gender'
        for place, name in enumerate(groups)
    ]
    about = f'"{neutral}" if it is unbiased—either treating {"both" if len(groups) == 2 else "all"} genders equally or '
    definitions = f"{', '.join(shows)}, and {about}not focusing on any particular gender."
    quoted = ", ".join(f'"{name.lower()}"' for name in groups)
    return {
        "number": _NUMBERS[len(names)] if len(names) < len(_NUMBERS) else str(len(names)),
        "classes": f"{', '.join(names[:-1])}, or {neutral}",
        "definitions": definitions,
        "terms": _PAPER_TERMS if tuple(classes)[:2] == _PAPER and len(names) == 3 else quoted,
    }
