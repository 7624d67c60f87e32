"""Files that Arrow reads in its own threads, and the end of the program, which waits for these.

Arrow reads ahead, and its thread continues to read after a file was rejected at its first lines. Python stops a foreign
thread that calls it during shutdown, which aborts the whole program. Pieces are copied, because a piece owned by Python
would have to be returned to it later.
"""

import atexit
import time
from collections.abc import Callable
from typing import Any, Protocol
from weakref import WeakSet

PATIENCE = 5_000  # milliseconds


class Source(Protocol):
    """A readable source of bytes."""

    @property
    def closed(self) -> bool:
        """True at the end of the bytes."""

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""


class ArrowSource:
    """A source that only the library refers to: it is collected as soon as the library releases it."""

    def __init__(self, source: Source) -> None:
        """Register the source until the library releases it."""
        self._source = source
        _OPEN_SOURCES.add(self)

    @property
    def closed(self) -> bool:
        """True for a closed source."""
        return self._source.closed

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, none at the end or if closed."""
        return self._source.read(size)

    def close(self) -> None:
        """Do nothing: the opener of the source closes it."""


_OPEN_SOURCES: WeakSet[ArrowSource] = WeakSet()


def open_for_arrow(source: Source, block: int) -> Any:
    """Return the source as an Arrow stream, read in blocks of `block` bytes."""
    import pyarrow as pa

    return pa.BufferedInputStream(pa.PythonFile(ArrowSource(source), mode="r"), block)


def wait(pause: Callable[[float], None] = time.sleep) -> None:
    """Wait until no library refers to a source, for at most five seconds."""
    for _ in range(PATIENCE):
        if not len(_OPEN_SOURCES):
            return
        pause(0.001)


atexit.register(wait)
