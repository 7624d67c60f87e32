"""Linear algebra in one thread while each core has a worker of its own: both kinds would wait for one another."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from threadpoolctl import threadpool_limits

_LOCK = Lock()
_HELD: list[Any] = []  # the limit, while anybody works under it
_COUNT: list[int] = [0]


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Compute products of matrices in the calling thread. The limit is the process's: the last context to exit removes
    it."""
    with _LOCK:
        if not _COUNT[0]:
            _HELD.append(threadpool_limits(1, user_api="blas"))
        _COUNT[0] += 1
    try:
        yield
    finally:
        with _LOCK:
            _COUNT[0] -= 1
            if not _COUNT[0]:
                _HELD.pop().restore_original_limits()
