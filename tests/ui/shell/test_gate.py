"""Who is let in: hosts, origins, frames, the owner's machine; where a browser is sent; and nothing that asks the net
for an address."""

import asyncio
import os
import subprocess
import sys
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit import config as options
from streamlit.runtime.context import ContextProxy

from fairviz.home import SHARED, is_shared
from fairviz.ui.shell import gate
from fairviz.ui.shell.gate import Gate, address_before_login, destination, is_to_remember, refusal, within
from tests.conftest import ROOT

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
    sent, reached = [], []

    async def behind(scope, receive, send):
        reached.append(scope["headers"])
        await send({"type": "http.response.start", "status": 200, "headers": [(b"a", b"b")]})

    async def receive():
        return {"type": f"{kind}.connect"}

    async def send(message):
        sent.append(message)

    given = [*headers.items(), *more]
    scope = {"type": kind, "path": path, "client": client, "server": ("10.0.0.5", 8501)}
    scope["headers"] = [(name.encode(), value.encode()) for name, value in given]
    asyncio.run(Gate(behind, lambda: [], base=lambda: base, **server)(scope, receive, send))
    return sent, reached


def test_what_is_let_in_is_framed_by_sites_of_the_configuration_alone_and_fetches_nothing_from_elsewhere():
    sent, reached = asked("http", host="localhost:8501")
    assert len(reached) == 1
    headers = dict(sent[0]["headers"])
    assert headers[b"a"] == b"b"
    assert headers[b"x-frame-options"] == b"SAMEORIGIN"
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


@pytest.mark.parametrize(
    ("path", "base", "inner"),
    [
        ("/", "", "/"),
        ("/tradeoff", "", "/tradeoff"),
        ("/fairviz/tradeoff", "fairviz", "/tradeoff"),
        ("/fairviz/", "/fairviz/", "/"),
        ("/fairviz", "fairviz", ""),
        ("/fairvizier/", "fairviz", ""),
        ("/tradeoff", "fairviz", ""),
        ("", "", ""),
    ],
)
def test_paths_are_read_below_the_base_path(path, base, inner):
    assert within(path, base) == inner


def test_no_address_of_this_machine_is_asked_for_outside():
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
names = [part.cls.__name__ for part in starlette_app.create_streamlit_middleware()]
assert names[:5] == ["Health", "Gate", "Manual", "Arrival", "CountedUploads"], names
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("path", "query", "place"),
    [
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
    ],
)
def test_a_browser_is_sent_to_the_study_once(path: str, query: str, place: str) -> None:
    assert destination(path, query, "newswire") == place


def test_below_a_base_path_only_its_pages_redirect() -> None:
    assert destination("/fairviz/tradeoff", "", "football", "fairviz") == "/fairviz/tradeoff?study=football"
    assert destination("/fairviz/", "", "/me/a b&c", "/fairviz/") == "/fairviz/?study=%2Fme%2Fa+b%26c"
    assert destination("/fairviz/inspect", "", "", "fairviz") == "/fairviz/read"
    assert destination("/tradeoff", "", "football", "fairviz") == ""
    assert destination("/fairviz/tradeoff", "", "football") == ""


LOGGED_IN = {"_streamlit_user": "x"}


@pytest.mark.parametrize(
    ("path", "cookies", "target"),
    [
        ("/", {"fairviz_next": "%2Ftradeoff%3Fstudy%3Dmine", **LOGGED_IN}, "/tradeoff?study=mine"),
        ("/", {"fairviz_next": "%2Ftradeoff"}, ""),
        ("/", LOGGED_IN, ""),
        ("/tradeoff", {"fairviz_next": "/", **LOGGED_IN}, ""),
        *(
            ("/", {"fairviz_next": text, **LOGGED_IN}, "")
            for text in ("//evil.org", "https://evil.org/", "/\\evil.org", "/none", "/tradeoff?%0d%0a", "/label", "é")
        ),
    ],
)  # fmt: skip
def test_a_login_leads_back_to_the_page_that_was_opened(path: str, cookies: dict[str, str], target: str) -> None:
    assert address_before_login(path, cookies) == target


def test_the_address_of_a_page_is_remembered_until_the_login() -> None:
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
