"""Who is let in: hosts, origins, frames, and nothing that asks the net for an address."""

import asyncio
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.ui.shell.gate import Gate, refusal
from tests.test_architecture import ROOT

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
def test_no_host_but_ours_is_let_in(host):
    let_in = not refusal([host], [], OURS)
    name = host.lower().rsplit(":", 1)[0] if not host.endswith("]") else host
    assert not let_in or name.rstrip(".") in ("localhost", "127.0.0.1", "[::1]", "lab.example.org")


@given(st.text(max_size=40))
def test_no_text_in_brackets_ends_in_an_error(text):
    assert refusal([f"[{text}]"], [], OURS) in ("", HOST, NAMELESS)
    assert refusal(["localhost"], [f"http://[{text}]"], OURS) == ORIGIN


def asked(kind, **headers):
    """What the gate sends for a request with these headers, and whether it reached what is behind."""
    sent, reached = [], []

    async def behind(scope, receive, send):
        reached.append(scope["type"])
        await send({"type": "http.response.start", "status": 200, "headers": [(b"a", b"b")]})

    async def receive():
        return {"type": f"{kind}.connect"}

    async def send(message):
        sent.append(message)

    scope = {"type": kind, "headers": [(name.encode(), value.encode()) for name, value in headers.items()]}
    asyncio.run(Gate(behind, lambda: [])(scope, receive, send))
    return sent, reached


def test_what_is_let_in_may_not_be_framed_nor_fetch_from_elsewhere():
    sent, reached = asked("http", host="localhost:8501")
    assert reached == ["http"]
    headers = dict(sent[0]["headers"])
    assert headers[b"a"] == b"b"
    assert headers[b"x-frame-options"] == b"SAMEORIGIN"
    assert b"frame-ancestors 'self'" in headers[b"content-security-policy"]
    assert (
        b"connect-src 'self' data: blob: ws://localhost:8501 wss://localhost:8501;"
        in (headers[b"content-security-policy"])
    )


def test_what_is_refused_reaches_nothing():
    sent, reached = asked("http", host="evil.example", origin="http://evil.example")
    assert (sent[0]["status"], sent[1]["body"], reached) == (403, f"{HOST}\n".encode(), [])
    sent, reached = asked("websocket", host="evil.example", origin="http://evil.example")
    assert (sent, reached) == ([{"type": "websocket.close", "code": 1008, "reason": HOST}], [])


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
assert starlette_app.create_streamlit_middleware()[0].cls.__name__ == "Gate"
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
