"""Several processes of one server: one that is killed comes back, and SIGTERM ends all with status 0."""

import json
import os
import signal
import time
import urllib.request
from pathlib import Path

import pytest

from tests.extensions.server.served import Served
from tests.extensions.server.serving import neighbours
from tests.serving.proxy import SURELY

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")]


def process_at(port: int, other_than: int = 0) -> int:
    """The process that answers at the port, once it is another one."""
    ends = time.monotonic() + SURELY
    while time.monotonic() < ends:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=SURELY) as answer:
                found = json.load(answer)["process"]
        except OSError:
            found = other_than
        if found != other_than:
            return found
        time.sleep(0.1)
    pytest.fail(f"no process answers at port {port}")


def test_one_that_is_killed_is_started_again_and_sigterm_ends_all_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = neighbours()
    monkeypatch.setattr("tests.extensions.server.served.free_port", lambda: port)
    with Served(tmp_path, toml="processes = 2\n") as server:
        first, second = process_at(port), process_at(port + 1)
        os.kill(second, signal.SIGKILL)
        assert process_at(port + 1, second) != second
        assert process_at(port) == first
        assert "killed by signal 9); another starts in 1 s" in server.log
