"""The check of every request, and of the page's websocket, before it reaches Streamlit.

A page of another site can send a browser here under its own name (DNS rebinding: `evil.example` that resolves to
127.0.0.1), or open a websocket or a frame from its own origin. The first has an unknown host, the second an origin that
differs from its host. On a server, only the addresses of its proxies can set the header that names the visitor.
"""

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from fairviz.home import LOOPBACK
from fairviz.home.access import has_any_role, visiting
from fairviz.home.server_config import Login, ServerConfig, server_config
from fairviz.ui.state import streamlit_internals
from fairviz.ui.state.login import is_forwarded, visitor_with
from fairviz.ui.state.streamlit_internals import DOWNLOAD_PATH, UPLOAD_PATH

CLOSED = "/_stcore/agent/"  # paths of the API for programs: not there, even if its option is set
OF_THIS_MACHINE = "/_stcore/metrics"
_HOST = re.compile(r"[a-z0-9._-]+(:\d{1,5})?|\[[0-9a-f:.]+\](:\d{1,5})?")
_POLICY = (
    "default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'; connect-src 'self' data: blob: ws://{0} wss://{0}; "
    "frame-ancestors {1}; base-uri 'self'; form-action 'self'"
)
MANUAL = "/manual/"  # its scripts are of packages, and of an origin of their own: they reach nothing of the app
_MANUAL_POLICY = (
    "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads; default-src 'none'; "
    "script-src {0} 'unsafe-inline' 'unsafe-eval'; style-src {0} 'unsafe-inline'; img-src {0} data: blob:; "
    "font-src {0} data:; connect-src {0}; worker-src blob:; frame-ancestors {1}; base-uri 'none'; form-action {0}"
)
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]
MOST_MEGABYTES = (
    1000  # megabytes of the files of one session together, without a configuration; of one file: see Streamlit
)
MEGABYTE = 1_000_000
NO_UPLOADS = "This server takes no files."
NOT_YOURS = "Files are taken from the visitor of an open page alone. Open the page again, and log in."
NOT_OFFERED = "This file is for the visitor of an open page alone. Open the page again, and log in."
TOO_MUCH = "The files of one session may have {:,} MB together. Remove some, or open the page again."


def refusal(hosts: list[str], origins: list[str], allowed: list[str] | tuple[str, ...]) -> str:
    """Return the line that refuses a request with these Host and Origin headers; empty if it is allowed."""
    host = hosts[0].lower() if len(hosts) == 1 else ""
    if not _HOST.fullmatch(host):
        return "The request does not name its host."
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:  # brackets around text that is not an IPv6 address
        return "The request does not name its host."
    if name.rstrip(".") not in {allowed_name.strip("[] ").lower() for allowed_name in allowed}:
        return "This program answers on this machine only. Start it with --address NAME to open it under a name."
    if any(_place(origin) != host for origin in origins):
        return "Pages of other sites may not ask this program for anything."
    return ""


def _place(origin: str) -> str:
    """Return the host and port of an Origin header; empty without a readable one."""
    try:
        return urlsplit(origin.lower()).netloc
    except ValueError:
        return ""


def within(path: str, base: str) -> str:
    """Return the part of a path below the base path of the server, which begins with a slash; empty for other paths."""
    prefix = f"/{base.strip('/')}" if base.strip("/") else ""
    return path.removeprefix(prefix) if path.startswith(f"{prefix}/") else ""


def is_local(scope: Message) -> bool:
    """Return whether a program on this machine sent the request itself: no proxy forwarded it."""
    peer, own = _address(scope.get("client")), _address(scope.get("server"))
    is_from_here = bool(peer) and (peer == own or ip_address(peer).is_loopback)
    return is_from_here and not is_forwarded(name.decode("latin-1") for name, _ in scope["headers"])


def _address(place: tuple[str, int] | None) -> str:
    """Return the network address of one end of a connection, in its shortest form; empty if unknown."""
    try:
        address = ip_address(place[0] if place else "")
    except ValueError:  # a socket of the file system
        return ""
    return str(getattr(address, "ipv4_mapped", None) or address)


def without_identity(scope: Message, login: Login | None) -> list[tuple[bytes, bytes]]:
    """Return the headers of a request without the one that names the visitor, unless one of the proxies sent it, and
    once. Names that differ from it in case and in `_` for `-` are removed too."""
    if login is None or not login.header:
        return list(scope["headers"])
    name = _spelling(login.header)
    others = [(key, value) for key, value in scope["headers"] if _spelling(key.decode("latin-1")) != name]
    is_trusted = _address(scope.get("client")) in {_address((proxy, 0)) for proxy in login.proxies} - {""}
    is_single = len(scope["headers"]) == len(others) + 1
    return list(scope["headers"]) if is_trusted and is_single else others


def _spelling(name: str) -> str:
    return name.strip().lower().replace("_", "-")


class Gate:
    """ASGI middleware that refuses other hosts and origins, and forbids frames and requests to elsewhere.

    allowed() returns the host names of this server; those of its configuration are allowed as well. base() returns the
    path at which it serves.
    """

    def __init__(
        self,
        app: App,
        allowed: Callable[[], list[str]],
        config: ServerConfig | None = None,
        base: Callable[[], str] = str,
    ) -> None:
        self.app, self.allowed, self.base = app, allowed, base
        self.hosts = config.hosts if config else ()
        self.frame_ancestors = config.frame_ancestors if config else ()
        self.login = config.login if config else None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        hosts, origins = _values(scope, b"host"), _values(scope, b"origin")
        is_manual = within(scope.get("path", ""), self.base()).startswith(MANUAL) and scope["type"] == "http"
        if is_manual and origins == ["null"]:  # of a page of the manual itself
            origins = []
        reason = refusal(hosts, origins, [*(self.allowed() or LOOPBACK), *self.hosts])
        if reason:
            await _refuse(scope, receive, send, reason)
            return
        if self._is_closed(scope):
            await answer(send, 404, "Not found")
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = _headers(hosts[0], self.frame_ancestors, self._manual_of(hosts[0]) if is_manual else "")
                message["headers"] = [*message.get("headers", ()), *headers]
            await send(message)

        scope = {**scope, "headers": without_identity(scope, self.login)}
        await self.app(scope, receive, send_with_headers)

    def _manual_of(self, host: str) -> str:
        """Return the source of a policy that only pages of the manual match."""
        prefix = f"/{self.base().strip('/')}" if self.base().strip("/") else ""
        return f"{host}{prefix}{MANUAL}"

    def _is_closed(self, scope: Message) -> bool:
        """Return whether the request is for a path that has no answer: for nobody, or not for this sender."""
        path = within(scope.get("path", ""), self.base())
        is_for_programs = f"{path}/".startswith(CLOSED)
        is_hidden = path.rstrip("/") == OF_THIS_MACHINE and not is_local(scope)
        return scope["type"] == "http" and (is_for_programs or is_hidden)


def _values(scope: Message, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def _headers(host: str, frame_ancestors: tuple[str, ...] = (), manual: str = "") -> list[tuple[bytes, bytes]]:
    """Return headers that allow frames of this origin and of these, no requests to other sites, and no referrer with
    settings. manual: for a page of the manual the place of all of them, which requests may name from any origin."""
    policy = (_MANUAL_POLICY if manual else _POLICY).format(manual or host, " ".join(("'self'", *frame_ancestors)))
    return [
        *([] if frame_ancestors else [(b"x-frame-options", b"SAMEORIGIN")]),
        *([(b"access-control-allow-origin", b"*")] if manual else []),
        (b"content-security-policy", policy.encode("latin-1")),
        (b"cross-origin-resource-policy", b"cross-origin" if manual else b"same-origin"),
        (b"referrer-policy", b"no-referrer"),
    ]


async def _refuse(scope: Message, receive: Receive, send: Send, reason: str) -> None:
    """Answer 403 with the reason; a websocket that is closed before it is accepted answers 403 too."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": reason})
        return
    await answer(send, 403, reason)


async def answer(send: Send, status: int, text: str) -> None:
    """Send one line of text with this status."""
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"x-frame-options", b"DENY")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{text}\n".encode()})


def most_megabytes() -> int:
    """Return the largest size of the files of one session together, in megabytes."""
    config = server_config()
    return config.limits.upload_megabytes if config is not None else MOST_MEGABYTES


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
        self, app: App, stored_bytes: Callable[[str], int], on_end: Callable[[str], None], most: float = MOST_MEGABYTES
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
