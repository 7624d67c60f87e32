"""The select box of the position bias answers while one moves in its list, before the server hears of it."""

import pytest

from fairviz.evaluation.opening import open_study
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import Settings
from tests.browser.test_live import same

pytestmark = pytest.mark.browser

NAMED = """text => { const one = fairvizLive.over.get('tradeoff_scatter'), now = fairvizLive.shown
  return now && now.slider === 'position_bias' && now.payload.stops[now.stop].startsWith(text) && one.stop === now.stop
    && one.told.filter(mark => mark.layer === 'points').map(mark => [mark.name, mark.x, mark.y]) }"""


def check(marks, bias):
    """The means that are drawn are those of this position bias."""
    settings, texts = Settings(study="occupations", position_bias=bias), ("nDCG@10", "CWEx(alpha=0.5)@10")
    table = summarise(evaluate(open_study("occupations"), list(texts), settings)).set_index(["measure", "system"])
    assert len(marks) == 3
    for name, *values in marks:
        for text, value in zip(texts, values, strict=True):
            assert same(value, table.loc[(text, name), "value"])


def test_an_option_of_the_position_bias_is_shown_before_it_is_chosen(visitor):
    page = visitor.page
    visitor.open("/tradeoff?study=occupations")
    box = page.locator(".st-key-position_bias input[role=combobox]")
    box.hover()
    page.wait_for_function("() => window.fairvizLive && fairvizLive.payloads.position_bias")
    box.click()
    page.get_by_role("option", name="uniform").hover()
    check(page.wait_for_function(NAMED, arg="uniform").json_value(), "uniform")
    page.mouse.move(5, 5)
    page.keyboard.press("ArrowUp")
    check(page.wait_for_function(NAMED, arg="linear").json_value(), "linear")
    assert "position_bias" not in page.url
    page.keyboard.press("Enter")
    page.wait_for_function("() => new URLSearchParams(location.search).get('position_bias') === 'linear'")
    page.wait_for_function("() => !document.querySelector('canvas.fv-live')")
    visitor.settle()
    visitor.assert_well()
