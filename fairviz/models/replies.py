"""Replies of language models: answers, refusals and errors, and the strict parsing of an answer into a label; and the
user's files of prompts.

Only an answer that names exactly one class is a label.
"""

import json
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fairviz.errors import FairvizError, display_path
from fairviz.files import open_regular
from fairviz.models.language_model import LanguageModel
from fairviz.models.protocol import LARGEST, PassingError, Question, Reply

_UNKNOWN = (404, 405)
_MOST_TOKENS = 10**9
LABELLED, UNPARSED, REFUSED, EMPTY, TOO_LONG, UNANSWERED = (
    "labelled", "unparsed", "refused", "empty", "too long", "unanswered",
)  # fmt: skip
OUTCOMES = (LABELLED, UNPARSED, REFUSED, EMPTY, TOO_LONG, UNANSWERED)
_BEFORE, _AFTER = r"[ \t*_\"'`>#(\[-]*", r"[ \t*_\"'`.,;)\]]*"
_REASON = re.compile(r"\**reasoning\**\s*:\**", re.IGNORECASE)
_CLASS = re.compile(r"\bclass\**\s*:", re.IGNORECASE)
MOST_CHARACTERS = 2000  # characters of an answer that are stored with its label
MOST_PROMPT_BYTES = 200_000


def usable(reply: Reply, model: LanguageModel) -> Reply:
    """Return the reply where it is final: an answer, or a refusal that another try would repeat.

    Raises PassingError for a reply outside the protocol, FairvizError where every question would fail.
    """
    if reply.status == 200:
        if _is_answer(reply):
            return reply
        if reply.cut:
            raise PassingError(f"the reply is longer than {LARGEST:,} bytes, and not an answer of a language model")
        raise PassingError(f"the reply is not an answer of a language model: {_excerpt(reply.raw)}")
    if is_too_long(reply) or is_refusal(reply):
        return reply
    message = _message(reply)
    if reply.status in _UNKNOWN:
        raise FairvizError(
            f"{model.address} has no model {model.name!r} (status {reply.status}: {_excerpt(message)})",
            "Check the model's name, and that the address ends as the server has it, often in /v1.",
        )
    raise FairvizError(
        f"{model.address or model.name} does not take the question (status {reply.status}: {_excerpt(message)})",
        "Use another model or server.",
    )


def _is_answer(reply: Reply) -> bool:
    """Return whether the body has the shape of an answer, or of a cut answer's beginning."""
    choices = reply.content().get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return isinstance(choices[0].get("message"), dict)
    return reply.cut and not reply.content() and '"choices"' in reply.raw[:1000]


def check_connection(model: LanguageModel, patience: float) -> None:
    """Send the model one short question, and return once it is answered. patience: most seconds to wait.

    Raises FairvizError with the reason if no answer comes.
    """
    question = Question("Answer with the word yes.", 4)
    try:
        with model.open(patience, threading.Event()) as ask:
            usable(ask(question.body(model.name)), model)
    except PassingError as error:
        raise FairvizError(
            f"{model.address or model.name} does not answer: {error.reason}", "Check the address, and that it runs."
        ) from error


def is_too_long(reply: Reply) -> bool:
    """Return whether the prompt was longer than the model's context."""
    message = _message(reply).lower()
    return reply.status in (400, 413, 422) and (
        reply.status == 413 or ("context" in message and any(word in message for word in ("length", "size", "maximum")))
    )


def is_refusal(reply: Reply) -> bool:
    """Return whether the server's filter refused the prompt."""
    message = _message(reply).lower()
    return reply.status in (400, 422) and ("content_filter" in message or "content management policy" in message)


def _message(reply: Reply) -> str:
    """Return the message, code and type of an error."""
    error = reply.content().get("error", reply.content() or reply.raw)
    if isinstance(error, dict):
        return " ".join(str(error[name]) for name in ("message", "code", "type") if error.get(name))
    return str(error)


def _excerpt(text: str) -> str:
    """Return the beginning of a text on one line, quoted."""
    line = "".join(sign if sign.isprintable() else " " for sign in text[:400])
    return repr(" ".join(line.split())[:120])


def tokens_of(reply: Reply) -> tuple[int, int]:
    """Prompt and completion token counts reported by the server; 0 where a count is missing or cannot be one."""
    usage = reply.content().get("usage")
    usage = usage if isinstance(usage, dict) else {}
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    first, second = (count if isinstance(count, int) and 0 < count <= _MOST_TOKENS else 0 for count in counts)
    return first, second


@dataclass(frozen=True)
class Read:
    """A parsed reply: the outcome, the label (empty for none), the answer's text and the model's reason."""

    outcome: str
    label: str = ""
    text: str = ""
    rationale: str = ""


def content_of(reply: Reply | None) -> tuple[str, str]:
    """Return the outcome of a reply without an answer, and its text; an empty outcome and the text of an answer."""
    if reply is None:
        return UNANSWERED, ""
    if reply.status != 200:
        return TOO_LONG if is_too_long(reply) else REFUSED if is_refusal(reply) else UNPARSED, reply.raw
    choices = reply.content().get("choices")
    if not choices:
        return UNPARSED, reply.raw
    message = choices[0]["message"]
    text, refusal = message.get("content"), message.get("refusal")
    if refusal or choices[0].get("finish_reason") == "content_filter":
        return REFUSED, str(refusal or text or "")
    return "", text if isinstance(text, str) else ""


def read_reply(reply: Reply | None, classes: Mapping[str, str], *, reasons: bool = False) -> Read:
    """Return the parsed reply. classes: the spelling of each label in the prompt."""
    outcome, text = content_of(reply)
    if outcome:
        return Read(outcome, text=text[:MOST_CHARACTERS])
    if not text.strip():
        return Read(EMPTY)
    label, rationale = structured(text, classes) or (reasoned(text, classes) if reasons else (plain(text, classes), ""))
    return Read(LABELLED if label else UNPARSED, label, text[:MOST_CHARACTERS], rationale[:MOST_CHARACTERS])


def structured(text: str, classes: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the label and the reason of an answer in JSON; None where it is not JSON with one of the classes.

    >>> structured('{"class": "Female"}', {"female": "Female", "male": "Male"})
    ('female', '')
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    name = content.get("class") if isinstance(content, dict) else None
    label = next((label for label, spelling in classes.items() if spelling == name), "")
    return (label, " ".join(str(content.get("reasoning", "")).split())) if label else None


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


def read_template(path: Path, noun: str) -> str:
    """Return the text of the file, with plain line ends. noun: the kind of file, for errors (prompt, template). Raises
    FairvizError where the file cannot be read, is not UTF-8, or is too long."""
    file = display_path(path)
    try:
        with open_regular(path) as stream:
            content = stream.read(MOST_PROMPT_BYTES + 1)
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise FairvizError(f"{file} cannot be read ({error.strerror})", "Give a text file.") from error
    except UnicodeDecodeError as error:
        raise FairvizError(f"{file} is not UTF-8", "Save it as UTF-8.") from error
    if len(content) > MOST_PROMPT_BYTES:
        raise FairvizError(f"{file} is longer than {MOST_PROMPT_BYTES:,} bytes", f"Write a shorter {noun}.")
    return text.replace("\r\n", "\n")
