"""Several processes of one server: one that is killed comes back, and SIGTERM ends all with status 0."""

import os
import signal
import time
from pathlib import Path

import pytest

from tests.extensions.server.served import Served
from tests.serving.proxy import SURELY

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")]


def test_one_that_is_killed_is_started_again_and_sigterm_ends_all_well(tmp_path: Path) -> None:
    with Served(tmp_path, processes=2) as server:  # which expects status 0 at its end
        first, second = map(server.process_at, server.ports)
        os.kill(second, signal.SIGKILL)
        ends = time.monotonic() + SURELY
        while server.process_at(server.ports[1]) in (0, second):
            assert time.monotonic() < ends
            time.sleep(0.1)
        assert server.process_at(server.port) == first
        assert "killed by signal 9); another starts in 1 s" in server.log
