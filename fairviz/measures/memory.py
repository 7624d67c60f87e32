"""What was computed before and may be asked for again."""

from collections import OrderedDict
from threading import RLock
from typing import Any

KEPT_BYTES = 2_000_000_000


class Memory:
    """What was computed before, forgotten from the oldest use on once it takes more than KEPT_BYTES."""

    def __init__(self) -> None:
        self.lock = RLock()
        self._kept: OrderedDict[tuple, Any] = OrderedDict()
        self._bytes = 0

    def get(self, key: tuple) -> Any:
        """The value under the key, or None."""
        value = self._kept.get(key)
        if value is not None:
            self._kept.move_to_end(key)
        return value

    def put(self, key: tuple, value: Any) -> None:
        """Keeps the value, and lets go of what was not used for longest."""
        self._bytes += _size(value) - _size(self._kept.pop(key, None))
        self._kept[key] = value
        while self._bytes > KEPT_BYTES and len(self._kept) > 1:
            self._bytes -= _size(self._kept.popitem(last=False)[1])

    def only(self, *kinds: str) -> "Memory":
        """A memory of its own that begins with what is remembered of these kinds."""
        made = Memory()
        with self.lock:
            for key, value in self._kept.items():
                if key[0] in kinds:
                    made.put(key, value)
        return made


def _size(value: Any) -> int:
    parts = {id(part): part for part in (value if isinstance(value, (list, tuple)) else [value])}
    return sum(getattr(part, "nbytes", 0) for part in parts.values())
