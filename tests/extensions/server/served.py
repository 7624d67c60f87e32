"""A server in a process of its own, started by the command line and asked as a browser or a program would."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.serving.proxy import SURELY, free_port

HEADER = "X-Forwarded-Email"


class Served:
    """`fairviz serve`, or `fairviz app`, from the command line until the end of the block.

    log: everything that it has printed. base: the path at which it serves.
    """

    def __init__(
        self, folder: Path, *options: str, toml: str = "", base: str = "", processes: int = 1, **variables: str
    ) -> None:
        self.ports = free_ports(processes)
        self.port, self.base, self.folder = self.ports[0], f"/{base}" if base else "", folder
        self.home, self.studies, self.log_path = folder / "home", folder / "studies", folder / "log"
        self.studies.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "fairviz"]
        if options[:1] == ("app",):
            command += [*options, "--port", str(self.port)]
        else:
            config = folder / "fairviz.toml"
            top = f'port = {self.port}\nbase_path = "{base}"\nprocesses = {processes}\n'
            config.write_text(top + toml, encoding="utf-8")
            command += ["serve", str(self.studies), "--config", str(config), *options]
        self.command = command
        self.environment = {**os.environ, "FAIRVIZ_HOME": str(self.home), "HOME": str(folder), **variables}
        self.environment["PYTHONPATH"] = os.pathsep.join([*filter(None, [variables.get("PYTHONPATH")]), str(ROOT)])

    def __enter__(self) -> "Served":
        with self.log_path.open("wb") as log:
            self.process = subprocess.Popen(self.command, cwd=ROOT, env=self.environment, stdout=log, stderr=log)
        ends, silent = time.monotonic() + SURELY, set(self.ports)
        while time.monotonic() < ends and self.process.poll() is None:
            silent -= {port for port in silent if self.process_at(port)}
            if not silent:
                return self
            time.sleep(0.1)
        self.process.kill()
        self.process.wait(SURELY)
        pytest.fail(f"the server did not start:\n{self.log}")

    def __exit__(self, *_: object) -> None:
        status = self.process.poll()
        self.process.send_signal(signal.SIGTERM)
        ended = self.process.wait(SURELY)
        assert status is None, f"the server ended by itself with status {status}:\n{self.log}"
        assert ended == (143 if "app" in self.command else 0), self.log

    @property
    def log(self) -> str:
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    def ask(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None, port: int = 0
    ) -> tuple[int, str]:
        """The status and the text that answer a request below the base path."""
        with closing(http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=SURELY)) as connection:
            connection.request(method, self.base + path, body, dict(headers or {}))
            with connection.getresponse() as answer:
                return answer.status, answer.read().decode(errors="replace")

    def facts(self, port: int = 0) -> dict:
        """The counts of /healthz."""
        return json.loads(self.ask("GET", "/healthz", port=port)[1])

    def process_at(self, port: int) -> int:
        """The process that answers at the port; 0 for none."""
        try:
            return self.facts(port)["process"]
        except (OSError, http.client.BadStatusLine):  # a connection to a port that nobody holds may reach itself
            return 0


def free_ports(number: int) -> range:
    """Free ports in a row."""
    while True:
        ports = range(first := free_port(), first + number)
        with ExitStack() as probes, suppress(OSError):
            for port in ports[1:]:
                probes.enter_context(socket.socket()).bind(("localhost", port))
            return ports
