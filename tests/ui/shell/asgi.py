"""A request to a middleware of the server, without a server and a browser."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

ANSWER = (200, [(b"a", b"b")], [b"app"])


def ask(
    middleware: Callable, path: str = "/", headers: Iterable[tuple[str, str]] = (), answer: tuple = ANSWER, **facts: Any
) -> tuple[list[dict], list[dict]]:
    """What is sent for a request to the middleware of an app, and the requests that reach the app, which answers with
    this status, these headers and these parts of a body."""
    sent, reached = [], []

    async def app(scope, receive, send):
        reached.append(scope)
        status, held, parts = answer
        await send({"type": "http.response.start", "status": status, "headers": held})
        for part in parts:
            await send({"type": "http.response.body", "body": part, "more_body": part is not parts[-1]})

    async def receive():  # the client stays connected
        return {"type": "websocket.connect"} if scope["type"] == "websocket" else await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "client": ("127.0.0.1", 5000), "server": ("10.0.0.5", 8501)}
    scope |= {"root_path": "", "query_string": b"", **facts}
    scope["headers"] = [(name.encode(), value.encode()) for name, value in headers]
    asyncio.run(middleware(app)(scope, receive, send))
    return sent, reached
