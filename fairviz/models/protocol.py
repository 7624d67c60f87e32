"""The messages to and from a language model: a question, the function that sends it, a reply, or why none came."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

CONTEXT = 4096  # tokens of a local model's context: the longest prompt with its answer
LARGEST = 1_000_000  # most bytes of an answer that are read
_LETTERS_A_TOKEN = 4  # of English, roughly: for estimates only


@dataclass(frozen=True)
class Question:
    """One prompt and the limits of its answer. alternatives: the number of most likely first tokens returned with their
    log-probabilities (0: none). draw: the number of an answer drawn at temperature 1, from 1 (0: at temperature 0).
    schema: the JSON schema that the answer must fit; none for plain text."""

    prompt: str
    most_tokens: int
    alternatives: int = 0
    draw: int = 0
    schema: Mapping[str, Any] | None = None

    def body(self, model: str) -> dict[str, Any]:
        """Return the request in OpenAI's protocol."""
        body: dict[str, Any] = {
            "model": model,
            "messages": [{"role": "user", "content": self.prompt}],
            "max_tokens": self.most_tokens,
            "temperature": 1 if self.draw else 0,
        }
        body |= {"seed": self.draw} if self.draw else {}
        if self.schema:
            form = {"name": "answer", "strict": True, "schema": self.schema}
            body |= {"response_format": {"type": "json_schema", "json_schema": form}}
        return body | ({"logprobs": True, "top_logprobs": self.alternatives} if self.alternatives else {})

    @property
    def tokens(self) -> int:
        """The approximate number of tokens of the prompt: characters over 4, as in English."""
        return letters_to_tokens(self.prompt)


def letters_to_tokens(text: str) -> int:
    """Return the approximate number of tokens of a text: characters over 4, as in English."""
    return len(text) // _LETTERS_A_TOKEN + 1


@dataclass(frozen=True)
class Reply:
    """A raw answer: the HTTP status (200 from a model in this process) and the text of the body.

    cut: whether the body was longer than LARGEST bytes, so that only its beginning was read. Not stored.
    """

    status: int
    raw: str
    cut: bool = field(default=False, compare=False)

    def content(self) -> dict[str, Any]:
        """Return the body as JSON with storable strings; empty where it is not an object or was cut."""
        try:
            content = json.loads(self.raw)
            if "\\ud" in self.raw.lower():  # escapes of lone surrogates, which json.loads keeps
                content = json.loads(storable(json.dumps(content, ensure_ascii=False)))
        except (ValueError, RecursionError):
            return {}
        return content if isinstance(content, dict) else {}


def storable(text: str) -> str:
    """Replace lone surrogates, which no encoding can store, by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class PassingError(Exception):
    """A failed request that may be repeated. wait: the seconds to wait that the server named."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        self.reason, self.wait = reason, wait
        super().__init__(reason)


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, else its kind."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


Ask = Callable[[Mapping[str, Any]], Reply]
