"""A cache of computed values."""

from collections import OrderedDict
from threading import RLock
from typing import Any

from fairviz.installed import Owner, frozen

KEPT_BYTES = 2_000_000_000


class Memory:
    """A cache that drops the least recently used values beyond KEPT_BYTES."""

    def __init__(self) -> None:
        self.lock = RLock()
        self._values: OrderedDict[tuple, Any] = OrderedDict()
        self._bytes = 0

    def get(self, key: tuple) -> Any:
        """Return the value under the key, or None."""
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def put(self, key: tuple, value: Any) -> None:
        """Store the value, and drop the least recently used ones beyond KEPT_BYTES. Arrays become read-only."""
        value = frozen(value)
        self._bytes += _size(value) - _size(self._values.pop(key, None))
        self._values[key] = value
        while self._bytes > KEPT_BYTES and len(self._values) > 1:
            self._bytes -= _size(self._values.popitem(last=False)[1])

    def only(self, *kinds: str) -> "Memory":
        """Return a new cache with the values of these kinds."""
        selection = Memory()
        with self.lock:
            for key, value in self._values.items():
                if key[0] in kinds:
                    selection.put(key, value)
        return selection


class Apart(Memory):
    """The values of one owner in a cache, apart from all others: of these, it reads background sets alone."""

    def __init__(self, shared: Memory, owner: Owner) -> None:
        self.lock = shared.lock
        self._shared, self._owner = shared, owner

    def get(self, key: tuple) -> Any:
        """Return the owner's value under the key, or None."""
        own = self._shared.get(("of", self._owner, key))
        return self._shared.get(key) if own is None and key[0] == "background" else own

    def put(self, key: tuple, value: Any) -> None:
        """Store the value for its owner."""
        self._shared.put(("of", self._owner, key), value)

    def only(self, *kinds: str) -> Memory:
        """Return a new cache with the shared values of these kinds."""
        return self._shared.only(*kinds)


def _size(value: Any) -> int:
    parts = {id(part): part for part in (value if isinstance(value, (list, tuple)) else [value])}
    return sum(getattr(part, "nbytes", 0) for part in parts.values())
