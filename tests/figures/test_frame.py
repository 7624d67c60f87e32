"""The shared parts of the drawings: frame, panels, rows, intervals, areas and matrices."""

import inspect
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
import pytest

from fairviz.figures import frame
from fairviz.figures.style import DARK, LIGHT, Theme

NAN, INFINITE = float("nan"), float("inf")


@dataclass(frozen=True)
class Values:
    """Data of a figure of this test."""

    title: str
    values: tuple[float, ...]


@frame.figure(lambda data: data.title, empty=lambda data: "" if data.values else "There is no <value>.", height=180)
def draw(figure: go.Figure, data: Values, theme: Theme = LIGHT, height: int = 0, *, name: str = "") -> None:
    """Draw the values."""
    figure.add_trace(go.Scatter(y=data.values, name=name))


def test_a_figure_has_its_title_theme_and_height_and_an_empty_one_the_reason() -> None:
    drawn = draw(Values("Of data", (1.0, 2.0)), DARK, 240, name="a")
    assert (drawn.layout.title.text, drawn.layout.font.color, drawn.layout.height) == ("Of data", DARK.text, 240)
    assert [(trace.y, trace.name) for trace in drawn.data] == [((1.0, 2.0), "a")]
    assert draw(Values("", (1.0,))).layout.height == 180
    empty = draw(Values("No <data>", ()), theme=DARK)
    assert not empty.data
    assert (empty.layout.title.text, empty.layout.height, empty.layout.font.color) == ("No <data>", 180, DARK.text)
    assert empty.layout.annotations[0].text == "There is no &lt;value&gt;."


def test_a_figure_is_called_with_the_data_and_documented() -> None:
    assert list(inspect.signature(draw).parameters) == ["data", "theme", "height", "name"]
    assert inspect.signature(draw).return_annotation is go.Figure
    assert (draw.__name__, draw.__doc__) == ("draw", "Draw the values.")
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        draw(Values("", ()), colour="red")  # type: ignore[call-arg]


def test_panels_share_one_legend() -> None:
    figure = go.Figure()
    positions = frame.panels(figure, 3, 2, DARK)
    assert positions == [{"row": 1, "col": 1}, {"row": 1, "col": 2}, {"row": 2, "col": 1}]
    assert figure.layout.yaxis3.gridcolor == DARK.grid
    names: set[str] = set()
    for position in positions:
        behind, before, again = (go.Scatter(name=name) for name in ("a", "a", "b"))
        behind.showlegend = False  # an area behind the line takes no entry
        frame.add_panel(figure, [behind, before, again], position, names)
    assert [trace.showlegend for trace in figure.data] == [False, True, True, *[False] * 6]
    assert figure.data[8].xaxis == "x3"


def test_intervals_and_areas_lack_what_is_not_finite() -> None:
    bars = frame.error_bars([1.0, 2.0, NAN], [0.5, NAN, 0.0], [1.25, INFINITE, 1.0], "red", 1.5)
    assert (bars["array"], bars["arrayminus"]) == ([0.25, 0.0, 0.0], [0.5, 0.0, 0.0])
    assert frame.error_bars(1.0, 0.5, 2.0, "red", 1)["array"] == [1.0]
    trace = frame.area([1, 2, 3], [0.1, NAN, 0.3], [0.5, 0.6, 0.7], "red")
    assert trace.x.tolist() == [1, 3, 3, 1]
    assert trace.y.tolist() == [0.5, 0.7, 0.3, 0.1]


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((0.7121, 0.65, 0.774), "0.712 (0.650 to 0.774)"),
        ((0.7121, NAN, NAN), "0.712 (no interval)"),
        ((NAN, NAN, NAN), "undefined (no interval)"),
        ((0.5,), "0.500"),
    ],
)
def test_a_value_with_its_interval(numbers: tuple[float, ...], text: str) -> None:
    assert frame.value_text(*numbers) == text


def test_the_extent_of_a_matrix_is_of_its_defined_values_above_the_diagonal() -> None:
    assert frame.matrix_extent([[1, 0.2, NAN], [0.9, 1, -0.4], [NAN, -0.9, 1]]) == (2, -0.4, 0.2)
    count, least, greatest = frame.matrix_extent([])
    assert count == 0
    assert np.isnan([least, greatest]).all()


def test_a_matrix_has_texts_for_few_names_only() -> None:
    for size, template in ((frame.MOST_TEXTS, "%{z:.2f}"), (frame.MOST_TEXTS + 1, "")):
        figure = go.Figure()
        values = [[NAN] * size for _ in range(size)]
        frame.matrix(figure, ["a"] * size, values, "tau", LIGHT, lambda row, column: f"{row} {column}")
        assert figure.data[0].texttemplate == template
        assert figure.data[0].customdata[1][0] == "1 0"
