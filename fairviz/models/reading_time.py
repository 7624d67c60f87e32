"""The time in which an encoder of MiniLM's size reads texts, estimated before it reads them."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

CHARACTERS = 4.6  # of a WordPiece: 4.5 on Grep-BiasIR, 4.8 on newswire
FRAME, LONGEST = 2, 256  # WordPieces around a text, and of the longest
SECONDS = 4.5e-4  # of a processor for a WordPiece: 57 for newswire's texts in two wordings
LOADING = 10.0  # seconds of a processor for importing and loading the encoder
MOST_CORES = 8  # that a batch of texts can use


def read_seconds(texts: Iterable[str], beside: float = 0.0) -> float:
    """Return the seconds in which this machine reads these texts, beside what else runs now, and loads the encoder if
    it was never loaded; 0 without texts. beside: seconds of a processor for other work on all cores."""
    pieces = [min(len(text) / CHARACTERS + FRAME, LONGEST) for text in texts]
    loading = LOADING if pieces and "sentence_transformers" not in sys.modules else 0.0
    return elapsed(SECONDS * sum(pieces) + beside) + elapsed_on_one_core(loading)


def elapsed(processor_seconds: float) -> float:
    """Return the seconds in which this machine does this work, beside what else runs now."""
    return processor_seconds / _cores() / free_share()


def elapsed_on_one_core(processor_seconds: float) -> float:
    """Return the seconds in which one core does this work, beside what else runs now."""
    return processor_seconds * max(1.0, (1 + _load()) / (os.cpu_count() or 1))


def free_share() -> float:
    """Return the share of a core that each thread gets of work on all cores, beside what else runs now."""
    return _cores() / (_cores() + _load())


def _cores() -> int:
    return min(os.cpu_count() or 1, MOST_CORES)


def _load() -> float:
    """Return how many threads want a core: those of this moment, or of the last minute if that is more."""
    average = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return max(average, _running_now())


def _running_now() -> float:
    """Return how many threads other than this one want a core at this moment; 0 where the system does not tell."""
    try:
        running = Path("/proc/loadavg").read_text(encoding="ascii").split()[3].partition("/")[0]
        return max(int(running) - 1, 0)
    except (OSError, ValueError, IndexError):
        return 0.0
