"""Language models by name: one behind an address that speaks OpenAI's protocol, or a GGUF file in this process."""

import json
import os
import re
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fairviz.errors import FairvizError, UsageError
from fairviz.home import named_path
from fairviz.study.loaders.hashes import file_hash

OPENAI = "https://api.openai.com/v1"
OPENAI_NAME = "openai"  # short for OPENAI in `url`
BASE = "FAIRVIZ_BASE_URL"
SMOLLM2 = "smollm2"
CONTEXT = 4096  # tokens of a local model's context: the longest prompt with its answer
LARGEST = 1_000_000  # most bytes of an answer that are read
_LETTERS_A_TOKEN = 4  # of English, roughly: for estimates only


@dataclass(frozen=True)
class Question:
    """One prompt and the limits of its answer. alternatives: the number of most likely first tokens returned with their
    log-probabilities (0: none)."""

    prompt: str
    most_tokens: int
    alternatives: int = 0

    def body(self, model: str) -> dict[str, Any]:
        """Return the request in OpenAI's protocol, at temperature 0."""
        body: dict[str, Any] = {
            "model": model,
            "messages": [{"role": "user", "content": self.prompt}],
            "max_tokens": self.most_tokens,
            "temperature": 0,
        }
        return body | ({"logprobs": True, "top_logprobs": self.alternatives} if self.alternatives else {})

    @property
    def tokens(self) -> int:
        """The approximate number of tokens of the prompt: characters over 4, as in English."""
        return len(self.prompt) // _LETTERS_A_TOKEN + 1


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


Ask = Callable[[Mapping[str, Any]], Reply]


@dataclass(frozen=True)
class LanguageModel:
    """A language model. name: its name on the server, or the file's. address: the server's, empty for a model in this
    process. identity: the part of the answers' keys that names the model, without its API key. limit: most concurrent
    questions (0: no limit). alternatives: most log-probabilities returned for one token.

    open(patience, stop) connects or loads, and yields the function that sends one request and returns its reply; it
    raises FairvizError. patience: most seconds from a request to the last byte of its answer. stop: once any thread
    sets this event, each request under way ends within a second, with its reply or with PassingError. A model in this
    process finishes its answer first.
    """

    name: str
    address: str
    identity: str
    limit: int
    alternatives: int
    open: Callable[[float, threading.Event], AbstractContextManager[Ask]]


def chosen_model(model: str, url: str = "") -> LanguageModel:
    """Return the model of this name: `smollm2`, the path of a .gguf file, or a name on the server that `server_address`
    returns. Nothing is loaded or sent.

    Raises UsageError for an address that is invalid or contains a key, FairvizError for a missing file and where no
    server is named.
    """
    if not model.strip():
        raise UsageError("no model is named", "Name one: model='gpt-4o', model='smollm2' or model='PATH.gguf'.")
    if not url and (model == SMOLLM2 or model.lower().endswith(".gguf")):
        from fairviz.models.local_model import open_file, packaged

        path = packaged() if model == SMOLLM2 else _file(model)
        identity = f"{path.name} {file_hash(path)}"
        return LanguageModel(path.stem, "", identity, 1, 200, lambda *_: open_file(path))
    from fairviz.models.remote_model import open_address, refuse_strangers

    address = server_address(url)
    if not address:
        refuse_strangers("", "")
        raise FairvizError(
            f"no server is named for the language model {model!r}",
            f"Write url='{OPENAI_NAME}' for OpenAI's own or url='http://localhost:8000/v1', or set {BASE}.",
        )
    return LanguageModel(model, address, f"{model} at {address}", 0, 20, partial(open_address, address))


def server_address(url: str) -> str:
    """Return the address of the server at `url` (`openai`: OpenAI's own), else the one in FAIRVIZ_BASE_URL; empty where
    none is named. Raises: see `checked_address` and `base_address`."""
    return _address(url) if url else base_address()


def _address(text: str) -> str:
    return OPENAI if text.strip() == OPENAI_NAME else checked_address(text)


def base_address() -> str:
    """Return the server in FAIRVIZ_BASE_URL, the only receiver of FAIRVIZ_API_KEY; empty where none is set. Raises
    FairvizError where it is not an address."""
    text = os.environ.get(BASE, "").strip()
    try:
        return _address(text) if text else ""
    except UsageError as error:
        raise FairvizError(
            f"the environment variable {BASE} holds no plain address of a server",
            f"Set it as {BASE}=http://localhost:8000/v1, without a key.",
        ) from error


def _file(model: str) -> Path:
    path = named_path(model, "model")
    if not os.path.isfile(path):
        raise FairvizError(f"there is no model file {model}", "Give the path of a .gguf file.")
    return path


def checked_address(url: str) -> str:
    """Return the address without a slash at its end. Raises UsageError where it is not an address, or contains what may
    be a key; the message does not repeat it."""
    remedy = "Write it as url='http://localhost:8000/v1'; a key goes into the environment variable FAIRVIZ_API_KEY."
    try:
        parts = urlsplit(url.strip())
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_valid = False
    if is_valid and (parts.username or parts.password or parts.query or parts.fragment):
        raise UsageError("the address of the model holds a name, a key or a question mark", remedy)
    if not is_valid or re.search(r"\s", url.strip()):
        raise UsageError("the address of the model is no address of the web", remedy)
    return url.strip().rstrip("/")
