"""The page of a server's owners: nothing for others, and every process, change and role for them."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from fairviz.extensions.server.configuration import Login, ServerConfig
from fairviz.extensions.server.queue import take_place
from fairviz.extensions.server.ui import login
from fairviz.extensions.server.ui import status as cards
from fairviz.extensions.server.ui.status import NO_SERVER, NOT_OWNER
from fairviz.home import data_home
from fairviz.home.permissions import Visitor, permissions, visiting
from tests.pages.conftest import first_run, html_of

ADA, EVE = Visitor("ada@x.org"), Visitor("eve@x.org")
FACTS = {"status": "ok", "sessions": 3, "memory_mb": 400.4, "uptime_seconds": 90}


@pytest.fixture
def serve_to(serve: Callable, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes this process that of a server, whose visitor is the one named."""

    def start(config: ServerConfig, person: Visitor | None) -> None:
        serve(config)
        monkeypatch.setattr(login, "visitor", lambda: person)

    return start


@pytest.fixture
def process() -> Iterator[int]:
    """The port of a process that answers with FACTS."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            assert self.path == "/healthz"
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(FACTS).encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def config(port: int = 1, processes: int = 1, **more: object) -> ServerConfig:
    return ServerConfig(
        port=port,
        processes=processes,
        login=Login(header="X-User"),
        roles={"owner": ("ada@x.org",), "viewer": ("*",)},
        studies={"newswire": {"annotator": ("bob@x.org", "eve@x.org")}},
        **more,
    )


def tables(page: AppTest) -> list[pd.DataFrame]:
    """The tables of the page, without those of the sidebar."""
    return [table.value for table in page.main.dataframe]


def test_without_a_server_and_without_owning_it_there_is_one_line(serve_to: Callable[..., None]) -> None:
    assert NO_SERVER[0] in html_of(first_run("status.py"))
    with visiting(ADA):
        serve_to(config(), ADA)
        data_home().mkdir(parents=True, exist_ok=True)
        permissions().log("newswire", "decide", "a secret detail")
    serve_to(config(), EVE)
    page = first_run("status.py")
    assert NOT_OWNER[0] in html_of(page)
    assert not tables(page)
    assert not page.tabs
    assert "secret" not in html_of(page)


def test_owners_see_processes_changes_and_roles(serve_to: Callable[..., None], process: int) -> None:
    data_home().mkdir(parents=True, exist_ok=True)
    serve_to(config(process, processes=2), ADA)
    with visiting(EVE):
        permissions().log("newswire", "decide", "d1", "<b>neutral</b>")
    with visiting(ADA):
        permissions().log("newswire", "delete a run", "bm25")
    place = take_place("k", "Rank mine", "eve@x.org")
    page = first_run("status.py")
    place.leave()
    drawn = html_of(page)
    for fact in ("<b>1 of 2</b> processes answer", "<b>3</b> sessions", "<b>1</b> waiting", "<b>400 MB</b> memory"):
        assert fact in drawn
    assert "<b>0 h 1 min</b> up" in drawn
    of_processes, of_jobs, of_changes, of_roles = tables(page)
    assert list(of_processes["status"]) == ["ok", cards.SILENT]
    assert of_jobs[["position", "title", "visitor", "state"]].values.tolist() == [
        [0, "Rank mine", "eve@x.org", "waiting"]
    ]
    assert of_changes[["who", "deed", "details"]].values.tolist() == [
        ["ada@x.org", "delete a run", "bm25"],
        ["eve@x.org", "decide", "d1 <b>neutral</b>"],
    ]
    assert of_roles.values.tolist() == [
        ["every study", "*", "", "ada@x.org"],
        ["newswire", "", "bob@x.org, eve@x.org", ""],
    ]


def test_a_server_without_any_answer_has_no_sums_and_its_processes_have_an_address() -> None:
    counts = pd.DataFrame([{"port": 1, "status": cards.SILENT}]).reindex(columns=list(cards.PROCESS_COLUMNS))
    first, *_, last = cards.totals(counts)
    assert (first, last) == (("processes answer", "0 of 1"), ("up", "not known"))
    counts["uptime_seconds"] = 90_061
    assert cards.totals(counts)[-1] == ("up", "1 d 1 h")
    hosts = {"0.0.0.0": "127.0.0.1", "::": "::1", "localhost": "localhost", "10.0.0.5": "10.0.0.5"}
    assert {address: cards._host(address) for address in hosts} == hosts, "where its processes are reached"
