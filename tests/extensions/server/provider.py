"""A small OpenID Connect provider in a process of its own. People log in by typing a name.

The name `ada` becomes the address ada@example.org. A name that begins with `unverified` has an address that the
provider has not verified. By hand: `python -m tests.extensions.server.provider`.
"""

import base64
import json
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

from tests.conftest import ROOT

CLIENT_ID, CLIENT_SECRET = "fairviz-test", "a-secret-of-the-tests-alone"
DISCOVERY = "/.well-known/openid-configuration"
FORM = """<!doctype html><title>Log in</title><h1>Log in</h1>
<form method="post"><label>Name <input name="name" autofocus></label> <button>Log in</button></form>"""
HOUR = 3600


@contextmanager
def running_provider() -> Iterator[str]:
    """Yield the address of a provider while the block lasts."""
    command = [sys.executable, "-m", "tests.extensions.server.provider"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address, "the provider did not start"
            yield address
        finally:
            process.terminate()


class Provider(ThreadingHTTPServer):
    """codes: what each code that can still be exchanged stands for: the name, and what its request named."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.issuer = f"http://127.0.0.1:{self.server_port}"
        self.key = RSAKey.generate_key(2048, {"kid": "only", "use": "sig", "alg": "RS256"})
        self.codes: dict[str, dict[str, str]] = {}

    def discovery(self) -> dict[str, object]:
        """Return the document by which clients find the provider's addresses."""
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
            "end_session_endpoint": f"{self.issuer}/logout",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "scopes_supported": ["openid", "email", "profile"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        }

    def identity(self, login: dict[str, str]) -> str:
        """Return the signed identity token of who logged in."""
        now, address = int(time.time()), f"{login['name']}@example.org"
        claims = {
            "iss": self.issuer, "aud": [CLIENT_ID], "iat": now, "exp": now + HOUR, "nonce": login["nonce"],
            "sub": address, "email": address, "email_verified": not login["name"].startswith("unverified"),
        }  # fmt: skip
        return jwt.encode({"alg": "RS256", "kid": "only"}, claims, self.key)


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path, asked = self._asked()
        if path == DISCOVERY:
            self._answer(200, json.dumps(self.server.discovery()), "application/json")
        elif path == "/jwks":
            keys = KeySet([self.server.key]).as_dict(private=False)
            self._answer(200, json.dumps(keys), "application/json")
        elif path == "/logout":
            self._answer(302, location=asked.get("post_logout_redirect_uri", "/"))
        elif path == "/authorize" and asked["client_id"] == CLIENT_ID:
            self._answer(200, FORM, "text/html")
        else:
            self._answer(404)

    def do_POST(self) -> None:
        path, asked = self._asked()
        form = dict(parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        if path == "/authorize":
            code = secrets.token_urlsafe()
            self.server.codes[code] = {**asked, "name": form["name"].strip()}
            sent = urlencode({"code": code, "state": asked["state"]})
            self._answer(302, location=f"{asked['redirect_uri']}?{sent}")
            return
        secret = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        login = self.server.codes.pop(form["code"], None)  # a code is good once
        if login is None or login["redirect_uri"] != form["redirect_uri"]:
            self._answer(400, '{"error": "invalid_grant"}', "application/json")
        elif self.headers["Authorization"] != f"Basic {secret}":
            self._answer(401, '{"error": "invalid_client"}', "application/json")
        else:
            tokens = {"access_token": "none", "token_type": "Bearer", "expires_in": HOUR}
            self._answer(200, json.dumps({**tokens, "id_token": self.server.identity(login)}), "application/json")

    def _asked(self) -> tuple[str, dict[str, str]]:
        parts = urlsplit(self.path)
        return parts.path, dict(parse_qsl(parts.query))

    def _answer(self, status: int, body: str = "", kind: str = "text/plain", location: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        """Print nothing."""


if __name__ == "__main__":
    provider = Provider()
    sys.stdout.write(f"{provider.issuer}\n")
    sys.stdout.flush()
    provider.serve_forever()
