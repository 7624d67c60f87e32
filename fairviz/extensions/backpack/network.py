"""The Backpack's equations (Afzali and others 2025, after Hewitt and others 2023), on tensors.

Axis letters: B texts, T tokens of the longest, L senses, d dimensions, U different tokens, h width of a head. The
weights are a dictionary of tensors, named as in the file: senses are computed from frozen WordPiece vectors alone, and
their weights in a text from MiniLM's last states.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

HIDDEN = 768  # between a word's vector and its senses
HEAD = 32  # of the queries and keys of each sense
Weights = Mapping[str, "Tensor"]


def initial(senses: int, size: int, seed: int, hidden: int = HIDDEN, head: int = HEAD) -> "dict[str, Tensor]":
    """Return random weights for vectors of this size: each layer uniform within 1 / √(its inputs)."""
    import torch

    generator = torch.Generator().manual_seed(seed)

    def layer(name: str, outputs: int, inputs: int) -> "dict[str, Tensor]":
        def draw(*shape: int) -> "Tensor":
            return (2 * torch.rand(shape, generator=generator) - 1) / math.sqrt(inputs)

        return {f"{name}.weight": draw(outputs, inputs), f"{name}.bias": draw(outputs)}

    norm = {"norm.weight": torch.ones(size), "norm.bias": torch.zeros(size)}
    attention = layer("attention", 2 * senses * head, size)
    return norm | layer("hidden", hidden, size) | layer("senses", senses * size, hidden) | attention


def shapes(senses: int, size: int, hidden: int = HIDDEN, head: int = HEAD) -> dict[str, tuple[int, ...]]:
    """Return the shape of each tensor of a model."""
    return {
        "norm.weight": (size,),
        "norm.bias": (size,),
        "hidden.weight": (hidden, size),
        "hidden.bias": (hidden,),
        "senses.weight": (senses * size, hidden),
        "senses.bias": (senses * size,),
        "attention.weight": (2 * senses * head, size),
        "attention.bias": (2 * senses * head,),
    }


def senses_of(weights: Weights, vectors: "Tensor") -> "Tensor":
    """Return C: the sense vectors (U, L, d) of words with these WordPiece vectors (U, d), without context."""
    from torch.nn import functional

    size = vectors.shape[-1]
    normalised = functional.layer_norm(vectors, (size,), weights["norm.weight"], weights["norm.bias"])
    hidden = functional.gelu(functional.linear(normalised, weights["hidden.weight"], weights["hidden.bias"]))
    return functional.linear(hidden, weights["senses.weight"], weights["senses.bias"]).reshape(len(vectors), -1, size)


def contextualisation(weights: Weights, states: "Tensor", mask: "Tensor", senses: int) -> "Tensor":
    """Return α (B, L, T, T): the weight of sense ℓ of each token j in each token i, summing to 1 over j.

    states (B, T, d): the last states of the encoder; mask (B, T): where there is a token. A softmax of the inner
    products of queries and keys, one head for each sense. Values where i is not a token are undefined.
    """
    from torch.nn import functional

    texts, tokens, _ = states.shape
    projections = functional.linear(states, weights["attention.weight"], weights["attention.bias"])
    queries, keys = projections.reshape(texts, tokens, 2, senses, -1).permute(2, 0, 3, 1, 4)
    scores = queries @ keys.transpose(-1, -2) / math.sqrt(queries.shape[-1])
    return scores.masked_fill(~mask[:, None, None, :], -math.inf).softmax(-1)


def text_senses(weights: Weights, tokens: "Tensor", vectors: "Tensor", states: "Tensor", mask: "Tensor") -> "Tensor":
    """Return each sense's part of each text's vector, (B, L, d); a text's vector under the weights M is Σ_ℓ M(ℓ) of
    these.

    It is the mean over the tokens i of equation 5's o_i = Σ_j Σ_ℓ M(ℓ) α_ℓij C(x_j)_ℓ, in another order of the sums: α
    is averaged over i, and the senses of a repeated token are computed once. tokens (B, T): rows of `vectors` (U, d). A
    text without a token is 0.
    """
    import torch

    senses = senses_of(weights, vectors)  # (U, L, d)
    alpha = contextualisation(weights, states, mask, senses.shape[1])
    is_token = mask.to(alpha.dtype)
    count = is_token.sum(dim=1).clamp(min=1)
    mean = torch.einsum("bi,blij->blj", is_token / count[:, None], torch.nan_to_num(alpha))
    places = tokens[:, None, :].expand(mean.shape)
    token_weights = torch.zeros(*mean.shape[:2], len(vectors), dtype=mean.dtype).scatter_add(2, places, mean)
    return torch.einsum("blu,uld->bld", token_weights, senses)
