"""Who is let in: hosts, origins, frames, the owner's machine; where a browser is sent; what answers before the app, and
the script of a lost server in each of its documents."""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from threading import Event
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit import config as options
from streamlit.runtime.context import ContextProxy

from fairviz.home import SHARED, is_shared
from fairviz.ui.kit.html import IN_MANUAL
from fairviz.ui.kit.jobs import Job
from fairviz.ui.shell import frame, gate
from fairviz.ui.shell.gate import (
    Gate,
    Health,
    Manual,
    address_before_login,
    count_jobs,
    counts,
    destination,
    is_to_remember,
    refusal,
)  # fmt: skip
from fairviz.ui.shell.server import OF_APP, OF_SERVER, Connection
from fairviz.ui.state.registry import PAGES
from tests.conftest import ROOT
from tests.pages.conftest import first_run, html_of
from tests.ui.shell.asgi import ask

OURS = ["localhost", "127.0.0.1", "::1", "Lab.example.org"]
HOST = "This program answers on this machine only. Start it with --address NAME to open it under a name."
NAMELESS = "The request does not name its host."
ORIGIN = "Pages of other sites may not ask this program for anything."


@pytest.mark.parametrize(
    ("hosts", "origins", "told"),
    [
        (["localhost:8501"], [], ""),
        (["LOCALHOST"], ["http://localhost"], ""),
        (["127.0.0.1:8501"], ["http://127.0.0.1:8501"], ""),
        (["[::1]:8501"], ["http://[::1]:8501"], ""),
        (["lab.example.org."], [], ""),
        (["evil.example"], ["http://evil.example"], HOST),
        (["localhost.evil.example:8501"], [], HOST),
        (["evil-localhost"], [], HOST),
        (["127.0.0.2"], [], HOST),
        (["0.0.0.0:8501"], [], HOST),
        ([], [], NAMELESS),
        ([""], [], NAMELESS),
        (["localhost", "evil.example"], [], NAMELESS),
        (["localhost@evil.example"], [], NAMELESS),
        (["evil.example/localhost"], [], NAMELESS),
        (["localhost:8501; frame-ancestors *"], [], NAMELESS),
        (["[127.0.0.1]"], [], NAMELESS),
        (["[127.0.0.1]:8501"], [], NAMELESS),
        (["[:]"], [], NAMELESS),
        (["localhost:8501"], ["http://evil.example"], ORIGIN),
        (["localhost:8501"], ["http://localhost:9999"], ORIGIN),
        (["localhost:8501"], ["null"], ORIGIN),
        (["localhost:8501"], ["http://[127.0.0.1]"], ORIGIN),
        (["localhost:8501"], ["http://[localhost:8501"], ORIGIN),
        (["localhost:8501"], ["http://localhost:8501", "http://evil.example"], ORIGIN),
    ],
)
def test_who_is_let_in(hosts, origins, told):
    assert refusal(hosts, origins, OURS) == told


@given(st.text(max_size=40))
def test_no_host_but_ours_is_let_in_and_no_text_in_brackets_ends_in_an_error(text):
    let_in = not refusal([text], [], OURS)
    name = text.lower().rsplit(":", 1)[0] if not text.endswith("]") else text
    assert not let_in or name.rstrip(".") in ("localhost", "127.0.0.1", "[::1]", "lab.example.org")
    assert refusal([f"[{text}]"], [], OURS) in ("", HOST, NAMELESS)
    assert refusal(["localhost"], [f"http://[{text}]"], OURS) == ORIGIN


def asked(kind, client=("127.0.0.1", 5000), path="/", more=(), base="", server=MappingProxyType({}), **headers):
    """The answer of the gate to a request with these headers, and the headers that reached the program behind it."""
    given = [*headers.items(), *more]
    gate = partial(Gate, allowed=lambda: [], base=lambda: base, **server)
    sent, reached = ask(gate, path, given, type=kind, client=client)
    return sent, [scope["headers"] for scope in reached]


def test_what_is_let_in_is_framed_by_sites_of_the_configuration_alone_and_fetches_nothing_from_elsewhere():
    sent, reached = asked("http", host="localhost:8501")
    headers = dict(sent[0]["headers"])
    assert (len(reached), headers[b"a"], headers[b"x-frame-options"]) == (1, b"b", b"SAMEORIGIN")
    policy = headers[b"content-security-policy"]
    assert b"frame-ancestors 'self'" in policy
    assert b"connect-src 'self' data: blob: ws://localhost:8501 wss://localhost:8501;" in policy
    server = {"frame_ancestors": ("https://course.example.org", "https://b.example")}
    headers = dict(asked("http", server=server, host="localhost")[0][0]["headers"])
    assert b"x-frame-options" not in headers
    policy = headers[b"content-security-policy"]
    assert b"frame-ancestors 'self' https://course.example.org https://b.example;" in policy


def test_what_is_refused_reaches_nothing():
    stranger = {"host": "evil.example", "origin": "http://evil.example"}
    sent, reached = asked("http", **stranger)
    assert (sent[0]["status"], sent[1]["body"], reached) == (403, f"{HOST}\n".encode(), [])
    assert asked("websocket", **stranger) == ([{"type": "websocket.close", "code": 1008, "reason": HOST}], [])


def test_a_server_is_opened_under_its_own_names_behind_a_proxy_that_speaks_tls():
    server = {"hosts": ("fair.example.org",)}
    for host, origin, is_let_in in (
        ("fair.example.org", "https://fair.example.org", True),
        ("fair.example.org:8443", "https://fair.example.org:8443", True),
        ("localhost:8501", "http://localhost:8501", True),
        ("fair.example.org", "https://evil.example", False),
        ("fair.example.org", "https://fair.example.org.evil.example", False),
        ("evil.example", "https://evil.example", False),
    ):
        for kind in ("http", "websocket"):
            assert bool(asked(kind, server=server, host=host, origin=origin)[1]) == is_let_in, (host, origin)
    assert not asked("http", host="fair.example.org")[1]


@pytest.mark.parametrize("base", ["", "lab/fair"])
def test_pages_of_the_manual_have_an_origin_of_their_own_and_reach_the_manual_alone(base):
    prefix = f"/{base}" if base else ""
    place = f"{prefix}/manual/"
    sent, reached = asked("http", path=f"{place}search.html", base=base, host="localhost:8501", origin="null")
    assert reached
    headers = dict(sent[0]["headers"])
    rules = dict(rule.split(" ", 1) for rule in headers[b"content-security-policy"].decode().split("; "))
    assert "allow-scripts" in rules["sandbox"].split()
    assert "allow-same-origin" not in rules["sandbox"]
    assert rules["default-src"] == "'none'"
    assert rules["connect-src"] == f"localhost:8501{place}"
    assert all("'self'" not in rules[name] for name in rules if name != "frame-ancestors")
    for path in (f"{prefix}/", f"{prefix}/manuals/x", "/manual/x" if base else "/x/manual/"):
        sent, reached = asked("http", path=path, base=base, host="localhost:8501", origin="null")
        assert not reached, path
        headers = dict(asked("http", path=path, base=base, host="localhost:8501")[0][0]["headers"])
        assert b"sandbox" not in headers[b"content-security-policy"]
        assert headers[b"cross-origin-resource-policy"] == b"same-origin"
        assert b"access-control-allow-origin" not in headers
    assert not asked("websocket", path=f"{place}x", base=base, host="localhost:8501", origin="null")[1]


@pytest.mark.parametrize("base", ["", "fairviz", "/a/b/"])
def test_the_doors_for_programs_are_closed_to_all_and_the_metrics_to_other_machines(base):
    top = f"/{base.strip('/')}" if base else ""

    def status(path, client=("127.0.0.1", 1), **headers):
        sent, _ = asked("http", client=client, path=top + path, base=base, host="localhost", **headers)
        return sent[0]["status"]

    for end in ("interact", "mcp", "openapi.json", "", "new"):
        assert status(f"/_stcore/agent/{end}") == 404
    assert status("/_stcore/agent") == 404
    assert status("/_stcore/metrics") == status("/_stcore/metrics", ("10.0.0.5", 1)) == 200
    assert status("/_stcore/metrics", ("10.0.0.6", 1)) == status("/_stcore/metrics/", None) == 404
    assert status("/_stcore/metrics", via="1.1 proxy") == 404
    assert status("/_stcore/health", ("10.0.0.6", 1)) == 200


def test_no_address_of_this_machine_is_asked_for_outside_and_what_answers_first_is_in_order():
    """A foreign origin sends Streamlit to an address service; in a process of its own, where the guard is set."""
    code = """
import socket
asked = []
def refuse(*arguments):
    asked.append(arguments)
    raise OSError("no net")
socket.getaddrinfo = socket.socket.connect = refuse
from fairviz.ui.shell import server
from streamlit.web.server import server_util
server.guard()
assert not server_util.is_url_from_allowed_origins("http://evil.example")
assert asked == [], asked
from streamlit.web.server.starlette import starlette_app
def names():
    return [part.cls.__name__ for part in starlette_app.create_streamlit_middleware()]
assert names()[:6] == ["Health", "Gate", "Manual", "Arrival", "CountedUploads", "Connection"], names()
import os
os.environ["FAIRVIZ_ONLY_LABELLING"] = "1"
assert names()[:4] == ["Health", "Gate", "RefusedUploads", "Connection"], names()
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_browser_is_sent_to_the_study_once_and_below_a_base_path_only_its_pages_redirect() -> None:
    for path, query, place in (
        ("/", "", "/?study=newswire"),
        ("/tradeoff", "alpha=0.2", "/tradeoff?study=newswire&alpha=0.2"),
        ("/tradeoff", "alpha=0.2&study=x", ""),
        ("/inspect", "", "/read?study=newswire"),
        ("/robustness", "study=x&robustness_choices=tau", "/sensitivity?study=x&robustness_choices=tau"),
        ("//robustness", "", ""),
        ("/tradeoff", "study=", ""),
        ("//evil.example", "", ""),
        ("//evil.example/tradeoff", "", ""),
        ("/_stcore/health", "", ""),
        ("/static/x.js", "", ""),
        ("/", "x=" + "1" * 3000, ""),
        ("/label", "token=abc", ""),
        ("/label", "", ""),
        ("/", "token=abc", ""),
    ):
        assert destination(path, query, "newswire") == place, (path, query)
    assert destination("/fairviz/tradeoff", "", "football", "fairviz") == "/fairviz/tradeoff?study=football"
    assert destination("/fairviz/", "", "/me/a b&c", "/fairviz/") == "/fairviz/?study=%2Fme%2Fa+b%26c"
    assert destination("/fairviz/inspect", "", "", "fairviz") == "/fairviz/read"
    for path in ("/tradeoff", "/fairviz", "/fairvizier/", ""):
        assert destination(path, "", "football", "fairviz") == ""
    assert destination("/fairviz/tradeoff", "", "football") == ""


LOGGED_IN = {"_streamlit_user": "x"}


def test_a_login_leads_back_to_the_page_that_was_opened_whose_address_is_remembered_until_then() -> None:
    def address(path: str, **cookies: str) -> str:
        return address_before_login(path, cookies)

    assert address("/", fairviz_next="%2Ftradeoff%3Fstudy%3Dmine", **LOGGED_IN) == "/tradeoff?study=mine"
    assert address("/", fairviz_next="%2Ftradeoff") == address("/", **LOGGED_IN) == ""
    assert address("/tradeoff", fairviz_next="/", **LOGGED_IN) == ""
    for text in ("//evil.org", "https://evil.org/", "/\\evil.org", "/none", "/tradeoff?%0d%0a", "/label", "é"):
        assert address("/", fairviz_next=text, **LOGGED_IN) == "", text
    assert is_to_remember("/tradeoff", "study=mine", {})
    assert not is_to_remember("/tradeoff", "study=mine", LOGGED_IN)
    for path, query in (("/label", "token=x"), ("/static/x.js", ""), ("/tradeoff", "a" * 3000)):
        assert not is_to_remember(path, query, {}), path


@pytest.mark.parametrize(
    ("address", "allowed", "shared"),
    [
        ("localhost", ["localhost", "127.0.0.1", "::1"], False),
        ("localhost", [], False),
        ("localhost", ["localhost", "lab.example.org"], True),
        ("0.0.0.0", ["localhost"], True),
        (None, ["localhost"], True),
    ],
)
def test_whether_it_is_shared_is_read_off_the_server_unless_fairviz_app_said_so(address, allowed, shared, monkeypatch):
    said = {"server.address": address, "server.allowedHosts": allowed}
    monkeypatch.setattr(options, "get_option", said.get)
    for before in ("", "1"):
        monkeypatch.setenv(SHARED, before)
        gate.set_shared()
        assert os.environ[SHARED] == before
    os.environ.pop(SHARED)
    gate.set_shared()
    assert is_shared() is shared


@pytest.mark.parametrize(
    ("address", "allowed", "said", "headers", "own"),
    [
        ("localhost", ["localhost", "127.0.0.1", "::1"], "", {"Host": "localhost:8501"}, True),
        ("::1", None, "", {"Origin": "http://localhost", "X-Other": "1", "Sec-WebSocket-Key": "1"}, True),
        ("localhost", ["localhost"], "1", {}, False),
        ("0.0.0.0", ["localhost"], "", {}, False),
        (None, [], "", {}, False),
        ("localhost", ["localhost", "lab.example.org"], "", {}, False),
        *(("localhost", ["localhost"], "", {"Host": "localhost", name: "127.0.0.1"}, False) for name in
          ("X-Forwarded-For", "x-forwarded-host", "X-FORWARDED-PROTO", "Forwarded", "X-Real-IP", "Via",
           "CF-Connecting-IP")),
    ],
)  # fmt: skip
def test_the_owner_is_who_comes_from_this_machine(address, allowed, said, headers, own, monkeypatch) -> None:
    monkeypatch.setattr(options, "get_option", {"server.address": address, "server.allowedHosts": allowed}.get)
    monkeypatch.setenv(SHARED, said)
    monkeypatch.setattr(ContextProxy, "headers", headers)
    assert gate.is_owners_own() is own


# /healthz: up or not for everybody, counts for programs on this machine, names for nobody

FACTS = {
    *("status", "version", "process", "sessions", "jobs_running", "jobs_waiting", "threads"),
    *("memory_mb", "uptime_seconds"),
}


def health(path="/healthz", sessions=3, base="", headers=(), **facts):
    """The status and the facts that are answered, None where what is behind answers."""
    made = partial(Health, sessions=lambda: sessions, jobs=lambda: (1, 2), base=lambda: base)
    sent, reached = ask(made, path, headers, **facts)
    return None if reached else (sent[0]["status"], json.loads(sent[1]["body"] or "{}"))


def test_a_program_on_this_machine_reads_counts_and_others_only_that_it_is_up():
    status, facts = health(headers=[("host", "any.example")])
    assert status == 200
    assert facts.keys() == FACTS
    assert (facts["status"], facts["sessions"], facts["jobs_running"], facts["jobs_waiting"]) == ("ok", 3, 1, 2)
    assert facts["memory_mb"] is None or facts["memory_mb"] > 1
    for request in (
        {"client": ("10.0.0.6", 1)},
        {"client": None},
        {"headers": [("x-forwarded-for", "10.0.0.6")]},
        {"headers": [("Via", "1.1 caddy")]},
    ):
        assert health(**request) == (200, {"status": "ok"})
    assert health(sessions=None) == (503, {"status": "starting"})


def test_it_answers_with_and_without_the_base_path_and_nowhere_else():
    assert health("/fairviz/healthz", base="fairviz")[0] == health("/healthz", base="fairviz")[0] == 200
    assert health("/other/healthz", base="fairviz") is None
    assert health("/healthz/x") is health("/") is health(method="POST") is None
    assert health(method="HEAD") == (200, {})


def test_jobs_of_this_process_are_counted():
    begun, released = Event(), Event()
    job = Job("a")
    before = count_jobs()[0]
    job.start(lambda progress: (begun.set(), released.wait()))
    begun.wait()
    assert count_jobs()[0] == before + 1
    released.set()
    job.wait()
    assert count_jobs()[0] == before
    assert counts(1, 2, 3)["jobs_waiting"] == 3


# the manual beside the app: its files and nothing else, and a page of it for every page of the app


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
    """Return the status and the body; those of the app are 200 and its name."""
    sent, _ = ask(partial(Manual, base=lambda: base), path, method=method)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


def test_files_of_the_manual_are_served_and_the_app_answers_the_rest(built):
    assert answer("/manual/how-to/install.html") == (200, b"install")
    assert answer("/manual/") == (200, b"first")
    assert answer("/lab/manual/index.html", base="lab") == (200, b"first")
    assert answer("/manual/index.html", "HEAD")[0] == 200
    for path in ("none.html", "../secret.html", "how-to/../../secret.html"):
        assert answer(f"/manual/{path}")[0] == 404
    for path, method in (("/", "GET"), ("/manual/index.html", "POST"), ("/manuals/x", "GET")):
        assert answer(path, method) == (200, b"app")


def test_without_a_manual_the_app_answers_and_nothing_links_it(monkeypatch):
    monkeypatch.setattr(gate, "manual_folder", lambda: None)
    assert answer("/manual/index.html") == (200, b"app")
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


# the script of a lost server: in each document of the app, whatever the browser would take, and in nothing else

PAGE = b"<html><head><title>x</title></head><body></body></html>"


def document(path: str, kind: str = "text/html; charset=utf-8", status: int = 200, **more) -> tuple[bytes, list]:
    """The body, and the headers that reached the app."""
    held = [(b"content-type", kind.encode()), (b"content-length", str(len(PAGE)).encode())]
    headers = [("Accept-Encoding", "gzip"), ("if-none-match", "x"), ("cookie", "y")]
    sent, reached = ask(partial(Connection, **more), path, headers, (status, held, [PAGE[:20], PAGE[20:]]))
    body = b"".join(message.get("body", b"") for message in sent[1:])
    assert int(dict(sent[0]["headers"])[b"content-length"]) == len(body)
    return body, reached[0]["headers"]


def test_a_document_of_the_app_says_how_to_go_on_and_nothing_else_is_changed() -> None:
    for base, is_server, start, restart in (
        ("", False, b'BASE = "/"', OF_APP),
        ("lab/fair", True, b'BASE = "/lab/fair/"', OF_SERVER),
    ):
        body, reached = document(f"/{base}/tradeoff", is_server=is_server, base=lambda base=base: base)
        assert body.count(b"</head>") == 1
        assert body.index(start) < body.index(b"</head>")
        assert restart.encode() in body
        assert reached == [(b"cookie", b"y")], "a compressed or unchanged document could not be changed"
    for path, kind, status in (
        ("/static/index.js", "text/javascript", 200),
        ("/static/page.html", "text/html", 200),
        ("/media/abc", "application/json", 200),
        ("/_stcore/health", "text/html", 200),
        ("/tradeoff", "text/html", 404),
    ):
        assert document(path, kind, status)[0] == PAGE, path
