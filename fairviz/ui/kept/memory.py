"""The values that one process keeps for all its visitors, bounded in bytes; a value requested by several at once is
computed by one of them."""

import pickle
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import Any

import numpy as np

from fairviz.home.server_config import server_config

MEGABYTE = 1_000_000
USUAL = 600  # megabytes, where no server is configured
_OVERHEAD = 500  # bytes of a value's key and place
_UNKNOWN = MEGABYTE  # bytes of a value that cannot be measured


class Memory:
    """Values by key. Holds state: when they have more than `most` bytes together, those requested longest ago go.

    A value of more than `most` bytes is kept alone.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Any, tuple[Any, int]] = OrderedDict()  # with their sizes, the latest requested last
        self._bytes = 0
        self._running: dict[Any, Future] = {}
        self._lock = Lock()

    def get(self, key: Any) -> Any:
        """Return the value of this key; None if there is none."""
        with self._lock:
            return self._touched(key) if key in self._values else None

    def value(self, key: Any, compute: Callable[[], Any]) -> Any:
        """Return the value of this key, computed if there is none. What `compute` raises is raised here and not kept:
        others who wait for it compute themselves."""
        while True:
            with self._lock:
                if key in self._values:
                    return self._touched(key)
                other = self._running.get(key)
                mine = self._running.setdefault(key, Future())
            if other is None:
                return self._compute(key, compute, mine)
            if other.result():
                value = self.get(key)
                if value is not None:
                    return value

    def _compute(self, key: Any, compute: Callable[[], Any], done: Future) -> Any:
        is_kept = False
        try:
            value = compute()
            size = min(size_of(value) + _OVERHEAD, self._most)
            self._store(key, value, size)
            is_kept = True
            return value
        finally:
            with self._lock:
                del self._running[key]
            done.set_result(is_kept)

    def _touched(self, key: Any) -> Any:
        self._values.move_to_end(key)
        return self._values[key][0]

    def _store(self, key: Any, value: Any, size: int) -> None:
        with self._lock:
            self._values[key] = value, size
            self._bytes += size
            while self._bytes > self._most:
                self._bytes -= self._values.popitem(last=False)[1][1]

    def clear(self) -> None:
        """Forget every value."""
        with self._lock:
            self._values.clear()
            self._bytes = 0


class _Sizer(pickle.Pickler):
    """Counts what it would write. Arrays that are mapped from the disk count as nothing: the system drops their pages
    when it needs the room."""

    def __init__(self) -> None:
        self.bytes = 0
        super().__init__(self, protocol=5, buffer_callback=self._add)

    def write(self, data: bytes) -> None:
        self.bytes += len(data)

    def _add(self, buffer: pickle.PickleBuffer) -> None:
        with buffer.raw() as view:
            self.bytes += view.nbytes

    def reducer_override(self, value: Any) -> Any:
        return (str, ()) if isinstance(value, np.ndarray) and _is_mapped(value) else NotImplemented


def _is_mapped(array: np.ndarray) -> bool:
    base: Any = array
    while isinstance(base, np.ndarray):
        if isinstance(base, np.memmap):
            return True
        base = base.base
    return False


def size_of(value: Any) -> int:
    """Return the bytes of a value with all that it holds; a megabyte for what cannot be pickled."""
    sizer = _Sizer()
    try:
        sizer.dump(value)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError, ValueError):
        return _UNKNOWN
    return sizer.bytes


def _most_bytes() -> int:
    config = server_config()
    return MEGABYTE * (config.limits.cache_megabytes if config is not None else USUAL)


MEMORY = Memory(_most_bytes())
