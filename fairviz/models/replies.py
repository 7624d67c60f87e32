"""What a language model's replies say: whether one is an answer, and else why not."""

from fairviz.errors import FairvizError
from fairviz.models.language_model import LARGEST, LanguageModel, PassingError, Reply

_UNKNOWN = (404, 405)
_MOST_TOKENS = 10**9


def usable(reply: Reply, model: LanguageModel) -> Reply:
    """The reply, where it is one to keep: an answer, or a refusal that another try would get as well.

    Raises PassingError for what is no answer in the protocol, FairvizError where no question can be asked like this.
    """
    if reply.status == 200:
        if not _is_answer(reply):
            if reply.cut:
                raise PassingError(
                    f"what came back is longer than {LARGEST:,} bytes, and no answer of a language model"
                )
            raise PassingError(f"what came back is no answer of a language model: {_shown(reply.raw)}")
        return reply
    said = _message(reply)
    if is_too_long(reply) or is_refusal(reply):
        return reply
    if reply.status in _UNKNOWN:
        raise FairvizError(
            f"{model.address} has no model {model.name!r} (status {reply.status}: {_shown(said)})",
            "Check the model's name, and that the address ends as the server has it, often in /v1.",
        )
    raise FairvizError(
        f"{model.address or model.name} does not take the question (status {reply.status}: {_shown(said)})",
        "Use another model or server.",
    )


def _is_answer(reply: Reply) -> bool:
    """Whether the body has the shape of an answer. One too large to keep whole has its beginning."""
    choices = reply.content().get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return isinstance(choices[0].get("message"), dict)
    return reply.cut and not reply.content() and '"choices"' in reply.raw[:1000]


def is_too_long(reply: Reply) -> bool:
    """Whether the prompt was longer than the model can read."""
    said = _message(reply).lower()
    return reply.status in (400, 413, 422) and (
        reply.status == 413 or ("context" in said and any(word in said for word in ("length", "size", "maximum")))
    )


def is_refusal(reply: Reply) -> bool:
    """Whether the server's filter refused the prompt."""
    said = _message(reply).lower()
    return reply.status in (400, 422) and ("content_filter" in said or "content management policy" in said)


def _message(reply: Reply) -> str:
    """What an answer that is an error says, its code and type with it."""
    wrong = reply.content().get("error", reply.content() or reply.raw)
    if isinstance(wrong, dict):
        return " ".join(str(wrong[name]) for name in ("message", "code", "type") if wrong.get(name))
    return str(wrong)


def _shown(text: str) -> str:
    """The beginning of a text on one line, quoted."""
    plain = "".join(sign if sign.isprintable() else " " for sign in text[:400])
    return repr(" ".join(plain.split())[:120])


def tokens_of(reply: Reply) -> tuple[int, int]:
    """Prompt and completion token counts reported by the server; 0 where a count is missing or cannot be one."""
    usage = reply.content().get("usage")
    usage = usage if isinstance(usage, dict) else {}
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    first, second = (count if isinstance(count, int) and 0 < count <= _MOST_TOKENS else 0 for count in counts)
    return first, second
