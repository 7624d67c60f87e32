"""The figures of the page Words: the axis, the plane, the explained variance."""

import numpy as np
import pandas as pd
import pytest

from fairviz.figures import explained_variance, gendered_axis, word_plane
from fairviz.figures.style import LIGHT

NAN = float("nan")
ROWS = [
    (0, "jobs_f", "nurse", 0.2, 0.1, 0.3),
    (0, "jobs_f", "maid", 0.4, 0.3, 0.5),
    (0, "jobs_m", "welder", -0.2, -0.4, 0.0),
    (1, "arts", "poetry", 0.1, NAN, NAN),
    (1, "arts", "xyzzy", NAN, NAN, NAN),
]


def words(rows=ROWS):
    return pd.DataFrame(rows, columns=["pair", "list", "word", "g", "ci_low", "ci_high"])


def test_a_panel_a_pair_of_lists_words_from_female_to_male():
    drawn = gendered_axis.info(words(), -0.1)
    (first, second), (third,) = drawn.panels
    assert [word.word for word in first.words] == ["maid", "nurse"]
    assert first.words[0] == gendered_axis.Word("maid", 0.4, (0.3, 0.5))
    assert first.mean == pytest.approx(0.3)
    assert (second.name, third.name, len(third.words)) == ("jobs_m", "arts", 1)  # xyzzy has no vector
    assert drawn.alt.endswith("jobs_f 0.30, jobs_m -0.20, arts 0.10.")


def test_every_word_is_a_row_with_its_whisker():
    figure = gendered_axis.draw(gendered_axis.info(words(), -0.1))
    first, mean = figure.data[:2]
    assert list(first.x) == [0.4, 0.2]
    assert list(first.y) == [-1, -2]
    assert np.allclose(first.error_x.array, 0.1)
    assert np.allclose(first.error_x.arrayminus, 0.1)
    assert list(mean.x) == pytest.approx([0.3, 0.3])
    assert list(figure.layout.yaxis.ticktext) == ["<b>jobs_f</b>", "maid", "nurse", "<b>jobs_m</b>", "welder"]
    assert list(figure.layout.yaxis.tickvals) == [0, -1, -2, -4, -5]
    poetry = figure.data[4]
    assert list(poetry.error_x.array) == [0]
    assert list(poetry.customdata) == [""]
    assert figure.layout.annotations[-1].text == gendered_axis.X_TITLE


def test_shape_follows_the_side_of_the_centre():
    figure = gendered_axis.draw(gendered_axis.info(words([(0, "a", "x", -0.05, NAN, NAN), *ROWS[2:3]]), -0.1))
    assert list(figure.data[0].marker.symbol) == ["square"]
    assert list(figure.data[2].marker.symbol) == ["triangle-up"]


def test_words_are_escaped_and_long_ones_shortened():
    figure = gendered_axis.draw(gendered_axis.info(words([(0, "<i>", "<b>" + "x" * 40, 0.1, 0, 0.2)]), 0))
    assert figure.layout.yaxis.ticktext[0] == "<b>&lt;i&gt;</b>"
    assert figure.layout.yaxis.ticktext[1].startswith("&lt;b&gt;xxx")
    assert figure.layout.yaxis.ticktext[1].endswith("…")
    assert figure.data[0].text[0] == "&lt;b&gt;" + "x" * 40


def test_height_grows_with_the_words():
    many = [(0, "a", f"w{place}", place / 100, 0, 0) for place in range(40)]
    drawn = gendered_axis.info(words(many), 0)
    assert drawn.height == 42 * gendered_axis.ROW_HEIGHT + 110
    assert gendered_axis.info(words(), 0).height == gendered_axis.LEAST_HEIGHT


@pytest.mark.parametrize("module", [gendered_axis, word_plane])
def test_no_known_word_gives_a_titled_empty_figure(module):
    unknown = words(ROWS[4:])
    drawn = (
        gendered_axis.info(unknown, 0)
        if module is gendered_axis
        else word_plane.info(unknown, np.zeros((1, 3)), np.array([1.0, 0, 0]), 0)
    )
    figure = module.draw(drawn)
    assert not figure.data
    assert figure.layout.title.text == module.TITLE
    assert figure.layout.annotations[0].text == "None of these words has a vector."


AXIS = np.array([1.0, 0.0, 0.0])


def test_the_upright_axis_is_what_sets_the_words_apart_off_gender():
    vectors = np.array([[0.6, 0.8, 0], [0.6, -0.8, 0], [-0.6, 0.79, 0.1]])
    up, share = word_plane.orthogonal_direction(vectors, AXIS)
    assert up @ AXIS == pytest.approx(0)
    assert abs(up[1]) > 0.99
    assert share > 0.99


def test_the_upright_axis_is_the_one_an_eigenvalue_problem_gives():
    generator = np.random.default_rng(1)
    vectors = generator.normal(size=(12, 6))
    axis = generator.normal(size=6)
    axis /= np.linalg.norm(axis)
    rest = vectors - (vectors @ axis)[:, None] * axis
    values, columns = np.linalg.eigh(np.cov(rest.T))
    up, share = word_plane.orthogonal_direction(vectors, axis)
    assert abs(up @ columns[:, -1]) == pytest.approx(1)
    assert share == pytest.approx(values[-1] / values.sum())
    assert (rest @ up).sum() >= 0


def test_one_word_stands_as_in_figure_1_of_the_paper():
    vector = np.array([[0.6, 0.0, 0.8]])
    table = pd.DataFrame({"list": ["mine"], "word": ["beauty"], "g": [0.6]})
    drawn = word_plane.info(table, vector, AXIS, 0.0)
    (point,) = drawn.points
    assert (point.g, point.written) == (0.6, True)
    assert point.up == pytest.approx(0.8)


def test_a_word_on_the_axis_itself_has_no_height():
    up, share = word_plane.orthogonal_direction(AXIS[None, :], AXIS)
    assert share == 0
    assert not up.any()


def test_labels_that_would_touch_are_left_to_the_hover():
    across, up = np.array([0.0, 0.001, 0.3]), np.array([0.0, 0.001, 0.5])
    assert word_plane.with_room(across, up, ["first", "second", "far"], 360) == [False, True, True]
    drawn = word_plane.WordPlane(
        (word_plane.Point("a", "x", 0, 0, True), word_plane.Point("a", "y", 0, 0.1, False)), 0.0, 0.5
    )
    trace = word_plane.draw(drawn, LIGHT).data[0]
    assert list(trace.text) == ["x", ""]
    assert list(trace.hovertext) == ["x", "y"]


@pytest.mark.parametrize(
    ("pixels", "written"),
    [(word_plane.LINE + 2, [False, True, True]), (110, [True, True, True])],
    ids=["in it", "above"],
)
def test_a_label_is_not_written_over_a_point(pixels, written):
    """The second word stands above the first; its label touches neither."""
    across, up = np.array([0.0, 0.0, 0.3]), np.array([0.0, pixels / 220, 1.0])
    assert word_plane.with_room(across, up, ["first", "second", "far"], 360) == written


def test_each_list_has_its_marker_in_the_plane():
    table = words(ROWS[:3])
    vectors = np.array([[0.2, 0.9, 0], [0.4, 0.1, 0.9], [-0.2, 0.5, 0.5]])
    figure = word_plane.draw(word_plane.info(table, vectors, AXIS, 0.0))
    assert [trace.name for trace in figure.data] == ["jobs_f", "jobs_m"]
    assert len({trace.marker.symbol for trace in figure.data}) == 2


def test_the_first_share_is_the_gender_directions():
    drawn = explained_variance.info(np.array([0.6, 0.3, *[0.1 / 9] * 9]))
    assert len(drawn.shares) == 10
    figure = explained_variance.draw(drawn)
    assert list(figure.data[0].y)[:2] == [0.6, 0.3]
    assert list(figure.data[0].text)[:2] == ["60%", "30%"]
    assert drawn.alt.endswith("the first, gender, explains 60.0%.")
    assert not explained_variance.draw(explained_variance.Explained(())).data
