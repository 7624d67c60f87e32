"""The figures of the page Words: the axis, the plane, the explained variance."""

import numpy as np
import pandas as pd
import pytest

from fairviz.figures import explained_variance, gendered_axis, word_plane
from fairviz.figures.style import LIGHT

NAN = float("nan")
AXIS = np.array([1.0, 0.0, 0.0])
ROWS = [
    (0, "jobs_f", "nurse", 0.2, 0.1, 0.3),
    (0, "jobs_f", "maid", 0.4, 0.3, 0.5),
    (0, "jobs_m", "welder", -0.2, -0.4, 0.0),
    (1, "arts", "poetry", 0.1, NAN, NAN),
    (1, "arts", "xyzzy", NAN, NAN, NAN),
]


def words(rows=ROWS):
    return pd.DataFrame(rows, columns=["pair", "list", "word", "g", "ci_low", "ci_high"])


def test_the_axis_has_a_panel_a_pair_of_lists_and_a_row_a_word_from_female_to_male():
    drawn = gendered_axis.info(words(), -0.1)
    (first, second), (third,) = drawn.panels
    assert first.words[0] == gendered_axis.Word("maid", 0.4, (0.3, 0.5))
    assert first.mean == pytest.approx(0.3)
    assert (second.name, third.name, len(third.words)) == ("jobs_m", "arts", 1)  # xyzzy has no vector
    assert drawn.alt.endswith("jobs_f 0.30, jobs_m -0.20, arts 0.10.")
    figure = gendered_axis.draw(drawn)
    first, mean = figure.data[:2]
    assert (list(first.x), list(first.y)) == ([0.4, 0.2], [-1, -2])
    assert np.allclose(first.error_x.array, 0.1)
    assert np.allclose(first.error_x.arrayminus, 0.1)
    assert list(mean.x) == pytest.approx([0.3, 0.3])
    assert list(figure.layout.yaxis.ticktext) == ["<b>jobs_f</b>", "maid", "nurse", "<b>jobs_m</b>", "welder"]
    assert list(figure.layout.yaxis.tickvals) == [0, -1, -2, -4, -5]
    poetry = figure.data[4]
    assert (list(poetry.error_x.array), list(poetry.customdata)) == ([0], [""])
    assert figure.layout.annotations[-1].text == gendered_axis.X_TITLE
    many = gendered_axis.info(words([(0, "a", f"w{place}", place / 100, 0, 0) for place in range(40)]), 0)
    assert many.height == 42 * gendered_axis.ROW_HEIGHT + 110
    assert drawn.height == gendered_axis.LEAST_HEIGHT


def test_shape_follows_the_side_of_the_centre_and_words_are_escaped_and_shortened():
    rows = [(0, "<i>", "<b>" + "x" * 40, -0.05, 0, 0.2), ROWS[2]]
    figure = gendered_axis.draw(gendered_axis.info(words(rows), -0.1))
    assert list(figure.data[0].marker.symbol) == ["square"]
    assert list(figure.data[2].marker.symbol) == ["triangle-up"]
    assert figure.layout.yaxis.ticktext[0] == "<b>&lt;i&gt;</b>"
    assert figure.layout.yaxis.ticktext[1].startswith("&lt;b&gt;xxx")
    assert figure.layout.yaxis.ticktext[1].endswith("…")
    assert figure.data[0].text[0] == "&lt;b&gt;" + "x" * 40


@pytest.mark.parametrize(
    "drawn",
    [
        lambda unknown: gendered_axis.draw(gendered_axis.info(unknown, 0)),
        lambda unknown: word_plane.draw(word_plane.info(unknown, np.zeros((1, 3)), AXIS, 0)),
    ],
)
def test_no_known_word_gives_an_empty_figure(drawn):
    figure = drawn(words(ROWS[4:]))
    assert not figure.data
    assert figure.layout.annotations[0].text == "None of these words has a vector."


def test_the_upright_axis_is_what_sets_the_words_apart_off_gender():
    generator = np.random.default_rng(1)
    vectors = generator.normal(size=(12, 6))
    axis = generator.normal(size=6)
    axis /= np.linalg.norm(axis)
    rest = vectors - (vectors @ axis)[:, None] * axis
    values, columns = np.linalg.eigh(np.cov(rest.T))
    up, share = word_plane.orthogonal_direction(vectors, axis)
    assert up @ axis == pytest.approx(0)
    assert abs(up @ columns[:, -1]) == pytest.approx(1)
    assert share == pytest.approx(values[-1] / values.sum())
    assert (rest @ up).sum() >= 0
    up, share = word_plane.orthogonal_direction(AXIS[None, :], AXIS)
    assert share == 0
    assert not up.any(), "a word on the axis itself has no height"


def test_one_word_stands_as_in_figure_1_of_the_paper():
    table = pd.DataFrame({"list": ["mine"], "word": ["beauty"], "g": [0.6]})
    (point,) = word_plane.info(table, np.array([[0.6, 0.0, 0.8]]), AXIS, 0.0).points
    assert (point.g, point.written) == (0.6, True)
    assert point.up == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("second", "written"),
    [
        ((0.001, 0.001), [False, True, True]),
        ((0.0, (word_plane.LINE + 2) / 440), [False, True, True]),
        ((0.0, 110 / 440), [True, True, True]),
    ],
    ids=["touching", "its label in the other", "above"],
)
def test_labels_that_would_touch_or_cover_a_point_are_left_to_the_hover(second, written):
    across, up = np.array([0.0, second[0], 0.3]), np.array([0.0, second[1] * 2, 1.0])
    assert word_plane.with_room(across, up, ["first", "second", "far"], 360) == written


def test_each_list_has_its_marker_in_the_plane_and_words_without_room_are_in_the_hover():
    points = [word_plane.Point("a", "x", 0, 0, True), word_plane.Point("a", "y", 0, 0.1, False)]
    points.append(word_plane.Point("b", "z", 1, 1, True))
    first, second = word_plane.draw(word_plane.WordPlane(tuple(points), 0.0, 0.5), LIGHT).data
    assert (list(first.text), list(first.hovertext)) == (["x", ""], ["x", "y"])
    assert (first.name, second.name) == ("a", "b")
    assert first.marker.symbol != second.marker.symbol


def test_the_first_share_is_the_gender_directions():
    drawn = explained_variance.info(np.array([0.6, 0.3, *[0.1 / 9] * 9]))
    assert len(drawn.shares) == 10
    (bars,) = explained_variance.draw(drawn).data
    assert list(bars.y)[:2] == [0.6, 0.3]
    assert list(bars.text)[:2] == ["60%", "30%"]
    assert drawn.alt.endswith("the first, gender, explains 60.0%.")
