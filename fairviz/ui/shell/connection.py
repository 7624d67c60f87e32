"""The script that says when a page has lost its server, in the frame of every page.

Streamlit greys the page out then, and shows how to start its own command. The script is in the document itself, as a
page that never had a connection has no other script of this project.
"""

import json
from collections.abc import Callable
from pathlib import Path

from fairviz.home.server_config import ServerConfig
from fairviz.ui.kit.components import compact
from fairviz.ui.shell.gate import App, Message, Receive, Send, within

SCRIPT = Path(__file__).with_suffix(".js")
END = b"</head>"
OF_APP = "Start it again: fairviz app."
OF_SERVER = "Wait a moment, or tell its owner."
_UNWANTED = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")  # of a document that is changed


class Connection:
    """ASGI middleware that puts the script into each document of the app. base(): the path at which it serves."""

    def __init__(self, app: App, config: ServerConfig | None = None, base: Callable[[], str] = str) -> None:
        self.app, self.base = app, base
        self.restart = OF_APP if config is None else OF_SERVER

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        is_page = scope["type"] == "http" and scope["method"] == "GET" and "." not in scope["path"].rpartition("/")[2]
        if not is_page or within(scope["path"], self.base()).startswith("/_stcore/"):
            await self.app(scope, receive, send)
            return
        started: list[Message] = []
        body = bytearray()

        async def send_changed(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_html(message):
                started.append(message)
            elif not started:
                await send(message)
            elif message["type"] == "http.response.body":
                body.extend(message.get("body", b""))
                if not message.get("more_body"):
                    content = bytes(body).replace(END, self._script() + END, 1)
                    headers = [pair for pair in started[0]["headers"] if pair[0].lower() != b"content-length"]
                    headers.append((b"content-length", str(len(content)).encode()))
                    await send({**started[0], "headers": headers})
                    await send({"type": "http.response.body", "body": content})

        headers = [(name, value) for name, value in scope["headers"] if name.lower() not in _UNWANTED]
        await self.app({**scope, "headers": headers}, receive, send_changed)

    def _script(self) -> bytes:
        base = f"/{self.base().strip('/')}/" if self.base().strip("/") else "/"
        values = f"const BASE = {json.dumps(base)}, RESTART = {json.dumps(self.restart)};"
        return f"<script>{values}\n{compact(SCRIPT.read_text(encoding='utf-8'))}</script>".encode()


def _is_html(message: Message) -> bool:
    headers = {name.lower(): value for name, value in message.get("headers", ())}
    return message["status"] == 200 and headers.get(b"content-type", b"").startswith(b"text/html")
