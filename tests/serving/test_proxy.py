"""deploy/Caddyfile in a real Caddy: what reaches the servers behind it, and which of them."""

import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path

import httpx2
import pytest

from tests.serving.echo import echo_server
from tests.serving.proxy import CADDYFILE, PATIENCE, TRUSTING, caddy_program, running_proxy

IDENTITY = (
    "X-Forwarded-Email", "X-Forwarded-User", "X-Forwarded-Preferred-Username", "X-Auth-Request-Email",
    "X-Auth-Request-User", "Remote-User", "Remote-Email",
)  # fmt: skip


@pytest.fixture(scope="module")
def servers() -> Iterator[list[ThreadingHTTPServer]]:
    with echo_server() as one, echo_server() as other:
        yield [one, other]


@pytest.fixture(scope="module")
def proxy(servers, tmp_path_factory) -> Iterator[str]:
    addresses = [f"127.0.0.1:{server.server_port}" for server in servers]
    with running_proxy(tmp_path_factory.mktemp("caddy"), addresses) as address:
        yield address


@contextmanager
def browser(proxy: str) -> Iterator[httpx2.Client]:
    """A client with cookies of its own."""
    with httpx2.Client(base_url=proxy, verify=TRUSTING, trust_env=False, timeout=PATIENCE) as client:
        yield client


def port_of(client: httpx2.Client) -> int:
    return client.get("/").json()["port"]


def test_a_visitor_names_neither_herself_nor_her_address_and_her_browser_keeps_to_tls(proxy) -> None:
    names = [*IDENTITY, *(name.lower() for name in IDENTITY)]
    sent = [*((name, "owner@example.org") for name in names), ("X-Other", "kept"), ("X-Forwarded-For", "10.9.8.7")]
    with browser(proxy) as client:
        answer = client.get("/", headers=sent)
    received = dict(answer.json()["headers"])
    assert received["x-other"] == "kept"
    assert not {name.lower() for name in IDENTITY} & set(received)
    assert "10.9.8.7" not in received["x-forwarded-for"]
    assert received["x-forwarded-proto"] == "https"
    assert received["host"] == proxy.removeprefix("https://")
    assert answer.headers["strict-transport-security"] == "max-age=31536000"
    assert "caddy" not in answer.headers.get("server", "").lower()


def test_each_visitor_keeps_to_one_server(proxy) -> None:
    ports = []
    for _ in range(16):
        with browser(proxy) as client:
            first, *later = [port_of(client) for _ in range(3)]
            assert set(later) == {first}
            ports.append(first)
    assert len(set(ports)) == 2


@pytest.mark.slow
def test_a_server_that_is_not_well_is_left_until_it_is(proxy, servers) -> None:
    with browser(proxy) as client:
        first = port_of(client)
        (server,) = (one for one in servers if one.server_port == first)
        server.is_well = False
        try:
            wait_for(lambda: port_of(client) != first)
            assert set(server.hosts) == {"localhost"}
        finally:
            server.is_well = True
    with browser(proxy) as other:
        wait_for(lambda: other.cookies.clear() or port_of(other) == first)


def wait_for(condition) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_trusted_header_has_the_name_of_who_logged_in_alone(servers, tmp_path: Path) -> None:
    """The file with the lines of the trusted header in place."""
    text = CADDYFILE.read_text(encoding="utf-8")
    commented = re.search(r"(?:\t\t# .*\n)+(?=\t\treverse_proxy)", text)[0]
    _, *lines = commented.replace("\t\t# ", "\t\t").splitlines(keepends=True)
    server = f"127.0.0.1:{servers[0].server_port}"
    path = tmp_path / "trusted"
    path.write_text(text.replace(commented, "".join(lines)).replace("127.0.0.1:4180", server))
    # Caddy 2.6 sends the name of its placeholder for a login without a name, which no server may take for a person's.
    nameless = ([], ["{http.reverse_proxy.header.X-Auth-Request-Email}"])
    sent = [(header, "owner@example.org") for header in IDENTITY]
    with running_proxy(tmp_path, [server], caddyfile=path) as address:
        for cookie, names in (("ada@example.org", (["ada@example.org"],)), ("nameless", nameless)):
            with browser(address) as client:
                received = client.get("/", headers=[*sent, ("Cookie", f"login={cookie}")]).json()["headers"]
            assert "owner@example.org" not in dict(received).values()
            assert [value for header, value in received if header == "x-forwarded-email"] in names
        with browser(address) as client:
            assert client.get("/", headers=sent).status_code == 401, "nobody passes without a login"


def test_the_file_is_valid_as_it_is_and_formatted() -> None:
    program = caddy_program()
    done = subprocess.run(
        [program, "validate", "--adapter", "caddyfile", "--config", CADDYFILE], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    formatted = subprocess.run([program, "fmt", CADDYFILE], capture_output=True, text=True)
    assert formatted.stdout == Path(CADDYFILE).read_text()
