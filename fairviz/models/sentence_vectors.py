"""Unit vectors of texts by a sentence encoder, cached on disk."""

from collections.abc import Callable, Sequence

import numpy as np

from fairviz.errors import FairvizError
from fairviz.models.adapters import open_adapter, put_in, refuse_other_model
from fairviz.models.encodings import Encode, encoded
from fairviz.models.sentence_encoder import loaded, located


def sentence_vectors(
    texts: Sequence[str], name: str, progress: Callable[[int, int], None], adapter: str = ""
) -> np.ndarray:
    """Return the vector of each text, (N, n), of length 1 (0 where the encoder returns zeros), from the cache where
    possible.

    adapter: the name or folder of low-rank weights that are added to the encoder's own. Raises FairvizError for a
    missing encoder or adapter, and where the adapter was trained on another encoder.
    """
    model = located(name)
    low_rank = open_adapter(adapter) if adapter else None
    if low_rank is not None:
        refuse_other_model(low_rank, name, model)
        low_rank = None if low_rank.is_idle else low_rank  # keeps the cache's key: vectors differ by rounding

    def load() -> Encode:
        encoder = loaded("SentenceTransformer", model)
        if low_rank is not None:
            encoder = put_in(encoder, low_rank)
        return lambda batch: encoder.encode(batch, batch_size=len(batch), show_progress_bar=False)

    return unit_length(encoded(texts, model, "bi", load, progress, low_rank.hash if low_rank else ""), str(model))


def unit_length(vectors: np.ndarray, model: str) -> np.ndarray:
    """Return the vectors (N, n) at length 1. Raises FairvizError where one is not finite."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise FairvizError(f"the model {model} gives vectors that are not finite", "Use another model.")
    return vectors / np.where(lengths > 0, lengths, 1)
