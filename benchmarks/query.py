"""The Query page from one query to the next, in a real browser against a real server.

`python -m benchmarks.query STUDY …` (folders or names; by default newswire and a made-up study of 12 × 1,765 × 1,000
written to a temporary folder). Presses N, and measures from the key to the last change of the page before it has been
still for half a second; then the same to the first frame with the next query's lists. Prints median and 95th
percentile.
"""

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from benchmarks.browser import FLAGS, PATIENCE, STILL, WATCH, served, told
from benchmarks.synthetic import made_up
from fairviz.datasets import data_home
from fairviz.evaluation.opening import open_study
from fairviz.study.study import save_study

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PRESSES = 30
# The lists are replaced as a whole: the first frame that shows others is painted after the message is posted.
SEEN = """() => {
  window.seen = 0
  new MutationObserver(() => {
    const now = document.querySelector(".fv-lists")?.innerHTML
    if (!now || now === window.shown) return
    window.shown = now
    const channel = new MessageChannel()
    channel.port1.onmessage = () => { window.seen = performance.now() }
    requestAnimationFrame(() => channel.port2.postMessage(0))
  }).observe(document.body, {subtree: true, childList: true, characterData: true})
}"""


def pressed(browser: "Browser", address: str, name: str, more: str) -> tuple[list[float], list[float]]:
    """Milliseconds from a key to the lists of the next query, and to the page at rest."""
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.set_default_timeout(PATIENCE)
    page.goto(f"{address}/query?study={quote(name)}{more}")
    page.wait_for_selector(".fv-lists")
    page.evaluate(WATCH)
    page.evaluate(SEEN)
    lists, rest = [], []
    for press in range(PRESSES + 2):
        page.wait_for_function(STILL)
        start = page.evaluate("() => { window.seen = 0; return performance.now() }")
        page.keyboard.press("n")
        page.wait_for_function("window.seen > 0")
        page.wait_for_function(STILL)
        if press > 1:  # the first presses load what every later one finds in memory
            lists.append(page.evaluate("window.seen") - start)
            rest.append(page.evaluate("window.lastChange") - start)
    page.close()
    return lists, rest


def report(name: str, address: str, systems: tuple[str, ...]) -> list[str]:
    """A line for all lists, and one for two of them."""
    from playwright.sync_api import sync_playwright

    lines = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        every = "".join(f"&query_lists={quote(system)}" for system in systems)
        for label, more in (("all lists", every), ("two lists", "")):
            lists, rest = pressed(browser, address, name, more)
            lines.append(f"{name}, {label}: to the lists {told(lists)}; to rest {told(rest)}")
        browser.close()
    return lines


def run(names: list[str]) -> list[str]:
    """Every named study; without names newswire and the large made-up one."""
    lines = [f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"]
    with served(data_home()) as address:
        for name in names or ["newswire"]:
            lines += report(name, address, open_study(name).systems)
    if not names:
        with tempfile.TemporaryDirectory() as folder:
            large = made_up(12, 1765, 1000)
            save_study(large, Path(folder, "studies", large.name))
            with served(Path(folder)) as address:
                lines += report(large.name, address, large.systems)
    return lines


if __name__ == "__main__":
    print("\n".join(run(sys.argv[1:])), flush=True)
