"""The legend of a page, the pinned picture and wide cards, by mouse and by keyboard."""

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.test_links import screen, shows

pytestmark = pytest.mark.browser

NAMES = """() => [...document.querySelectorAll('.js-plotly-plot')].map(figure =>
  figure._fullData.flatMap(trace => trace.customdata ?? []).flat())"""
IN_VIEW = """name => { const card = document.querySelector(name)?.getBoundingClientRect()
  return card && card.width > 900 && card.top >= -1 && card.bottom <= innerHeight + 1 }"""


def asked(visitor) -> dict[str, list[str]]:
    return parse_qs(urlsplit(visitor.page.url).query)


def wait_for(visitor, **query: list[str]) -> None:
    """Waits until the address holds exactly these beside the study, and the page stands still."""
    check = """wanted => { const held = new URLSearchParams(location.search); held.delete('study')
      return JSON.stringify([...held].sort()) === JSON.stringify(wanted) }"""
    wanted = sorted([name, value] for name, values in query.items() for value in values)
    visitor.until(check, wanted)
    visitor.settle(0)


def legend(visitor):
    return visitor.page.get_by_role("group", name="Systems shown").get_by_role("button")


@pytest.mark.lengthy
def test_one_legend_hides_and_singles_out_everywhere(visitor):
    visitor.open("/tradeoff?study=occupations")
    page = visitor.page
    legend(visitor).first.wait_for()
    assert legend(visitor).all_text_contents() == ["S", "N", "CS"]
    assert page.locator(".js-plotly-plot .legend").count() == 0
    legend(visitor).nth(1).click()
    wait_for(visitor, systems=["S", "CS"])
    visitor.until(f"() => (names => names.includes('S') && !names.includes('N'))(({NAMES})().flat())")
    page.get_by_test_id("stSidebar").get_by_text("Systems & queries · 2 of 3").wait_for()
    assert legend(visitor).nth(1).get_attribute("aria-pressed") == "false"
    page.keyboard.press("Shift+Enter")  # the focus is where it was
    wait_for(visitor, systems=["N"])
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    wait_for(visitor, systems=["N", "CS"])
    page.get_by_role("button", name="Show all").press("Enter")
    wait_for(visitor)
    page.go_back()
    wait_for(visitor, systems=["N", "CS"])


def test_a_link_shows_the_same_to_somebody_else_a_pin_stays_while_the_rest_moves_and_a_card_opens_wide(visitor):
    page, shown = visitor.page, {"cutoff": ["1"], "systems": ["S", "N"], "tau": ["0"]}
    visitor.open("/tradeoff?study=occupations&alpha=0.25&cutoff=1&systems=S&systems=N&tau=0")
    assert page.get_by_test_id("stSliderThumbValue").last.inner_text() == "0.25"
    titles = page.locator(".js-plotly-plot .ytitle").all_text_contents()
    assert any("CWEx(alpha=0.25)@1" in title for title in titles)
    pressed = {one.inner_text(): one.get_attribute("aria-pressed") for one in legend(visitor).all()}
    assert pressed == {"S": "true", "N": "true", "CS": "false"}

    page.get_by_role("button", name="Keep to compare").click()
    visitor.until("() => new URLSearchParams(location.search).has('pin')")
    pin = asked(visitor)["pin"]
    wait_for(visitor, **shown, alpha=["0.25"], pin=pin)
    page.get_by_test_id("stSidebar").get_by_role("slider").nth(1).press("ArrowLeft")
    wait_for(visitor, **shown, alpha=["0.24"], pin=pin)
    page.get_by_text("Changed: α → 0.24.").first.wait_for()

    seen = screen(visitor)
    visitor.share()
    visitor.copy("Copy link")
    link = page.evaluate("() => navigator.clipboard.readText()").removeprefix(visitor.address)
    page.keyboard.press("Escape")

    page.go_back()
    wait_for(visitor, **shown, alpha=["0.25"], pin=pin)
    page.go_back()
    wait_for(visitor, **shown, alpha=["0.25"])
    page.locator(".fv-pinned").wait_for(state="detached")

    visitor.assert_well()
    visitor.leave()
    visitor.open(link)  # somebody else
    shows(visitor, seen)
    page.get_by_text("Changed: α → 0.24.").first.wait_for()
    page.get_by_role("button", name="Remove kept").click()
    shown["alpha"] = ["0.24"]
    wait_for(visitor, **shown)
    open_wide(visitor, shown)


def open_wide(visitor, shown: dict[str, list[str]]) -> None:
    """A card opens to the width of the page, with its buttons whole and the legend in sight."""
    page = visitor.page
    page.get_by_role("button", name="Wide Shortcut 1").click()
    wait_for(visitor, **shown, tradeoff_wide=["scatter"])
    visitor.until(IN_VIEW, ".st-key-tradeoff_card_scatter_wide")
    buttons = page.locator('[class*="st-key-tradeoff_wide_"] button')
    assert (
        buttons.evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.innerText)")
        == []
    )
    narrow, close = (
        page.locator(f".st-key-tradeoff_wide_{name} button:visible").first for name in ("scatter", "close")
    )
    assert narrow.bounding_box()["y"] == pytest.approx(close.bounding_box()["y"], abs=2), "in one row"
    page.locator(".st-key-tradeoff_scatter").evaluate("node => node.scrollIntoView({ block: 'end' })")
    visitor.still(page.locator(".st-key-page_bar_wide"))
    box = page.get_by_test_id("stHeader").bounding_box()
    assert box["y"] + box["height"] - 2 <= page.locator(".st-key-legend").bounding_box()["y"] < 150
    page.keyboard.press("1")
    wait_for(visitor, **shown)
    visitor.go("GSR")
    page.locator("h1").click()
    page.keyboard.press("3")
    wait_for(visitor, **shown, stereotypes_wide=["carried"])
    visitor.until(IN_VIEW, ".st-key-stereotypes_card_carried_wide")
    page.keyboard.press("Escape")
    wait_for(visitor, **shown)
