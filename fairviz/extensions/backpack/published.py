"""The published Backpack language model (Hewitt and others 2023, stanfordnlp/backpack-gpt2) from a folder: the senses
of words. Only numbers and a tokenizer are read; no code in the folder is run."""

import pickle
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, expect
from fairviz.files import MOST_JSON, is_utf8, open_regular, parse_json, read_file
from fairviz.home import identity
from fairviz.installed import require

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor

CONFIG = "config.json"
ACTIVATIONS = {"gelu_new": "tanh", "gelu_pytorch_tanh": "tanh", "gelu": "none"}
RANKS_NOTHING = "a Backpack language model predicts words and has no vectors of texts: nothing is ranked with it"
_REMEDY = "Give the folder of stanfordnlp/backpack-gpt2 as it was downloaded."
_WORDS = ("word_embeddings.weight", "gpt2_model.wte.weight", "lm_head.weight")  # one tensor under three names
SAFETENSORS, TORCH = "model.safetensors", "pytorch_model.bin"
_COPY = "Copy or download it again."
_MORE = "A file of weights holds numbers alone. Take model.safetensors, or another copy."


@dataclass(frozen=True)
class Sizes:
    """Values of the model's config.json: senses of a word, dimensions, relative width of the last hidden layer, the
    layer norms' ε and the activation."""

    senses: int
    size: int
    scale: int
    epsilon: float
    activation: str

    @property
    def shapes(self) -> dict[str, tuple[int, int] | tuple[int]]:
        """The shape of each tensor of the sense network."""
        size, width = self.size, self.scale * self.size
        shapes: dict[str, tuple[int, int] | tuple[int]] = {}
        for name in ("ln", "block.ln_1", "block.ln_2"):
            shapes |= {f"{name}.weight": (size,), f"{name}.bias": (size,)}
        for name, inputs, outputs in (
            ("block.mlp.c_fc", size, 4 * size),
            ("block.mlp.c_proj", 4 * size, size),
            ("final_mlp.c_fc", size, width),
            ("final_mlp.c_proj", width, size * self.senses),
        ):
            shapes |= {f"{name}.weight": (inputs, outputs), f"{name}.bias": (outputs,)}
        return shapes


class Senses:
    """A model with senses of words. A subclass has the number of senses, and the three methods that raise here."""

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of a text; empty where a part of it has none."""
        raise NotImplementedError

    def senses_of_tokens(self, tokens: Sequence[int]) -> np.ndarray:
        """Return the sense vectors of these tokens, (N, L, d) float32."""
        raise NotImplementedError

    def no_token(self, word: str) -> FairvizError:
        """Return the error for a word without a token."""
        raise NotImplementedError

    def pieces(self, word: str) -> list[int]:
        """Return the tokens of the word; empty for a word without."""
        expect("word", word, str, "Give a word.")
        text = " ".join(word.split()) if is_utf8(word) else ""
        return self.tokens(text) if text else []

    def has(self, word: str) -> bool:
        """Return whether the word is one token, as equation 4 requires."""
        return len(self.pieces(word)) == 1

    def token_senses(self, word: str) -> np.ndarray:
        """Return the sense vectors of the word, (L, d) float32; the mean of several tokens. Raises FairvizError for a
        word without a token."""
        if pieces := self.pieces(word):
            return self.senses_of_tokens(pieces).mean(axis=0)
        raise self.no_token(word)


@dataclass(frozen=True, eq=False)
class LanguageBackpack(Senses):
    """A Backpack language model: vectors (V, d) of its tokens, and the weights of the network for L senses of each."""

    name: str
    sizes: Sizes
    vectors: "Tensor" = field(repr=False)
    weights: "dict[str, Tensor]" = field(repr=False)
    tokenizer: "Tokenizer" = field(repr=False)

    @property
    def senses(self) -> int:
        """The number of senses of a word."""
        return self.sizes.senses

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of the text in running text, after a space."""
        tokens = self.tokenizer.encode(f" {text}", add_special_tokens=False).ids
        return [] if any(token >= len(self.vectors) for token in tokens) else list(tokens)

    def senses_of_tokens(self, tokens: Sequence[int]) -> np.ndarray:
        """Return the sense vectors of these tokens, (N, L, d) float32."""
        import torch

        with torch.inference_mode():
            return self._senses(self.vectors[list(tokens)]).numpy()

    def no_token(self, word: str) -> FairvizError:
        """Return the error for a word without a token."""
        return FairvizError(f"the word {word[:60]!r} has no token in {self.name}", "Give another word.")

    def _senses(self, vectors: "Tensor") -> "Tensor":
        """Return C, (U, L, d), of token vectors (U, d), as in the published network."""
        residual = self._norm("ln", vectors) + vectors
        residual = self._layers("block.mlp", self._norm("block.ln_1", residual)) + residual
        senses = self._layers("final_mlp", self._norm("block.ln_2", residual))
        return senses.reshape(len(vectors), self.senses, self.sizes.size)

    def _norm(self, name: str, values: "Tensor") -> "Tensor":
        from torch.nn import functional

        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return functional.layer_norm(values, (self.sizes.size,), weight, bias, self.sizes.epsilon)

    def _layers(self, name: str, values: "Tensor") -> "Tensor":
        from torch.nn import functional

        hidden = values @ self.weights[f"{name}.c_fc.weight"] + self.weights[f"{name}.c_fc.bias"]
        hidden = functional.gelu(hidden, approximate=ACTIVATIONS[self.sizes.activation])
        return hidden @ self.weights[f"{name}.c_proj.weight"] + self.weights[f"{name}.c_proj.bias"]


def predicted(model: LanguageBackpack, word: str, count: int = 8) -> pd.DataFrame:
    """Return the tokens with the highest scores for each sense of the word: sense (from 1), place (from 1), word, score
    (the inner product of the sense and the token's vector). Raises FairvizError for a word without a token."""
    scores = model.token_senses(word) @ model.vectors.numpy().T  # (L, V)
    scores = scores[:, : model.tokenizer.get_vocab_size()]
    rows = []
    for sense, sense_scores in enumerate(scores, start=1):
        best = np.argsort(-sense_scores, kind="stable")[:count].tolist()
        texts = [model.tokenizer.decode([token]).strip() for token in best]
        rows += [(sense, place, text, float(sense_scores[token]))
                 for place, (text, token) in enumerate(zip(texts, best, strict=True), start=1)]  # fmt: skip
    return pd.DataFrame(rows, columns=["sense", "place", "word", "score"])


def is_published(folder: Path) -> bool:
    """Return whether the folder has a config.json, as that of a language model."""
    return (folder / CONFIG).is_file()


def load_published(folder: Path) -> LanguageBackpack:
    """Return the model in the folder. Raises FairvizError for a truncated file, other sizes, or more than tensors."""
    return _load(folder, identity((folder / CONFIG).stat()))


@lru_cache(maxsize=1)
def _load(folder: Path, _: tuple[int, ...]) -> LanguageBackpack:
    require("models", "Backpack models need")
    sizes = _sizes(folder / CONFIG)
    expected_names = {f"sense_network.{name}" for name in sizes.shapes}
    file, tensors = read_tensors(folder, lambda name: _without_prefix(name) in {*expected_names, *_WORDS})
    tensors_by_name = {_without_prefix(name): tensor.float() for name, tensor in tensors.items()}
    vectors = next((tensors_by_name[name] for name in _WORDS if name in tensors_by_name), None)
    if vectors is None or vectors.dim() != 2 or vectors.shape[1] != sizes.size:
        problem = "lacks them" if vectors is None else f"has {_shape_text(vectors)}"
        raise FairvizError(
            f"{file}: the vectors of words should have {sizes.size} dimensions, the file {problem}", _REMEDY
        )
    if misfit := misfit_of(tensors_by_name, {f"sense_network.{name}": shape for name, shape in sizes.shapes.items()}):
        raise FairvizError(f"{file}: {misfit}", _REMEDY)
    weights = {name: tensors_by_name[f"sense_network.{name}"] for name in sizes.shapes}
    if not all(bool(tensor.isfinite().all()) for tensor in (vectors, *weights.values())):
        raise FairvizError(f"{file} holds numbers that are not finite", _REMEDY)
    return LanguageBackpack(folder.name, sizes, vectors, weights, read_tokenizer(folder))


def _without_prefix(name: str) -> str:
    return name.removeprefix("backpack.")


def _shape_text(tensor: "Tensor") -> str:
    return " × ".join(map(str, tensor.shape)) or "one number"


def misfit_of(tensors: "Mapping[str, Tensor]", shapes: Mapping[str, tuple[int, ...]]) -> str:
    """Return the first tensor that is missing or has another shape as text; empty where all fit."""
    for name, shape in shapes.items():
        if name not in tensors or tuple(tensors[name].shape) != shape:
            problem = f"has {_shape_text(tensors[name])}" if name in tensors else "lacks it"
            return f"{name} should be {' × '.join(map(str, shape))}, the file {problem}"
    return ""


def _sizes(file: Path) -> Sizes:
    try:
        config: Any = parse_json(read_file(file, MOST_JSON))
    except (OSError, ValueError) as error:
        raise FairvizError(f"{file} cannot be read as JSON", _REMEDY) from error
    config = config if isinstance(config, dict) else {}
    numbers = {"num_senses": 16, "n_embd": 768, "sense_intermediate_scale": 4} | {
        name: config[name] for name in ("num_senses", "n_embd", "sense_intermediate_scale") if name in config
    }
    if "num_senses" not in config:
        raise FairvizError(f"{file} is not that of a Backpack language model: it names no num_senses", _REMEDY)
    for name, value in numbers.items():
        if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= 1_000_000:
            raise FairvizError(f"{file}: {name} is {str(value)[:60]!r}, not a number of 1 or more", _REMEDY)
    epsilon, activation = config.get("layer_norm_epsilon", 1e-5), config.get("activation_function", "gelu_new")
    if not isinstance(epsilon, (int, float)) or not 0 <= epsilon < 1:
        raise FairvizError(f"{file}: layer_norm_epsilon is {str(epsilon)[:60]!r}", _REMEDY)
    if activation not in ACTIVATIONS:
        names = ", ".join(ACTIVATIONS)
        raise FairvizError(f"{file}: the activation {str(activation)[:60]!r} is not one of {names}", _REMEDY)
    senses, size, scale = numbers.values()
    return Sizes(senses, size, scale, float(epsilon), activation)


# Weights and tokenizer from the folder of a published model, read as data: no code in it is run.


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
    return file, _safetensors(file, wanted) if file.name == SAFETENSORS else _torch(file, wanted)


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
        is_pickle = stream.read(2).startswith((b"PK", b"\x80"))
    return "Unsupported operand" in message and is_pickle


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
