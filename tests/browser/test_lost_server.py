"""A page whose server has ended: it says so and how to start it, keeps what was typed, and goes on after a reload."""

import os
from pathlib import Path

import pytest

from tests.browser.conftest import PATIENCE, SCREEN, Visitor, running

pytestmark = pytest.mark.browser
BANNER = "#fairviz-connection"
FIELD = "reason (optional)"


def test_a_page_that_lost_its_server_says_how_to_start_it_and_keeps_what_was_typed(browser, home: Path) -> None:
    with running(home) as (address, process):
        visitor = Visitor(browser, address)
        page = visitor.page
        visitor.open("/read?study=football")
        assert page.locator(BANNER).count() == 0
        field = page.get_by_placeholder(FIELD)
        field.click()
        page.keyboard.type("a pronoun alone")
        process.kill()
        process.wait()
        page.locator(BANNER).wait_for()
        page.wait_for_function(f"document.querySelector('{BANNER}').textContent.includes('fairviz app')")
        told = "This page has lost its server. Start it again: fairviz app. What you typed is kept."
        assert page.locator(BANNER).inner_text().startswith(told)
        page.wait_for_selector("[role=dialog]", state="attached")
        page.wait_for_function("!document.body.innerText.includes('yourscript')")
        if folder := os.environ.get("FAIRVIZ_SCREENSHOTS"):
            page.set_viewport_size(SCREEN)
            page.screenshot(path=f"{folder}/lost.png")
        with running(home, port=int(address.rpartition(":")[2])):
            page.reload()
            page.wait_for_selector(".st-key-heading h1")
            page.wait_for_function(
                "name => document.querySelector(`[placeholder='${name}']`)?.value === 'a pronoun alone'", arg=FIELD
            )
            assert page.locator(BANNER).count() == 0
            page.close()


def test_a_page_that_gave_up_says_that_its_server_is_there(browser, server: str) -> None:
    """Streamlit can end in the state DISCONNECTED_FOREVER although the server answers."""
    page = browser.new_page(viewport=SCREEN)
    page.set_default_timeout(PATIENCE)
    page.goto(f"{server}/compare?study=football")
    page.wait_for_selector(".st-key-heading h1")
    page.evaluate("""() => { const app = document.querySelector('[data-test-connection-state]')
        app.setAttribute('data-test-connection-state', 'DISCONNECTED_FOREVER') }""")
    text = "its server is there. What you typed is kept. Reload to go on."
    page.locator(BANNER).get_by_text(text).wait_for()  # it first says that the connection is lost, then asks the server
    page.locator(BANNER).get_by_role("button", name="Reload").click()
    page.wait_for_selector(".st-key-heading h1")
    assert page.locator(BANNER).count() == 0
    page.close()
