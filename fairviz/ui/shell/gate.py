"""The check of every request, and of the page's websocket, before it reaches Streamlit.

A page of another site can send a browser here under its own name (DNS rebinding: `evil.example` that resolves to
127.0.0.1), or open a websocket or a frame from its own origin. The first has an unknown host, the second an origin that
differs from its host. On a server, only the addresses of its proxies can set the header that names the visitor.
"""

import re
from collections.abc import Awaitable, Callable, MutableMapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from fairviz.home import LOOPBACK
from fairviz.home.server_config import Login, ServerConfig
from fairviz.ui.state.forwarding import is_forwarded

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
