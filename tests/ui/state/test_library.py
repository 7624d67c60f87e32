"""To whom a study of the picker belongs."""

import pytest
import streamlit as st

import fairviz
from fairviz.ui.state import library


def test_outside_a_server_a_study_is_everybodys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "session_state", {})
    assert library.owner(fairviz.open_study("football")) == ""
