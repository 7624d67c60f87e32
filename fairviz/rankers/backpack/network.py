"""The Backpack's equations (Afzali and others 2025, after Hewitt and others 2023), on tensors.

Axis letters: B texts, T tokens of the longest, L senses, d dimensions, U different tokens, h width of a head. The
weights are a dictionary of tensors, named as in the file: senses come from frozen WordPiece vectors alone, and what a
text makes of them from MiniLM's last states.
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
    """Weights before any training, for vectors of this size: each layer uniform within 1 / √(its inputs)."""
    import torch

    generator = torch.Generator().manual_seed(seed)

    def layer(name: str, outputs: int, inputs: int) -> "dict[str, Tensor]":
        def drawn(*shape: int) -> "Tensor":
            return (2 * torch.rand(shape, generator=generator) - 1) / math.sqrt(inputs)

        return {f"{name}.weight": drawn(outputs, inputs), f"{name}.bias": drawn(outputs)}

    norm = {"norm.weight": torch.ones(size), "norm.bias": torch.zeros(size)}
    attention = layer("attention", 2 * senses * head, size)
    return norm | layer("hidden", hidden, size) | layer("senses", senses * size, hidden) | attention


def shapes(senses: int, size: int, hidden: int = HIDDEN, head: int = HEAD) -> dict[str, tuple[int, ...]]:
    """The shape of each tensor of a model."""
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
    """C: the sense vectors (U, L, d) of words with these WordPiece vectors (U, d); no context enters."""
    from torch.nn import functional

    size = vectors.shape[-1]
    normal = functional.layer_norm(vectors, (size,), weights["norm.weight"], weights["norm.bias"])
    hidden = functional.gelu(functional.linear(normal, weights["hidden.weight"], weights["hidden.bias"]))
    return functional.linear(hidden, weights["senses.weight"], weights["senses.bias"]).reshape(len(vectors), -1, size)


def contextualisation(weights: Weights, states: "Tensor", mask: "Tensor", senses: int) -> "Tensor":
    """α (B, L, T, T): what each token i takes of sense ℓ of each token j, summing to 1 over j.

    states (B, T, d): the last states of the encoder; mask (B, T): where there is a token. A softmax of the inner
    products of queries and keys, a head a sense. Where i is no token the numbers mean nothing.
    """
    from torch.nn import functional

    texts, tokens, _ = states.shape
    both = functional.linear(states, weights["attention.weight"], weights["attention.bias"])
    queries, keys = both.reshape(texts, tokens, 2, senses, -1).permute(2, 0, 3, 1, 4)
    inner = queries @ keys.transpose(-1, -2) / math.sqrt(queries.shape[-1])
    return inner.masked_fill(~mask[:, None, None, :], -math.inf).softmax(-1)


def outputs(alpha: "Tensor", senses: "Tensor", policy: "Tensor | None" = None) -> "Tensor":
    """o_i = Σ_j Σ_ℓ M(ℓ) α_ℓij C(x_j)_ℓ of one text: (T, d) from α (L, T, T) and C (T, L, d); equation 5, and with
    every weight 1, which is what None means, equation 1."""
    import torch

    if policy is None:
        policy = torch.ones(len(alpha), dtype=alpha.dtype)
    return torch.einsum("l,lij,jld->id", policy, alpha, senses)


def text_senses(weights: Weights, tokens: "Tensor", vectors: "Tensor", states: "Tensor", mask: "Tensor") -> "Tensor":
    """What each sense gives to each text, (B, L, d): a text's vector under the weights M is Σ_ℓ M(ℓ) of these.

    It is the mean of equation 5's o_i over the tokens i, in another order of the sums: the mean over i is taken of α,
    and a token that stands in several places has its senses computed once. tokens (B, T): rows of `vectors` (U, d). A
    text without a token gives 0.
    """
    import torch

    senses = senses_of(weights, vectors)  # (U, L, d)
    alpha = contextualisation(weights, states, mask, senses.shape[1])
    held = mask.to(alpha.dtype)
    count = held.sum(dim=1).clamp(min=1)
    mean = torch.einsum("bi,blij->blj", held / count[:, None], torch.nan_to_num(alpha))
    places = tokens[:, None, :].expand(mean.shape)
    taken = torch.zeros(*mean.shape[:2], len(vectors), dtype=mean.dtype).scatter_add(2, places, mean)
    return torch.einsum("blu,uld->bld", taken, senses)
