"""Texts as one vector for each sense, cached on disk: a text's vector is their weighted sum."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from fairviz.models.encodings import Encode, encoded
from fairviz.models.sentence_encoder import MINILM, located
from fairviz.rankers.backpack.loading import Backpack
from fairviz.rankers.backpack.network import text_senses
from fairviz.rankers.backpack.teacher import LONGEST, Reading, reader
from fairviz.words.vectors import unit

_BATCH = 256  # texts tokenised at once


def sense_vectors(texts: Sequence[str], model: Backpack, progress: Callable[[int, int], None]) -> np.ndarray:
    """Return each sense's part of each text's vector, (N, L, d) float32, from the cache where possible.

    A text is cut after 254 WordPieces, as in MiniLM. A text without a WordPiece is 0.
    """

    def load() -> Encode:
        read = reader()
        return lambda batch: _encode(read(batch), model)

    if not texts:
        return np.zeros((0, model.senses, model.size), dtype=np.float32)
    vectors = encoded(texts, located(MINILM), f"backpack-{model.key}", load, progress)
    return vectors.reshape(len(texts), model.senses, model.size)


def cut_off(texts: Sequence[str], model: Backpack) -> Iterator[str]:
    """Yield the texts with more WordPieces than MiniLM reads, which are cut."""
    for start in range(0, len(texts), _BATCH):
        batch = list(texts[start : start + _BATCH])
        encodings = model.tokenizer.encode_batch(batch, add_special_tokens=False)
        yield from (text for text, pieces in zip(batch, encodings, strict=True) if len(pieces) > LONGEST)


def _encode(reading: Reading, model: Backpack) -> np.ndarray:
    import torch

    with torch.inference_mode():
        rows, tokens = torch.unique(reading.tokens, return_inverse=True)
        senses = text_senses(model.weights, tokens, model.vectors[rows], reading.states, reading.mask)
    return senses.reshape(len(senses), -1).numpy()


def text_vectors(senses: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the texts' vectors under weights M of the senses: Σ_ℓ M(ℓ) · part ℓ, (N, d) from (N, L, d) and (L,);
    equation 5.

    With every weight 1 it is exactly the sum over the senses.
    """
    total = np.zeros((len(senses), senses.shape[2]), dtype=senses.dtype)
    for place, weight in enumerate(weights):
        total += senses.dtype.type(weight) * senses[:, place]
    return total


def cosines(queries: np.ndarray, documents: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the cosine of each query with each document (Q, D) under weights (L,) of the senses, from (Q, L, d) and
    (D, L, d)."""
    return unit(text_vectors(queries, weights)) @ unit(text_vectors(documents, weights)).T
