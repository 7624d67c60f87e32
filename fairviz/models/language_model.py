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
OPENAI_NAME = "openai"  # written in place of that address
BASE = "FAIRVIZ_BASE_URL"
SMOLLM2 = "smollm2"
CONTEXT = 4096  # tokens that a local model reads at once, and so the longest prompt with its answer
LARGEST = 1_000_000  # bytes of an answer that are read and kept
_LETTERS_A_TOKEN = 4  # of English, roughly: for estimates only


@dataclass(frozen=True)
class Question:
    """One prompt and what bounds its answer: tokens, and how many alternatives with their log-probabilities are asked
    for at its first place (0: none)."""

    prompt: str
    most_tokens: int
    alternatives: int = 0

    def body(self, model: str) -> dict[str, Any]:
        """The request as OpenAI's protocol has it, at temperature 0."""
        asked: dict[str, Any] = {
            "model": model,
            "messages": [{"role": "user", "content": self.prompt}],
            "max_tokens": self.most_tokens,
            "temperature": 0,
        }
        return asked | ({"logprobs": True, "top_logprobs": self.alternatives} if self.alternatives else {})

    @property
    def tokens(self) -> int:
        """About how many tokens the prompt is: characters over 4, as English has them."""
        return len(self.prompt) // _LETTERS_A_TOKEN + 1


@dataclass(frozen=True)
class Reply:
    """The answer as it came: the status of HTTP (200 from a model in this process) and the text of the body.

    cut: whether the body was longer than LARGEST bytes, so that only its beginning was read. Not stored.
    """

    status: int
    raw: str
    cut: bool = field(default=False, compare=False)

    def content(self) -> dict[str, Any]:
        """The body as JSON, its strings storable; empty where it is not an object, or was too large to keep."""
        try:
            found = json.loads(self.raw)
            if "\\ud" in self.raw.lower():  # escapes of halves of characters, which json.loads keeps
                found = json.loads(storable(json.dumps(found, ensure_ascii=False)))
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


def storable(text: str) -> str:
    """Replace halves of characters, which no file of text can hold, by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class PassingError(Exception):
    """A question that came to nothing and may be asked again, with the seconds to wait that the server named."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        self.reason, self.wait = reason, wait
        super().__init__(reason)


Ask = Callable[[Mapping[str, Any]], Reply]


@dataclass(frozen=True)
class LanguageModel:
    """A model that can be asked. name: as the server knows it, or the file's. address: the server's, empty for a model
    in this process. identity: what its answers are kept under, which holds no key. limit: most questions at a time (0:
    as many as are wanted). alternatives: most log-probabilities that it tells at one place.

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
    gives.

    Raises UsageError for an address that is none or holds a key, FairvizError for a file that is not there and where no
    server is named. Nothing is loaded, and nothing asked.
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
    none is named. Raises as `checked_address` and `base_address`."""
    return _address(url) if url else base_address()


def _address(text: str) -> str:
    return OPENAI if text.strip() == OPENAI_NAME else checked_address(text)


def base_address() -> str:
    """The server in FAIRVIZ_BASE_URL, to which alone FAIRVIZ_API_KEY then goes; empty where none is set. Raises
    FairvizError where it is no address."""
    given = os.environ.get(BASE, "").strip()
    try:
        return _address(given) if given else ""
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
    """The address without a slash at its end. Raises UsageError where it is none, or holds more than a place: what may
    be a key is not repeated."""
    remedy = "Write it as url='http://localhost:8000/v1'; a key goes into the environment variable FAIRVIZ_API_KEY."
    try:
        parts = urlsplit(url.strip())
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        sound = False
    if sound and (parts.username or parts.password or parts.query or parts.fragment):
        raise UsageError("the address of the model holds a name, a key or a question mark", remedy)
    if not sound or re.search(r"\s", url.strip()):
        raise UsageError("the address of the model is no address of the web", remedy)
    return url.strip().rstrip("/")
