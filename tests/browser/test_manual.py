"""The built manual in the browser: its search, no request to another host, and the way to it from a page of the app.
Without a build, this is skipped."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.browser.conftest import SCREEN
from tests.browser.test_screens import PHONE, resize

SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"
SEARCHES = {
    "position bias": ("generated/measures", "generated/settings", "glossary"),
    "upload": ("how-to/install", "glossary", "study-format"),
    "significance": ("comparisons", "paired-comparisons", "glossary"),
    "PyTerrier": ("integrations",),
}
WITH_FIGURES = ("tutorials/first-look", "gallery/plot_gsr", "reference/generated/measures")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="the manual is not built: make docs"),
]


class Quiet(SimpleHTTPRequestHandler):
    """A handler without a log."""

    def log_message(self, *arguments: object) -> None:
        """Log nothing."""


@contextmanager
def served() -> Iterator[str]:
    """The manual's address while it is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SITE)))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_search_has_its_page_among_the_first_three(browser, subtests) -> None:
    page = browser.new_page()
    with served() as address:
        for phrase, wanted in SEARCHES.items():
            page.goto(f"{address}/search.html?q={phrase}")
            page.wait_for_function("document.querySelector('.search-summary')?.innerText.includes('Search finished')")
            links = page.eval_on_selector_all("#search-results ul.search li > a", "all => all.map(one => one.href)")[:3]
            with subtests.test(phrase):
                assert any(name in link for name in wanted for link in links), links
    page.close()


@pytest.mark.parametrize("path", WITH_FIGURES)
def test_a_page_requests_nothing_from_another_host(browser, path: str) -> None:
    with served() as address:
        page = browser.new_page(viewport={"width": 390, "height": 844})
        foreign: list[str] = []
        page.on("request", lambda request: None if request.url.startswith(address) else foreign.append(request.url))
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"{address}/{path}.html", wait_until="networkidle")
        if "measures" in path:
            page.wait_for_selector("mjx-container")
        else:
            page.wait_for_selector(".js-plotly-plot .plot-container")
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        page.close()
    assert [url for url in foreign if not url.startswith(("data:", "blob:"))] == []
    assert problems == []
    assert wide <= 0


def test_the_question_mark_of_a_page_opens_its_page_of_the_manual(visitor) -> None:
    visitor.open("/compare?study=football")
    mark = visitor.page.get_by_role("link", name="This page in the manual")
    for size in (SCREEN, PHONE):
        resize(visitor, size)
        title, place = visitor.page.locator(".st-key-heading h1").bounding_box(), mark.bounding_box()
        assert title["y"] <= place["y"] < place["y"] + place["height"] <= title["y"] + title["height"] + 4
    with visitor.context.expect_page() as opened:
        mark.click()
    assert opened.value.title().startswith("Paired comparisons")
    assert opened.value.url.endswith("/manual/explanation/paired-comparisons.html")
    opened.value.close()


REACHED = """async () => {
  const found = []
  const tries = {
    page: () => fetch('/'), health: () => fetch('/_stcore/health'), manual: () => fetch('/manual/index.html'),
    cookie: () => document.cookie,
    window: async () => { const it = open('/'); await new Promise(done => setTimeout(done, 300)); it.document.body },
    socket: () => new Promise((done, not) => {
      const it = new WebSocket('ws://' + location.host + '/_stcore/stream'); it.onopen = done; it.onerror = not }),
  }
  for (const [name, run] of Object.entries(tries)) { try { await run(); found.push(name) } catch (error) {} }
  return found
}"""


def test_the_manual_beside_the_app_is_searched_and_reaches_nothing_of_the_app(visitor) -> None:
    visitor.open("/compare?study=football")
    address = visitor.page.url.partition("/compare")[0]
    page = visitor.context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(f"{address}/manual/search.html?q=upload")
    page.wait_for_selector("#search-results ul.search li a")
    page.wait_for_selector("#search-results ul.search li p.context")
    assert page.evaluate(REACHED) == ["manual"]
    page.goto(f"{address}/manual/reference/generated/measures.html")
    page.wait_for_selector("mjx-container")
    assert problems == []
    page.close()


def links_of_exercises() -> list[str]:
    """The addresses in the app to which the page of an exercise leads, as it is written."""
    page = (SITE.parents[1] / "exercises" / "lists.md").read_text(encoding="utf-8")
    return re.findall(r"http://localhost:8501(/[^)\s]*)", page)


def test_links_into_the_app_lead_to_the_server_that_shows_the_manual(visitor) -> None:
    visitor.open("/compare?study=football")
    address = visitor.page.url.partition("/compare")[0]
    page = visitor.context.new_page()
    page.goto(f"{address}/manual/exercises/lists.html")
    links = page.eval_on_selector_all("article a[href*='study=']", "all => all.map(one => one.href)")
    assert links == [f"{address}{link}" for link in links_of_exercises()]
    assert "localhost:8501/" not in page.inner_text("article")
    page.goto(f"{address}/manual/how-to/class-board.html")
    assert f"{address}/overview?study=newswire&cutoff=5" in page.inner_text("article")
    page.close()


def test_a_manual_opened_from_files_says_how_to_start_the_app(browser) -> None:
    page = browser.new_page()
    page.goto((SITE / "exercises" / "lists.html").as_uri())
    notes = page.locator(".app-link-note").all_inner_texts()
    assert len(notes) == len(links_of_exercises())
    assert all("Start it first: fairviz app" in note for note in notes)
    page.close()
