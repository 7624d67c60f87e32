"""Figures that are kept: drawn once for what they are given, and those that a page would draw."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import streamlit as st

from fairviz.evaluation.opening import open_study
from fairviz.evaluation.scores import exposures
from fairviz.evaluation.settings import Settings
from fairviz.figures import bias_curve, ternary
from fairviz.figures.style import DARK, LIGHT, system_styles, under_one_legend
from fairviz.measures.position_bias import position_bias
from fairviz.ui.kept.entries import MEMORY, draw_cached
from tests.fresh import session


@pytest.fixture(autouse=True)
def _session() -> Iterator[None]:
    st.cache_resource.clear()
    MEMORY.clear()
    with session():
        yield


def shares(**choices: object) -> ternary.Exposures:
    return ternary.info(exposures(open_study("newswire"), Settings(**choices)))


STYLES = system_styles(open_study("newswire").systems)


def test_equal_points_are_drawn_once() -> None:
    """The table is made anew each time, as after a move of alpha."""
    first = draw_cached(ternary.draw, shares(alpha=0.2), STYLES, LIGHT, 300, theme=LIGHT, hidden=0, clicks=True)
    again = draw_cached(ternary.draw, shares(alpha=0.7), STYLES, LIGHT, 300, theme=LIGHT, hidden=0, clicks=True)
    assert again is first


def test_it_is_what_a_page_would_draw() -> None:
    drawn = shares()
    kept = draw_cached(ternary.draw, drawn, STYLES, LIGHT, 300, theme=LIGHT, hidden=2, clicks=True)
    plain = ternary.draw(drawn, STYLES, LIGHT, 300)
    under_one_legend(plain, LIGHT, 2)
    plain.update_layout(clickmode="event+select")
    assert kept.to_plotly_json() == plain.to_plotly_json()
    curve = bias_curve.info(position_bias("log2", 10), 10)
    assert draw_cached(bias_curve.draw, curve, LIGHT, theme=LIGHT) == bias_curve.draw(curve, LIGHT)


def test_whatever_differs_is_drawn_anew() -> None:
    drawn = shares()
    point = drawn.points[0]
    moved = replace(point, shares=(point.shares[0] + 1e-9, *point.shares[1:]))
    other = replace(drawn, points=(moved, *drawn.points[1:]))
    made = [
        draw_cached(ternary.draw, drawn, STYLES, LIGHT, 300, theme=LIGHT, hidden=0),
        draw_cached(ternary.draw, other, STYLES, LIGHT, 300, theme=LIGHT, hidden=0),
        draw_cached(ternary.draw, drawn, STYLES, DARK, 300, theme=DARK, hidden=0),
        draw_cached(ternary.draw, drawn, STYLES, LIGHT, 400, theme=LIGHT, hidden=0),
        draw_cached(ternary.draw, drawn, STYLES, LIGHT, 300, theme=LIGHT, hidden=1),
        draw_cached(ternary.draw, drawn, STYLES, LIGHT, 300, theme=LIGHT),
        draw_cached(ternary.draw, drawn, STYLES, LIGHT, 300, theme=LIGHT, clicks=True),
    ]
    assert len({id(figure) for figure in made}) == len(made)


def test_long_contents_are_told_apart() -> None:
    """Text of a long array leaves its middle out."""
    weights = [np.linspace(1, 0.5, 100) for _ in range(2)]
    weights[1][50] = 0.9
    curves = [bias_curve.BiasCurve("custom", tuple(map(float, one))) for one in weights]
    first, second = (draw_cached(bias_curve.draw, curve, LIGHT, theme=LIGHT) for curve in curves)
    assert first is not second
