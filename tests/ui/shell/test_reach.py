"""Whether others can open the page, where nobody said so."""

import os

import pytest
from streamlit import config

from fairviz.home import SHARED, is_shared
from fairviz.ui.shell import reach


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
    reach.learn()
    assert is_shared() is shared


@pytest.mark.parametrize("before", ["", "1"])
def test_what_fairviz_app_said_stays(before, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "get_option", {"server.address": None if before == "" else "localhost"}.get)
    monkeypatch.setenv(SHARED, before)
    reach.learn()
    assert os.environ[SHARED] == before
