"""A real web server on this machine that can cut connections, alter files and fail."""

import csv
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest

from fairviz.datasets import fetch
from fairviz.evaluation.opening import open_study
from fairviz.study.record import Study


@dataclass
class Site:
    """Files by path; `faults` says what goes wrong, by path, once for each entry: cut, fail or stall."""

    files: dict[str, bytes]
    faults: dict[str, list[str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    address: str = ""


@pytest.fixture
def site() -> Iterator[Site]:
    served = Site({})

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = unquote(self.path.lstrip("/"))
            served.asked.append(path)
            fault = served.faults[path].pop(0) if served.faults.get(path) else ""
            if fault == "fail" or path not in served.files:
                self.send_error(503 if fault else 404)
                return
            content = served.files[path]
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            if path.endswith("/"):  # a page of a package index
                self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if fault == "cut" else content)

        def log_message(self, *_: object) -> None:
            """No line on the console for each request."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.address = f"http://127.0.0.1:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield served
    server.shutdown()
    server.server_close()
    thread.join()


def fetched(name: str, source: Path) -> tuple[Study, list[str]]:
    """A data set fetched from local files, as a study, and what was told of its cleaning."""
    told: list[str] = []
    fetch(name, source, report=told.append)
    return open_study(name), told


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))
