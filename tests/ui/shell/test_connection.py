"""The script of a lost server: in each document of the app, whatever the browser would take, and in nothing else."""

import asyncio

import pytest

from fairviz.ui.shell.server import OF_APP, OF_SERVER, Connection

PAGE = b"<html><head><title>x</title></head><body></body></html>"


def answer(path: str, kind: str = "text/html; charset=utf-8", status: int = 200, **more) -> tuple[bytes, dict, list]:
    """The body, the headers, and the headers that reached the app."""
    sent: list[dict] = []
    reached: list[tuple[bytes, bytes]] = []

    async def app(scope, receive, send):
        reached.extend(scope["headers"])
        headers = [(b"content-type", kind.encode()), (b"content-length", str(len(PAGE)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": PAGE[:20], "more_body": True})
        await send({"type": "http.response.body", "body": PAGE[20:]})

    async def receive():
        return {"type": "http.request"}

    async def send(message):
        sent.append(message)

    headers = [(b"Accept-Encoding", b"gzip"), (b"if-none-match", b"x"), (b"cookie", b"y")]
    scope = {"type": "http", "method": "GET", "path": path, "headers": headers}
    asyncio.run(Connection(app, **more)(scope, receive, send))
    body = b"".join(message.get("body", b"") for message in sent[1:])
    found = dict(sent[0]["headers"])
    assert int(found[b"content-length"]) == len(body)
    return body, found, reached


@pytest.mark.parametrize(("base", "start"), [("", b'BASE = "/"'), ("lab/fair", b'BASE = "/lab/fair/"')])
@pytest.mark.parametrize(("is_server", "restart"), [(False, OF_APP), (True, OF_SERVER)])
def test_a_document_says_how_to_go_on(base: str, start: bytes, is_server: bool, restart: str) -> None:
    body, _, reached = answer(f"/{base}/tradeoff", is_server=is_server, base=lambda: base)
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
