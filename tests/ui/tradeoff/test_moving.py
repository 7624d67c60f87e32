"""What moves, and what is told of the pinned picture during a drag, is what the cards would draw and say at each
stop."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.comparison import system_table
from fairviz.comparison.compare import comparison, starred
from fairviz.comparison.finding import lines, orders
from fairviz.evaluation.questions import MAIN, effective, overview, tradeoff
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slider_settings import fixed_texts, stops
from fairviz.figures import bias_curve, differences, measure_order, scatter
from fairviz.figures.style import LIGHT, references_last, system_styles
from fairviz.measures import parse
from fairviz.study.record import Study
from fairviz.ui.kept import tables as tables_kept
from fairviz.ui.kit import charts, tables
from fairviz.ui.kit.html import findings_html, lines_html
from fairviz.ui.shell.live.bias import curve_of, moving_bias
from fairviz.ui.tradeoff import moving
from fairviz.ui.tradeoff import moving as following
from fairviz.ui.tradeoff.cards import TradeoffDeck
from fairviz.ui.tradeoff.moving import (
    SliderScores,
    moving_differences,
    moving_kept,
    moving_order,
    moving_table,
    scores_along_slider,
    scores_of_axes,
)
from fairviz.ui.tradeoff.overview import Kept, pin_answer, pin_line
from tests.pages.conftest import first_run

TEXTS = ("CWEx(alpha=0.5)@10", "NFaiRR(tau=1)@10", "nDCG@10")
SETTINGS = Settings(study="occupations")


@pytest.fixture(scope="module")
def study():
    return fairviz.open_study("occupations")


@pytest.fixture(scope="module")
def slider_scores(study):
    from fairviz.comparison.cube import cube

    return SliderScores(cube(study, TEXTS, SETTINGS, "alpha"))


@pytest.mark.parametrize("place", [0, 37, 50, 100])
def test_order_table_and_differences_of_a_stop_are_what_the_page_draws_there(study, slider_scores, place):
    stop = slider_scores.cube.stops[place]
    texts = [f"CWEx(alpha={stop.alpha:g})@10", *TEXTS[1:]]
    scores, questions = evaluate(study, texts, stop), [parse(text) for text in texts]
    summary, found = summarise(scores), comparison(scores)
    made = orders(summary, questions, found)
    drawn = measure_order.info(made)
    words, figure = moving_order("overview", slider_scores, range(3), system_styles(study.systems), LIGHT)
    assert words.frame(place).texts == {"html": [findings_html(*lines(made))]}
    frame, systems = figure.frame(place), references_last(slider_scores.cube.systems)
    marks = {mark.system: mark for mark in drawn.strips[0].marks}
    assert list(frame.numbers["marks x"])[: len(systems)] == pytest.approx([marks[name].x for name in systems])
    assert list(frame.numbers["marks y"])[: len(systems)] == pytest.approx([marks[name].y for name in systems])
    rings = [name for name, x in zip(systems, frame.numbers["rings x"], strict=False) if x == x]
    assert set(rings) == {name for name, mark in marks.items() if mark.look == "ringed"}
    pale = [name for name, alpha in zip(systems, frame.numbers["marks alpha"], strict=False) if alpha < 1]
    assert set(pale) == {name for name, mark in marks.items() if mark.look == "pale"}
    assert frame.texts["tails bold"] == [strip.leader for strip in drawn.strips]
    assert frame.texts["tails rest"] == [strip.lead for strip in drawn.strips]
    assert frame.texts["lefts rest"] == [strip.left for strip in drawn.strips]
    low, high = (np.array(frame.numbers[f"groups x {end}"]) for end in ("low", "high"))
    ends = [(low, high) for strip in drawn.strips for low, high, _ in strip.groups]
    assert list(zip(low[~np.isnan(low)], high[~np.isnan(high)], strict=True)) == ends

    frame = moving_table(slider_scores, "overview", "N", intervals=True, then=None).frame(place)
    grid = system_table.grid(summary, questions, found.how, intervals=True)
    styled = tables.marked(grid, tuple(grid["system"]), questions, system_table.marks(found), found.how)
    shown = styled._translate(False, False)["body"]  # what Streamlit is given to show
    expected = [cell["display_value"] for row in shown for cell in row if cell["type"] == "td"]
    assert list(frame.texts["cells"]) == [str(text) for text in expected]
    values = grid[[system_table.header(question) for question in questions]].to_numpy()
    assert frame.numbers["values"] == pytest.approx(values)

    held = slider_scores.cube.comparison(place)
    assert differences.info(held, starred(held)) == differences.info(found, starred(found))


@pytest.mark.parametrize("tests", ["maxT", "maxT(family='measures')"])
@pytest.mark.parametrize(
    ("columns", "slider", "place", "present"),
    [
        (("CWEx(alpha=0.5)", "nDCG"), "alpha", 80, 0.5),
        (("CWEx(alpha=0.5)", "nDCG"), "alpha", 80, 0.3),
        (("CWEx", "NFaiRR@10"), "cutoff", 0, 0.5),
    ],
)
def test_a_column_written_with_the_value_of_a_slider_stays_fixed_as_after_the_release(
    study, columns, slider, place, present, tests
):
    settings = Settings(study="occupations", columns=columns, alpha=present, tests=tests)
    fixed = fixed_texts(study, settings, slider)
    drag = scores_along_slider(study, overview(study, settings).texts, settings, slider, fixed)
    stop = stops(study, settings, slider)[place]
    texts = overview(study, stop).texts
    assert tuple(question.text for question in drag.questions(place)) == texts
    pd.testing.assert_frame_equal(drag.summary(place), tables_kept.summary(study, texts, stop), check_exact=False)
    released = tables_kept.comparison(study, texts, stop)
    assert starred(drag.comparison(place)) == starred(released)
    cells = system_table.grid(drag.summary(place), drag.questions(place), released.how, intervals=False)
    parts = following._overview(study, settings, overview(study, settings), None, slider)
    (table,) = (part for part in parts if part.target == "overview")
    assert table.frame(place).numbers["values"] == pytest.approx(cells.iloc[:, 1:].to_numpy(dtype=float))
    elsewhere = scores_along_slider(study, ["CWEx", "NFaiRR"], settings, slider).comparison(place)
    assert starred(elsewhere) == starred(tables_kept.comparison(study, ["CWEx", "NFaiRR"], stop))


def test_the_curve_of_the_position_bias_at_each_cutoff(study):
    held = stops(study, SETTINGS, "cutoff")
    moving = moving_bias(held, bias_curve.LIGHT)
    for place in (0, len(held) - 1):
        curve, frame = curve_of(held[place]), moving.frame(place)
        shown = [weight for weight in (*frame.numbers["few y"], *frame.numbers["many y"]) if not np.isnan(weight)]
        assert shown == list(curve.weights)
        assert frame.numbers["range xaxis"] == bias_curve.x_axis(curve)


def test_each_panel_moves_on_the_axes_of_its_figure(study, slider_scores):
    styles = system_styles(study.systems)
    deck = SimpleNamespace(settings=SETTINGS.changed(system="S"), theme=bias_curve.LIGHT, styles=styles)
    (moving,) = moving_differences(deck, slider_scores, "S")
    held = slider_scores.cube.comparison(slider_scores.cube.present).against("S")
    figure = differences.draw(differences.info(held, {}, "S"), styles)
    axes = list(dict.fromkeys((trace.xaxis or "x", trace.yaxis or "y") for trace in figure.data))
    assert moving.still["panels"] == [(f"xaxis{x[1:]}", f"yaxis{y[1:]}") for x, y in axes]


@pytest.mark.parametrize(("slider", "place"), [("alpha", 0), ("alpha", 93), ("cutoff", 2)])
def test_at_a_stop_the_lines_are_those_of_the_page(slider: str, place: int, newswire: Study) -> None:
    study, now, then = newswire, Settings(), Settings(cutoff=4, tau=0)

    def compared(settings: Settings):
        return comparison(fairviz.evaluate(study, MAIN, settings))

    slider_scores = scores_along_slider(study, MAIN, now, slider)
    questions = tuple(parse(text) for text in ("CWEx@4", "NFaiRR@4"))
    moving = moving_kept(slider_scores, Kept(then, questions, pd.DataFrame(), compared(then)))
    at = slider_scores.cube.stops[place]
    line = pin_line(then, at, ["TExFAIR"])
    expected = lines_html(line, pin_answer(compared(then), compared(at)))
    assert (moving.target, moving.kind) == ("pinned", "html")
    assert moving.frame(place).texts["html"] == [expected]
    assert ("α = " if slider == "alpha" else "k → 3") in expected


def test_axes_offer_every_measure_with_a_direction_and_follow_the_slider(newswire: Study) -> None:

    def deck_under(settings: Settings) -> TradeoffDeck:
        asked = tradeoff(newswire, settings), effective(newswire, settings)
        summary = fairviz.summarise(
            fairviz.evaluate(newswire, [question.text for part in asked for question in part[0]])
        )
        return TradeoffDeck(newswire, settings, *asked, summary, system_styles(newswire.systems), LIGHT)

    deck = deck_under(Settings())
    assert list(deck.axes)[:4] == [*MAIN, "nDCG"]
    assert "AWRF" in deck.axes
    assert {"Exposure", "RBDF", "GSR"} & set(deck.axes) == set(), "without a direction, or without values per query"
    along = scores_along_slider(newswire, deck.texts, deck.settings, "cutoff")
    assert scores_of_axes(deck, along, "cutoff", "nDCG", "CWEx") is along
    stop = 3
    own = scores_of_axes(deck, along, "cutoff", "nDCG", "AWRF")
    frame = moving.moving_scatter(deck, own, "nDCG", "AWRF").frame(stop)
    then = deck_under(along.cube.stops[stop])
    drawn = scatter.info(then.means("nDCG", "AWRF"), then.axes["nDCG"], then.axes["AWRF"], "", (0.5, 0.5))
    assert frame.numbers["points y"] == pytest.approx([point.y for point in drawn.points])
    assert frame.texts["y title"] == [drawn.y_title]


def test_the_curve_that_is_shown_follows_the_sliders(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, followed = set(), []
    real = charts.chart
    monkeypatch.setattr(charts, "chart", lambda *parts, **more: (drawn.add(parts[2]), real(*parts, **more)))
    monkeypatch.setattr(moving.component, "follow", followed.append)
    first_run("tradeoff.py", tradeoff_tab="Over α or k")
    (page,) = followed
    shown = {key for key in drawn if key.startswith("tradeoff_curve")}
    assert len(shown) == 1
    assert shown <= set(page.charts)
