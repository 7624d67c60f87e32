"""Texts as one vector a sense, kept on disk: under any weights of the senses a text is one weighted sum."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from fairviz.models.encodings import Encode, encoded
from fairviz.models.sentence_encoder import MINILM, located
from fairviz.rankers.backpack.loading import Backpack
from fairviz.rankers.backpack.network import text_senses
from fairviz.rankers.backpack.teacher import LONGEST, Reading, reader

_BATCH = 256  # texts that are cut into WordPieces at once


def sense_vectors(texts: Sequence[str], model: Backpack, progress: Callable[[int, int], None]) -> np.ndarray:
    """What each sense gives to each text, (N, L, d) float32; read from the disk where this model has read it before.

    Of a long text the first 254 WordPieces count, as MiniLM reads it. A text without a WordPiece is 0 throughout.
    """

    def load() -> Encode:
        read = reader()
        return lambda batch: _encoded(read(batch), model)

    if not texts:
        return np.zeros((0, model.senses, model.size), dtype=np.float32)
    found = encoded(texts, located(MINILM), f"backpack-{model.key}", load, progress)
    return found.reshape(len(texts), model.senses, model.size)


def cut_off(texts: Sequence[str], model: Backpack) -> Iterator[str]:
    """Those of the texts that are read in part, since they have more WordPieces than MiniLM reads."""
    for start in range(0, len(texts), _BATCH):
        batch = list(texts[start : start + _BATCH])
        found = model.tokenizer.encode_batch(batch, add_special_tokens=False)
        yield from (text for text, pieces in zip(batch, found, strict=True) if len(pieces) > LONGEST)


def _encoded(reading: Reading, model: Backpack) -> np.ndarray:
    import torch

    with torch.inference_mode():
        rows, tokens = torch.unique(reading.tokens, return_inverse=True)
        found = text_senses(model.weights, tokens, model.vectors[rows], reading.states, reading.mask)
    return found.reshape(len(found), -1).numpy()


def text_vectors(senses: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Texts under weights of the senses: Σ_ℓ M(ℓ) of what each gives, (N, d) from (N, L, d) and (L,); equation 5.

    With every weight 1 it is the sum over the senses, to the last bit.
    """
    total = np.zeros((len(senses), senses.shape[2]), dtype=senses.dtype)
    for place, weight in enumerate(weights):
        total += senses.dtype.type(weight) * senses[:, place]
    return total


def unit(vectors: np.ndarray) -> np.ndarray:
    """The vectors (N, d) at length 1; 0 stays 0."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)


def cosines(queries: np.ndarray, documents: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The cosine of each query with each document (Q, D) under weights (L,) of the senses, from (Q, L, d) and
    (D, L, d)."""
    return unit(text_vectors(queries, weights)) @ unit(text_vectors(documents, weights)).T
