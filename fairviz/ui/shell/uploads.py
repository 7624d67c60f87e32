"""Files of a session: uploads are refused on a server without uploads and from others than the session's visitor, and
counted in bytes for each session; downloads are the visitor's own too.

Streamlit accepts uploads on every page, and limits only the size of one file.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from fairviz.home.access import has_any_role, visiting
from fairviz.home.server_config import Login, server_config
from fairviz.ui.shell.gate import App, Message, Receive, Send, answer
from fairviz.ui.state import streamlit_internals
from fairviz.ui.state.login import visitor_with
from fairviz.ui.state.streamlit_internals import DOWNLOAD_PATH, UPLOAD_PATH

MOST = 1000  # megabytes of the files of one session together, without a configuration; of one file: see Streamlit
MEGABYTE = 1_000_000
NO_UPLOADS = "This server takes no files."
NOT_YOURS = "Files are taken from the visitor of an open page alone. Open the page again, and log in."
NOT_OFFERED = "This file is for the visitor of an open page alone. Open the page again, and log in."
TOO_MUCH = "The files of one session may have {:,} MB together. Remove some, or open the page again."


def most_megabytes() -> int:
    """Return the largest size of the files of one session together, in megabytes."""
    config = server_config()
    return config.limits.upload_megabytes if config is not None else MOST


def refuse_none(session: str, scope: Message) -> str:
    """Return the reason to refuse an upload, for a server without visitors: none."""
    return ""


def refuse_all(session: str, scope: Message) -> str:
    """Return the reason to refuse every upload."""
    return NO_UPLOADS


def refuse_strangers(session: str, scope: Message) -> str:
    """Return the reason to refuse an upload to this session; empty if the session's own visitor sends it."""
    return "" if _is_of_visitor(session, scope) else NOT_YOURS


def _is_of_visitor(session: str, scope: Message) -> bool:
    """Return whether the session's own visitor sends the request, who has a role on any study."""
    config, beginning = server_config(), streamlit_internals.beginning_of(session)
    if config is None or beginning is None:
        return False
    person = visitor_with(beginning.claims, lambda: beginning.headers)
    sender = HTTPConnection({**scope, "type": "http"})
    login = config.login or Login()
    if person is None or _credentials(login, sender.headers, sender.cookies) != _credentials(
        login, beginning.headers, beginning.cookies
    ):
        return False
    with visiting(person):
        return has_any_role()


def _credentials(login: Login, headers: Mapping[str, str], cookies: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return what identifies the visitor in a request: the trusted header, or the cookies of the login."""
    if not login.provider:
        return headers.get(login.header.lower(), "") if login.header else "", {}
    first, others = streamlit_internals.LOGIN_COOKIES
    return "", {name: value for name, value in cookies.items() if name == first or name.startswith(others)}


class RefusedUploads:
    """ASGI middleware that answers 403 to an upload, before a byte of it is read, if reason(session, scope) returns a
    text."""

    def __init__(self, app: App, reason: Callable[[str, Message], str] = refuse_all) -> None:
        self.app, self.reason = app, reason

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        is_upload = scope["type"] == "http" and UPLOAD_PATH in scope["path"]
        if is_upload and (text := self.reason(_session_of(scope), scope)):
            await answer(send, HTTPStatus.FORBIDDEN, text)
        else:
            await self.app(scope, receive, send)


def _session_of(scope: Message) -> str:
    """Return the session to which a file is sent, wherever the server serves."""
    return scope["path"].partition(f"{UPLOAD_PATH}/")[2].partition("/")[0]


class OwnDownloads:
    """ASGI middleware that answers 403 to the request of a file that no page of its sender offers.

    The name of a file is a hash of its content: whoever has it, or the content, would get the file without a login.
    """

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        folder, is_file, name = path.partition(f"{DOWNLOAD_PATH}/")
        is_download = bool(is_file) and not folder.endswith("/static")  # where Streamlit has its own fonts
        sessions = streamlit_internals.sessions_with_download(name) if is_download else []
        if is_download and not any(_is_of_visitor(session, scope) for session in sessions):
            await answer(send, HTTPStatus.FORBIDDEN, NOT_OFFERED)
        else:
            await self.app(scope, receive, send)


class CountedUploads:
    """ASGI middleware that answers 413 if the files of a session would be larger than `most` megabytes together.

    stored_bytes(session) returns the bytes stored for a session. on_end(session) is called at the end of an upload, as
    the session may have ended during it. Bytes of uploads in progress are counted too.
    """

    def __init__(
        self, app: App, stored_bytes: Callable[[str], int], on_end: Callable[[str], None], most: float = MOST
    ) -> None:
        self.app, self.stored_bytes, self.on_end, self.most = app, stored_bytes, on_end, most * MEGABYTE
        self.text = TOO_MUCH.format(most)
        self.arriving: Counter[str] = Counter()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "PUT" or UPLOAD_PATH not in scope["path"]:
            await self.app(scope, receive, send)
            return
        session = _session_of(scope)
        if self.stored_bytes(session) + self.arriving[session] + _declared(scope) > self.most:
            await answer(send, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, self.text)
            return
        sizes: list[int] = []  # of the parts that were received and are not stored yet

        async def receive_counted() -> Message:
            message = await receive()
            sizes.append(len(message.get("body", b"")))
            self.arriving[session] += sizes[-1]
            if self.stored_bytes(session) + self.arriving[session] > self.most:
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, self.text)
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
