"""Uploads: refused on a server without uploads, and counted in bytes for each session.

Streamlit accepts uploads on every page, and limits only the size of one file.
"""

from collections import Counter
from collections.abc import Callable
from http import HTTPStatus

from starlette.exceptions import HTTPException

from fairviz.ui.shell.gate import App, Message, Receive, Send, answer
from fairviz.ui.state.streamlit_internals import UPLOAD_PATH

MOST = 1000  # megabytes of the files of one session together; of one file: server.maxUploadSize
MEGABYTE = 1_000_000
NO_UPLOADS = "This server takes no files."
TOO_MUCH = f"The files of one session may have {MOST:,} MB together. Remove some, or open the page again."


class NoUploads:
    """ASGI middleware that answers 403 to every upload, before a byte of it is read."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and UPLOAD_PATH in scope["path"]:
            await answer(send, HTTPStatus.FORBIDDEN, NO_UPLOADS)
        else:
            await self.app(scope, receive, send)


class CountedUploads:
    """ASGI middleware that answers 413 if the files of a session would be larger than `most` bytes together.

    stored_bytes(session) returns the bytes stored for a session. on_end(session) is called at the end of an upload, as
    the session may have ended during it. Bytes of uploads in progress are counted too.
    """

    def __init__(
        self, app: App, stored_bytes: Callable[[str], int], on_end: Callable[[str], None], most: int = MOST * MEGABYTE
    ) -> None:
        self.app, self.stored_bytes, self.on_end, self.most = app, stored_bytes, on_end, most
        self.arriving: Counter[str] = Counter()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "PUT" or UPLOAD_PATH not in scope["path"]:
            await self.app(scope, receive, send)
            return
        session = scope["path"].partition(f"{UPLOAD_PATH}/")[2].partition("/")[0]
        if self.stored_bytes(session) + self.arriving[session] + _declared(scope) > self.most:
            await answer(send, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, TOO_MUCH)
            return
        sizes: list[int] = []  # of the parts that were received and are not stored yet

        async def receive_counted() -> Message:
            message = await receive()
            sizes.append(len(message.get("body", b"")))
            self.arriving[session] += sizes[-1]
            if self.stored_bytes(session) + self.arriving[session] > self.most:
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, TOO_MUCH)
            return message

        async def send_settled(message: Message) -> None:
            self._settle(session, sizes)
            await send(message)

        try:
            await self.app(scope, receive_counted, send_settled)
        finally:
            self._settle(session, sizes)
            self.on_end(session)

    def _settle(self, session: str, sizes: list[int]) -> None:
        """Stop counting the parts of an upload, whose file is stored or refused."""
        self.arriving[session] -= sum(sizes)
        sizes.clear()
        if not self.arriving[session]:
            del self.arriving[session]


def _declared(scope: Message) -> int:
    """Return the Content-Length; 0 without a readable one."""
    for name, value in scope["headers"]:
        if name.lower() == b"content-length" and value.isdigit() and len(value) < 20:
            return int(value)
    return 0
