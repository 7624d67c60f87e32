"""Sessions of closed browsers: ended, and their files removed, once they can no longer be resumed.

Streamlit keeps a session for some minutes after its browser is closed, and then until another browser is closed or
garbage is collected.
"""

import asyncio

from streamlit import runtime
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.session_manager import SessionInfo

LATER = 0.1  # seconds after which a session that can no longer be resumed is ended


class Sessions(MemorySessionStorage):
    """Streamlit's store of sessions that can be resumed, which ends those that no longer can."""

    def __init__(self, maxsize: int = 128, ttl_seconds: int = 120) -> None:
        super().__init__(maxsize, ttl_seconds)
        self._seconds = ttl_seconds
        self._waiting: dict[str, SessionInfo] = {}

    def save(self, session_info: SessionInfo) -> None:
        """Store a session. It is ended when its time is over, or when too many others are stored."""
        super().save(session_info)
        self._waiting[session_info.session.id] = session_info
        loop = asyncio.get_running_loop()
        loop.call_soon(self.end_lost)  # not here, as Streamlit has a lock
        loop.call_later(self._seconds + LATER, self.end_lost)

    def delete(self, session_id: str) -> None:
        """Remove a session that is resumed or closed."""
        self._waiting.pop(session_id, None)
        super().delete(session_id)

    def end_lost(self) -> None:
        """End each session that can no longer be resumed: its files are removed."""
        self._cache.expire()  # type: ignore[attr-defined]
        for name in [name for name in self._waiting if name not in self._cache]:
            self._waiting.pop(name).session.shutdown()


def stored_bytes(session_id: str) -> int:
    """Return the bytes of the uploaded files that are stored for a session."""
    storage = runtime.get_instance().uploaded_file_mgr.file_storage  # type: ignore[attr-defined]
    return sum(len(file.data) for file in list(storage.get(session_id, {}).values()))


def drop_lost_files(session_id: str) -> None:
    """Remove the files of a session that ended during their upload."""
    instance = runtime.get_instance()
    if instance._session_mgr.get_session_info(session_id) is None:
        instance.uploaded_file_mgr.remove_session_files(session_id)
