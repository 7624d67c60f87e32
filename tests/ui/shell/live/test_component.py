"""Payloads are made when they are asked for, stop by stop, and a choice made meanwhile loses nothing."""

import pytest
import streamlit as st

from fairviz.errors import FairvizError
from fairviz.ui.kit import charts, wide
from fairviz.ui.kit.components import QUOTED, compact
from fairviz.ui.query import cards
from fairviz.ui.shell import legend, menus
from fairviz.ui.shell.live import component
from fairviz.ui.shell.live.component import Slider, token_of
from fairviz.ui.shell.live.frames import Frame, Moving, Scale
from fairviz.ui.what_if import list as laboratory

FILES = {"live": component.SCRIPT, "legend": legend.SCRIPT, "laboratory": laboratory.SCRIPT}
FILES |= {"wide": wide.SCRIPT, "exports": charts.EXPORT_SCRIPT}
SCRIPTS = {name: file.read_text(encoding="utf-8") for name, file in FILES.items()} | {
    "copy_link": menus.JAVASCRIPT,
    "picking": cards.JAVASCRIPT,
}
SCALE = Scale("alpha", "α", ("0", "1", "2"))


@pytest.fixture(autouse=True)
def session(monkeypatch):
    monkeypatch.setattr(st, "session_state", {})


class Interrupted(Exception):  # noqa: N818 (no error)
    """As Streamlit ends a run for a choice that was made meanwhile."""


def slider(frame, depends="settings"):
    return Slider(SCALE, "1", depends, lambda: [Moving("chart", "plot", {}, frame)])


def test_an_interrupted_payload_goes_on_where_it_was_and_what_cannot_be_answered_is_not_followed():
    seen = []

    def frame(stop):
        seen.append(stop)
        if seen == [0, 1]:
            raise Interrupted
        return Frame({"x": [stop]})

    def without(stop):
        raise FairvizError("no labels")

    with pytest.raises(Interrupted):
        component._payload_of(slider(frame), "token")
    assert component._payload_of(slider(frame), "token")[:4] != b""
    assert seen == [0, 1, 1, 2]
    assert st.session_state[component.PARTS] == {}
    assert component._payload_of(slider(without), "token") == b""
    tokens = {token_of(page, slider(frame, depends)) for page in ("a", "b") for depends in ("x", "y")}
    assert len(tokens) == 4


@pytest.mark.parametrize("whole", SCRIPTS.values(), ids=SCRIPTS)
def test_a_script_loses_only_comments_indentation_and_spaces_around_signs(whole):
    lines, apart = compact(whole).splitlines(), whole.replace(" ", "")
    assert all(line and line.replace(" ", "") in apart for line in lines)
    assert any(line.startswith("export default function(") for line in lines)
    assert not any("/**" in line or " // " in line for line in lines)
    plain = (line.strip().partition(" // ")[0] for line in whole.splitlines())
    kept = [line for line in plain if line and not line.startswith(("//", "/**"))]
    quoted, expected = ([part for line in part_of for part in QUOTED.findall(line)] for part_of in (lines, kept))
    assert quoted == expected != []
