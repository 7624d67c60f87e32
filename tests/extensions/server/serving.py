"""`fairviz serve` as people run it: its own processes behind a real Caddy, with logins at a real provider."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.browser.conftest import Visitor
from tests.extensions.server.provider import CLIENT_ID, CLIENT_SECRET, DISCOVERY, running_provider
from tests.extensions.server.served import Served
from tests.serving.proxy import free_port, running_proxy

CONFIG = """
title = "Lab"
hosts = ["localhost"]
builtin = false
[login]
provider = "{provider}"
client_id = "{client_id}"
client_secret_file = "client-secret"
url = "https://localhost:{front}"
{roles}
"""


@contextmanager
def serving(folder: Path, roles: str) -> Iterator[str]:
    """Yield the address of a server of FOLDER/studies, with the data folder FOLDER/home, while the block lasts. roles:
    the rest of its configuration."""
    front = free_port()
    (folder / "client-secret").write_text(CLIENT_SECRET)
    with running_provider() as issuer:
        toml = CONFIG.format(provider=issuer + DISCOVERY, client_id=CLIENT_ID, front=front, roles=roles)
        with Served(folder, toml=toml, processes=2) as server:
            addresses = [f"127.0.0.1:{port}" for port in server.ports]
            with running_proxy(folder, addresses, port=front) as address:
                yield address


class Person(Visitor):
    """A person who logs in at the provider; what the browser asks of the provider is no trouble."""

    def __init__(self, context, address: str, name: str = "", path: str = "", button: str = "Log out") -> None:
        """name: empty where she is logged in already. button: the one that the page has in the end."""
        super().__init__(context.browser, address, context)
        self.page.goto(address + path)
        if name:
            self.page.get_by_role("button", name="Log in").click()
            self.page.get_by_label("Name").fill(name)
            self.page.get_by_role("button", name="Log in").click()
            self.page.wait_for_url(f"{address}/**")
        self.page.get_by_role("button", name=button).wait_for()
        self.settle(0)
        self.troubles.clear()
