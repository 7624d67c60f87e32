"""What is said of the pinned picture during a drag is what the page says at that stop."""

import pytest

import fairviz
from fairviz.comparison.compare import comparison
from fairviz.evaluation.questions import MAIN
from fairviz.evaluation.settings import Settings
from fairviz.ui.kit.html import lines_html
from fairviz.ui.tradeoff import pinned
from fairviz.ui.tradeoff.following import moving_pinned
from fairviz.ui.tradeoff.moving import scores_along_slider


@pytest.mark.parametrize(("slider", "place"), [("alpha", 0), ("alpha", 93), ("cutoff", 2)])
def test_at_a_stop_the_lines_are_those_of_the_page(slider: str, place: int) -> None:
    study, now, then = fairviz.open_study("newswire"), Settings(), Settings(cutoff=4, tau=0)

    def compared(settings: Settings):
        return comparison(fairviz.evaluate(study, MAIN, settings))

    slider_scores = scores_along_slider(study, MAIN, now, slider)
    moving = moving_pinned(slider_scores, then, {"CWEx", "NFaiRR"}, compared(then), pinned.DRAWN)
    at = slider_scores.cube.stops[place]
    line = pinned.line(then, at, ["TExFAIR"], pinned.DRAWN)
    expected = lines_html(line, pinned.answer(compared(then), compared(at)))
    assert (moving.target, moving.kind) == ("pinned", "html")
    assert moving.frame(place).texts["html"] == [expected]
    assert ("α = " if slider == "alpha" else "k = 3") in expected
