"""The check of every request, and of the page's websocket, before it reaches Streamlit.

A page of another site can send a browser here under its own name (DNS rebinding: `evil.example` that resolves to
127.0.0.1), or open a websocket or a frame from its own origin. The first has an unknown host, the second an origin that
differs from its host.
"""

import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

LOOPBACK = ("localhost", "127.0.0.1", "::1")
_HOST = re.compile(r"[a-z0-9._-]+(:\d{1,5})?|\[[0-9a-f:.]+\](:\d{1,5})?")
_POLICY = (
    "default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'; connect-src 'self' data: blob: ws://{0} wss://{0}; "
    "frame-ancestors 'self'; base-uri 'self'; form-action 'self'"
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


class Gate:
    """ASGI middleware that refuses other hosts and origins, and forbids frames and requests to elsewhere.

    allowed() returns the host names of this server.
    """

    def __init__(self, app: App, allowed: Callable[[], list[str]]) -> None:
        self.app, self.allowed = app, allowed

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        hosts, origins = _values(scope, b"host"), _values(scope, b"origin")
        reason = refusal(hosts, origins, self.allowed() or LOOPBACK)
        if reason:
            await _refuse(scope, receive, send, reason)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_headers(hosts[0])]
            await send(message)

        await self.app(scope, receive, send_with_headers)


def _values(scope: Message, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def _headers(host: str) -> list[tuple[bytes, bytes]]:
    """Return headers that allow frames of this origin only, no requests to other sites, and no referrer with
    settings."""
    return [
        (b"x-frame-options", b"SAMEORIGIN"),
        (b"content-security-policy", _POLICY.format(host).encode("latin-1")),
        (b"cross-origin-resource-policy", b"same-origin"),
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
