"""An OpenID Connect provider made of Authlib's classes, in a process of its own. People log in by typing a name.

The name `ada` becomes the address ada@example.org; a whole address stays. A name that begins with `unverified` has an
address that the provider has not verified. By hand: `python -m tests.extensions.server.provider SECONDS`.
"""

import logging
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core.grants import OpenIDCode
from flask import Flask, redirect, request
from joserfc.jwk import KeySet, RSAKey
from werkzeug.serving import make_server

from tests.conftest import ROOT

CLIENT_ID, CLIENT_SECRET = "fairviz-test", "a-secret-of-the-tests-alone"
DISCOVERY = "/.well-known/openid-configuration"
DOMAIN = "example.org"
FORM = """<!doctype html><title>Log in</title><h1>Log in</h1>
<form method="post"><label>Name <input name="name" autofocus></label> <button>Log in</button></form>"""


@contextmanager
def running_provider(seconds: int = 3600) -> Iterator[str]:
    """Yield the address of a provider while the block lasts. seconds: the life of its identity tokens."""
    command = [sys.executable, "-m", "tests.extensions.server.provider", str(seconds)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address, "the provider did not start"
            yield address
        finally:
            process.terminate()


@dataclass(frozen=True)
class Person:
    """The user of the provider's classes."""

    name: str

    @property
    def address(self) -> str:
        return self.name if "@" in self.name else f"{self.name}@{DOMAIN}"

    def get_user_id(self) -> str:
        return self.address


class Client:
    """The only client, with a secret; its redirect address is checked by its path, as ports are drawn by each test."""

    client_id = CLIENT_ID

    def get_client_id(self) -> str:
        return CLIENT_ID

    def get_default_redirect_uri(self) -> None:
        return None

    def get_allowed_scope(self, scope: str) -> str:
        return " ".join(one for one in scope.split() if one in ("openid", "email", "profile"))

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirect_uri.endswith("/oauth2callback")

    def check_client_secret(self, client_secret: str) -> bool:
        return secrets.compare_digest(client_secret, CLIENT_SECRET)

    def check_endpoint_auth_method(self, method: str, _: str) -> bool:
        return method in ("client_secret_basic", "client_secret_post")

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type == "authorization_code"


@dataclass(frozen=True)
class Code:
    """An authorization code, with what its request named."""

    code: str
    person: Person
    redirect_uri: str
    scope: str
    nonce: str | None
    code_challenge: str | None
    code_challenge_method: str | None

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_scope(self) -> str:
        return self.scope

    def get_nonce(self) -> str | None:
        return self.nonce

    def get_auth_time(self) -> int:
        return int(time.time())

    def get_acr(self) -> None:
        return None

    def get_amr(self) -> None:
        return None


class Grant(AuthorizationCodeGrant):
    """The exchange of a code for tokens. Codes are kept in a dictionary of the server."""

    TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_basic", "client_secret_post")

    @property
    def codes(self) -> dict[str, Code]:
        return self.server.codes

    def save_authorization_code(self, code: str, asked: Any) -> None:
        data = asked.payload.data
        optional = (data.get(name) for name in ("nonce", "code_challenge", "code_challenge_method"))
        self.codes[code] = Code(code, asked.user, asked.payload.redirect_uri, asked.scope, *optional)

    def query_authorization_code(self, code: str, _: Client) -> Code | None:
        return self.codes.get(code)

    def delete_authorization_code(self, authorization_code: Code) -> None:
        del self.codes[authorization_code.code]

    def authenticate_user(self, authorization_code: Code) -> Person:
        return authorization_code.person


class Identity(OpenIDCode):
    """The identity token of a person, signed by the provider's only key."""

    def __init__(self, issuer: str, key: RSAKey, seconds: int) -> None:
        super().__init__(require_nonce=True)
        self.issuer, self.key, self.seconds = issuer, key, seconds

    def exists_nonce(self, nonce: str, _: Any) -> bool:
        """Return False: the form is loaded and sent with the same nonce, and the client checks it."""
        return False

    def resolve_client_private_key(self, _: Client) -> RSAKey:
        return self.key

    def get_encode_header(self, _: Client) -> dict[str, str]:
        return {"alg": "RS256", "kid": "only"}

    def get_client_claims(self, _: Client) -> dict[str, Any]:
        now = int(time.time())
        return {"iss": self.issuer, "aud": [CLIENT_ID], "iat": now, "exp": now + self.seconds}

    def generate_user_info(self, user: Person, _: str) -> dict[str, Any]:
        is_verified = not user.name.startswith("unverified")
        name = user.name.partition("@")[0].title()
        return {"sub": user.address, "email": user.address, "email_verified": is_verified, "name": name}


def provider_app(issuer: str, seconds: int) -> Flask:
    """Return the application of a provider at this address."""
    key = RSAKey.generate_key(2048, {"kid": "only", "use": "sig", "alg": "RS256"})
    app = Flask("provider")
    server = AuthorizationServer(app, lambda client_id: Client() if client_id == CLIENT_ID else None, lambda *_: None)
    server.codes = {}
    server.register_grant(Grant, [Identity(issuer, key, seconds), CodeChallenge(required=False)])
    app.add_url_rule(DISCOVERY, "discovery", lambda: discovery(issuer))
    app.add_url_rule("/jwks", "jwks", lambda: KeySet([key]).as_dict(private=False))
    app.add_url_rule("/token", "token", server.create_token_response, methods=["POST"])
    app.errorhandler(OAuth2Error)(lambda error: server.handle_error_response(None, error))

    @app.get("/authorize")
    def login_form() -> str:
        server.get_consent_grant()  # raises for a request that no login can follow
        return FORM

    @app.post("/authorize")
    def login() -> Any:
        person = Person(request.form["name"].strip())
        return server.create_authorization_response(grant_user=person, grant=server.get_consent_grant(end_user=person))

    @app.get("/logout")
    def logout() -> Any:
        return redirect(request.args.get("post_logout_redirect_uri", "/"))

    return app


def discovery(issuer: str) -> dict[str, Any]:
    """Return the document by which clients find the provider's addresses."""
    return {
        "issuer": issuer,
        "authorization_endpoint": f"{issuer}/authorize",
        "token_endpoint": f"{issuer}/token",
        "jwks_uri": f"{issuer}/jwks",
        "end_session_endpoint": f"{issuer}/logout",
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256"],
        "scopes_supported": ["openid", "email", "profile"],
        "token_endpoint_auth_methods_supported": list(Grant.TOKEN_ENDPOINT_AUTH_METHODS),
        "code_challenge_methods_supported": ["S256"],
    }


def main(seconds: int) -> None:
    """Serve on a free port of this machine, and print the address."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        free.listen()
        issuer = f"http://127.0.0.1:{free.getsockname()[1]}"
        server = make_server("127.0.0.1", 0, provider_app(issuer, seconds), threaded=True, fd=free.fileno())
        sys.stdout.write(f"{issuer}\n")
        sys.stdout.flush()
        server.serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]))
