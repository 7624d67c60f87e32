"""Payloads are made when they are asked for, stop by stop; they hold each number where their header says, and what does
not move once; and the position bias reads in the sidebar as its payload says."""

import json

import numpy as np
import pytest
import streamlit as st

from fairviz.errors import FairvizError
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slider_settings import stops
from fairviz.ui.kit import charts
from fairviz.ui.kit.components import QUOTED, compact
from fairviz.ui.shell import menus
from fairviz.ui.shell.live import component
from fairviz.ui.shell.live.component import Slider, token_of
from fairviz.ui.shell.live.frames import Frame, Moving, Scale, pack
from fairviz.ui.shell.live.sliders import BIAS, BIAS_TEXTS, reads, sidebar

SCALE = Scale("alpha", "α", ("0", "1", "2"))


@pytest.fixture(autouse=True)
def session(monkeypatch):
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(charts, "theme", lambda: charts.LIGHT)


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


@pytest.mark.parametrize(
    "whole", [component.SCRIPT.read_text(encoding="utf-8"), menus.JAVASCRIPT], ids=["of a file", "of a module"]
)
def test_a_script_loses_only_comments_indentation_and_spaces_around_signs(whole):
    lines, apart = compact(whole).splitlines(), whole.replace(" ", "")
    assert all(line and line.replace(" ", "") in apart for line in lines)
    assert any(line.startswith("export default function(") for line in lines)
    assert not any("/**" in line or " // " in line for line in lines)
    plain = (line.strip().partition(" // ")[0] for line in whole.splitlines())
    kept = [line for line in plain if line and not line.startswith(("//", "/**"))]
    quoted, expected = ([part for line in part_of for part in QUOTED.findall(line)] for part_of in (lines, kept))
    assert quoted == expected != []


def unpacked(payload):
    """The header and the numbers, read as the script reads them."""
    length = int(np.frombuffer(payload[:4], dtype="<u4")[0])
    return json.loads(payload[4 : 4 + length]), np.frombuffer(payload[4 + length :], dtype="<f4")


def number(header, numbers, figure, name, stop):
    start, size, moving = header["figures"][figure]["numbers"][name]
    return numbers[start + stop * size * moving :][:size].tolist()


def made(*frames):
    moving = Moving("chart", "plot", {"layers": []}, frames.__getitem__)
    return unpacked(pack(SCALE, "token", [moving], [frames], ["still"]))


def test_every_number_stands_where_the_header_says():
    frames = [Frame({"x": [place + 0.123456789, np.nan], "wide": [[1, 2], [3, 4]]}) for place in range(3)]
    header, numbers = made(*frames)
    assert (header["slider"], header["label"], header["token"]) == ("alpha", "α", "token")
    assert header["stops"] == ["0", "1", "2"]
    assert header["still"] == ["still"]
    assert set(header["symbols"]) >= {"circle", "bowtie", "triangle-ne", "line-ns"}
    found = [number(header, numbers, 0, "x", stop) for stop in range(3)]
    assert np.allclose(found, [[place + 0.123456789, np.nan] for place in range(3)], rtol=1e-6, equal_nan=True)
    assert number(header, numbers, 0, "wide", 2) == [1, 2, 3, 4]
    assert len(numbers) == 3 * 2 + 4  # what is the same at every stop is held once


def test_texts_are_places_of_strings_which_are_held_once():
    header, numbers = made(*(Frame({}, {"label": [text, "<b>"]}) for text in ("one", "two", "one")))
    assert header["strings"] == ["one", "<b>", "two"]
    told = [number(header, numbers, 0, "label text", stop) for stop in range(3)]
    assert [[header["strings"][int(place)] for place in row] for row in told] == [
        ["one", "<b>"], ["two", "<b>"], ["one", "<b>"],
    ]  # fmt: skip


def test_every_position_bias_reads_as_in_its_list():
    study, settings = open_study("occupations"), Settings(study="occupations", custom_bias=(1.0, 0.5))
    texts = [reads(stop, BIAS) for stop in stops(study, settings, "bias")]
    assert texts == [f"{name}: {text}" for name, text in BIAS_TEXTS.items()]


def test_another_p_is_another_payload():
    study = open_study("occupations")
    held = [
        next(one for one in sidebar(study, Settings(position_bias=bias), "page", list, {}) if one.scale.slider == BIAS)
        for bias in ("rbp(p=0.5)", "rbp(p=0.6)", "rbp(p=0.5)")
    ]
    assert held[0].scale == held[1].scale
    assert held[0].depends == held[2].depends != held[1].depends
