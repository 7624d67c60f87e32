"""The frame in a browser: its side bar, menus and tour on a desk, a projector and a phone."""

import pytest

from tests.browser.conftest import Visitor

pytestmark = pytest.mark.browser
SCREENS = {"desk": (1400, 900), "projector": (1024, 768), "enlarged": (933, 600)}
ENDS = "nodes => nodes.map(node => node.getBoundingClientRect().bottom)"
OVER = "() => document.documentElement.scrollWidth - innerWidth"


@pytest.mark.parametrize("size", SCREENS.values(), ids=SCREENS)
def test_every_slider_is_on_the_first_screen(browser, server, size):
    visitor = Visitor(browser, server)
    visitor.page.set_viewport_size({"width": size[0], "height": size[1]})
    visitor.open("/?study=newswire&position_bias=rbp(p%3D0.8)")
    side = visitor.page.get_by_test_id("stSidebar")
    ends = side.get_by_test_id("stSlider").evaluate_all(ENDS)
    assert len(ends) == 3
    assert max(ends) < size[1]
    assert visitor.page.evaluate(OVER) <= 0
    assert [label.strip() for label in side.get_by_test_id("stExpander").locator("summary p").all_inner_texts()] == [
        "Systems & queries · 9 of 9",
        "Labels · project",
        "Word list · built-in, τ 1",
        "Tests · paired t, maxT",
    ]
    visitor.assert_well()
    visitor.context.close()


def test_a_typed_cutoff_moves_the_page(visitor):
    visitor.open("/methods?study=football")
    field = visitor.page.get_by_label("Cutoff k, typed")
    field.fill("7")
    field.press("Enter")
    visitor.page.wait_for_function("() => new URLSearchParams(location.search).get('cutoff') === '7'")
    visitor.settle(0)
    assert visitor.page.locator(".st-key-cutoff input[type=range]").get_attribute("aria-valuetext") == "7"
    visitor.assert_well()


def test_a_phone_shows_the_page_first_and_reaches_every_other(browser, server):
    visitor = Visitor(browser, server)
    visitor.page.set_viewport_size({"width": 390, "height": 844})
    visitor.open("/tradeoff?study=football")
    title = visitor.page.locator(".st-key-heading h1").bounding_box()
    side = visitor.page.get_by_test_id("stSidebar").bounding_box()
    assert side is None or side["x"] + side["width"] <= title["x"]
    visitor.page.get_by_test_id("stExpandSidebarButton").click()
    links = visitor.page.get_by_test_id("stSidebarNavLink")
    links.get_by_text("Backpack", exact=True).wait_for()
    assert links.count() >= 16
    visitor.still(links.last)
    links.get_by_text("Methods", exact=True).click()
    visitor.arrived("Methods")
    assert visitor.page.evaluate(OVER) <= 0
    visitor.assert_well()
    visitor.context.close()


def test_the_tour_is_under_help_on_every_page_and_leads_to_overview(visitor):
    visitor.open("/methods?study=football")
    menus = visitor.page.locator(".st-key-menus")
    menus.get_by_role("button", name="Help").click()
    visitor.page.locator(".st-key-help_tour").get_by_role("button").click()
    visitor.arrived("Overview")
    card = visitor.page.locator(".st-key-tour")
    card.get_by_text("1 of 5").wait_for()
    for number in range(2, 6):
        with visitor.asking():
            card.get_by_role("button", name="Next").click()
        card.get_by_text(f"{number} of 5").wait_for()
    with visitor.asking():
        card.get_by_role("button", name="Done").click()
    card.wait_for(state="detached")
    visitor.assert_well()
