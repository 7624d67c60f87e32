"""The class that a model's answer names, read strictly: what does not name exactly one is no label."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from fairviz.annotation.annotators.record import EMPTY, LABELLED, REFUSED, TOO_LONG, UNANSWERED, UNPARSED
from fairviz.models.language_model import Reply
from fairviz.models.replies import is_refusal, is_too_long

_BEFORE, _AFTER = r"[ \t*_\"'`>#(\[-]*", r"[ \t*_\"'`.,;)\]]*"
_REASON = re.compile(r"\**reasoning\**\s*:\**", re.IGNORECASE)
_CLASS = re.compile(r"\bclass\**\s*:", re.IGNORECASE)
SHOWN = 2000  # characters of an answer that are kept beside its label


@dataclass(frozen=True)
class Read:
    """What a reply came to: the outcome, the label (empty without), the answer's text and the model's reason."""

    outcome: str
    label: str = ""
    text: str = ""
    rationale: str = ""


def read_reply(reply: Reply | None, classes: Mapping[str, str], *, reasons: bool = False) -> Read:
    """A reply as a label of `classes` (label to how it is written), or the reason why there is none."""
    if reply is None:
        return Read(UNANSWERED)
    if reply.status != 200:
        outcome = TOO_LONG if is_too_long(reply) else REFUSED if is_refusal(reply) else UNPARSED
        return Read(outcome, text=reply.raw[:SHOWN])
    choices = reply.content().get("choices")
    if not choices:
        return Read(UNPARSED, text=reply.raw[:SHOWN])
    message, ended = choices[0]["message"], choices[0].get("finish_reason")
    if message.get("refusal") or ended == "content_filter":
        return Read(REFUSED, text=str(message.get("refusal") or message.get("content") or "")[:SHOWN])
    text = message.get("content")
    if not isinstance(text, str) or not text.strip():
        return Read(EMPTY)
    label, rationale = reasoned(text, classes) if reasons else (plain(text, classes), "")
    return Read(LABELLED if label else UNPARSED, label, text[:SHOWN], rationale[:SHOWN])


def plain(text: str, classes: Mapping[str, str]) -> str:
    """The label of an answer whose first line is a class and nothing else (but `Class:`, quotes, a full stop), where
    no other line names another; empty otherwise.

    >>> plain("Class: **Female**.", {"female": "Female", "male": "Male"})
    'female'
    >>> plain("Female or Male", {"female": "Female", "male": "Male"})
    ''
    """
    line = re.compile(rf"{_BEFORE}(?:class{_AFTER}:)?{_BEFORE}({_names(classes)}){_AFTER}", re.IGNORECASE)
    lines = [one.strip() for one in text.splitlines() if one.strip()]
    found = [_label(match[1], classes) for match in map(line.fullmatch, lines) if match]
    first = bool(lines) and line.fullmatch(lines[0]) is not None
    return found[0] if first and len(set(found)) == 1 else ""


def reasoned(text: str, classes: Mapping[str, str]) -> tuple[str, str]:
    """The label after `Class:` and what follows `Reasoning:`; no label where `Class:` does not stand there, or not
    every one is followed by the same class and nothing else on its line."""
    named = re.compile(rf"{_BEFORE}({_names(classes)}){_AFTER}(?=\n|$|\**reasoning)", re.IGNORECASE)
    places = list(_CLASS.finditer(text))
    found = [_label(match[1], classes) for place in places if (match := named.match(text, place.end()))]
    reason = _REASON.search(text)
    rest = text[reason.end() :] if reason else ""
    later = _CLASS.search(rest)
    rationale = " ".join((rest[: later.start()] if later else rest).split()).strip("* ")
    sound = len(found) == len(places) and len(set(found)) == 1
    return (found[0] if sound else ""), rationale


def _names(classes: Mapping[str, str]) -> str:
    return "|".join(re.escape(name) for name in sorted(classes.values(), key=len, reverse=True))


def _label(name: str, classes: Mapping[str, str]) -> str:
    return next(label for label, written in classes.items() if written.lower() == name.lower())
