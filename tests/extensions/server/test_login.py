"""The visitor of a session: from what Streamlit knows of its user, under each kind of login."""

import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from fairviz.extensions.server.access import person_folder
from fairviz.extensions.server.configuration import Login, ServerConfig
from fairviz.extensions.server.ui import login
from fairviz.home import permissions
from fairviz.home.permissions import Limits, Visitor
from fairviz.ui.state.streamlit_internals import Beginning

PROVIDER = Login(
    provider="https://id.example.org", client_id="f", client_secret_file="s", url="https://lab.org", hours=2
)


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


def claims(**changed: object) -> dict:
    return {"is_logged_in": True, "email": "Ada@X.org", "email_verified": True, "iat": time.time() - 60, **changed}


def test_outside_a_server_and_outside_a_page_there_is_none(known) -> None:
    assert known(None, claims()) is None
    assert known(ServerConfig(demo=True), None) is None


def test_an_unverified_address_counts_where_the_configuration_says_so_and_a_demo_has_visitors_without_names(
    known,
) -> None:
    config = ServerConfig(login=replace(PROVIDER, trust_unverified=True))
    assert known(config, claims(email_verified=None)) == Visitor("ada@x.org")
    assert known(ServerConfig(demo=True), claims()) == Visitor("")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (claims(), None),
        (claims(email_verified=False), login.UNVERIFIED[0]),
        ({key: value for key, value in claims().items() if key != "email_verified"}, login.UNVERIFIED[0]),
        (claims(is_logged_in=False), ""),
        (claims(iat=time.time() - 3 * 3600), "Your login is over: it lasts 2 hours."),
        (claims(iat=None), login.UNDATED[0]),
        (claims(iat="now"), login.UNDATED[0]),
        (claims(iat=float("nan")), login.UNDATED[0]),
        (claims(iat=True), login.UNDATED[0]),
        ({key: value for key, value in claims().items() if key != "iat"}, login.UNDATED[0]),
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


def test_a_header_names_the_visitor(known) -> None:
    config = ServerConfig(login=Login(header="X-User"))
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
    assert "the clock of your provider is behind" in login.LATER


def test_a_person_has_a_bounded_number_of_pages_open(known, monkeypatch: pytest.MonkeyPatch) -> None:
    config = ServerConfig(login=Login(header="X-User"), limits=Limits(person_sessions=2))
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
