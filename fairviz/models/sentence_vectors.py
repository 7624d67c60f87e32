"""Texts as unit vectors of a sentence encoder, kept on disk."""

from collections.abc import Callable, Sequence

import numpy as np

from fairviz.errors import FairvizError
from fairviz.models.adapters import open_adapter, put_in, refuse_other_model
from fairviz.models.encodings import Encode, encoded
from fairviz.models.sentence_encoder import loaded, located


def sentence_vectors(
    texts: Sequence[str], name: str, progress: Callable[[int, int], None], adapter: str = ""
) -> np.ndarray:
    """The vector of each text, (N, n), of length 1 (0 where the encoder gives nothing); read from the disk where this
    encoder has read the text before, be it for a ranker.

    adapter: the name or folder of low-rank weights that are added to the encoder's own. Raises FairvizError where there
    is no such encoder or adapter, and where the adapter was trained on another encoder.
    """
    model = located(name)
    added = open_adapter(adapter) if adapter else None
    if added is not None:
        refuse_other_model(added, name, model)
        added = None if added.is_idle else added  # not as good as equal: what stands in a batch beside a text rounds it

    def load() -> Encode:
        encoder = loaded("SentenceTransformer", model)
        if added is not None:
            encoder = put_in(encoder, added)
        return lambda batch: encoder.encode(batch, batch_size=len(batch), show_progress_bar=False)

    return unit_length(encoded(texts, model, "bi", load, progress, added.hash if added else ""), str(model))


def unit_length(vectors: np.ndarray, model: str) -> np.ndarray:
    """The vectors (N, n) at length 1. Raises FairvizError where one is not finite."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise FairvizError(f"the model {model} gives vectors that are not finite", "Use another model.")
    return vectors / np.where(lengths > 0, lengths, 1)
