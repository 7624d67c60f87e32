"""Uploads: none where no page takes any, a limit for each session, and nothing left when a session ends."""

import asyncio
import http.client
import re
import time
from contextlib import closing
from functools import partial
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from starlette.exceptions import HTTPException
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

from fairviz.ui.shell.gate import NO_UPLOADS, CountedUploads, RefusedUploads
from fairviz.ui.state.streamlit_internals import Sessions
from tests.browser.conftest import running
from tests.serving.proxy import SURELY
from tests.serving.raw_page import raw_page
from tests.ui.shell.asgi import ask

PLACE = "/_stcore/upload_file"
TOO_MUCH = "The files of one session may have 1e-05 MB together. Remove some, or open the page again."


class Store:
    """What is behind the middleware: reads a body whole and stores its size, as Streamlit does."""

    def __init__(self, status: int = 204) -> None:
        self.stored: dict[str, int] = {}
        self.ended: list[str] = []
        self.before_answer = lambda: None
        self.counting = CountedUploads(self, lambda name: self.stored.get(name, 0), self.ended.append, most=0.00001)

    async def __call__(self, scope, receive, send) -> None:
        size, more = 0, True
        while more:
            message = await receive()
            size += len(message["body"])
            more = message["more_body"]
        name = scope["path"].split("/")[3]
        self.stored[name] = self.stored.get(name, 0) + size
        await send({"type": "http.response.start", "status": 204})

    def put(self, session: str, *parts: int, declared: str = "", method: str = "PUT", place: str = PLACE) -> list:
        """What is sent for an upload of parts of these sizes; `refused` where the body was cut off."""
        sent: list = []
        left = list(parts)

        async def receive():
            return {"type": "http.request", "body": b"x" * left.pop(0), "more_body": bool(left)}

        async def send(message):
            assert not self.counting.arriving, "a file that is stored does not arrive any more"
            sent.append(message.get("status", message.get("body")))

        headers = [(b"Content-Length", declared.encode())] if declared else []
        scope = {"type": "http", "method": method, "path": f"{place}/{session}/file", "headers": headers}
        try:
            asyncio.run(self.counting(scope, receive, send))
        except HTTPException as refused:
            sent = [refused.status_code, refused.detail]
        return sent


def test_the_files_of_a_session_are_counted_together() -> None:
    store = Store()
    assert store.put("a", 4, 2) == [204]
    assert store.put("b", 10) == [204], "another session has a count of its own"
    assert store.put("a", 4, 1) == [413, TOO_MUCH], "cut off where it is over"
    assert store.put("a", 5, declared="5") == [413, f"{TOO_MUCH}\n".encode()], "refused before it is read"
    for declared in ("", "x", "-5", "1" * 5000, "0"):
        assert store.put("a", 4, 1, declared=declared) == [413, TOO_MUCH], "a wrong length is no way around"
    assert store.put("a", 4) == [204]
    assert store.stored == {"a": 10, "b": 10}
    assert store.ended == ["a", "b", *["a"] * 7]
    assert not store.counting.arriving
    assert store.put("a", 11, method="DELETE") == [204], "no upload"
    assert store.put("d", 11, place="/_stcore/other_file") == [204]
    store.counting.arriving["c"] = 8  # of another upload at the same time
    assert store.put("c", 3) == [413, TOO_MUCH]
    assert store.counting.arriving == {"c": 8}


def test_a_server_for_labelling_takes_no_file() -> None:
    for method in ("PUT", "POST", "OPTIONS", "DELETE"):
        for path in (f"{PLACE}/a/b", f"/base{PLACE}/a/b", PLACE):
            sent, reached = ask(RefusedUploads, path, method=method)
            assert [message.get("status", message.get("body")) for message in sent] == [403, f"{NO_UPLOADS}\n".encode()]
            assert not reached
        for path in ("/label", "/_stcore/stream"):
            assert len(ask(RefusedUploads, path, method=method)[1]) == 1


def test_a_session_that_nobody_can_resume_is_ended() -> None:
    ended: list[str] = []
    sessions = Sessions(maxsize=2, ttl_seconds=1000)
    now = [0.0]
    sessions._cache._timer = lambda: now[0]
    infos = {
        name: SimpleNamespace(session=SimpleNamespace(id=name, shutdown=partial(ended.append, name))) for name in "abc"
    }

    async def leave(*names: str) -> None:
        for name in names:
            sessions.save(infos[name])
        await asyncio.sleep(0)

    asyncio.run(leave("a", "b"))
    assert (ended, sessions.get("a")) == ([], infos["a"]), "it may still be resumed"
    sessions.delete("a")  # resumed
    asyncio.run(leave("c"))
    assert ended == []
    asyncio.run(leave("a"))
    assert ended == ["b"], "the longest gone makes room"
    now[0] = 1000.0
    sessions.end_lost()
    assert ended == ["b", "c", "a"]
    sessions.end_lost()
    assert len(ended) == 3


def over_http(server: str, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, str]:
    with closing(http.client.HTTPConnection(urlsplit(server).netloc, timeout=SURELY)) as connection:
        connection.request(method, path, body, headers)
        with connection.getresponse() as answer:
            return answer.status, answer.read().decode()


def upload(server: str, session: str, size: int) -> tuple[int, str]:
    part = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n' + b"0" * size + b"\r\n--x--\r\n"
    token = generate_xsrf_token_string()
    headers = {"Cookie": f"_streamlit_xsrf={token}", "X-Xsrftoken": token}
    headers["Content-Type"] = "multipart/form-data; boundary=x"
    return over_http(server, "PUT", f"{PLACE}/{session}/file", part, **headers)


def held(server: str) -> int:
    """The bytes of uploads in its memory."""
    found = re.findall(r'cache_type="UploadedFileManager".*} (\d+)', over_http(server, "GET", "/_stcore/metrics")[1])
    return sum(map(int, found))


@pytest.mark.slow
@pytest.mark.lengthy
def test_uploads_go_with_their_session(tmp_path) -> None:
    with running(tmp_path, STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL="0") as (server, _):
        with raw_page(urlsplit(server).port) as page:
            assert upload(server, page.open(query="study=football").session, 1000)[0] == 204
            assert held(server) == 1000
        ends = time.monotonic() + SURELY
        while held(server) and time.monotonic() < ends:
            time.sleep(0.1)
        assert held(server) == 0
