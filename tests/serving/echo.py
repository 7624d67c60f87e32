"""A server that answers with the request, in the place of fairviz behind a proxy or a check of health."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


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
