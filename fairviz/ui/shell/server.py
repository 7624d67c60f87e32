"""Streamlit's server, started for this app: `python -m fairviz.ui.shell.server run app.py`.

Before the first call of `st.navigation` in a server, Streamlit takes a folder named pages for its older layout, and
shows a first visitor with a deep link a dialog that the page does not exist. The older layout is switched off here.

With --until-input-ends before `run`, the server ends when its standard input does: the parent process has the other end
of a pipe, which the system closes however the parent ends, killed or with its terminal.
"""

import gc
import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from starlette.middleware import Middleware

from fairviz.annotation.forms.serving import only_labelling
from fairviz.evaluation.settings import DEFAULT_STUDY
from fairviz.home.permissions import permissions
from fairviz.own_file import bring_named
from fairviz.ui.kit.components import compact
from fairviz.ui.shell.gate import (
    App,
    Arrival,
    CountedUploads,
    Gate,
    Health,
    Manual,
    Message,
    Receive,
    RefusedUploads,
    Send,
    count_jobs,
    most_megabytes,
    prefix_of,
    within,
)
from fairviz.ui.state import library, streamlit_internals

SCRIPT = Path(__file__).with_name("connection.js")
END = b"</head>"
LENGTH = b"content-length"
OF_APP = "Start it again: fairviz app."
OF_SERVER = "Wait a moment, or tell its owner."
_UNWANTED = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")  # of a document that is changed


UNTIL_INPUT_ENDS = "--until-input-ends"
PATIENCE = 5  # seconds to end normally
DOORS = {
    "FORWARDED_ALLOW_IPS": "",
    "STREAMLIT_GLOBAL_DEVELOPMENT_MODE": "false",
    "STREAMLIT_GLOBAL_E2E_TEST": "false",
    "STREAMLIT_SERVER_ENABLE_AGENT_API": "false",
    "STREAMLIT_SERVER_ENABLE_CORS": "true",
    "STREAMLIT_SERVER_ENABLE_STATIC_SERVING": "false",
    "STREAMLIT_SERVER_ENABLE_XSRF_PROTECTION": "true",
    "STREAMLIT_SERVER_SCRIPT_HEALTH_CHECK_ENABLED": "false",
    "STREAMLIT_CLIENT_SHOW_ERROR_DETAILS": "none",
}


@dataclass
class Connection:
    """ASGI middleware that puts the script into each document of the app. base(): the path at which it serves."""

    app: App
    is_server: bool = False
    base: Callable[[], str] = str

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
                    headers = [(name, value) for name, value in started[0]["headers"] if name.lower() != LENGTH]
                    headers.append((LENGTH, str(len(content)).encode()))
                    await send({**started[0], "headers": headers})
                    await send({"type": "http.response.body", "body": content})

        headers = [(name, value) for name, value in scope["headers"] if name.lower() not in _UNWANTED]
        await self.app({**scope, "headers": headers}, receive, send_changed)

    def _script(self) -> bytes:
        """Return the script with this server's base path and remedy, as an element of HTML."""
        base = json.dumps(f"{prefix_of(self.base())}/")
        remedy = json.dumps(OF_SERVER if self.is_server else OF_APP)
        script = compact(SCRIPT.read_text(encoding="utf-8"))
        return f"<script>const BASE = {base}, RESTART = {remedy};\n{script}</script>".encode()


def _is_html(start: Message) -> bool:
    """Return whether a response that begins like this is an HTML document."""
    headers = {name.lower(): value for name, value in start.get("headers", ())}
    return start["status"] == 200 and headers.get(b"content-type", b"").startswith(b"text/html")


def guard() -> None:
    """Put the check of health and the gate before Streamlit's own routes, then the manual, the redirects to a study
    and the count of uploads; end sessions that cannot be resumed; and refuse messages that pages do not need. Prevent
    Streamlit's network request for this machine's address."""
    internals = streamlit_internals
    close_doors()

    def base() -> str:
        return internals.option("server.baseUrlPath") or ""

    def middleware() -> list[Middleware]:
        server = permissions()
        gate = Middleware(
            Gate, allowed=lambda: internals.option("server.allowedHosts"), hosts=server.hosts(),
            frame_ancestors=server.frame_ancestors(), headers=server.headers, base=base,
        )  # fmt: skip
        first = [Middleware(Health, sessions=internals.session_count, jobs=count_jobs, base=base), gate]
        last = Middleware(Connection, is_server=server.is_server, base=base)
        if only_labelling():
            return [*first, Middleware(RefusedUploads), last]
        manual = Middleware(Manual, base=base)
        arrival = Middleware(Arrival, study=_first_study, base=base, has_login=server.has_login())
        uploads = Middleware(
            CountedUploads, stored_bytes=internals.stored_bytes, on_end=internals.drop_lost_files, most=most_megabytes()
        )
        return [*first, manual, arrival, *server.request_checks(), uploads, last]

    internals.put_first(middleware)
    internals.end_lost_sessions()
    internals.without_requests()
    internals.refuse_messages()
    internals.name_failed_logins()


def _first_study() -> str:
    """Return the study that an address without one is redirected to; empty on a server, where it depends on the
    visitor."""
    return library.startup_study() or DEFAULT_STUDY if not permissions().is_server else ""


def close_doors() -> None:
    """Set Streamlit's options that let others in, besides the page, to off; and make the sender of a request the
    program that is connected, not the one that a header names.

    Variables of the environment precede Streamlit's configuration files, and only its command line precedes them.
    """
    os.environ.update(DOORS)


def end_with_input() -> None:
    """End this process when its standard input ends: normally, or at once after PATIENCE seconds."""
    try:
        while os.read(0, 4096):  # input is ignored; sys.stdin would keep a lock while Python shuts down
            pass
    except OSError:
        pass
    timer = threading.Timer(PATIENCE, os._exit, [1])
    timer.daemon = True
    timer.start()
    os.kill(os.getpid(), signal.SIGTERM)


def import_pages() -> None:
    """Import the modules of every page, while the first browser loads the page's frame. They stay, and the collector of
    garbage looks at them no more: with them, each look takes seven times as long."""
    import_module("fairviz.ui.shell.frame")
    gc.freeze()


if __name__ == "__main__":
    threading.Thread(target=import_pages, daemon=True).start()
    if sys.argv[1:2] == [UNTIL_INPUT_ENDS]:  # Streamlit does not have it
        del sys.argv[1]
        threading.Thread(target=end_with_input, daemon=True).start()
    bring_named()
    guard()
    streamlit_internals.start_server()
