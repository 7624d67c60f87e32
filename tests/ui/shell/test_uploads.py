"""Uploads: none where no page takes any, a limit for each session, and nothing left when a session ends."""

import asyncio
import http.client
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from types import SimpleNamespace

import pytest
from starlette.exceptions import HTTPException
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

from fairviz.ui.shell.gate import NO_UPLOADS, CountedUploads, RefusedUploads
from fairviz.ui.state.streamlit_internals import Sessions
from tests.conftest import ROOT
from tests.serving.proxy import SURELY, free_port
from tests.serving.raw_page import raw_page

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
    assert store.put("a", 4) == [204]
    assert store.stored == {"a": 10, "b": 10}
    assert store.ended == ["a", "b", "a", "a"]
    assert not store.counting.arriving


@pytest.mark.parametrize("declared", ["", "x", "-5", "1" * 5000, "0"])
def test_a_length_that_is_wrong_is_no_way_around(declared: str) -> None:
    assert Store().put("a", 6, 5, declared=declared) == [413, TOO_MUCH]


def test_uploads_at_a_time_are_counted_together() -> None:
    store = Store()
    store.counting.arriving["a"] = 8  # of another upload
    assert store.put("a", 3) == [413, TOO_MUCH]
    assert store.counting.arriving == {"a": 8}


def test_other_requests_are_not_counted() -> None:
    store = Store()
    store.stored["a"] = 10
    assert store.put("a", 11, method="DELETE") == [204]
    store = Store()
    assert store.put("a", 11, place="/_stcore/other_file") == [204]


def test_a_server_for_labelling_takes_no_file() -> None:
    reached, sent = [], []

    async def behind(scope, receive, send):
        reached.append(scope["path"])

    async def receive():
        pytest.fail("a part of the upload was read")

    async def send(message):
        sent.append(message.get("status", message.get("body")))

    paths = [f"{PLACE}/a/b", f"/base{PLACE}/a/b", PLACE, "/label", "/_stcore/stream"]
    for path in paths:
        for method in ("PUT", "POST", "OPTIONS", "DELETE"):
            asyncio.run(RefusedUploads(behind)({"type": "http", "method": method, "path": path}, receive, send))
    assert sent == [403, f"{NO_UPLOADS}\n".encode()] * 12
    assert set(reached) == {"/label", "/_stcore/stream"}


class Session:
    """A session that notes that it was ended."""

    def __init__(self, name: str, ended: list[str]) -> None:
        self.id, self.ended = name, ended

    def shutdown(self) -> None:
        self.ended.append(self.id)


def test_a_session_that_nobody_can_resume_is_ended() -> None:
    ended: list[str] = []
    sessions = Sessions(maxsize=2, ttl_seconds=1000)
    now = [0.0]
    sessions._cache._timer = lambda: now[0]
    infos = {name: SimpleNamespace(session=Session(name, ended)) for name in "abc"}

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


class Running:
    """A server of the app in a process of its own, spoken to as a browser does."""

    def __init__(self, home, **variables: str) -> None:
        self.port = free_port()
        command = [sys.executable, "-m", "fairviz.ui.shell.server", "run", "app.py", "--server.port", str(self.port)]
        environment = {**os.environ, "FAIRVIZ_HOME": str(home), "FAIRVIZ_STUDY": "", **variables}
        self.process = subprocess.Popen(
            [*command, "--server.disconnectedSessionTTL", "0"], cwd=ROOT, env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def __enter__(self) -> "Running":
        for line in self.process.stdout:
            if b"URL:" in line:
                return self
        pytest.fail("the server did not start")

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    @contextmanager
    def session(self) -> Iterator[str]:
        """The name of a new session, which lasts as long as the block."""
        with raw_page(self.port) as page:
            yield page.open(query="study=football").session

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, str]:
        with closing(http.client.HTTPConnection("localhost", self.port, timeout=SURELY)) as connection:
            connection.request(method, path, body, headers)
            with connection.getresponse() as answer:
                return answer.status, answer.read().decode()

    def upload(self, session: str, size: int) -> tuple[int, str]:
        part = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n' + b"0" * size + b"\r\n--x--\r\n"
        token = generate_xsrf_token_string()
        headers = {"Cookie": f"_streamlit_xsrf={token}", "X-Xsrftoken": token}
        headers["Content-Type"] = "multipart/form-data; boundary=x"
        return self.ask("PUT", f"{PLACE}/{session}/file", part, **headers)

    def held(self) -> int:
        """The bytes of uploads in its memory."""
        found = re.findall(r'cache_type="UploadedFileManager".*} (\d+)', self.ask("GET", "/_stcore/metrics")[1])
        return sum(map(int, found))


@pytest.mark.slow
def test_a_server_for_labelling_keeps_no_upload(tmp_path) -> None:
    with Running(tmp_path, FAIRVIZ_ONLY_LABELLING="1") as server, server.session() as session:
        assert server.upload(session, 1000) == (403, f"{NO_UPLOADS}\n")
        assert server.held() == 0


@pytest.mark.slow
def test_uploads_go_with_their_session(tmp_path) -> None:
    with Running(tmp_path, FAIRVIZ_ONLY_LABELLING="") as server:
        with server.session() as session:
            assert server.upload(session, 1000)[0] == 204
            assert server.held() == 1000
        ends = time.monotonic() + SURELY
        while server.held() and time.monotonic() < ends:
            time.sleep(0.1)
        assert server.held() == 0
