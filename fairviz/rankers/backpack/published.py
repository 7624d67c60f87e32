"""The published Backpack language model (Hewitt and others 2023, stanfordnlp/backpack-gpt2) from a folder: the senses
of words. Of the folder, numbers and a tokenizer are read; no code in it is run."""

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, expect
from fairviz.files import MOST_JSON, is_utf8, parse_json, read_file
from fairviz.home import identity
from fairviz.rankers.backpack.published_files import read_tensors, read_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor

CONFIG = "config.json"
ACTIVATIONS = {"gelu_new": "tanh", "gelu_pytorch_tanh": "tanh", "gelu": "none"}
RANKS_NOTHING = "a Backpack language model predicts words and has no vectors of texts: nothing is ranked with it"
_REMEDY = "Give the folder of stanfordnlp/backpack-gpt2 as it was downloaded."
_WORDS = ("word_embeddings.weight", "gpt2_model.wte.weight", "lm_head.weight")  # one tensor under three names


@dataclass(frozen=True)
class Sizes:
    """What the model's config.json says: senses a word, dimensions, how much wider the last hidden layer is, the
    layer norms' ε and the activation."""

    senses: int
    size: int
    scale: int
    epsilon: float
    activation: str

    @property
    def shapes(self) -> dict[str, tuple[int, int] | tuple[int]]:
        """The shape of each tensor of the sense network."""
        size, wide = self.size, self.scale * self.size
        found: dict[str, tuple[int, int] | tuple[int]] = {}
        for name in ("ln", "block.ln_1", "block.ln_2"):
            found |= {f"{name}.weight": (size,), f"{name}.bias": (size,)}
        for name, inputs, outputs in (
            ("block.mlp.c_fc", size, 4 * size),
            ("block.mlp.c_proj", 4 * size, size),
            ("final_mlp.c_fc", size, wide),
            ("final_mlp.c_proj", wide, size * self.senses),
        ):
            found |= {f"{name}.weight": (inputs, outputs), f"{name}.bias": (outputs,)}
        return found


@dataclass(frozen=True, eq=False)
class LanguageBackpack:
    """A Backpack language model: vectors (V, d) of its tokens, and the weights that make L senses of each."""

    name: str
    sizes: Sizes
    vectors: "Tensor" = field(repr=False)
    weights: "dict[str, Tensor]" = field(repr=False)
    tokenizer: "Tokenizer" = field(repr=False)

    @property
    def senses(self) -> int:
        """How many senses a word has."""
        return self.sizes.senses

    def pieces(self, word: str) -> list[int]:
        """The tokens of the word as it stands in running text, behind a space."""
        expect("word", word, str, "Give a word.")
        plain = " ".join(word.split()) if is_utf8(word) else ""
        found = self.tokenizer.encode(f" {plain}", add_special_tokens=False).ids if plain else []
        return [] if any(token >= len(self.vectors) for token in found) else list(found)

    def has(self, word: str) -> bool:
        """Whether the word is one token."""
        return len(self.pieces(word)) == 1

    def token_senses(self, word: str) -> np.ndarray:
        """The sense vectors of the word, (L, d) float32; of several tokens their mean. Raises FairvizError for a word
        of no token."""
        pieces = self.pieces(word)
        if not pieces:
            raise FairvizError(f"the word {word[:60]!r} has no token in {self.name}", "Give another word.")
        import torch

        with torch.inference_mode():
            return self._senses(self.vectors[pieces]).mean(dim=0).numpy()

    def _senses(self, vectors: "Tensor") -> "Tensor":
        """C: (U, L, d) of token vectors (U, d), as the published network computes it."""
        residual = self._norm("ln", vectors) + vectors
        residual = self._layers("block.mlp", self._norm("block.ln_1", residual)) + residual
        made = self._layers("final_mlp", self._norm("block.ln_2", residual))
        return made.reshape(len(vectors), self.senses, self.sizes.size)

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
    """The tokens that each sense of the word raises most where words are predicted: sense (from 1), place (from 1),
    word, score (the inner product of the sense and the token's vector). Raises FairvizError for a word of no token."""
    scores = model.token_senses(word) @ model.vectors.numpy().T  # (L, V)
    scores = scores[:, : model.tokenizer.get_vocab_size()]
    rows = []
    for sense, held in enumerate(scores, start=1):
        best = np.argsort(-held, kind="stable")[:count].tolist()
        shown = [model.tokenizer.decode([token]).strip() for token in best]
        rows += [(sense, place, text, float(held[token]))
                 for place, (text, token) in enumerate(zip(shown, best, strict=True), start=1)]  # fmt: skip
    return pd.DataFrame(rows, columns=["sense", "place", "word", "score"])


def is_published(folder: Path) -> bool:
    """Whether the folder looks like that of a language model: it has a config.json."""
    return (folder / CONFIG).is_file()


def load_published(folder: Path) -> LanguageBackpack:
    """The model in the folder. Raises FairvizError for a file that is cut off, of other sizes, or more than tensors."""
    return _loaded(folder, identity((folder / CONFIG).stat()))


@lru_cache(maxsize=1)
def _loaded(folder: Path, _: tuple[int, ...]) -> LanguageBackpack:
    sizes = _sizes(folder / CONFIG)
    wanted = {f"sense_network.{name}" for name in sizes.shapes}
    file, tensors = read_tensors(folder, lambda name: _plain(name) in {*wanted, *_WORDS})
    held = {_plain(name): tensor.float() for name, tensor in tensors.items()}
    vectors = next((held[name] for name in _WORDS if name in held), None)
    if vectors is None or vectors.dim() != 2 or vectors.shape[1] != sizes.size:
        told = "lacks them" if vectors is None else f"has {_shape(vectors)}"
        raise FairvizError(
            f"{file}: the vectors of words should have {sizes.size} dimensions, the file {told}", _REMEDY
        )
    for name, shape in sizes.shapes.items():
        tensor = held.get(f"sense_network.{name}")
        if tensor is None or tuple(tensor.shape) != shape:
            told = "lacks it" if tensor is None else f"has {_shape(tensor)}"
            wanted_shape = " × ".join(map(str, shape))
            raise FairvizError(f"{file}: sense_network.{name} should be {wanted_shape}, the file {told}", _REMEDY)
    weights = {name: held[f"sense_network.{name}"] for name in sizes.shapes}
    if not all(bool(tensor.isfinite().all()) for tensor in (vectors, *weights.values())):
        raise FairvizError(f"{file} holds numbers that are not finite", _REMEDY)
    return LanguageBackpack(folder.name, sizes, vectors, weights, read_tokenizer(folder))


def _plain(name: str) -> str:
    return name.removeprefix("backpack.")


def _shape(tensor: "Tensor") -> str:
    return " × ".join(map(str, tensor.shape)) or "one number"


def _sizes(file: Path) -> Sizes:
    try:
        said: Any = parse_json(read_file(file, MOST_JSON))
    except (OSError, ValueError) as error:
        raise FairvizError(f"{file} cannot be read as JSON", _REMEDY) from error
    said = said if isinstance(said, dict) else {}
    numbers = {"num_senses": 16, "n_embd": 768, "sense_intermediate_scale": 4} | {
        name: said[name] for name in ("num_senses", "n_embd", "sense_intermediate_scale") if name in said
    }
    if "num_senses" not in said:
        raise FairvizError(f"{file} is not that of a Backpack language model: it names no num_senses", _REMEDY)
    for name, value in numbers.items():
        if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= 1_000_000:
            raise FairvizError(f"{file}: {name} is {str(value)[:60]!r}, not a number of 1 or more", _REMEDY)
    epsilon, activation = said.get("layer_norm_epsilon", 1e-5), said.get("activation_function", "gelu_new")
    if not isinstance(epsilon, (int, float)) or not 0 <= epsilon < 1:
        raise FairvizError(f"{file}: layer_norm_epsilon is {str(epsilon)[:60]!r}", _REMEDY)
    if activation not in ACTIVATIONS:
        known = ", ".join(ACTIVATIONS)
        raise FairvizError(f"{file}: the activation {str(activation)[:60]!r} is not one of {known}", _REMEDY)
    senses, size, scale = numbers.values()
    return Sizes(senses, size, scale, float(epsilon), activation)
