"""Language models by name: one behind an address with OpenAI's protocol, or a GGUF file in this process."""

import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fairviz.errors import FairvizError, UsageError
from fairviz.home import named_path
from fairviz.models.addresses import BASE, OPENAI_NAME, server_address
from fairviz.models.local_model import open_file, packaged
from fairviz.models.protocol import Ask
from fairviz.models.remote_model import open_address, refuse_strangers
from fairviz.study.loaders.hashes import file_hash

SMOLLM2 = "smollm2"


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
        path = packaged() if model == SMOLLM2 else _file(model)
        identity = f"{path.name} {file_hash(path)}"
        return LanguageModel(path.stem, "", identity, 1, 200, lambda *_: open_file(path))
    address = server_address(url)
    if not address:
        refuse_strangers("", "")
        raise FairvizError(
            f"no server is named for the language model {model!r}",
            f"Write url='{OPENAI_NAME}' for OpenAI's own or url='http://localhost:8000/v1', or set {BASE}.",
        )
    return LanguageModel(model, address, f"{model} at {address}", 0, 20, partial(open_address, address))


def _file(model: str) -> Path:
    path = named_path(model, "model")
    if not os.path.isfile(path):
        raise FairvizError(f"there is no model file {model}", "Give the path of a .gguf file.")
    return path
