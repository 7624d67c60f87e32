"""Strict parsing of a model's answer: only an answer that names exactly one class is a label."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from fairviz.annotation.annotators.record import EMPTY, LABELLED, REFUSED, TOO_LONG, UNANSWERED, UNPARSED
from fairviz.models.language_model import Reply
from fairviz.models.replies import is_refusal, is_too_long

_BEFORE, _AFTER = r"[ \t*_\"'`>#(\[-]*", r"[ \t*_\"'`.,;)\]]*"
_REASON = re.compile(r"\**reasoning\**\s*:\**", re.IGNORECASE)
_CLASS = re.compile(r"\bclass\**\s*:", re.IGNORECASE)
SHOWN = 2000  # characters of an answer that are stored with its label


@dataclass(frozen=True)
class Read:
    """A parsed reply: the outcome, the label (empty for none), the answer's text and the model's reason."""

    outcome: str
    label: str = ""
    text: str = ""
    rationale: str = ""


def read_reply(reply: Reply | None, classes: Mapping[str, str], *, reasons: bool = False) -> Read:
    """Return the parsed reply. classes: the spelling of each label in the prompt."""
    if reply is None:
        return Read(UNANSWERED)
    if reply.status != 200:
        outcome = TOO_LONG if is_too_long(reply) else REFUSED if is_refusal(reply) else UNPARSED
        return Read(outcome, text=reply.raw[:SHOWN])
    choices = reply.content().get("choices")
    if not choices:
        return Read(UNPARSED, text=reply.raw[:SHOWN])
    message, finish_reason = choices[0]["message"], choices[0].get("finish_reason")
    if message.get("refusal") or finish_reason == "content_filter":
        return Read(REFUSED, text=str(message.get("refusal") or message.get("content") or "")[:SHOWN])
    text = message.get("content")
    if not isinstance(text, str) or not text.strip():
        return Read(EMPTY)
    label, rationale = reasoned(text, classes) if reasons else (plain(text, classes), "")
    return Read(LABELLED if label else UNPARSED, label, text[:SHOWN], rationale[:SHOWN])


def plain(text: str, classes: Mapping[str, str]) -> str:
    """Return the label of an answer whose first line is a class and nothing else (but `Class:`, quotes, a full stop),
    where no other line names another class; empty otherwise.

    >>> plain("Class: **Female**.", {"female": "Female", "male": "Male"})
    'female'
    >>> plain("Female or Male", {"female": "Female", "male": "Male"})
    ''
    """
    pattern = re.compile(rf"{_BEFORE}(?:class{_AFTER}:)?{_BEFORE}({_names(classes)}){_AFTER}", re.IGNORECASE)
    lines = [stripped for row in text.splitlines() if (stripped := row.strip())]
    labels = [_label(match[1], classes) for match in map(pattern.fullmatch, lines) if match]
    is_first = bool(lines) and pattern.fullmatch(lines[0]) is not None
    return labels[0] if is_first and len(set(labels)) == 1 else ""


def reasoned(text: str, classes: Mapping[str, str]) -> tuple[str, str]:
    """Return the label after `Class:` and the text after `Reasoning:`; no label without `Class:`, or where its
    occurrences are not all followed by one and the same class and nothing else on the line."""
    pattern = re.compile(rf"{_BEFORE}({_names(classes)}){_AFTER}(?=\n|$|\**reasoning)", re.IGNORECASE)
    class_matches = list(_CLASS.finditer(text))
    labels = [_label(match[1], classes) for place in class_matches if (match := pattern.match(text, place.end()))]
    reason = _REASON.search(text)
    rest = text[reason.end() :] if reason else ""
    next_class = _CLASS.search(rest)
    rationale = " ".join((rest[: next_class.start()] if next_class else rest).split()).strip("* ")
    is_valid = len(labels) == len(class_matches) and len(set(labels)) == 1
    return (labels[0] if is_valid else ""), rationale


def _names(classes: Mapping[str, str]) -> str:
    return "|".join(re.escape(name) for name in sorted(classes.values(), key=len, reverse=True))


def _label(name: str, classes: Mapping[str, str]) -> str:
    return next(label for label, spelling in classes.items() if spelling.lower() == name.lower())
