"""What is said of the pinned picture during a drag is what the page says at that stop."""

import pandas as pd
import pytest

import fairviz
from fairviz.comparison.compare import comparison
from fairviz.evaluation.questions import MAIN, effective, tradeoff
from fairviz.evaluation.settings import Settings
from fairviz.figures import scatter
from fairviz.figures.style import LIGHT, system_styles
from fairviz.measures import parse
from fairviz.ui.kit import charts
from fairviz.ui.kit.html import lines_html
from fairviz.ui.tradeoff import moving
from fairviz.ui.tradeoff.cards import TradeoffDeck
from fairviz.ui.tradeoff.moving import moving_kept, scores_along_slider, scores_of_axes
from fairviz.ui.tradeoff.overview import Kept, pin_answer, pin_line
from tests.pages.test_first_run import first_run


@pytest.mark.parametrize(("slider", "place"), [("alpha", 0), ("alpha", 93), ("cutoff", 2)])
def test_at_a_stop_the_lines_are_those_of_the_page(slider: str, place: int) -> None:
    study, now, then = fairviz.open_study("newswire"), Settings(), Settings(cutoff=4, tau=0)

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


def test_axes_offer_every_measure_with_a_direction_and_follow_the_slider() -> None:
    study = fairviz.open_study("newswire")

    def deck_under(settings: Settings) -> TradeoffDeck:
        asked = tradeoff(study, settings), effective(study, settings)
        summary = fairviz.summarise(fairviz.evaluate(study, [question.text for part in asked for question in part[0]]))
        return TradeoffDeck(study, settings, *asked, summary, system_styles(study.systems), LIGHT)

    deck = deck_under(Settings())
    assert list(deck.axes)[:4] == [*MAIN, "nDCG"]
    assert "AWRF" in deck.axes
    assert {"Exposure", "RBDF", "GSR"} & set(deck.axes) == set(), "without a direction, or without values per query"
    along = scores_along_slider(study, deck.texts, deck.settings, "cutoff")
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
    assert not first_run("tradeoff.py", tradeoff_tab="Over α or k").exception
    (page,) = followed
    shown = {key for key in drawn if key.startswith("tradeoff_curve")}
    assert len(shown) == 1
    assert shown <= set(page.charts)
