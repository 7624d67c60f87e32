"""The server's part of the gate: the header that names the visitor, and uploads and downloads of a session's own
visitor alone.

Only the addresses of the server's proxies can set the header that names the visitor.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from starlette.middleware import Middleware
from starlette.requests import HTTPConnection

from fairviz.extensions.server.access import ACCESS
from fairviz.extensions.server.configuration import Login, server_config
from fairviz.extensions.server.ui.login import visitor_with
from fairviz.home.permissions import visiting
from fairviz.ui.shell.gate import (
    App,
    Headers,
    Message,
    Receive,
    RefusedUploads,
    Send,
    answer,
    network_address,
    refuse_all,
)
from fairviz.ui.state import streamlit_internals
from fairviz.ui.state.streamlit_internals import DOWNLOAD_PATH

NOT_YOURS = "Files are taken from the visitor of an open page alone. Open the page again, and log in."
NOT_OFFERED = "This file is for the visitor of an open page alone. Open the page again, and log in."


def checks() -> list[Middleware]:
    """Return the checks of uploads and downloads; a demo takes no files, and offers its own to everybody."""
    if server_config().demo:
        return [Middleware(RefusedUploads, reason=refuse_all)]
    return [Middleware(RefusedUploads, reason=refuse_strangers), Middleware(OwnDownloads)]


def without_identity(scope: Mapping[str, Any], login: Login | None) -> Headers:
    """Return the headers of a request without the one that names the visitor, unless one of the proxies sent it, and
    once. Names that differ from it in case and in `_` for `-` are removed too."""
    if login is None or not login.header:
        return list(scope["headers"])
    name = _spelling(login.header)
    others = [(key, value) for key, value in scope["headers"] if _spelling(key.decode("latin-1")) != name]
    is_trusted = network_address(scope.get("client")) in {network_address((proxy, 0)) for proxy in login.proxies} - {""}
    is_single = len(scope["headers"]) == len(others) + 1
    return list(scope["headers"]) if is_trusted and is_single else others


def _spelling(name: str) -> str:
    """Return the name of a header as proxies and programs compare it."""
    return name.strip().lower().replace("_", "-")


def refuse_strangers(session: str, scope: Message) -> str:
    """Return the reason to refuse an upload to this session; empty if the session's own visitor sends it."""
    return "" if _is_of_visitor(session, scope) else NOT_YOURS


def _is_of_visitor(session: str, scope: Message) -> bool:
    """Return whether the session's own visitor sends the request, who has a role on any study."""
    config, beginning = server_config(), streamlit_internals.beginning_of(session)
    if beginning is None:
        return False
    person = visitor_with(beginning.claims, lambda: beginning.headers)
    sender = HTTPConnection({**scope, "type": "http"})
    login = config.login or Login()
    if person is None or _credentials(login, sender.headers, sender.cookies) != _credentials(
        login, beginning.headers, beginning.cookies
    ):
        return False
    with visiting(person):
        return ACCESS.has_any_role()


def _credentials(login: Login, headers: Mapping[str, str], cookies: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return what identifies the visitor in a request: the trusted header, or the cookies of the login."""
    if not login.provider:
        return headers.get(login.header.lower(), "") if login.header else "", {}
    first, others = streamlit_internals.LOGIN_COOKIES
    return "", {name: value for name, value in cookies.items() if name == first or name.startswith(others)}


@dataclass
class OwnDownloads:
    """ASGI middleware that answers 403 to the request of a file that no page of its sender offers.

    The name of a file is a hash of its content: whoever has it, or the content, would get the file without a login.
    """

    app: App

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        folder, is_file, name = path.partition(f"{DOWNLOAD_PATH}/")
        is_download = bool(is_file) and not folder.endswith("/static")  # where Streamlit has its own fonts
        sessions = streamlit_internals.sessions_with_download(name) if is_download else []
        if is_download and not any(_is_of_visitor(session, scope) for session in sessions):
            await answer(send, HTTPStatus.FORBIDDEN, NOT_OFFERED)
        else:
            await self.app(scope, receive, send)
