"""The manual beside the app: its files and nothing else, and a page of it for every page of the app."""

import asyncio
from pathlib import Path

import pytest

from fairviz.ui.kit.html import IN_MANUAL
from fairviz.ui.shell import frame, gate
from fairviz.ui.state.registry import PAGES
from tests.pages.conftest import first_run, html_of

ROOT = Path(__file__).parents[3]


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "html"
    (folder / "how-to").mkdir(parents=True)
    (folder / "index.html").write_text("first", encoding="utf-8")
    (folder / "how-to" / "install.html").write_text("install", encoding="utf-8")
    (tmp_path / "secret.html").write_text("secret", encoding="utf-8")
    monkeypatch.setattr(gate, "manual_folder", lambda: folder)
    return folder


def answer(path: str, method: str = "GET", base: str = "") -> tuple[int, bytes]:
    """Return the status and the body; those of the app are 299 and its name."""
    sent: list[dict] = []

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 299, "headers": []})
        await send({"type": "http.response.body", "body": b"app"})

    async def receive():  # the client stays connected
        await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "root_path": "", "headers": [], "query_string": b""}
    asyncio.run(gate.Manual(app, lambda: base)(scope, receive, send))
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


def test_files_of_the_manual_are_served_and_the_app_answers_the_rest(built):
    assert answer("/manual/how-to/install.html") == (200, b"install")
    assert answer("/manual/") == (200, b"first")
    assert answer("/lab/manual/index.html", base="lab") == (200, b"first")
    assert answer("/manual/index.html", "HEAD")[0] == 200
    for path, method in (("/", "GET"), ("/manual/index.html", "POST"), ("/manuals/x", "GET")):
        assert answer(path, method) == (299, b"app")


@pytest.mark.parametrize("path", ["/manual/none.html", "/manual/../secret.html", "/manual/how-to/../../secret.html"])
def test_nothing_else_is(built, path):
    assert answer(path)[0] == 404


def test_without_a_manual_the_app_answers_and_nothing_links_it(monkeypatch):
    monkeypatch.setattr(gate, "manual_folder", lambda: None)
    assert answer("/manual/index.html") == (299, b"app")
    assert gate.manual_address("compare") == ""


def test_every_page_of_the_app_has_a_page_of_the_manual(built):
    pages = {path.stem for path in (ROOT / "pages").glob("*.py")} - {"label"}
    assert {name for name, page in PAGES.items() if page.analysis is None and page.draw is None} == pages
    for name in (gate.FIRST, *(page.manual for page in PAGES.values())):
        assert (ROOT / "docs" / f"{name}.md").is_file(), name
    assert gate.manual_address("") == "/manual/tutorials/first-look.html"


def test_the_heading_has_a_question_mark_that_opens_the_page_of_the_manual_where_there_is_one(built, monkeypatch):
    monkeypatch.setattr(frame, "page_name", lambda: "methods")
    monkeypatch.setattr(frame, "option", {"server.baseUrlPath": "lab"}.get)
    link = f'href="/lab/manual/reference/index.html" target="_blank" title="{IN_MANUAL}" aria-label="{IN_MANUAL}">?</a>'
    page = first_run("methods.py", study="football")
    assert html_of(page).count(link) == 1
    monkeypatch.setattr(gate, "manual_folder", lambda: None)
    assert IN_MANUAL not in html_of(page.run())
