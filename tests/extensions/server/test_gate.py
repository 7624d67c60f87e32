"""The server's part of the gate: whose word on the visitor's name is taken, and whose uploads and downloads."""

import asyncio
import time
from collections.abc import Callable
from functools import partial

import pytest

from fairviz.extensions.server.configuration import Login, ServerConfig
from fairviz.extensions.server.ui.requests import NOT_YOURS, OwnDownloads, refuse_strangers, without_identity
from fairviz.home.permissions import Limits
from fairviz.ui.shell.gate import most_megabytes
from fairviz.ui.state import streamlit_internals
from fairviz.ui.state.streamlit_internals import Beginning
from tests.ui.shell.test_gate import asked


def trusting(login: Login | None) -> dict:
    """What a server with this login gives the gate."""
    return {"headers": partial(without_identity, login=login)}


HEADER = trusting(Login(header="X-Forwarded-Email", proxies=("10.0.0.7", "::1")))
SPELLINGS = ("x-forwarded-email", "X-FORWARDED-EMAIL", "x_forwarded_email", "X-Forwarded_Email", "x-forwarded-email ")


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_the_name_of_a_visitor_is_believed_once_and_from_a_proxy_alone(kind, spelling):
    for peer, is_believed in (
        ("10.0.0.7", True), ("::ffff:10.0.0.7", True), ("::1", True), ("0:0:0:0:0:0:0:1", True),
        ("127.0.0.1", False), ("10.0.0.8", False), ("", False), ("a.sock", False),
    ):  # fmt: skip
        more = [(spelling, "ada@example.org"), ("x-other", "b")]
        _, (headers,) = asked(kind, (peer, 1), server=HEADER, more=more, host="localhost")
        assert ((spelling.encode(), b"ada@example.org") in headers) == is_believed, peer
        assert (b"x-other", b"b") in headers
    _, (headers,) = asked(kind, None, server=HEADER, more=more, host="localhost")
    assert headers == [(b"host", b"localhost"), (b"x-other", b"b")]
    two = [("x-forwarded-email", "ada@example.org"), (spelling, "bob@example.org")]
    _, (headers,) = asked(kind, ("10.0.0.7", 1), server=HEADER, more=two, host="localhost")
    assert headers == [(b"host", b"localhost")]


def test_without_a_trusted_header_no_header_is_removed():
    more = [("x-forwarded-email", "ada@example.org")]
    for server in ({}, trusting(None), trusting(Login(provider="https://id.example.org/"))):
        assert len(asked("http", ("10.0.0.9", 1), more=more, server=server, host="localhost")[1][0]) == 2


PROVIDER = Login(provider="https://id.example.org", client_id="f", client_secret_file="s", url="https://lab.org")
COOKIES = {"_streamlit_user": "chunks-2", "_streamlit_user__1": "abc", "_streamlit_xsrf": "1"}


@pytest.fixture
def refusal_of(serve: Callable, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The reason to refuse a request with these headers, to the session of Ada that others began."""

    def refusal(
        headers: dict[str, str], login: Login | None = PROVIDER, roles: str = "viewer", **claims: object
    ) -> str:
        serve(ServerConfig(login=login, roles={"viewer": ("ada@x.org",)} if roles else {}))
        known = {
            "is_logged_in": True,
            "email": "ada@x.org",
            "email_verified": True,
            "iat": time.time(),
            "fairviz_login": "ada@x.org",
        }
        beginning = Beginning({"x-user": "ada@x.org"}, COOKIES, {**known, **claims})
        monkeypatch.setattr(streamlit_internals, "beginning_of", lambda name: beginning if name == "ada" else None)
        scope = {"type": "http", "path": "/", "headers": pairs(headers)}
        return refuse_strangers(str(claims.get("session", "ada")), scope)

    return refusal


def pairs(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


def cookie(**changed: str) -> dict[str, str]:
    values = {**COOKIES, **changed}
    return {"Cookie": "; ".join(f"{name}={value}" for name, value in values.items() if value)}


def test_files_come_with_the_cookies_of_the_sessions_own_login_or_the_header_of_its_visitor(
    refusal_of: Callable[..., str],
) -> None:
    assert refusal_of(cookie()) == ""
    assert refusal_of(cookie(_streamlit_xsrf="2", _streamlit_user_tokens="x", other="y")) == ""
    for other in (cookie(_streamlit_user__1="abd"), cookie(_streamlit_user__1=""), {}, {"X-User": "ada@x.org"}):
        assert refusal_of(other) == NOT_YOURS
    assert refusal_of(cookie(), session="eve") == NOT_YOURS
    assert refusal_of(cookie(), iat=time.time() - 13 * 3600) == NOT_YOURS, "the login is over"
    assert refusal_of(cookie(), is_logged_in=False) == NOT_YOURS
    assert refusal_of(cookie(), roles="") == NOT_YOURS
    header = Login(header="X-User")
    assert refusal_of({"X-User": "ada@x.org"}, header) == ""
    for headers in ({"X-User": "eve@x.org"}, {}, cookie()):
        assert refusal_of(headers, header) == NOT_YOURS
    assert refusal_of({"X-User": "ada@x.org"}, header, fairviz_login="") == NOT_YOURS
    assert refusal_of({}, None) == "", "without a login the machine's own user uploads"


def test_a_download_is_of_the_visitor_of_a_page_that_offers_it(
    refusal_of: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal_of(cookie())  # begins Ada's session
    held = {"a1": ["eve", "ada"], "b2": ["eve"]}
    monkeypatch.setattr(
        streamlit_internals, "sessions_with_download", lambda name: held.get(name.partition(".")[0], [])
    )

    def status(path: str, headers: dict[str, str]) -> int:
        sent: list[dict] = []

        async def behind(scope, receive, send) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": []})

        async def receive() -> dict:
            return {"type": "http.request"}

        async def send(message) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": path, "headers": pairs(headers)}
        asyncio.run(OwnDownloads(behind)(scope, receive, send))
        return sent[0]["status"]

    for place in ("/media", "/lab/media"):
        assert status(f"{place}/a1.csv", cookie()) == 200
        for headers in ({}, cookie(_streamlit_user__1="abd"), {"X-User": "ada@x.org"}):
            assert status(f"{place}/a1.csv", headers) == 403
        assert status(f"{place}/b2.csv", cookie()) == 403
        assert status(f"{place}/none.csv", cookie()) == 403
    assert status("/manual/media.html", {}) == 200


def test_the_limit_is_that_of_the_configuration(serve: Callable) -> None:
    assert most_megabytes() == 1000
    serve(ServerConfig(limits=Limits(upload_megabytes=7)))
    assert most_megabytes() == 7
