"""Links, frames and names that somebody else made: what the server opens and asks for is written down, and judged."""

import json
import os
import site
import sys
import sysconfig
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from tests.browser.conftest import OPTIONS, ROOT, Visitor, hostile_study, running

pytestmark = pytest.mark.browser

PAGES = (
    "",
    "data",
    "methods",
    "tradeoff",
    "query",
    "compare",
    "measures",
    "sensitivity",
    "gsr",
    "words",
    "read",
    "agreement",
)
SECRET = "hunter2"
PICTURE = "<img src=http://example.org/x.png onerror=window.hacked=1>![x](http://example.org/y.png)"
SCRIPT = "<script>window.hacked=1</script>"
# What Python and its libraries look at on any system, whatever the page is asked.
SYSTEM = ("/proc/", "/sys/", "/dev/null", "/dev/urandom", "/dev/shm", "/etc/localtime", "/usr/share/zoneinfo")
ELSEWHERE = "This program answers on this machine only. Start it with --address NAME to open it under a name."
LOCAL = ("localhost", "127.0.0.1", "::1")


class Watched:
    """A server whose every opening is written down."""

    def __init__(self, address: str, log: Path, allowed: tuple[Path, ...]) -> None:
        self.address, self.log, self.allowed = address, log, allowed
        self.read = 0

    def begin(self) -> None:
        """Forgets what was written so far."""
        self.read = self.log.stat().st_size

    def events(self) -> list[tuple[str, str]]:
        """What was opened, listed, started or asked for since then."""
        with self.log.open("rb") as stream:
            stream.seek(self.read)
            return [tuple(json.loads(line)) for line in stream.read().splitlines()]

    def outside(self) -> list[tuple[str, str]]:
        """What lies outside the program, its packages, its data folder and this machine."""
        return [event for event in self.events() if not self._is_allowed(*event)]

    def _is_allowed(self, event: str, about: str) -> bool:
        if event.startswith("socket."):
            return any(f"'{name}'" in about or about == name for name in LOCAL) or about in ("None", "")
        if event not in ("open", "os.listdir", "os.scandir"):
            return False
        if about.isdigit() or about.startswith(SYSTEM):  # a number is a file that is open already
            return True
        path = Path(os.path.abspath(ROOT / about))
        return any(path.is_relative_to(folder) for folder in self.allowed)


@pytest.fixture(scope="module")
def watched(chromium, tmp_path_factory) -> Iterator[Watched]:
    """A server of its own, with a study, a file of secrets and a pipe beside its data folder."""
    folder = tmp_path_factory.mktemp("watched")
    home, log = folder / "home", folder / "watched.jsonl"
    hostile_study(home / "studies" / "hostile")
    (folder / "secret.txt").write_text(f"{SECRET} 1 2\n{SECRET} x y\n")
    os.mkfifo(folder / "pipe")
    packages = {sys.prefix, sys.base_prefix, *site.getsitepackages(), *sysconfig.get_paths().values()}
    allowed = (ROOT, home, Path.home() / ".streamlit", *map(Path, packages))
    variables = {"PYTHONPATH": str(ROOT / "tests/browser/watching"), "FAIRVIZ_WATCHED": str(log)}
    with running(home, **variables) as (address, _):
        yield Watched(address, log, allowed)


def links(folder: Path) -> list[str]:
    """Links that somebody could send: a page, and what stands behind its question mark."""
    files = [
        "/etc/passwd",
        "/dev/ptmx",
        f"{folder}/pipe",
        f"{folder}/secret.txt",
        "../../../../etc/passwd",
        "~nobody/x",
    ]
    files += ["file:///etc/passwd", "\\\\server\\share\\a.bin", "http://example.org/a.bin", "glove\0/etc/passwd"]
    files += ["%2Fetc%2Fpasswd", "javascript:alert(1)", "/proc/self/environ"]
    studies = ["/etc", "../../../../etc", str(folder), "file:///etc", "ir_datasets:vaswani", "~root", SCRIPT, "a\0b"]
    others = {
        "": f"lexicon=female:{quote(SCRIPT)}|she;male:{quote(PICTURE)}",
        "words": f"words={quote(PICTURE)},{quote(SCRIPT)}&against={quote(PICTURE)}&word_lists=../../etc",
        "tradeoff": "cutoff=1000000000&tau=1e400&alpha=NaN&left_out=-1&position_bias=rbp(1e400)",
        "gsr": "cutoff=100000&left_out=100000&tau=100000&gsr_depth=../x&stop_words=/etc/passwd&query_terms=../x"
        "&pairs=" + quote(f"{SCRIPT}-{PICTURE}"),
        "read": f"document=%00&query=%00&system={quote(SCRIPT)}&annotator=../../etc/passwd",
        "data": "position_bias=custom&" + "&".join(["custom_bias=1"] * 3000),
        "methods": f"{quote(PICTURE)}={quote(PICTURE)}&__proto__=1&constructor=1&study=hostile",
        "agreement": "study=hostile&background=run:../../etc/passwd&filter_values=%FF%FE&filter_column="
        + quote(SCRIPT),
    }
    asked = [f"/{('words', 'gsr')[place % 2]}?embedding={quote(file)}" for place, file in enumerate(files)]
    asked += [f"/{PAGES[place % len(PAGES)]}?study={quote(study)}" for place, study in enumerate(studies)]
    return asked + [f"/{page}?{query}" for page, query in others.items()]


@pytest.mark.lengthy
def test_hostile_links_open_nothing_and_ask_nobody(browser, watched):
    """29 links: no file outside the studies, the data folder and installed packages, no request to another machine."""
    hostile = links(watched.log.parent)
    assert len(hostile) >= 20
    visitor = Visitor(browser, watched.address)
    for page in PAGES:  # what is imported or laid out once
        visitor.open(f"/{page}")
    watched.begin()
    for link in hostile:
        visitor.open(link)
        assert visitor.page.get_by_test_id("stException").count() == 0, link
        assert visitor.page.get_by_test_id("stMain").inner_text().count("root:") == 0, link
        assert SECRET not in visitor.page.content(), link
        assert visitor.page.evaluate("() => window.hacked") is None, link
        assert watched.outside() == [], link
    assert visitor.troubles == []
    assert ("open", str(ROOT / "pages" / "words.py")) in watched.events()  # something was watched
    visitor.open("/words")  # nothing holds a thread: the page still answers
    visitor.assert_well()
    visitor.context.close()


PATHS = (
    "/%2e%2e/%2e%2e/etc/passwd",
    "/media/../../../etc/passwd",
    "/media/%2Fetc%2Fpasswd",
    "/static/..%2f..%2fetc/passwd",
    "/component/x/..%2f..%2f..%2fetc%2fpasswd",
    "//etc/passwd",
    "/app/static/../../etc/passwd",
    "/?" + "a=1&" * 100_000,
)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path[:40])
def test_paths_of_the_server_lead_to_no_file(watched, path):
    watched.begin()
    assert b"root:" not in answered(watched.address + path)
    assert watched.outside() == []


def answered(address: str) -> bytes:
    """What the server answers, be it a refusal; nothing where it hangs up on a line that is too long."""
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        with error, suppress(ConnectionError):
            return error.read()
    except urllib.error.URLError:
        pass
    return b""


def test_another_name_of_this_machine_is_not_answered(watched):
    """DNS rebinding: a page of evil.example, a name that has come to mean 127.0.0.1."""
    host = f"evil.example:{urlsplit(watched.address).port}"
    watched.begin()
    for path in (
        "/",
        "/_stcore/health",
        "/_stcore/host-config",
        "/_stcore/stream",
        "/media/x",
        "/_stcore/upload_file/x",
    ):
        request = urllib.request.Request(watched.address + path, headers={"Host": host, "Origin": f"http://{host}"})
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=30)
        assert (refused.value.code, refused.value.read()) == (403, f"{ELSEWHERE}\n".encode())
    assert watched.outside() == []


@pytest.mark.lengthy
def test_a_page_under_another_name_is_not_shown(browser, chromium, watched):
    host = f"evil.example:{urlsplit(watched.address).port}"
    rules = "--host-resolver-rules=MAP evil.example 127.0.0.1"
    rebound = browser.browser_type.launch(executable_path=chromium, args=[*OPTIONS, rules])
    page = rebound.new_page()
    page.goto(f"http://{host}/")
    assert page.locator("body").inner_text().strip() == ELSEWHERE
    rebound.close()


FOREIGN = """<iframe src="{0}/"></iframe><pre></pre><script>
const told = text => document.querySelector("pre").append(text + "\\n")
const socket = new WebSocket("{0}/_stcore/stream".replace("http", "ws"), ["streamlit"])
socket.onopen = () => told("socket open")
socket.onerror = () => told("socket refused")
fetch("{0}/_stcore/host-config").then(answer => answer.text()).then(told, () => told("fetch refused"))
</script>"""


def test_a_page_of_another_site_can_neither_frame_nor_ask(browser, watched):
    """And a foreign origin does not make the server ask the net for its own address."""
    watched.begin()
    page = browser.new_page()
    page.route(
        "http://foreign.example/*",
        lambda route: route.fulfill(body=FOREIGN.format(watched.address), content_type="text/html"),
    )
    page.goto("http://foreign.example/")
    page.wait_for_function("() => document.querySelector('pre').innerText.split('refused').length === 3")
    assert sorted(page.locator("pre").inner_text().strip().split("\n")) == ["fetch refused", "socket refused"]
    framed = next(frame for frame in page.frames if frame is not page.main_frame)
    assert framed.url == "chrome-error://chromewebdata/"  # the browser's own page: it may not be framed
    page.close()
    assert watched.outside() == []
