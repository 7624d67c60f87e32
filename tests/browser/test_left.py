"""A page that is left while a part of it asks: what the part asks comes too late, and disturbs nothing."""

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]
POINTS = ".st-key-tradeoff_scatter .scatterlayer .points path"
# Once armed, what a part of the page has asked for last is asked for again: right after the next message that is sent,
# as soon as something of its answer has come, or when the address moves.
ECHO = """(() => {
  const send = WebSocket.prototype.send
  let last = null
  const echo = (window.fairvizEcho = { heard: () => last !== null, when: "", sent: false })
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


@pytest.mark.parametrize(
    ("by", "when"), [("a point", "moved"), ("the sidebar", "answered"), ("the sidebar", "at once")]
)
def test_a_part_that_asks_as_its_page_is_left_empties_no_page(visitor, by, when) -> None:
    page = visitor.page
    page.add_init_script(ECHO)
    visitor.open("/tradeoff?study=newswire&tradeoff_y=TExFAIR")
    page.wait_for_function("() => fairvizEcho.heard()")
    visitor.settle()
    page.evaluate("when => { fairvizEcho.when = when }", when)
    if by == "a point":
        page.locator(POINTS).first.click(force=True)
    else:
        visitor.click_menu("Query")
    visitor.arrived("Query")
    page.locator(".fv-lists").wait_for()
    visitor.settle()
    assert page.evaluate("() => fairvizEcho.sent")
    assert page.locator(".fv-lists th").count() > 1
    visitor.arrived("Query")
    visitor.assert_well()
