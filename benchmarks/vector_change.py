"""From choosing other word vectors to the redrawn page, on newswire, in a real browser.

`python -m benchmarks.vector_change` needs the Google News subset (`fairviz fetch google-news-subset`). The
first change reads the file; the others are between vectors in memory. A change ends with the last change of the page
before it has been still for half a second.
"""

import numpy as np

from benchmarks.browser import FLAGS, STILL, WATCH, served
from fairviz.datasets import data_home
from fairviz.words.vectors import GLOVE, GOOGLE_NEWS, google_news_path

CHANGES = 13


def changes(page, address: str) -> list[float]:
    """Milliseconds of each change, to and fro."""
    page.goto(address)
    page.wait_for_selector(".js-plotly-plot .points path", timeout=120_000)
    page.evaluate(WATCH)
    times = []
    for number in range(CHANGES):
        page.wait_for_function(STILL, timeout=120_000)
        page.get_by_test_id("stMain").get_by_role("combobox", name="Word vectors").click()
        option = page.get_by_role("option", name=GLOVE if number % 2 else GOOGLE_NEWS, exact=True)
        option.wait_for()
        page.wait_for_function(STILL, timeout=120_000)
        start = page.evaluate("performance.now()")
        option.click()
        page.wait_for_timeout(300)
        page.wait_for_function(STILL, timeout=120_000)
        times.append(page.evaluate("window.lastChange") - start)
    return times


def main() -> None:
    from playwright.sync_api import sync_playwright

    if not google_news_path().is_file():
        raise SystemExit(f"Run first: fairviz fetch {GOOGLE_NEWS}")
    with served(data_home()) as address, sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS).new_page(
            viewport={"width": 1400, "height": 900}
        )
        for name in ("gsr", "words"):
            first, *others = changes(page, f"{address}/{name}")
            print(f"{name}: first {first:.0f} ms, then median {np.median(others):.0f} ms, longest {max(others):.0f} ms")


if __name__ == "__main__":
    main()
