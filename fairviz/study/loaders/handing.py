"""A file that a library reads piece by piece from threads of its own, and the end of the program, which waits for them.

Arrow reads ahead, and a thread of it still asks for pieces where a file was refused at its first lines. Python stops
who asks it for something while it shuts down, which ends a thread of C++ by aborting the whole program. Pieces are
copied, because one that Python owns has to be given back to it at some time too.
"""

import atexit
import time
from collections.abc import Callable
from typing import Any, Protocol
from weakref import WeakSet

PATIENCE = 5_000  # milliseconds


class Source(Protocol):
    """What is read from."""

    @property
    def closed(self) -> bool:
        """Whether it gives nothing more."""

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""


class Handed:
    """The same source for the library alone: it is gone as soon as the library holds it no more."""

    def __init__(self, source: Source) -> None:
        """Keeps in mind that the library has it."""
        self._source = source
        _HANDED.add(self)

    @property
    def closed(self) -> bool:
        """Whether the source is closed."""
        return self._source.closed

    def read(self, size: int = -1) -> bytes:
        """The next bytes, none at the end and where it is closed."""
        return self._source.read(size)

    def close(self) -> None:
        """Does nothing: who opened the source closes it."""


_HANDED: WeakSet[Handed] = WeakSet()


def handed(source: Source, block: int) -> Any:
    """The source as a stream of Arrow's, read in blocks of so many bytes."""
    import pyarrow as pa

    return pa.BufferedInputStream(pa.PythonFile(Handed(source), mode="r"), block)


def wait(pause: Callable[[float], None] = time.sleep) -> None:
    """Waits until no library holds a source any more, for five seconds at most."""
    for _ in range(PATIENCE):
        if not len(_HANDED):
            return
        pause(0.001)


atexit.register(wait)
