"""Trained Backpacks: the packaged one, those trained on this machine, or a folder."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairviz.errors import FairvizError, UsageError, expect, value_text
from fairviz.extensions.backpack.network import Weights, senses_of, shapes
from fairviz.extensions.backpack.published import RANKS_NOTHING, Senses, is_published, misfit_of
from fairviz.files import MOST_JSON, parse_json, read_file
from fairviz.home import data_home, identity, named_path
from fairviz.installed import require
from fairviz.models.sentence_encoder import MINILM, located

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor

MOST_BYTES = 4 * 1024**3  # of a file of weights
FILE, CARD = "backpack.safetensors", "card.json"
SHIPPED = Path(__file__).with_name("shipped")
UNKNOWN = "[UNK]"
AGAIN = "Train it again (fairviz train-backpack), or copy it again."
NUMBER = (int, float)
_KINDS: dict[str, type | tuple[type, ...]] = {
    "sources": list, "steps": dict, "held_out": dict, "seed": int, "senses": int, "weights": int, "minutes": NUMBER,
}  # fmt: skip
_WITHIN: tuple[tuple[str, str, type | tuple[type, ...]], ...] = (
    ("steps", "taken", int),
    ("held_out", "cosine_to_teacher", NUMBER),
)


@dataclass(frozen=True, eq=False)
class Backpack(Senses):
    """A model of L senses of d dimensions.

    name: empty for the packaged one. key: a hash of its weights. vectors (V, d): MiniLM's frozen WordPiece vectors.
    card: its training data and results.
    """

    name: str
    key: str
    senses: int
    weights: Weights = field(repr=False)
    vectors: "Tensor" = field(repr=False)
    tokenizer: "Tokenizer" = field(repr=False)
    card: dict[str, Any] = field(repr=False)

    @property
    def size(self) -> int:
        """The dimensions d of each vector."""
        return int(self.vectors.shape[1])

    def tokens(self, text: str) -> list[int]:
        """Return the WordPieces of the text; empty where a part of it is not in MiniLM's vocabulary."""
        encoding = self.tokenizer.encode(text, add_special_tokens=False)
        return [] if UNKNOWN in encoding.tokens else list(encoding.ids)

    def no_token(self, word: str) -> FairvizError:
        """Return the error for a word without a token."""
        remedy = "Give a word whose letters are in it."
        return FairvizError(f"the word {word[:60]!r} has no token in MiniLM's vocabulary", remedy)

    def senses_of_tokens(self, tokens: Sequence[int]) -> np.ndarray:
        """Return the sense vectors of these rows of the vocabulary, (N, L, d) float32."""
        import torch

        with torch.inference_mode():
            return senses_of(self.weights, self.vectors[list(tokens)]).numpy()


def models_folder() -> Path:
    """Return the folder of models trained on this machine, each in a folder of its own."""
    return data_home() / "backpack"


def trained_names() -> tuple[str, ...]:
    """Return the names of models trained on this machine."""
    try:
        names = [path.name for path in models_folder().iterdir() if (path / FILE).is_file()]
    except OSError:
        return ()
    return tuple(sorted(name for name in names if not name.startswith(".")))


def model_folder(name: str) -> Path:
    """Return the folder of the model: the packaged one for an empty name, a model trained on this machine, or a path.

    Raises UsageError for an unknown name.
    """
    if not name:
        return SHIPPED
    if name in trained_names():
        return models_folder() / name
    path = named_path(name, "Backpack", models_folder())
    if not os.path.isdir(path):
        names = ", ".join(trained_names()) or "none"
        raise UsageError(
            f"there is no Backpack called {name[:60]!r}, and no folder",
            f"Trained here: {names}. Leave the name out for the one that comes with the program.",
        )
    return path


def loaded(name: str = "") -> Backpack:
    """Return the model of this name or in this folder. Raises FairvizError for a file that is not a model, is truncated
    or has other sizes."""
    folder = model_folder(name)
    file = folder / FILE
    if is_published(folder) and not file.exists():
        raise UsageError(
            RANKS_NOTHING,
            "See the senses of words with it (fairviz senses); rank with a model of fairviz train-backpack.",
        )
    try:
        return _load(name, folder, identity(file.stat()))
    except OSError as error:
        raise FairvizError(f"{file} cannot be read ({error.strerror or error})", AGAIN) from error


@lru_cache(maxsize=8)  # five seeds, and some more
def _load(name: str, folder: Path, _: tuple[int, ...]) -> Backpack:
    require("models", "Backpack models need")
    from safetensors import SafetensorError
    from safetensors.torch import load

    file = folder / FILE
    data = read_file(file, MOST_BYTES)
    try:
        weights = {name: tensor.float() for name, tensor in load(data).items()}
    except (SafetensorError, ValueError, KeyError) as error:
        raise FairvizError(f"{file} is not a file of weights, or is cut off", AGAIN) from error
    vectors, tokenizer = word_pieces()
    size = int(vectors.shape[1])
    senses = weights["senses.weight"].shape[0] // size if "senses.weight" in weights else 0
    wanted = shapes(max(senses, 1), size)
    if misfit := misfit_of(weights, wanted):
        raise FairvizError(f"{file} is not a Backpack of MiniLM: {misfit}", AGAIN)
    if odd := [tensor for tensor in wanted if not bool(weights[tensor].isfinite().all())]:
        raise FairvizError(f"{file} holds numbers that are not finite, in {odd[0]}", AGAIN)
    card = read_card(folder / CARD)
    return Backpack(name, hashlib.sha256(data).hexdigest()[:16], senses, weights, vectors, tokenizer, card)


@lru_cache(maxsize=1)
def word_pieces() -> "tuple[Tensor, Tokenizer]":
    """Return MiniLM's frozen WordPiece vectors (V, d) and its tokenizer. Raises FairvizError without MiniLM."""
    require("models", "Backpack models need")
    from safetensors import safe_open
    from tokenizers import Tokenizer

    folder = Path(located(MINILM))
    with safe_open(str(folder / "model.safetensors"), "pt") as file:
        vectors = file.get_tensor("embeddings.word_embeddings.weight").float()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return vectors, tokenizer


def read_card(file: Path) -> dict[str, Any]:
    """Return the card; empty where there is none. Raises FairvizError for a card that is not JSON, and for a wrong type
    of an entry that is used."""
    try:
        card = parse_json(read_file(file, MOST_JSON))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise FairvizError(f"the model's card {file} cannot be read as JSON", AGAIN) from error
    try:
        _check_card(card)
    except UsageError as error:
        problem = f"the model's card {file} is not as a training writes it: {error.message}"
        raise FairvizError(problem, AGAIN) from error
    return card


def _check_card(card: Any) -> None:
    """Raise UsageError for a wrong type of the card or of an entry that is used."""
    if not isinstance(card, dict):
        raise UsageError(f"it is {value_text(card)}")
    for name, kinds in _KINDS.items():
        if name in card:
            expect(name, card[name], kinds, "")
    for source in card.get("sources", []):
        expect("a source", source, dict, "")
        expect("passages", source.get("passages", 0), int, "")
    for part, name, kinds in _WITHIN:
        if name in card.get(part, {}):
            expect(name, card[part][name], kinds, "")
