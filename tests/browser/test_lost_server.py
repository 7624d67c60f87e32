"""A server that is killed: what was decided is stored, the page says how to start the server and keeps what was typed;
and a first visit to a server shows a skeleton before the page."""

import os
from pathlib import Path

import pytest

import fairviz
from fairviz.annotation.adjudications import decisions
from tests.browser.conftest import SCREEN, Visitor, running, visiting
from tests.browser.test_read import decide, following, opened

pytestmark = pytest.mark.browser
BANNER = "#fairviz-connection"
FIELD = "reason (optional)"
TYPED = "name => document.querySelector(`[placeholder='${name}']`)?.value === 'a pronoun alone'"
WATCH = """() => { window.order = []; const look = () => {
  for (const [name, one] of [['skeleton', '.fv-coming'], ['document', '.fv-doc']])
    if (!window.order.includes(name) && document.querySelector(one)) window.order.push(name);
  const spinner = document.querySelector('[data-testid=stSidebar] [data-testid=stSpinner]');
  if (spinner && spinner.offsetParent) window.order.push('spinner in the sidebar') };
  new MutationObserver(look).observe(document, { childList: true, subtree: true }); look(); }"""


def test_a_killed_server_loses_no_decision_and_its_page_says_how_to_start_it_and_keeps_what_was_typed(
    browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRVIZ_HOME", str(tmp_path))
    decided = {}
    with running(tmp_path) as (address, process), visiting(browser, address, "") as visitor:
        page = visitor.page
        page.add_init_script(f"({WATCH})()")
        visitor.open("/read?study=football")  # the first visit to this server
        assert page.evaluate("() => window.order") == ["skeleton", "document"]
        assert page.locator(".fv-coming, " + BANNER).count() == 0
        for count, (key, label) in enumerate((("2", "female"), ("3", "male"), ("2", "female")), start=1):
            decided[opened(visitor)] = label
            decide(visitor, key, count)
            following(visitor)
        page.get_by_placeholder(FIELD).click()
        page.keyboard.type("a pronoun alone")
        visitor.assert_well()
        process.kill()
        process.wait()
        page.locator(BANNER).wait_for()
        visitor.until(f"document.querySelector('{BANNER}').textContent.includes('fairviz app')")
        told = "This page has lost its server. Start it again: fairviz app. What you typed is kept."
        assert page.locator(BANNER).inner_text().startswith(told)
        page.wait_for_selector("[role=dialog]", state="attached")
        visitor.until("!document.body.innerText.includes('yourscript')")
        if folder := os.environ.get("FAIRVIZ_SCREENSHOTS"):
            page.set_viewport_size(SCREEN)
            page.screenshot(path=f"{folder}/lost.png")
        with running(tmp_path, port=int(address.rpartition(":")[2])):
            page.reload()
            page.wait_for_selector(".st-key-heading h1")
            visitor.until(TYPED, FIELD)
            assert page.locator(BANNER).count() == 0
            page.get_by_role("button", name="3 decided").wait_for()
            visitor.settle(0)
            visitor.troubles.clear()  # of the time without a server
            give_up(visitor)
    table = decisions(fairviz.open_study("football"))
    assert dict(zip(table["doc_id"], table["label"], strict=True)) == decided


def give_up(visitor: Visitor) -> None:
    """Streamlit can end in the state DISCONNECTED_FOREVER although the server answers: the page says that it does."""
    banner = visitor.page.locator(BANNER)
    visitor.page.evaluate("""() => { const app = document.querySelector('[data-test-connection-state]')
        app.setAttribute('data-test-connection-state', 'DISCONNECTED_FOREVER') }""")
    text = "its server is there. What you typed is kept. Reload to go on."
    banner.get_by_text(text).wait_for()  # it first says that the connection is lost, then asks the server
    banner.get_by_role("button", name="Reload").click()
    banner.wait_for(state="detached")
    visitor.page.wait_for_selector(".st-key-heading h1")
    visitor.settle(0)
    assert banner.count() == 0
