"""Who a session's visitor is under each kind of login, whose word on a name the gate takes, and whose uploads and
downloads it lets through."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from fairviz.extensions.server.access import person_folder
from fairviz.extensions.server.configuration import Login, ServerConfig
from fairviz.extensions.server.ui import login
from fairviz.extensions.server.ui.requests import NOT_YOURS, OwnDownloads, refuse_strangers, without_identity
from fairviz.home import permissions
from fairviz.home.permissions import Limits, Visitor
from fairviz.ui.state import streamlit_internals
from fairviz.ui.state.streamlit_internals import Beginning
from tests.ui.shell.test_gate import asked

PROVIDER = Login(
    provider="https://id.example.org", client_id="f", client_secret_file="s", url="https://lab.org", hours=2
)
BY_HEADER = Login(header="X-User")


@pytest.fixture
def known(serve: Callable, monkeypatch: pytest.MonkeyPatch):
    """visitor() of a server with this configuration, for a session with these claims and headers."""

    def visitor(config: ServerConfig | None, claims: dict | None, headers: tuple[str, ...] = ()) -> Visitor | None:
        if config is not None:
            serve(config)
        monkeypatch.setattr(login, "user_claims", lambda: claims)
        monkeypatch.setattr(login, "is_forwarded", lambda _: bool(headers))
        return permissions.visitor()

    return visitor


def claims(*without: str, **changed: object) -> dict:
    given = {"is_logged_in": True, "email": "Ada@X.org", "email_verified": True, "iat": time.time() - 60, **changed}
    return {key: value for key, value in given.items() if key not in without}


def test_a_demo_has_visitors_without_names_and_outside_a_page_or_server_there_is_none(known) -> None:
    assert known(None, claims()) is None
    assert known(ServerConfig(demo=True), None) is None
    assert known(ServerConfig(demo=True), claims()) == Visitor("")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (claims(), None),
        (claims(email_verified=False), login.UNVERIFIED[0]),
        (claims("email_verified"), login.UNVERIFIED[0]),
        (claims(is_logged_in=False), ""),
        (claims(iat=time.time() - 3 * 3600), "Your login is over: it lasts 2 hours."),
        (claims(iat=None), login.UNDATED[0]),
        (claims(iat="now"), login.UNDATED[0]),
        (claims(iat=float("nan")), login.UNDATED[0]),
        (claims(iat=True), login.UNDATED[0]),
        (claims("iat"), login.UNDATED[0]),
        (claims(iat=time.time() + 86_400 * 30), "Your provider's clock is about 7"),
        (claims(email="", sub="1234"), login.NO_ADDRESS[0]),
        (claims(email="", sub="ada@x.org"), login.NO_ADDRESS[0]),
        (claims(email="ada"), login.ODD_ADDRESS[0]),
        (claims(email="ada@x.org\u200b"), login.ODD_ADDRESS[0]),
        (claims(email="\u0430da@x.org"), login.ODD_ADDRESS[0]),
        (claims(email="ad\u1d43@x.org"), login.ODD_ADDRESS[0]),
        (claims(email="a" * 201), login.ODD_ADDRESS[0]),
        (claims(email="a\nb"), login.ODD_ADDRESS[0]),
        ({"fairviz_login": "ada@x.org", "iat": time.time()}, ""),
        ({}, ""),
    ],
)
def test_a_provider_names_the_visitor_for_a_time_and_who_is_refused_is_told_why(
    known, given: dict, reason: str | None
) -> None:
    assert known(ServerConfig(login=PROVIDER), given) == (Visitor("ada@x.org") if reason is None else None)
    told = login.refusal()[0]
    assert told.startswith(reason or "")
    assert bool(told) == bool(reason)
    trusting = ServerConfig(login=replace(PROVIDER, trust_unverified=True))
    assert (known(trusting, given) == Visitor("ada@x.org")) == (reason in (None, login.UNVERIFIED[0]))


def test_a_header_names_the_visitor(known) -> None:
    config = ServerConfig(login=BY_HEADER)
    assert known(config, {"fairviz_login": " Bob@X.org "}) == Visitor("bob@x.org")
    nobody = ("{http.reverse_proxy.header.X-User}", "a b", "a,b", "bob", "-", "(null)", "o\u017fwald@x.org")
    for none in (None, "", *nobody):
        assert known(config, {"fairviz_login": none}) is None
    assert known(config, claims()) is None


def test_without_a_login_the_machines_user_comes_without_a_proxy(known, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login.getpass, "getuser", lambda: "root")
    monkeypatch.setattr(login, "st", type("Page", (), {"context": type("Context", (), {"headers": {}})}))
    assert known(ServerConfig(), {}) == Visitor("root")
    assert known(ServerConfig(), {}, ("x-forwarded-for",)) is None


def test_a_logout_ends_every_session_of_the_login(known, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = []
    monkeypatch.setattr(login.st, "logout", lambda: ended.append(True))
    config = ServerConfig(login=PROVIDER)
    assert known(config, claims()) is not None
    login.log_out()
    assert ended
    assert known(config, claims()) is None
    assert known(config, claims(email="bob@x.org")) is not None
    assert known(config, claims(iat=time.time() + 5)) == Visitor("ada@x.org")  # who logs in again
    assert not person_folder(Visitor("ada@x.org")).exists()
    assert known(config, claims(iat=time.time() - 30)) is None
    assert login.refusal() == ("Your login is older than your last logout.", login.LATER)


def test_a_person_has_a_bounded_number_of_pages_open(known, monkeypatch: pytest.MonkeyPatch) -> None:
    config = ServerConfig(login=BY_HEADER, limits=Limits(person_sessions=2))
    state: dict[str, str] = {}
    monkeypatch.setattr(login.st, "session_state", state)
    others = [Beginning({}, {}, {"fairviz_login": name}) for name in ("ada@x.org", "bob@x.org", "ADA@x.org")]
    monkeypatch.setattr(login, "other_sessions", lambda: others)
    for name, is_too_many in (("ada@x.org", True), ("bob@x.org", False)):
        state.clear()
        assert known(config, {"fairviz_login": name}) is not None
        assert login.has_too_many_sessions() is is_too_many
    others += others
    assert not login.has_too_many_sessions(), "it was admitted before"


# --- the gate: whose headers are kept


def trusting(login: Login | None) -> dict:
    """What a server with this login gives the gate."""
    return {"headers": partial(without_identity, login=login)}


HEADER = trusting(Login(header="X-Forwarded-Email", proxies=("10.0.0.7", "::1")))
SPELLINGS = ("x-forwarded-email", "X-FORWARDED-EMAIL", "x_forwarded_email", "X-Forwarded_Email", "x-forwarded-email ")


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_the_name_of_a_visitor_is_believed_once_and_from_a_proxy_alone(kind: str, spelling: str) -> None:
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


def test_without_a_trusted_header_no_header_is_removed() -> None:
    more = [("x-forwarded-email", "ada@example.org")]
    for server in ({}, trusting(None), trusting(PROVIDER)):
        assert len(asked("http", ("10.0.0.9", 1), more=more, server=server, host="localhost")[1][0]) == 2


# --- the gate: whose files


COOKIES = {"_streamlit_user": "chunks-2", "_streamlit_user__1": "abc", "_streamlit_xsrf": "1"}


@pytest.fixture
def refusal_of(serve: Callable, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The reason to refuse a request with these headers, to the session of Ada that others began."""

    def refusal(
        headers: dict[str, str], login: Login | None = PROVIDER, roles: str = "viewer", **changed: object
    ) -> str:
        serve(ServerConfig(login=login, roles={"viewer": ("ada@x.org",)} if roles else {}))
        beginning = Beginning({"x-user": "ada@x.org"}, COOKIES, claims(**{"fairviz_login": "ada@x.org"} | changed))
        monkeypatch.setattr(streamlit_internals, "beginning_of", lambda name: beginning if name == "ada" else None)
        scope = {"type": "http", "path": "/", "headers": pairs(headers)}
        return refuse_strangers(str(changed.get("session", "ada")), scope)

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
    assert refusal_of(cookie(), iat=time.time() - 3 * 3600) == NOT_YOURS, "the login is over"
    assert refusal_of(cookie(), is_logged_in=False) == NOT_YOURS
    assert refusal_of(cookie(), roles="") == NOT_YOURS
    assert refusal_of({"X-User": "ada@x.org"}, BY_HEADER) == ""
    for headers in ({"X-User": "eve@x.org"}, {}, cookie()):
        assert refusal_of(headers, BY_HEADER) == NOT_YOURS
    assert refusal_of({"X-User": "ada@x.org"}, BY_HEADER, fairviz_login="") == NOT_YOURS
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
