"""The time in which an encoder of MiniLM's size reads texts, estimated before it reads them."""

import os
import sys
from collections.abc import Iterable

CHARACTERS = 4.6  # of a WordPiece: 4.5 on Grep-BiasIR, 4.8 on newswire
FRAME, LONGEST = 2, 256  # WordPieces around a text, and of the longest
SECONDS = 4.5e-4  # of a processor for a WordPiece: 57 for newswire's texts in two wordings
LOADING = 10.0  # seconds of a processor for importing and loading the encoder
MOST_CORES = 8  # that a batch of texts can use


def processor_seconds(texts: Iterable[str]) -> float:
    """Return the seconds of a processor for reading these texts, and for loading the encoder if it was never loaded; 0
    without texts."""
    pieces = [min(len(text) / CHARACTERS + FRAME, LONGEST) for text in texts]
    loading = LOADING if pieces and "sentence_transformers" not in sys.modules else 0.0
    return SECONDS * sum(pieces) + loading


def elapsed(processor_seconds: float) -> float:
    """Return the seconds in which this machine does this work, beside what else runs now."""
    cores = min(os.cpu_count() or 1, MOST_CORES)
    return processor_seconds * (cores + _load()) / cores**2


def elapsed_on_one_core(processor_seconds: float) -> float:
    """Return the seconds in which one core does this work, beside what else runs now."""
    return processor_seconds * max(1.0, (1 + _load()) / (os.cpu_count() or 1))


def _load() -> float:
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
