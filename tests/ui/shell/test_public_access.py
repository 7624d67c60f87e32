"""Whether others can open the page, where nobody said so, and who is on the owner's machine."""

import os

import pytest
from streamlit import config
from streamlit.runtime.context import ContextProxy

from fairviz.home import SHARED, is_shared
from fairviz.ui.shell import gate


@pytest.mark.parametrize(
    ("address", "allowed", "shared"),
    [
        ("localhost", ["localhost", "127.0.0.1", "::1"], False),
        ("localhost", [], False),
        ("localhost", ["localhost", "lab.example.org"], True),
        ("0.0.0.0", ["localhost"], True),
        (None, ["localhost"], True),
    ],
)
def test_it_is_read_off_the_server(address, allowed, shared, monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"server.address": address, "server.allowedHosts": allowed}
    monkeypatch.setattr(config, "get_option", said.get)
    monkeypatch.setenv(SHARED, "")  # so that it is put back
    os.environ.pop(SHARED)
    gate.set_shared()
    assert is_shared() is shared


@pytest.mark.parametrize("before", ["", "1"])
def test_what_fairviz_app_said_stays(before, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "get_option", {"server.address": None if before == "" else "localhost"}.get)
    monkeypatch.setenv(SHARED, before)
    gate.set_shared()
    assert os.environ[SHARED] == before


@pytest.mark.parametrize(
    ("address", "allowed", "said", "headers", "own"),
    [
        ("localhost", ["localhost", "127.0.0.1", "::1"], "", {"Host": "localhost:8501"}, True),
        ("::1", None, "", {}, True),
        ("localhost", ["localhost"], "1", {}, False),
        ("0.0.0.0", ["localhost"], "", {}, False),
        (None, [], "", {}, False),
        ("localhost", ["localhost", "lab.example.org"], "", {}, False),
        ("localhost", ["localhost"], "", {"X-Forwarded-For": "127.0.0.1"}, False),
    ],
    ids=["this machine", "this machine's IPv6", "said to be shared", "every address", "no address", "a name", "proxy"],
)
def test_the_owner_is_who_comes_from_this_machine(address, allowed, said, headers, own, monkeypatch) -> None:
    monkeypatch.setattr(config, "get_option", {"server.address": address, "server.allowedHosts": allowed}.get)
    monkeypatch.setenv(SHARED, said)
    monkeypatch.setattr(ContextProxy, "headers", headers)
    assert gate.is_owners_own() is own


@pytest.mark.parametrize(
    "name",
    ["X-Forwarded-For", "x-forwarded-host", "X-FORWARDED-PROTO", "Forwarded", "X-Real-IP", "Via", "CF-Connecting-IP"],
)
def test_what_a_proxy_adds(name: str) -> None:
    assert gate.is_forwarded(["host", name])
    assert not gate.is_forwarded(["Host", "Origin", "X-Other", "User-Agent", "Sec-WebSocket-Key"])
