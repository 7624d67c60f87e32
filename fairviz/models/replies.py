"""Replies of language models: answers, refusals and errors."""

from fairviz.errors import FairvizError
from fairviz.models.language_model import LanguageModel
from fairviz.models.protocol import LARGEST, PassingError, Reply

_UNKNOWN = (404, 405)
_MOST_TOKENS = 10**9


def usable(reply: Reply, model: LanguageModel) -> Reply:
    """Return the reply where it is final: an answer, or a refusal that another try would repeat.

    Raises PassingError for a reply outside the protocol, FairvizError where every question would fail.
    """
    if reply.status == 200:
        if not _is_answer(reply):
            if reply.cut:
                raise PassingError(
                    f"what came back is longer than {LARGEST:,} bytes, and no answer of a language model"
                )
            raise PassingError(f"what came back is no answer of a language model: {_excerpt(reply.raw)}")
        return reply
    message = _message(reply)
    if is_too_long(reply) or is_refusal(reply):
        return reply
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
