"""A real server and a real browser. Without Chromium these tests are skipped, and say so."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from fairviz.ui.state.registry import in_menus

ROOT = Path(__file__).parents[2]
# A page of a test lives for seconds: its garbage can wait, and what is compiled is kept for the next one.
SCRIPTS = (
    "--min-semi-space-size=128",
    "--initial-heap-size=512",
    "--single-threaded-gc",
    "--no-flush-bytecode",
)
OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--js-flags={' '.join(SCRIPTS)}",
)
# Streamlit looks for its own server below the page's path before it looks at the root.
PROBES = ("/_stcore/health", "/_stcore/host-config")
SCREEN = {"width": 1400, "height": 900}
PEOPLE = {"viewport": SCREEN, "permissions": ["clipboard-read", "clipboard-write"], "reduced_motion": "reduce"}
RUNS = Path(__file__).with_name("runs.js")
PATIENCE = 300_000  # milliseconds after which something never comes, on a machine however busy
LATE = 250  # milliseconds: sliders and tables tell the server what was chosen up to this long after the hand
STANDS = """() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'
  && !fairvizRuns.owed && !document.querySelector('[data-stale=true], [data-testid=stSkeleton]')
  && [...document.querySelectorAll('[data-testid=stPlotlyChart]')]
    .every(chart => chart.offsetParent === null || chart.querySelector('.main-svg'))"""
HEADED = "() => Boolean(document.querySelector('.st-key-heading h1'))"
LOOKS = 100  # milliseconds from look to look: for who looks at each frame the browser draws each, half of its work
NEXT = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"  # what this frame draws is drawn
SAYS = "text => document.querySelector('[data-testid=stMain]')?.innerText.includes(text)"
COPIED = """button => { window.copied = false
  const look = () => { window.copied ||= [button.innerText, button.ariaLabel].some(text => text?.startsWith('Copied')) }
  const how = { attributes: true, childList: true, characterData: true, subtree: true }
  new MutationObserver(look).observe(button, how) }"""
STILL = """async node => { let before = '', now = null, frames = 0
  while (frames < 6) {
    await new Promise(requestAnimationFrame)
    now = JSON.stringify(node.getBoundingClientRect())
    frames = now === before ? frames + 1 : 0
    before = now
  } }"""


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a browser to drive."""
    path = os.environ.get("FAIRVIZ_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no Chromium: install it (apt-get install chromium) or set FAIRVIZ_CHROMIUM to run browser tests")
    return path


@pytest.fixture(scope="session")
def home(tmp_path_factory) -> Path:
    """The data folder of the server, with a study whose every text is hostile."""
    folder = tmp_path_factory.mktemp("home")
    hostile_study(folder / "studies" / "hostile")
    return folder


@pytest.fixture(scope="session")
def server(chromium, home) -> str:
    """The address of the app."""
    with running(home, NO_PROXY="127.0.0.1,localhost", FAIRVIZ_API_KEY="") as (address, _):
        yield address


@contextmanager
def started(home: Path) -> Iterator[str]:
    """A server of the app, started as a person starts it, as its address."""
    with running(home) as (address, _):
        yield address


@contextmanager
def running(home: Path, port: int = 0, **variables: str) -> Iterator[tuple[str, subprocess.Popen]]:
    """The same with its process, which a test may kill, at this port, and with these environment variables."""
    if not port:
        with socket.socket() as probe:
            probe.bind(("localhost", 0))
            port = probe.getsockname()[1]
    command = [sys.executable, "-m", "fairviz.ui.shell.server", "run", "app.py", "--server.port", str(port)]
    environment = {**os.environ, "FAIRVIZ_HOME": str(home), "FAIRVIZ_STUDY": "", **variables}
    log = home / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
    address = f"http://localhost:{port}"
    try:
        wait_until_ready(address, process, log)
        yield address, process
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE / 1000)


def wait_until_ready(address: str, process: subprocess.Popen, log: Path, path: str = "/_stcore/health") -> None:
    deadline = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}{path}", timeout=60):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.2)
    pytest.fail(f"the server did not start:\n{log.read_text(errors='replace')}")


BROWSERS: list = []  # the one of this process, whichever folders have the fixture


@pytest.fixture(scope="session")
def browser(chromium):
    """A browser, the same for all tests of a process: folders outside of this one import the fixture too."""
    if BROWSERS:
        yield BROWSERS[0]
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(OPTIONS))
        BROWSERS.append(browser)
        yield browser
        BROWSERS.clear()
        browser.close()


IN_MENUS = [page for page in in_menus() if page.offered()]
PATHS = {page.title: "" if page.name == "overview" else page.name for page in IN_MENUS}  # by the name in the menus
MENUS = {page.title: page.section for page in IN_MENUS if page.section}  # of those that are not in the bar itself


class Visitor:
    """A person at the app: opens pages, waits until they stand still, and keeps what went wrong."""

    def __init__(self, browser, address: str, context=None, page=None, **options) -> None:
        self.address = address
        self.context = context or browser.new_context(**{**PEOPLE, **options})
        self.page = page or self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.troubles: list[str] = []
        self.page.add_init_script(path=RUNS)
        self.page.on("request", self._request)
        self.page.on("pageerror", lambda error: self.troubles.append(f"error in the page: {error}"))
        self.page.on("console", self._console)

    def _request(self, request) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.troubles.append(f"request to another host: {request.url}")

    def _console(self, message) -> None:
        where = message.location.get("url", "")
        if message.type == "error" and not where.endswith(PROBES):
            self.troubles.append(f"console: {message.text} ({where})")

    def leave(self) -> None:
        """Goes, and leaves nothing behind for who comes next, who may find the same window."""
        if self.page.url.startswith(self.address):
            self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear() }")
        self.page.mouse.up()
        self.page.goto("about:blank")
        self.page.set_viewport_size(SCREEN)
        self.page.emulate_media(color_scheme="light", reduced_motion="reduce")
        self.context.clear_cookies()
        session = self.context.new_cdp_session(self.page)
        session.send("Page.resetNavigationHistory")  # a browser keeps fifty entries
        session.detach()
        self.troubles.clear()

    def open(self, path: str = "/") -> None:
        self.page.goto(self.address + path)
        self.until(HEADED)
        self.settle(0)

    def go(self, name: str) -> None:
        """To a page by its name in the menus."""
        self.click_menu(name)
        self.arrived(name)

    def click_menu(self, name: str) -> None:
        """Clicks a page's name in the menus, where no tooltip of what the hand was on lies over them. The hand leaves
        what it opens alone: near a slider the page computes that slider's figures."""
        self.page.mouse.move(0, 0)
        menu = MENUS.get(name)
        if menu:
            self.page.get_by_test_id("stHeader").get_by_text(menu, exact=True).click()
        self.page.locator('a[data-testid^="stTopNav"]').get_by_text(name, exact=True).click()
        self.page.mouse.move(0, 0)

    def arrived(self, name: str) -> None:
        """Waits until the page of this name is the one on screen, and stands."""
        self.page.wait_for_url(lambda url: urlsplit(url).path.strip("/") == PATHS[name])
        self.until(HEADED)
        self.settle(0)

    def until(self, holds: str, arg: object = None):
        """Waits until the browser finds that this function returns something true, which is returned."""
        return self.page.wait_for_function(holds, arg=arg, polling=LOOKS)

    def settle(self, late: int = LATE) -> None:
        """Waits until the server has answered what was done last, and the page has drawn it.

        `late` is how long after the hand the page may first tell the server: 0 where it has told it, as the address or
        the page says. The page's own clock counts it, so that on a busy machine it is as late as what it waits for.
        """
        self.page.evaluate("late => new Promise(done => setTimeout(done, late))", late)
        self.until(STANDS)
        self.page.evaluate(NEXT)

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Around what makes the page ask the server: waits until it has asked, is answered, and has drawn that."""
        before = self.page.evaluate("() => fairvizRuns.number")
        yield
        self.until("before => fairvizRuns.number > before", before)
        self.settle(0)

    def still(self, locator) -> None:
        """Waits until something stands still: a list that opens while its page scrolls closes again."""
        locator.evaluate(STILL)

    def shows(self, text: str) -> None:
        """Waits until the page says so; where it does not, the error has what it says."""
        from playwright.sync_api import TimeoutError as Late

        try:
            self.until(SAYS, text)
        except Late as error:
            raise AssertionError(f"the page does not say {text!r}, but:\n{self.text()}") from error

    def unfold(self, name: str) -> None:
        """Opens a question of the sidebar."""
        question = self.page.get_by_test_id("stSidebar").get_by_text(name, exact=True)
        question.click()
        self.still(question)

    def share(self) -> None:
        """Opens the menu Share."""
        self.page.locator(".st-key-menus").get_by_role("button", name="Share").click()
        self.page.get_by_role("button", name="Copy link").wait_for()

    def copy(self, name: str) -> None:
        """Clicks the first button of this name, and waits until it has been labelled so, which it is for a moment."""
        button = self.page.get_by_role("button", name=name).first
        button.evaluate(COPIED)
        button.click()
        self.until("() => window.copied")

    def choose(self, label: str, option: str) -> None:
        """Chooses an option of the box with this label. Its list closes again where the page is drawn anew."""
        box = self.page.get_by_test_id("stMain").get_by_role("combobox", name=label)
        wanted = self.page.get_by_role("option", name=option, exact=True)
        with self.asking():
            while not wanted.is_visible():
                if box.get_attribute("aria-expanded") != "true":
                    box.click()
                self.page.evaluate(NEXT)
            wanted.click()

    def tick(self, table, number: int) -> None:
        """Ticks a row of a table, which is a picture."""
        table.wait_for()
        self.settle()
        table.scroll_into_view_if_needed()
        box = table.bounding_box()
        self.page.mouse.click(box["x"] + 16, box["y"] + 35 * (number + 0.5))

    def text(self) -> str:
        return self.page.get_by_test_id("stMain").inner_text()

    def assert_well(self) -> None:
        assert self.page.locator('[role="dialog"]:not([data-testid="stPopoverBody"])').count() == 0
        assert self.page.get_by_test_id("stException").count() == 0
        assert self.page.locator(".fv-error").count() == 0, self.page.locator(".fv-error").all_inner_texts()
        assert self.troubles == []


# A slider's figures are asked for when the hand comes near it, and not also while nobody waits for anything: they cost
# the server more than their page.
CALM = """(() => { let live; Object.defineProperty(window, 'fairvizLive', { configurable: true, get: () => live,
  set: (made) => { live = made; made.idle = () => {} } }) })()"""


@pytest.fixture(scope="session")
def window(browser, server) -> Iterator[Visitor]:
    """The window of visitors one after another: in a new one the browser compiles the program of the page anew, which
    takes five times as long as what a page shows."""
    visitor = Visitor(browser, server)
    visitor.page.add_init_script(CALM)
    yield visitor
    visitor.context.close()


@pytest.fixture
def visitor(window: Visitor) -> Iterator[Visitor]:
    """A person at the app, who finds it well when the test ends. Scripts are not added to her window: see `visit`, by
    which people come whose page asks for the figures of sliders while nobody waits."""
    yield window
    try:
        window.assert_well()
    finally:
        window.leave()


@pytest.fixture
def visit(browser, server, window: Visitor) -> Iterator[Callable[..., Visitor]]:
    """The function that brings another person in a tab of her own: to the app she is as strange as with a browser of
    her own, which she has where options set it up."""
    people: list[Visitor] = []

    def come(**options) -> Visitor:
        people.append(Visitor(browser, server, None if options else window.context, **options))
        return people[-1]

    yield come
    for visitor in people:
        visitor.assert_well()
        visitor.leave()
        (visitor.page if visitor.context is window.context else visitor.context).close()


@contextmanager
def visiting(browser, address: str, path: str = "/", **options) -> Iterator[Visitor]:
    """A person at another server: opens this path if there is one, finds everything well at the end, and goes."""
    visitor = Visitor(browser, address, **options)
    if path:
        visitor.open(path)
    yield visitor
    visitor.assert_well()
    visitor.context.close()


HOSTILE = (
    '<script>window.hacked = 1</script><img src="http://example.org/{0}.png"> ![x](http://example.org/{0}-markdown.png)'
)


def hostile_study(folder: Path) -> None:
    """A study whose title, texts, ids and names would run or fetch something if they were not escaped."""
    (folder / "runs").mkdir(parents=True)
    system = "<img src=x onerror=window.hacked=1>"
    document = HOSTILE.format("document").replace(" ", "_")
    query = "![q](http://example.org/q.png)"
    title, notice = HOSTILE.format("title").replace("'", ""), HOSTILE.format("notice").replace("'", "")
    lines = [f"{key} = '{title}'" for key in ("title", "description", "licence", "citation")]
    (folder / "study.toml").write_text("\n".join([*lines, f"notices = ['{notice}']", ""]))
    quoted = document.replace('"', '""')
    doubled = HOSTILE.format("text").replace('"', '""')
    (folder / "queries.csv").write_text(f'query_id,text\n"{query}","{doubled}"\n')
    (folder / "documents.csv").write_text(f'doc_id,text\n"{quoted}","{doubled} she her woman"\nplain,he him man\n')
    for name, first, second in ((system, document, "plain"), ("plain", "plain", document)):
        lines = [f"{query} Q0 {doc} {rank} {3 - rank} tag" for rank, doc in enumerate((first, second), start=1)]
        (folder / "runs" / f"{name}.run").write_text("\n".join(lines) + "\n")
    (folder / "labels.csv").write_text(
        f'doc_id,annotator,label\n"{quoted}","{doubled}",female\nplain,"{doubled}",male\n'
    )
    (folder / "qrels.txt").write_text(f"{query} 0 {document} 1\n")
