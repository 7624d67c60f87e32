"""Uploads: none where no page takes any, a limit for each session, and nothing left when a session ends."""

import asyncio
import http.client
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from starlette.exceptions import HTTPException
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

from fairviz.home import server_config as server_config_module
from fairviz.home.server_config import VARIABLE, Limits, Login, ServerConfig, to_json
from fairviz.ui.shell.gate import (
    NO_UPLOADS,
    NOT_YOURS,
    CountedUploads,
    OwnDownloads,
    RefusedUploads,
    most_megabytes,
    refuse_strangers,
)
from fairviz.ui.state import streamlit_internals
from fairviz.ui.state.streamlit_internals import Beginning, Sessions
from tests.serving.proxy import SURELY, free_port
from tests.serving.raw_page import raw_page
from tests.test_architecture import ROOT

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


PROVIDER = Login(provider="https://id.example.org", client_id="f", client_secret_file="s", url="https://lab.org")
COOKIES = {"_streamlit_user": "chunks-2", "_streamlit_user__1": "abc", "_streamlit_xsrf": "1"}


@pytest.fixture
def refusal_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The reason to refuse a request with these headers, to the session of Ada that others began."""

    def refusal(
        headers: dict[str, str], login: Login | None = PROVIDER, roles: str = "viewer", **claims: object
    ) -> str:
        people = {"viewer": ("ada@x.org",)} if roles else {}
        config = ServerConfig(login=login, roles=people)
        (tmp_path / "config.json").write_text(to_json(config), encoding="utf-8")
        server_config_module._stored_config.cache_clear()
        monkeypatch.setenv(VARIABLE, str(tmp_path / "config.json"))
        known = {
            "is_logged_in": True,
            "email": "ada@x.org",
            "email_verified": True,
            "iat": time.time(),
            "fairviz_login": "ada@x.org",
        }
        beginning = Beginning({"x-user": "ada@x.org"}, COOKIES, {**known, **claims})
        monkeypatch.setattr(streamlit_internals, "beginning_of", lambda name: beginning if name == "ada" else None)
        pairs = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        return refuse_strangers(str(claims.get("session", "ada")), {"type": "http", "path": "/", "headers": pairs})

    return refusal


def cookie(**changed: str) -> dict[str, str]:
    values = {**COOKIES, **changed}
    return {"Cookie": "; ".join(f"{name}={value}" for name, value in values.items() if value)}


def test_files_come_with_the_cookies_of_the_sessions_own_login(refusal_of: Callable[..., str]) -> None:
    assert refusal_of(cookie()) == ""
    assert refusal_of(cookie(_streamlit_xsrf="2", _streamlit_user_tokens="x", other="y")) == ""
    for other in (cookie(_streamlit_user__1="abd"), cookie(_streamlit_user__1=""), {}, {"X-User": "ada@x.org"}):
        assert refusal_of(other) == NOT_YOURS
    assert refusal_of(cookie(), session="eve") == NOT_YOURS
    assert refusal_of(cookie(), iat=time.time() - 13 * 3600) == NOT_YOURS, "the login is over"
    assert refusal_of(cookie(), is_logged_in=False) == NOT_YOURS
    assert refusal_of(cookie(), roles="") == NOT_YOURS


def test_files_come_with_the_trusted_header_of_the_sessions_own_visitor(refusal_of: Callable[..., str]) -> None:
    header = Login(header="X-User")
    assert refusal_of({"X-User": "ada@x.org"}, header) == ""
    for headers in ({"X-User": "eve@x.org"}, {}, cookie()):
        assert refusal_of(headers, header) == NOT_YOURS
    assert refusal_of({"X-User": "ada@x.org"}, header, fairviz_login="") == NOT_YOURS


def test_without_a_login_the_machines_own_user_uploads(refusal_of: Callable[..., str]) -> None:
    assert refusal_of({}, None) == ""


def test_a_download_is_of_the_visitor_of_a_page_that_offers_it(
    refusal_of: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal_of(cookie())  # begins Ada's session
    held = {"a1": ["eve", "ada"], "b2": ["eve"]}
    monkeypatch.setattr(
        streamlit_internals, "sessions_with_download", lambda name: held.get(name.partition(".")[0], [])
    )

    def status(path: str, headers: dict[str, str]) -> int:
        pairs = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        sent: list[dict] = []

        async def behind(scope, receive, send) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": []})

        async def receive() -> dict:
            return {"type": "http.request"}

        async def send(message) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": path, "headers": pairs}
        asyncio.run(OwnDownloads(behind)(scope, receive, send))
        return sent[0]["status"]

    for place in ("/media", "/lab/media"):
        assert status(f"{place}/a1.csv", cookie()) == 200
        for headers in ({}, cookie(_streamlit_user__1="abd"), {"X-User": "ada@x.org"}):
            assert status(f"{place}/a1.csv", headers) == 403
        assert status(f"{place}/b2.csv", cookie()) == 403
        assert status(f"{place}/none.csv", cookie()) == 403
    assert status("/manual/media.html", {}) == 200


def test_the_limit_is_that_of_the_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert most_megabytes() == 1000
    (tmp_path / "config.json").write_text(to_json(ServerConfig(limits=Limits(upload_megabytes=7))), encoding="utf-8")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "config.json"))
    assert most_megabytes() == 7


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
