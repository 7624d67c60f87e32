"""The script of a lost server: in each document of the app, whatever the browser would take, and in nothing else."""

from functools import partial

import pytest

from fairviz.ui.shell.server import OF_APP, OF_SERVER, Connection
from tests.ui.shell.asgi import ask

PAGE = b"<html><head><title>x</title></head><body></body></html>"


def answer(path: str, kind: str = "text/html; charset=utf-8", status: int = 200, **more) -> tuple[bytes, list]:
    """The body, and the headers that reached the app."""
    held = [(b"content-type", kind.encode()), (b"content-length", str(len(PAGE)).encode())]
    headers = [("Accept-Encoding", "gzip"), ("if-none-match", "x"), ("cookie", "y")]
    sent, reached = ask(partial(Connection, **more), path, headers, (status, held, [PAGE[:20], PAGE[20:]]))
    body = b"".join(message.get("body", b"") for message in sent[1:])
    assert int(dict(sent[0]["headers"])[b"content-length"]) == len(body)
    return body, reached[0]["headers"]


@pytest.mark.parametrize(("base", "start"), [("", b'BASE = "/"'), ("lab/fair", b'BASE = "/lab/fair/"')])
@pytest.mark.parametrize(("is_server", "restart"), [(False, OF_APP), (True, OF_SERVER)])
def test_a_document_says_how_to_go_on(base: str, start: bytes, is_server: bool, restart: str) -> None:
    body, reached = answer(f"/{base}/tradeoff", is_server=is_server, base=lambda: base)
    assert body.count(b"</head>") == 1
    assert body.index(start) < body.index(b"</head>")
    assert restart.encode() in body
    assert reached == [(b"cookie", b"y")], "a compressed or unchanged document could not be changed"


@pytest.mark.parametrize(
    ("path", "kind", "status"),
    [
        ("/static/index.js", "text/javascript", 200),
        ("/static/page.html", "text/html", 200),
        ("/media/abc", "application/json", 200),
        ("/_stcore/health", "text/html", 200),
        ("/tradeoff", "text/html", 404),
    ],
)
def test_nothing_else_is_changed(path: str, kind: str, status: int) -> None:
    assert answer(path, kind, status)[0] == PAGE
