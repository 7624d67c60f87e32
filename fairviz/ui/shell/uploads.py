"""Uploads: refused where no page takes any, and counted in bytes for each session.

Streamlit takes an upload for any session, whatever its page shows, and limits the size of one file only.
"""

from collections import Counter
from collections.abc import Callable
from http import HTTPStatus

from starlette.exceptions import HTTPException

from fairviz.ui.shell.gate import App, Message, Receive, Send, answer

PLACE = "/_stcore/upload_file"
MOST = 1000  # megabytes that the files of one session may have together; one file: server.maxUploadSize
MEGABYTE = 1_000_000
NO_UPLOADS = "This server takes no files."
TOO_MUCH = f"The files of one session may have {MOST:,} MB together. Remove some, or open the page again."


class NoUploads:
    """ASGI middleware that answers 403 to every upload, before a byte of it is read."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and PLACE in scope["path"]:
            await answer(send, HTTPStatus.FORBIDDEN, NO_UPLOADS)
        else:
            await self.app(scope, receive, send)


class CountedUploads:
    """ASGI middleware that answers 413 where the files of a session would be larger than `most` bytes together.

    held(session) gives the bytes that are stored for it. ended(session) is called when an upload is over: a session
    may have ended while it arrived. Bytes that arrive are counted too, for several uploads at a time.
    """

    def __init__(
        self, app: App, held: Callable[[str], int], ended: Callable[[str], None], most: int = MOST * MEGABYTE
    ) -> None:
        self.app, self.held, self.ended, self.most = app, held, ended, most
        self.arriving: Counter[str] = Counter()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "PUT" or PLACE not in scope["path"]:
            await self.app(scope, receive, send)
            return
        session = scope["path"].partition(f"{PLACE}/")[2].partition("/")[0]
        if self.held(session) + self.arriving[session] + _declared(scope) > self.most:
            await answer(send, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, TOO_MUCH)
            return
        sizes: list[int] = []  # of the parts that have arrived and are not stored yet

        async def counted() -> Message:
            message = await receive()
            sizes.append(len(message.get("body", b"")))
            self.arriving[session] += sizes[-1]
            if self.held(session) + self.arriving[session] > self.most:
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, TOO_MUCH)
            return message

        async def answered(message: Message) -> None:
            self._settle(session, sizes)
            await send(message)

        try:
            await self.app(scope, counted, answered)
        finally:
            self._settle(session, sizes)
            self.ended(session)

    def _settle(self, session: str, sizes: list[int]) -> None:
        """Stop counting the parts as arriving: the file is stored, or refused."""
        self.arriving[session] -= sum(sizes)
        sizes.clear()
        if not self.arriving[session]:
            del self.arriving[session]


def _declared(scope: Message) -> int:
    """Return the Content-Length; 0 where there is none, or none that can be read."""
    for name, value in scope["headers"]:
        if name.lower() == b"content-length" and value.isdigit() and len(value) < 20:
            return int(value)
    return 0
