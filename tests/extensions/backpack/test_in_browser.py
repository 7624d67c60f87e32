"""The page Backpack in a real browser: what it says is what the library gives."""

import pytest

import fairviz
from fairviz.extensions.backpack.steering import sentences
from tests.browser.conftest import Visitor
from tests.browser.test_questions import MOST_CLICKS, Clicks, words_of

pytestmark = [pytest.mark.browser, pytest.mark.lengthy]


def test_what_the_gender_senses_do_beyond_the_placebo(at_own_home: Visitor) -> None:
    visitor, page = at_own_home, at_own_home.page
    found = fairviz.steer(fairviz.open_study("newswire"))  # reads for minutes; the page finds what was read
    clicks = Clicks(visitor)
    clicks.page("Backpack")
    read = page.get_by_role("button", name="Read the texts")
    if read.count():  # what takes under five seconds runs by itself
        clicks.on(read)
    page.locator(".st-key-backpack_figure_card .js-plotly-plot .main-svg").first.wait_for()
    visitor.settle()
    weight = float(page.locator(".st-key-backpack_weight").get_by_role("slider").get_attribute("aria-valuetext"))
    beyond, *_ = sentences(found.columns, found.change(weight), weight, found.how.tests)
    assert words_of(visitor, ".st-key-backpack_figure_card .fv-notice") == "".join(span.text for span in beyond)
    assert clicks.count <= MOST_CLICKS
    visitor.assert_well()
