"""Code that numba compiles (extra `[fast]`). The import takes half a second: see `installed.has_layer`."""

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

Kernel = TypeVar("Kernel", bound=Callable)


def compiled(function: Kernel) -> Kernel:
    """Return the function as numba compiles it at its first call, kept between processes where numba can write."""
    try:
        return cast(Kernel, njit(function, cache=True, nogil=True))
    except RuntimeError:  # no folder can be written
        return cast(Kernel, njit(function, nogil=True))
