"""The provider of the tests keeps to OpenID Connect: a client of Authlib goes through its flow without a browser."""

import itertools
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc import jwt
from joserfc.jwk import KeySet

from tests.extensions.server.provider import CLIENT_ID, CLIENT_SECRET, DISCOVERY, running_provider

REDIRECT = "http://localhost:8501/oauth2callback"
VERIFIER = "v" * 64
NONCES = itertools.count()


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    with running_provider(seconds=600) as address:
        yield address


@pytest.fixture
def nonce() -> str:
    return f"nonce-{next(NONCES)}"


@pytest.fixture
def client() -> Iterator[httpx2.Client]:
    with httpx2.Client(trust_env=False, timeout=300) as client:
        yield client


def code_of(client: httpx2.Client, issuer: str, name: str, nonce: str) -> str:
    """Log in under this name, and return the authorization code."""
    asked = {
        "response_type": "code", "client_id": CLIENT_ID, "redirect_uri": REDIRECT, "scope": "openid email profile",
        "state": "s", "nonce": nonce, "code_challenge_method": "S256",
        "code_challenge": create_s256_code_challenge(VERIFIER),
    }  # fmt: skip
    address = str(httpx2.URL(f"{issuer}/authorize", params=asked))
    assert "Log in" in client.get(address).text
    answer = client.post(address, data={"name": name})
    assert answer.status_code == 302
    query = parse_qs(urlsplit(answer.headers["location"]).query)
    assert query["state"] == ["s"]
    return query["code"][0]


def exchange(client: httpx2.Client, issuer: str, code: str, **changes: str) -> httpx2.Response:
    asked = {
        "grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT, "code_verifier": VERIFIER,
        "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET, **changes,
    }  # fmt: skip
    return client.post(f"{issuer}/token", data=asked)


@pytest.mark.parametrize(
    ("name", "address", "is_verified"),
    [
        ("ada", "ada@example.org", True),
        ("Bob@Example.com", "Bob@Example.com", True),
        ("unverified-eve", "unverified-eve@example.org", False),
    ],
)
def test_an_identity_token_names_who_logged_in(client, issuer, nonce, name, address, is_verified) -> None:
    answer = exchange(client, issuer, code_of(client, issuer, name, nonce))
    keys = KeySet.import_key_set(client.get(f"{issuer}/jwks").json())
    claims = jwt.decode(answer.json()["id_token"], keys, algorithms=["RS256"]).claims
    assert (claims["email"], claims["email_verified"]) == (address, is_verified)
    assert (claims["iss"], claims["aud"], claims["nonce"]) == (issuer, [CLIENT_ID], nonce)
    assert claims["exp"] - claims["iat"] == 600


def test_a_code_is_good_once(client, issuer, nonce) -> None:
    code = code_of(client, issuer, "ada", nonce)
    assert exchange(client, issuer, code).status_code == 200
    assert exchange(client, issuer, code).json()["error"] == "invalid_grant"


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"client_secret": "wrong"}, "invalid_client"),
        ({"code_verifier": "w" * 64}, "invalid_grant"),
        ({"redirect_uri": "http://evil.example/oauth2callback"}, "invalid_grant"),
    ],
)
def test_a_false_exchange_is_refused(client, issuer, nonce, change, error) -> None:
    code = code_of(client, issuer, "ada", nonce)
    assert exchange(client, issuer, code, **change).json()["error"] == error


def test_the_document_names_addresses_of_the_provider(client, issuer) -> None:
    document = client.get(issuer + DISCOVERY).json()
    assert document["issuer"] == issuer
    assert all(value.startswith(issuer) for name, value in document.items() if name.endswith(("endpoint", "uri")))
