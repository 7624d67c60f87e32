"""Tiny Backpacks and a reader in MiniLM's place, for tests."""

from collections.abc import Sequence

import torch

from fairviz.extensions.backpack.corpus import Read, Reading
from fairviz.extensions.backpack.loading import word_pieces
from fairviz.extensions.backpack.network import initial


def weights(senses: int, size: int, seed: int = 0) -> dict[str, torch.Tensor]:
    """Weights in double precision, of layers as small as they can be."""
    found = initial(senses, size, seed, hidden=7, head=3)
    return {name: tensor.double() for name, tensor in found.items()}


def without_minilm() -> Read:
    """Reads with MiniLM's WordPieces, but makes states of them by a mean with the neighbour before."""
    vectors, tokenizer = word_pieces()

    def read(texts: Sequence[str]) -> Reading:
        found = [torch.tensor(tokenizer.encode(text, add_special_tokens=False).ids[:40]).long() for text in texts]
        tokens = torch.nn.utils.rnn.pad_sequence(found, batch_first=True)
        mask = torch.arange(tokens.shape[1])[None, :] < torch.tensor([len(row) for row in found])[:, None]
        own = vectors[tokens] * mask[:, :, None]
        states = (own + own.roll(1, dims=1)) / 2
        mean = states.sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return Reading(tokens, states, mask, torch.nn.functional.normalize(mean, dim=1))

    return read
