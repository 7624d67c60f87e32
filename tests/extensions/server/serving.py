"""`fairviz serve` as people run it: its own processes behind a real Caddy, with logins at a real provider."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.browser.conftest import Visitor, wait_until_ready
from tests.conftest import ROOT
from tests.extensions.server.provider import CLIENT_ID, CLIENT_SECRET, DISCOVERY, running_provider
from tests.serving.proxy import free_port, running_proxy

CONFIG = """
title = "Lab"
port = {port}
hosts = ["localhost"]
processes = 2
builtin = false
[login]
provider = "{provider}"
client_id = "{client_id}"
client_secret_file = "client-secret"
url = "https://localhost:{front}"
{roles}
"""


@contextmanager
def serving(folder: Path, home: Path, roles: str) -> Iterator[str]:
    """Yield the address of a server of FOLDER/studies while the block lasts. roles: the rest of its configuration."""
    port, front = neighbours(), free_port()
    with running_provider() as issuer:
        (folder / "client-secret").write_text(CLIENT_SECRET)
        (folder / "fairviz.toml").write_text(
            CONFIG.format(port=port, provider=issuer + DISCOVERY, client_id=CLIENT_ID, front=front, roles=roles)
        )
        addresses = [f"127.0.0.1:{port}", f"127.0.0.1:{port + 1}"]
        command = [sys.executable, "-m", "fairviz", "serve", folder / "studies", "--config", folder / "fairviz.toml"]
        environment = {**os.environ, "FAIRVIZ_HOME": str(home)}
        log = folder / "serve.log"
        with (
            log.open("wb") as output,
            subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output) as server,
        ):
            try:
                for address in addresses:
                    wait_until_ready(f"http://{address}", server, log, "/healthz")
                with running_proxy(folder, addresses, port=front) as address:
                    yield address
            finally:
                server.terminate()


def neighbours() -> int:
    """Return a free port of which the next is free too."""
    while True:
        port = free_port()
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("localhost", port + 1))
            return port


class Person(Visitor):
    """A person who logs in at the provider; what the browser asks of the provider is no trouble."""

    def __init__(self, browser, address: str, name: str, context=None, button: str = "Log out") -> None:
        """context: where she is logged in already. button: the one that the page has in the end."""
        super().__init__(browser, address, context, **({} if context else {"ignore_https_errors": True}))
        self.page.goto(address)
        if context is None:
            self.page.get_by_role("button", name="Log in").click()
            self.page.get_by_label("Name").fill(name)
            self.page.get_by_role("button", name="Log in").click()
            self.page.wait_for_url(f"{address}/**")
        self.page.get_by_role("button", name=button).wait_for()
        self.settle(0)
        self.troubles.clear()
