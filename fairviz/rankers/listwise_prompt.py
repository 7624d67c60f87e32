"""Templates of prompts for a model that ranks lists: neutral and sensitive, packaged or the user's."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from fairviz.errors import FairvizError, UsageError
from fairviz.home import named_path, prompts_folder
from fairviz.models.replies import read_template

NEUTRAL, SENSITIVE = "neutral", "sensitive"
PROMPTS = (NEUTRAL, SENSITIVE, "wikiproject-neutral", "wikiproject-sensitive")
_PLACE = re.compile(r"{(attribute|query|count|passages)}")
_TAG = re.compile(r"<(?=\s*/?\s*passage\b)", re.IGNORECASE)
_IDENTIFIER = re.compile(r"\[\s*([0-9]+)\s*\]")


@dataclass(frozen=True)
class Prompt:
    """A template with places for the query and the passages, and in a sensitive one for the users' attribute, such as
    `female`. words: most words of each passage."""

    name: str
    text: str
    attribute: str = ""
    words: int = 100

    def filled(self, query: str, passages: Sequence[str]) -> str:
        """Return the prompt for one query and its passages in this order, numbered from 1.

        Each passage is on one line between <passage> and </passage>. Its tags are escaped, and each [number] in it
        becomes (number), so that a passage repeated in the answer is not a list of identifiers.
        """
        lines = [f"[{number}] <passage>{self._cut(text)}</passage>" for number, text in enumerate(passages, start=1)]
        values = {
            "attribute": self.attribute,
            "query": _plain(query),
            "count": str(len(passages)),
            "passages": "\n".join(lines),
        }
        return _PLACE.sub(lambda match: values[match[1]], self.text).rstrip("\n")

    def _cut(self, text: str) -> str:
        return " ".join(_plain(text).split()[: self.words])


def _plain(text: str) -> str:
    """Return the text on one line, without identifiers, tags of a passage and lone surrogates."""
    line = _IDENTIFIER.sub(r"(\1)", _TAG.sub("< ", " ".join(text.split())))
    return line.encode("utf-8", "replace").decode("utf-8")


def prompt(template: str, attribute: str = "", words: int = 100) -> Prompt:
    """Return the template of this name, or in this file, for users of this attribute (empty for none).

    Raises UsageError for an unknown name, for a sensitive template without an attribute and the reverse, FairvizError
    for a file that cannot be read or lacks a place.
    """
    if template in PROMPTS:
        text = (files("fairviz.rankers") / "prompts" / f"{template}.txt").read_text(encoding="utf-8")
    else:
        text = _own_template(template)
    for place in ("query", "passages"):
        if f"{{{place}}}" not in text:
            raise FairvizError(f"the template {template} has no {{{place}}}", "Write it where its text belongs.")
    is_sensitive = "{attribute}" in text
    if is_sensitive and not attribute.strip():
        raise UsageError(f"the template {template} is for users of one attribute", "Name it, as attribute='female'.")
    if attribute and not is_sensitive:
        raise UsageError(
            f"the template {template} has no {{attribute}}, so that {attribute!r} would not be used",
            f"Use {SENSITIVE}, or leave the attribute out.",
        )
    return Prompt(template, text, _plain(attribute), words)


def _own_template(template: str) -> str:
    path = named_path(template, "template", prompts_folder())
    if not os.path.isfile(path):
        raise UsageError(
            f"there is no template {template!r}", f"Use one of {', '.join(PROMPTS)}, or the path of a text file."
        )
    return read_template(path, "template")
