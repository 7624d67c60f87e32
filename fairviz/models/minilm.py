"""The packaged MiniLM in torch alone: its numbers are those of sentence-transformers, which takes seconds to import.

all-MiniLM-L6-v2 is a BERT (Devlin and others 2019) of six layers; a text's vector is the mean of its last states, at
length 1. Axis letters: B texts, T WordPieces of the longest, d dimensions.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor

LAYERS, HEADS = 6, 12
LONGEST = 256  # WordPieces of a text, with the two around it
TINY = 1e-12  # beside a variance


@dataclass(frozen=True, eq=False)
class MiniLM:
    """The encoder: its weights by their names in the file, and its tokenizer."""

    weights: "Mapping[str, Tensor]" = field(repr=False)
    tokenizer: "Tokenizer" = field(repr=False)

    def tokens(self, texts: Sequence[str], longest: int = LONGEST) -> "tuple[Tensor, Tensor]":
        """Return the WordPieces of the texts, (B, T), each cut after `longest`, and where there is one: 1, else 0."""
        import torch

        self.tokenizer.enable_truncation(longest)
        self.tokenizer.enable_padding()
        encodings = self.tokenizer.encode_batch(list(texts))
        ids = torch.tensor([encoding.ids for encoding in encodings])
        return ids, torch.tensor([encoding.attention_mask for encoding in encodings])

    def states(self, tokens: "Tensor", mask: "Tensor") -> "Tensor":
        """Return the last states (B, T, d). Those where there is no WordPiece are undefined."""
        from torch.nn import functional

        def linear(inputs: "Tensor", name: str) -> "Tensor":
            return functional.linear(inputs, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

        def normed(inputs: "Tensor", name: str) -> "Tensor":
            weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
            return functional.layer_norm(inputs, weight.shape, weight, bias, TINY)

        words, positions, types = (
            self.weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")
        )
        length = tokens.shape[1]
        states = normed(functional.embedding(tokens, words) + types[0] + positions[:length], "embeddings.LayerNorm")
        allowed = None if bool(mask.all()) else mask[:, None, None, :].bool().expand(-1, 1, length, length)
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            queries, keys, values = (
                linear(states, f"{name}.attention.self.{part}").unflatten(2, (HEADS, -1)).transpose(1, 2)
                for part in ("query", "key", "value")
            )  # (B, H, T, d / H)
            heads = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=allowed)
            attended = linear(heads.transpose(1, 2).flatten(2), f"{name}.attention.output.dense")
            states = normed(attended + states, f"{name}.attention.output.LayerNorm")
            wide = functional.gelu(linear(states, f"{name}.intermediate.dense"))
            states = normed(linear(wide, f"{name}.output.dense") + states, f"{name}.output.LayerNorm")
        return states

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Return the vector of each text, (B, d), of length 1."""
        import torch

        tokens, mask = self.tokens(texts)
        with torch.inference_mode():
            weights = mask[:, :, None].to(torch.float32)
            mean = (self.states(tokens, mask) * weights).sum(1) / weights.sum(1)
            return torch.nn.functional.normalize(mean, dim=1).numpy()


def read_minilm(folder: Path) -> MiniLM:
    """Return the encoder in this folder, whose files have been verified."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from safetensors.torch import load_file
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    return MiniLM(load_file(folder / "model.safetensors"), tokenizer)
