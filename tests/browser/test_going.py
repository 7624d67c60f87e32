"""One click from a point, a row or a query to the page Query, and Back to where one was; what a part of a page that is
left asks for comes too late, and disturbs nothing."""

from urllib.parse import parse_qs, urlsplit

import pytest

pytestmark = pytest.mark.browser


def arrived(visitor) -> dict[str, list[str]]:
    """The address once the page Query stands."""
    visitor.arrived("Query")
    visitor.page.locator(".fv-lists").wait_for()
    visitor.settle()
    visitor.assert_well()
    return parse_qs(urlsplit(visitor.page.url).query)


@pytest.mark.lengthy
def test_a_difference_and_the_query_that_sets_two_apart_open_their_lists(visitor) -> None:
    visitor.open("/tradeoff?study=newswire")
    point = visitor.page.locator(".st-key-tradeoff_differences .scatterlayer .points path").first
    point.wait_for(state="attached")
    visitor.settle()
    point.click(force=True)
    found = arrived(visitor)
    assert found["system"] == ["w2v_add"]
    order = visitor.page.get_by_test_id("stMain").get_by_label("Order of queries", exact=True).first
    assert "difference" in order.input_value()
    visitor.page.go_back()
    visitor.page.locator(".st-key-tradeoff_most button").first.wait_for()
    visitor.settle()
    visitor.page.locator(".st-key-tradeoff_most button").first.click()
    assert "query" in arrived(visitor)


@pytest.mark.lengthy
def test_a_row_of_overview_and_one_of_the_atlas_open_their_lists(visitor) -> None:
    visitor.open("/?study=newswire")
    visitor.tick(visitor.page.get_by_test_id("stMain").get_by_test_id("stDataFrame").first, 2)
    assert arrived(visitor)["system"] == ["tfidf"]
    visitor.go("Measures")
    visitor.tick(visitor.page.locator(".st-key-compare_opposed [data-testid=stDataFrame]"), 1)
    assert len(arrived(visitor)["query"]) == 1
    visitor.page.locator(".fv-hit button").first.click()
    visitor.arrived("Read")
    visitor.page.locator(".fv-doc bdi").wait_for()
    visitor.settle()
    visitor.page.go_back()
    arrived(visitor)


POINTS = ".st-key-tradeoff_scatter .scatterlayer .points path"
# Once armed, what a part of the page has asked for last is asked for again: right after the next message that is sent,
# as soon as something of its answer has come, or when the address moves.
ECHO = """(() => {
  const send = WebSocket.prototype.send
  let last = null
  const echo = (window.fairvizEcho = { heard: () => last !== null, forget: () => { last = null },
    when: "", sent: false })
  const isPart = (bytes) => new TextDecoder("latin1").decode(bytes).includes("live__events")
  WebSocket.prototype.send = function (data) {
    const bytes = new Uint8Array(data), when = echo.when
    if (isPart(bytes)) last = bytes.slice()
    send.call(this, data)
    if (!when || !last) return
    echo.when = ""
    const again = () => { echo.sent = true; send.call(this, last) }
    if (when === "at once") again()
    else if (when === "answered") this.addEventListener("message", again, { once: true })
    else echo.moved = again
  }
  const push = history.pushState
  history.pushState = function (...told) {
    push.apply(this, told)
    echo.moved?.()
    echo.moved = null
  }
})()"""


def test_a_point_opens_its_lists_and_back_returns_and_a_part_that_asks_as_its_page_is_left_empties_no_page(
    visitor,
) -> None:
    page = visitor.page
    visitor.open("/tradeoff?study=football&cutoff=3&tradeoff_y=TExFAIR")
    page.evaluate(ECHO)
    for by, when in (("a point", "moved"), ("the sidebar", "answered"), ("the sidebar", "at once")):
        page.locator(".st-key-alpha [data-testid=stSlider]").hover()
        visitor.until("() => fairvizEcho.heard()")
        visitor.settle()
        page.evaluate("when => { Object.assign(fairvizEcho, { when, sent: false }) }", when)
        if by == "a point":
            page.locator(POINTS).first.click(force=True)
        else:
            visitor.click_menu("Query")
        found = arrived(visitor)
        assert page.evaluate("() => fairvizEcho.sent"), (by, when)
        heads = page.locator(".fv-lists th")
        assert heads.count() > 1
        page.evaluate("() => fairvizEcho.forget()")
        if by == "a point":
            assert (found["study"], found["cutoff"], found["measure"]) == (["football"], ["3"], ["TExFAIR"])
            assert heads.nth(1).inner_text().split()[0] == found["system"][0]
        if when != "at once":
            page.go_back()
            visitor.arrived("Trade-off")
            page.locator(POINTS).first.wait_for(state="attached")
            assert parse_qs(urlsplit(page.url).query)["cutoff"] == ["3"]
