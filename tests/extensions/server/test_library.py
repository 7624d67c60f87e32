"""To whom a study of the picker belongs on a server."""

from pathlib import Path

import pytest
import streamlit as st

import fairviz
from fairviz.extensions.server.configuration import Login, ServerConfig
from fairviz.home.permissions import Visitor, visiting
from fairviz.ui.state import library
from tests.extensions.server.configured import configure

CONFIG = ServerConfig(
    login=Login(header="X-User"), roles={"viewer": ("*",), "owner": ("ada",)}, studies={"mine": {"viewer": ("bob",)}}
)


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(tmp_path, CONFIG, monkeypatch)
    monkeypatch.setattr(st, "session_state", {})


@pytest.mark.usefixtures("served")
def test_work_for_a_private_part_is_shared_with_nobody() -> None:
    """Two people who have the same work done on their own additions have two jobs."""
    owners = {}
    for name in ("ada", "bob", "carl"):
        with visiting(Visitor(name)):
            owners[name] = library.owner(fairviz.open_study("mine"))
    assert owners == {"ada": "", "bob": "bob", "carl": "carl"}


@pytest.mark.usefixtures("served")
def test_the_stamp_tells_apart_who_may_change_a_study() -> None:
    with visiting(Visitor("ada")):
        owners = library.stamp("mine")
    with visiting(Visitor("bob")):
        viewers = library.stamp("mine")
        assert library.names()[0] == "mine"
    with visiting(Visitor("carl")):
        assert library.stamp("mine") == viewers
    assert owners != viewers


@pytest.mark.usefixtures("served")
def test_a_study_without_a_role_has_no_stamp() -> None:
    with visiting(None), pytest.raises(fairviz.FairvizError, match="there is no study"):
        library.stamp("mine")
    with visiting(None):
        assert library.names() == ()
