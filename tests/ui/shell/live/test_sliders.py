"""The select box of the position bias reads in the sidebar as its payload says."""

import pytest
import streamlit as st

from fairviz.evaluation.opening import open_study
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slider_settings import stops
from fairviz.ui.kit import charts
from fairviz.ui.shell.live.sliders import BIAS, BIAS_TEXTS, reads, sidebar


@pytest.fixture(autouse=True)
def session(monkeypatch):
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(charts, "theme", lambda: charts.LIGHT)


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
