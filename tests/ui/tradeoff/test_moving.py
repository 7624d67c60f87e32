"""What moves is what the cards would draw at each stop: the same `info`, and the same words."""

from types import SimpleNamespace

import numpy as np
import pytest

import fairviz
from fairviz.comparison.compare import comparison, starred
from fairviz.comparison.measure_order import orders
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slider_settings import stops
from fairviz.figures import bias_curve, differences, measure_order
from fairviz.figures.style import LIGHT, references_last, system_styles
from fairviz.measures import parse
from fairviz.ui.kit import tables
from fairviz.ui.kit.html import lines_html
from fairviz.ui.shell.live.bias import curve_of, moving_bias
from fairviz.ui.tradeoff.moving import Way
from fairviz.ui.tradeoff.moving_differences import moving_differences
from fairviz.ui.tradeoff.moving_table import moving_table
from fairviz.ui.tradeoff.order_card import moving_parts

TEXTS = ("CWEx(alpha=0.5)@10", "NFaiRR(tau=1)@10", "nDCG@10")
SETTINGS = Settings(study="occupations")


@pytest.fixture(scope="module")
def study():
    return fairviz.open_study("occupations")


@pytest.fixture(scope="module")
def along(study):
    from fairviz.comparison.cube import cube

    return Way(study, cube(study, TEXTS, SETTINGS, "alpha"))


def slowly(study, stop):
    texts = [f"CWEx(alpha={stop.alpha:g})@10", *TEXTS[1:]]
    scores = evaluate(study, texts, stop)
    return summarise(scores), comparison(scores), [parse(text) for text in texts]


@pytest.mark.parametrize("place", [0, 37, 50, 100])
def test_the_order_of_a_stop_is_the_figure_that_the_page_draws_there(study, along, place):
    summary, found, questions = slowly(study, along.cube.stops[place])
    made = orders(summary, questions, found)
    drawn = measure_order.info(made)
    styles = system_styles(study.systems)
    words, figure = moving_parts("overview", along, range(3), styles, LIGHT)
    assert words.frame(place).texts == {"html": [lines_html(*(order.words for order in made))]}
    frame, systems = figure.frame(place), references_last(along.cube.systems)
    marks = {mark.system: mark for mark in drawn.strips[0].marks}
    assert list(frame.numbers["marks x"])[: len(systems)] == pytest.approx([marks[name].x for name in systems])
    assert list(frame.numbers["marks y"])[: len(systems)] == pytest.approx([marks[name].y for name in systems])
    rings = [name for name, x in zip(systems, frame.numbers["rings x"], strict=False) if x == x]
    assert set(rings) == {name for name, mark in marks.items() if mark.look == "ringed"}
    pale = [name for name, alpha in zip(systems, frame.numbers["marks alpha"], strict=False) if alpha < 1]
    assert set(pale) == {name for name, mark in marks.items() if mark.look == "pale"}
    assert frame.texts["tails bold"] == [strip.leaders for strip in drawn.strips]
    assert frame.texts["tails rest"] == [strip.lead for strip in drawn.strips]
    assert frame.texts["lefts rest"] == [strip.left for strip in drawn.strips]


def test_the_groups_of_a_stop_are_the_bars_of_the_figure(study, along):
    summary, found, questions = slowly(study, along.cube.stops[50])
    drawn = measure_order.info(orders(summary, questions, found))
    frame = moving_parts("overview", along, range(3), system_styles(study.systems), LIGHT)[1].frame(50)
    low, high = (np.array(frame.numbers[f"groups x {end}"]) for end in ("low", "high"))
    ends = [(low, high) for strip in drawn.strips for low, high, _ in strip.groups]
    assert list(zip(low[~np.isnan(low)], high[~np.isnan(high)], strict=True)) == ends


def test_the_cells_of_a_stop_are_those_of_the_table_on_the_page(study, along):
    summary, found, questions = slowly(study, along.cube.stops[20])
    frame = moving_table(along, "overview", "N", intervals=True, then=None).frame(20)
    grid = tables.grid(summary, questions, found.how, intervals=True)
    systems = tuple(grid["system"])
    styled = tables.marked(grid, systems, questions, starred(found), found.how)
    shown = styled._translate(False, False)["body"]  # what Streamlit is given to show
    expected = [cell["display_value"] for row in shown for cell in row if cell["type"] == "td"]
    assert list(frame.texts["cells"]) == [str(text) for text in expected]
    values = grid[[tables.header(question) for question in questions]].to_numpy()
    assert frame.numbers["values"] == pytest.approx(values)


def test_the_comparison_of_a_stop_draws_what_the_page_draws_there(study, along):
    _, found, _ = slowly(study, along.cube.stops[10])
    held = along.cube.comparison(10)
    assert differences.info(held, starred(held)) == differences.info(found, starred(found))


def test_the_curve_of_the_position_bias_at_each_cutoff(study):
    held = stops(study, SETTINGS, "cutoff")
    moving = moving_bias(held, bias_curve.LIGHT)
    for place in (0, len(held) - 1):
        curve, frame = curve_of(held[place]), moving.frame(place)
        shown = [weight for weight in (*frame.numbers["few y"], *frame.numbers["many y"]) if not np.isnan(weight)]
        assert shown == list(curve.weights)
        assert frame.numbers["range xaxis"] == bias_curve.x_axis(curve)


def test_each_panel_moves_on_the_axes_of_its_figure(study, along):
    styles = system_styles(study.systems)
    deck = SimpleNamespace(settings=SETTINGS.changed(system="S"), theme=bias_curve.LIGHT, styles=styles)
    (moving,) = moving_differences(deck, along, "S")
    held = along.cube.comparison(along.cube.present).against("S")
    figure = differences.draw(differences.info(held, {}, "S"), styles)
    axes = list(dict.fromkeys((trace.xaxis or "x", trace.yaxis or "y") for trace in figure.data))
    assert moving.still["panels"] == [(f"xaxis{x[1:]}", f"yaxis{y[1:]}") for x, y in axes]
