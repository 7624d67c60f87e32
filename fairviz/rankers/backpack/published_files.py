"""Weights and tokenizer from the folder of a published model, read as data: no code in it is run."""

import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairviz.errors import FairvizError
from fairviz.files import open_regular

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor

SAFETENSORS, TORCH = "model.safetensors", "pytorch_model.bin"
_COPY = "Copy or download it again."
_MORE = "A file of weights holds numbers alone. Take model.safetensors, or another copy."


def read_tensors(folder: Path, wanted: Callable[[str], bool]) -> "tuple[Path, dict[str, Tensor]]":
    """Return the file of weights in the folder, and its tensors with the wanted names.

    Raises FairvizError for a missing or truncated file, and for a pickle of more than tensors: torch reads it with
    weights_only, which builds tensors and plain containers and calls nothing.
    """
    file = next((folder / name for name in (SAFETENSORS, TORCH) if (folder / name).is_file()), None)
    if file is None:
        raise FairvizError(
            f"the folder {folder} holds no weights", f"It should hold {SAFETENSORS} or {TORCH}, in one file."
        )
    return file, (_safetensors if file.name == SAFETENSORS else _torch)(file, wanted)


def _safetensors(file: Path, wanted: Callable[[str], bool]) -> "dict[str, Tensor]":
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(str(file), "pt") as content:
            names = filter(wanted, content.keys())
            return {name: content.get_tensor(name) for name in names}
    except (SafetensorError, OSError, ValueError) as error:
        raise FairvizError(f"{file} is not a safetensors file, or is cut off", _COPY) from error


def _torch(file: Path, wanted: Callable[[str], bool]) -> "dict[str, Tensor]":
    import torch

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of other protocols of pickle, which are refused below
            content: Any = torch.load(file, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, OSError, ValueError, KeyError) as error:
        if _is_code(file, str(error)):
            raise FairvizError(f"{file} holds more than tensors and was not loaded", _MORE) from error
        raise FairvizError(f"{file} is not a torch file, or is cut off", _COPY) from error
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content):
        raise FairvizError(f"{file} is not a table of tensors by name", _MORE)
    tensors = {name: value for name, value in content.items() if wanted(name)}
    wrong_name = next((name for name, value in tensors.items() if not isinstance(value, torch.Tensor)), None)
    if wrong_name is not None:
        raise FairvizError(f"{file}: {wrong_name} is not a tensor", _MORE)
    return tensors


def _is_code(file: Path, message: str) -> bool:
    """Return whether torch's message reports a pickle with calls. A file that is not a pickle has another beginning and
    is not meant."""
    if any(sign in message for sign in ("Unsupported global", "Unsupported class", "TorchScript")):
        return True
    with open_regular(file) as stream:
        beginning = stream.read(2)
    return "Unsupported operand" in message and beginning.startswith((b"PK", b"\x80"))


def read_tokenizer(folder: Path) -> "Tokenizer":
    """Return GPT-2's tokenizer from the folder: tokenizer.json, or vocab.json with merges.txt. Raises FairvizError for
    a missing one, and for one that cannot be read."""
    from tokenizers import ByteLevelBPETokenizer, Tokenizer

    whole, parts = folder / "tokenizer.json", (folder / "vocab.json", folder / "merges.txt")
    if not whole.is_file() and not all(part.is_file() for part in parts):
        raise FairvizError(
            f"the folder {folder} holds no tokenizer",
            "Copy GPT-2's into it, which the model uses: tokenizer.json, or vocab.json and merges.txt.",
        )
    try:
        if whole.is_file():
            return Tokenizer.from_file(str(whole))
        return Tokenizer.from_str(ByteLevelBPETokenizer(*map(str, parts)).to_str())
    except Exception as error:  # the library raises Exception itself
        raise FairvizError(f"the tokenizer in {folder} cannot be read", _COPY) from error
