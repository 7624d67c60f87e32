"""Caddy as people run it: deploy/Caddyfile with the addresses of a test, in a process of its own; and a server that
answers with the request, in the place of fairviz behind it.

Its certificates come from an authority of its own, kept in the folder of the test; a browser must be told to accept
them. By hand: `caddy run --adapter caddyfile --config FILE`.
"""

import json
import os
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

CADDYFILE = Path(__file__).parents[2] / "deploy" / "Caddyfile"
PATIENCE = 300  # seconds after which Caddy never starts, on a machine however busy
SURELY = 300  # seconds after which a server that should have ended is taken for one that does not
# Without the interface by which a running Caddy is changed, port 80, or the installation of its authority here.
HEAD = """{{
	admin off
	auto_https disable_redirects
	skip_install_trust
	storage file_system {storage}
}}
import {caddyfile}
"""
TRUSTING = ssl._create_unverified_context()  # accepts the certificate of a test


def caddy_program() -> str:
    """Return the path of Caddy; skips the test without it."""
    path = os.environ.get("FAIRVIZ_CADDY") or shutil.which("caddy")
    if path is None:
        pytest.skip("no Caddy: install it (apt-get install caddy) or set FAIRVIZ_CADDY to run the tests of the proxy")
    return path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


@contextmanager
def running_proxy(
    folder: Path, servers: Sequence[str], port: int = 0, caddyfile: Path = CADDYFILE, **variables: str
) -> Iterator[str]:
    """Yield the address of a Caddy before these servers, such as `127.0.0.1:8501`. folder: for its files."""
    program, port = caddy_program(), port or free_port()
    config, log = folder / "Caddyfile", folder / "caddy.log"
    config.write_text(HEAD.format(storage=folder / "caddy", caddyfile=caddyfile))
    environment = os.environ | {
        "HOME": str(folder),
        "FAIRVIZ_SITE": f"https://localhost:{port}",
        "FAIRVIZ_TLS": "tls internal",
        "FAIRVIZ_SERVERS": " ".join(servers),
        **variables,
    }
    command = [program, "run", "--adapter", "caddyfile", "--config", str(config)]
    with log.open("wb") as output, subprocess.Popen(command, env=environment, stdout=output, stderr=output) as process:
        try:
            _wait(port, process, log)
            yield f"https://localhost:{port}"
        finally:
            process.terminate()


def _wait(port: int, process: subprocess.Popen, log: Path) -> None:
    """Return when Caddy speaks TLS: its certificate is made after it listens."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with (
                socket.create_connection(("localhost", port), timeout=5) as connection,
                TRUSTING.wrap_socket(connection, server_hostname="localhost"),
            ):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"Caddy did not start:\n{log.read_text(errors='replace')}")


class Echo(BaseHTTPRequestHandler):
    """Answers with the headers of the request and the port of the server; its health as the test sets it.

    At /oauth2/auth it answers as oauth2-proxy does: with the address of whoever has the cookie `login`.
    """

    def do_GET(self) -> None:
        if self.path.startswith("/oauth2/"):
            self.authenticate()
            return
        is_well = self.path != "/healthz" or self.server.is_well
        if self.path == "/healthz":
            self.server.hosts.append(self.headers["Host"])
        self.send_response(200 if is_well else 503)
        self.end_headers()
        headers = [[name.lower(), value] for name, value in self.headers.items()]
        self.wfile.write(json.dumps({"port": self.server.server_port, "headers": headers}).encode())

    def authenticate(self) -> None:
        _, _, name = self.headers.get("Cookie", "").partition("login=")
        self.send_response(202 if name else 401)
        if name and name != "nameless":
            self.send_header("X-Auth-Request-Email", name)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def echo_server() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    server.is_well, server.hosts = True, []
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
